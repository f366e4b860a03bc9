"""The command `hockeystick`, a group of the commands in this folder, one file each.

The command `x` is the object `x` of the module `hockeystick.cli.x`: a new command adds a file and
edits none. A command module imports click and `hockeystick.cli.shared` only; what needs numpy is
imported inside its function, so that the list of commands comes at once.
"""

from __future__ import annotations

import difflib
import os
import pkgutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from hockeystick import __version__
from hockeystick.cli.shared import streams, timeout
from hockeystick.cli.shared.interrupt import interruptible
from hockeystick.errors import HockeystickError

NOT_COMMANDS = {"__main__", "main"}
EXTRA = "pip install 'hockeystick["
"""What the message about an extra that is not installed says."""
MOST_CHARACTERS = 1000
"""Of a message: what it quotes may be long."""


class BadInput(click.ClickException):
    """One line on stderr and exit code 2."""

    exit_code = 2


class Commands(click.Group):
    """A group of the commands found by file; an error raised on purpose is one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The modules beside this one."""
        here = pkgutil.iter_modules([str(Path(__file__).parent)])
        return sorted({each.name for each in here if not each.ispkg} - NOT_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command of that name, imported when it is asked for."""
        if name not in self.list_commands(ctx):
            return None
        command: click.Command = getattr(import_module(f"hockeystick.cli.{name}"), name)
        return timeout.limited(command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first word names; one that is nearly right is suggested."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            names = self.list_commands(ctx)
            close = difflib.get_close_matches(args[0].lower(), names, n=1, cutoff=0.5)
            if close:
                ctx.fail(f"No such command {args[0]!r}. Did you mean {close[0]}?")
            ctx.fail(f"{error.message} The commands are {', '.join(names)}.")

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options of the group; without any word show the help."""
        if not args:
            return super().parse_args(ctx, args)
        with _one_line(ctx):
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with _one_line(ctx), interruptible():
            streams.take_any_encoding()
            done = super().invoke(ctx)
            sys.stdout.flush()  # what fails should fail here
            return done


@contextmanager
def _one_line(ctx: click.Context) -> Iterator[None]:
    """Say in one line what is wrong with the input."""
    try:
        yield
    except click.UsageError as error:
        path = (error.ctx or ctx).command_path
        raise BadInput(f"{_short(error.format_message())} See '{path} --help'.") from error
    except HockeystickError as error:
        raise BadInput(_short(str(error))) from error
    except ModuleNotFoundError as error:
        if EXTRA not in str(error):
            raise
        raise BadInput(_short(str(error))) from error
    except OSError as error:
        if error.filename is not None:
            raise BadInput(_short(f"{error.filename}: {error.strerror}")) from error
        code, message = streams.failure(error)
        if message:
            raise BadInput(message) from error
        ctx.exit(code)
    except (KeyboardInterrupt, click.Abort):
        click.echo("Interrupted.", err=True)
        ctx.exit(timeout.INTERRUPTED)


def _short(message: str) -> str:
    """One line that a terminal can show, of no more characters than one can read."""
    line = " ".join(message.split())
    if len(line) > MOST_CHARACTERS:
        line = f"{line[: MOST_CHARACTERS // 2]} ... {line[-MOST_CHARACTERS // 4 :]}"
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in line)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="hockeystick")
def main() -> None:
    """Say exactly what a private computation costs.

    A computation is written as in Python: mechanisms, put on a sample with .on(...), added with +
    and repeated with *.

    \b
    Example:
      hockeystick epsilon "Gaussian(1.1).on(Poisson(0.01)) * 10000" --delta 1e-5
    """
    # To start threads for linear algebra takes longer than a command does without them.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


if __name__ == "__main__":
    main()
