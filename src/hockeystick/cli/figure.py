"""`hockeystick figure`: the figures of the papers, as pictures and as numbers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

PATIENCE = 2.0  # seconds without a progress bar


@click.command()
@click.argument("name", required=False)
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="PNG, PDF or SVG file.")
@click.option("--data", type=click.Path(dir_okay=False), help="CSV file: panel, curve, x, y.")
@click.option("--list", "listed", is_flag=True, help="Say which figures there are.")
def figure(name: str | None, output: str | None, data: str | None, listed: bool) -> None:
    """Draw the figure NAME of a paper, with this library's exact curves added.

    \b
    Examples:
      hockeystick figure --list
      hockeystick figure wang-4 -o wang-4.png --data wang-4.csv
    """
    if listed:
        _list()
        return
    _make(name, output, data)


def _list() -> None:
    from hockeystick.figures import described

    found = described()
    width = max(map(len, found))
    for name, line in found.items():
        click.echo(f"{name:<{width}}  {line}")


def _make(name: str | None, output: str | None, data: str | None) -> None:
    from hockeystick.errors import ParameterError
    from hockeystick.figures import compute, draw, names, write_csv
    from hockeystick.figures.plot import check

    if name is None or name not in names():
        raise ParameterError(f"NAME must be one of {', '.join(names())}, got {name!r}")
    if output is None and data is None:
        raise ParameterError("output must be given: -o FILE for a picture, --data FILE for numbers")
    if output is not None:
        check(output)
    with _progress(name) as progress:
        result = compute(name, progress)
    if data is not None:
        write_csv(result, data)
    if output is not None:
        draw(result, output)


@contextmanager
def _progress(name: str) -> Iterator[Callable[[float], None]]:
    """A bar on stderr, where that is a terminal, once the work takes longer than `PATIENCE`."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    bar = Progress(console=console, transient=True, disable=not console.is_terminal)
    task = bar.add_task(name, total=1.0)
    began = time.monotonic()

    def progress(fraction: float) -> None:
        bar.update(task, completed=fraction)
        if not bar.live.is_started and time.monotonic() - began > PATIENCE:
            bar.start()

    try:
        yield progress
    finally:
        bar.stop()
