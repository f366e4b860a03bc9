"""The command `hockeystick`: what the commands share is here and in `answer`."""

from __future__ import annotations

from typing import Any

import click

from hockeystick.cli.delta import delta
from hockeystick.cli.epsilon import epsilon
from hockeystick.errors import HockeystickError


class BadInput(click.ClickException):
    """One line on stderr and exit code 2."""

    exit_code = 2


class Commands(click.Group):
    """A group in which every error raised on purpose is bad input, not a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except HockeystickError as error:
            raise BadInput(" ".join(str(error).split())) from error


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="hockeystick", prog_name="hockeystick")
def main() -> None:
    """Say exactly what a private computation costs.

    A computation is written as in Python: mechanisms, put on a sample with .on(...), added with +
    and repeated with *.

    \b
    Example:
      hockeystick epsilon "Gaussian(1.1).on(Poisson(0.01)) * 10000" --delta 1e-5
    """


main.add_command(epsilon)
main.add_command(delta)

if __name__ == "__main__":
    main()
