"""The argument EXPR and the options that the commands share."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from hockeystick import numerals
from hockeystick.errors import ParameterError
from hockeystick.relation import Relation
from hockeystick.routes import NAMES

METHODS = ("auto", *(name.replace(" ", "-") for name in NAMES))

Command = TypeVar("Command", bound=Callable[..., Any])


RELATIONS = tuple(map(str, Relation))


def relation_named(name: Any) -> Relation:
    """The relation of one of these names."""
    return Relation.read(name, f"one of {', '.join(RELATIONS)}")


def question(command: Command) -> Command:
    """EXPR and the options of every question about it; --relation and --method are how it is asked,
    under the names that every question of a mechanism takes."""
    return expression(asked(command))


def asked(command: Command) -> Command:
    """The options --relation, --method and --json."""
    return relation(method(json(command)))


def expression(command: Command) -> Command:
    """The argument EXPR."""
    return click.argument("expression", metavar="EXPR", shell_complete=completed)(command)


def completed(_ctx: click.Context, _param: click.Parameter, typed: str) -> list[str]:
    """EXPR so far with its last word completed to the names that begin with it."""
    from hockeystick.registry import names

    word = re.search(r"\w*$", typed, re.ASCII)
    last = word[0] if word else ""
    before = typed[: len(typed) - len(last)]
    return [f"{before}{name}(" for name in names() if last and name.startswith(last)]


def relation(command: Command) -> Command:
    """The option --relation."""
    return click.option(
        "--relation",
        type=click.Choice(RELATIONS),
        callback=lambda _context, _option, name: relation_named(name) if name else None,
        help="What changes between neighbouring datasets; the sampler's natural one if not given.",
    )(command)


def method(command: Command) -> Command:
    """The option --method."""
    return click.option(
        "--method",
        type=click.Choice(METHODS),
        default="auto",
        show_default=True,
        callback=lambda _context, _option, name: name.replace("-", " "),
        help="How to compute it.",
    )(command)


def certify(command: Command) -> Command:
    """The option --certify."""
    return click.option(
        "--certify", is_flag=True, help="Prove both ends, rounding included, or fail."
    )(command)


def delta(command: Command) -> Command:
    """The options --delta and --log-delta of a guarantee, of which one is given."""
    return _delta("guarantee", command)


def epsilon(command: Command) -> Command:
    """The option --epsilon of a guarantee."""
    return _number("epsilon", "guarantee")(command)


def budget(command: Command) -> Command:
    """The options --epsilon and --delta, or --log-delta, of a budget."""
    return _number("epsilon", "budget")(_delta("budget", command))


def _delta(whose: str, command: Command) -> Command:
    @functools.wraps(command)
    def with_delta(*args: Any, delta: float | None, log_delta: float | None, **rest: Any) -> Any:
        from hockeystick.small_delta import given

        if delta is None and log_delta is None:
            raise click.UsageError("Missing option '--delta', or '--log-delta'.")
        if delta is not None and log_delta is not None:
            raise click.UsageError("--delta and --log-delta exclude each other.")
        at = given(delta, log_delta) if delta is None else delta
        return command(*args, delta=at, **rest)

    own = click.option("--delta", type=DELTA, help=f"The delta of the {whose}.")
    log = click.option("--log-delta", type=NUMBER, help="Its natural logarithm instead of it.")
    return own(log(with_delta))  # type: ignore[return-value]


def _number(name: str, whose: str) -> Callable[[Command], Command]:
    return click.option(f"--{name}", type=NUMBER, required=True, help=f"The {name} of the {whose}.")


def json(command: Command) -> Command:
    """The option --json."""
    return click.option(
        "--json", "as_json", is_flag=True, help='Print a JSON object; infinity is the text "inf".'
    )(command)


class Number(click.ParamType):  # type: ignore[type-arg]  # older clicks take none
    """A number such as 1e-5, or a fraction such as 1/60000."""

    name = "float"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The nearest float; what would become 0 or infinite is refused."""
        if not isinstance(value, str):
            return value
        try:
            return numerals.read("it", value)
        except ParameterError as error:
            self.fail(f"{error}.", param, ctx)


NUMBER = Number()


class Delta(Number):
    """The same, and also a number below every float, such as 1e-400."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The nearest float, or a logarithm."""
        if not isinstance(value, str):
            return value
        from hockeystick import small_delta

        try:
            return small_delta.read("it", value)
        except ParameterError as error:
            self.fail(f"{error}.", param, ctx)


DELTA = Delta()


class OutputFile(click.Path):
    """A file to write, in a folder that is there: long work should not end in the void."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, writable=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path, if its folder exists."""
        path = super().convert(value, param, ctx)
        folder = Path(str(path)).parent
        if not folder.is_dir():
            self.fail(f"there is no folder {str(folder)!r}.", param, ctx)
        return path
