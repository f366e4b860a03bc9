"""`hockeystick figure`: the figures of the papers, as pictures and as numbers."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

import click

from hockeystick import progress, saving
from hockeystick.checks import shown
from hockeystick.cli.shared import answer, options

if TYPE_CHECKING:
    from hockeystick.figures import Figure


def _completed(_ctx: click.Context, _param: click.Parameter, typed: str) -> list[str]:
    from hockeystick.figures import described

    return [name for name in described() if name.startswith(typed)]


@click.command()
@click.argument("name", required=False, shell_complete=_completed)
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="PNG, PDF or SVG file.")
@click.option("--data", type=click.Path(dir_okay=False), help="CSV file: panel, curve, x, y.")
@click.option("--list", "listed", is_flag=True, help="Say which figures there are.")
@options.json
def figure(
    name: str | None, output: str | None, data: str | None, listed: bool, as_json: bool
) -> None:
    """Draw a figure of the papers with exact curves added.

    --data or --json without -o gives the numbers alone and needs no matplotlib.

    \b
    Examples:
      hockeystick figure --list
      hockeystick figure wang-4 -o wang-4.png --data wang-4.csv
    """
    if listed:
        _list(as_json)
        return
    made = _make(name, output, data, as_json)
    if as_json:
        answer.print_json({**_json(made), "picture": output, "data": data})


def _list(as_json: bool) -> None:
    from hockeystick.figures import described

    shows = described()
    if as_json:
        answer.print_json({"figures": [{"name": n, "shows": line} for n, line in shows.items()]})
        return
    width = max(map(len, shows))
    for name, line in shows.items():
        click.echo(f"{name:<{width}}  {line}")


def _make(name: str | None, output: str | None, data: str | None, as_json: bool) -> Figure:
    from hockeystick.errors import ParameterError
    from hockeystick.figures import catalogue, plot
    from hockeystick.figures import data as table

    if name is None:
        raise ParameterError(
            "NAME must be given, as in: hockeystick figure wang-4 -o wang-4.png; "
            "hockeystick figure --list says which there are"
        )
    if name not in catalogue.names():
        close = difflib.get_close_matches(name.lower(), catalogue.names(), n=1)
        guess = f"; did you mean {close[0]}?" if close else ""
        raise ParameterError(
            f"NAME must be one of {', '.join(catalogue.names())}, got {shown(name)}{guess}"
        )
    if output is None and data is None and not as_json:
        raise ParameterError(
            "output must be given: -o FILE for a picture, --data FILE or --json for numbers"
        )
    # What cannot be written is said before the work, not after it.
    if data is not None:
        table.check(data)
    if output is not None:
        plot.check(output)
    with progress.bar(name) as show:
        result = catalogue.compute(name, lambda fraction: show(round(100 * fraction), 100))
    if data is not None:
        table.write_csv(result, data)
    if output is not None:
        with saving.whole(output) as draft:
            plot.draw(result, draft)
    return result


def _json(made: Figure) -> dict[str, Any]:
    panels = [
        {
            "title": panel.title,
            "x_label": panel.x_label,
            "y_label": panel.y_label,
            "curves": [{"name": each.name, "x": each.x, "y": each.y} for each in panel.curves],
        }
        for panel in made.panels
    ]
    return {"name": made.name, "source": made.source, "panels": panels}
