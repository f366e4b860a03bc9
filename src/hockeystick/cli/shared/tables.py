"""Tables that fit a terminal and stay whole in a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import click

FILE_WIDTH = 200


def show(heads: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[int]) -> None:
    """Print the rows under their heads; the columns in `numbers` are set to the right."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    if not console.is_terminal:
        console.width = FILE_WIDTH
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for place, head in enumerate(heads):
        right = place in numbers
        table.add_column(head, justify="right" if right else "left", no_wrap=right)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    with console.capture() as capture:
        console.print(table)
    for line in capture.get().splitlines():
        click.echo(line.rstrip())
