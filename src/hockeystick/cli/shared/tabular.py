"""CSV files that `train` and `predict` read: how they are cut, and what stands for nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from hockeystick.learn.table import Table

Command = TypeVar("Command", bound=Callable[..., Any])

NAMED_DELIMITERS = {"tab": "\t", "\\t": "\t"}


class Delimiter(click.ParamType):  # type: ignore[type-arg]  # older clicks take none
    """One character, or the word tab."""

    name = "character"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The character."""
        character = NAMED_DELIMITERS.get(str(value), str(value))
        if len(character) != 1 or character in '"\r\n':
            self.fail(
                f"must be one character such as ; or the word tab, got {value!r}.", param, ctx
            )
        return character


def options(command: Command) -> Command:
    """The options --na and --delimiter."""
    na = click.option(
        "--na",
        multiple=True,
        metavar="TEXT",
        help="A cell that means: missing; beside nothing at all, ?, NA, NaN, N/A and null.",
    )
    delimiter = click.option(
        "--delimiter",
        type=Delimiter(),
        default=",",
        show_default=True,
        metavar="CHARACTER",
        help="What is between two cells; or the word tab.",
    )
    return na(delimiter(command))


def read(
    data: Path,
    target: str | None,
    names: Sequence[str] | None,
    na: Sequence[str],
    delimiter: str,
) -> Table:
    """The table in a file, or in standard input where that is `-`."""
    from hockeystick.learn.table import Table

    content, path = data.read_bytes() if str(data) != "-" else None, str(data)
    if content is None:
        content, path = sys.stdin.buffer.read(), "standard input"
    return Table.of_bytes(content, path, target, names, delimiter=delimiter, missing=na)
