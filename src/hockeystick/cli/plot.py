"""`hockeystick plot`: curves of one or several computations, in a file or in the terminal."""

from __future__ import annotations

import shutil
from typing import Any

import click

from hockeystick import progress, saving
from hockeystick.cli.shared import answer, canvas, options, reading
from hockeystick.plotting import curves

WIDEST, NARROWEST = 64, 8
"""Characters of a picture in the terminal, which has its numbers to the left."""


@click.command()
@click.argument("expressions", metavar="EXPR...", nargs=-1, required=True)
@options.asked
@click.option(
    "--kind",
    type=click.Choice(list(curves.KINDS)),
    default="profile",
    show_default=True,
    help="What is drawn.",
)
@click.option("-o", "--output", type=options.OutputFile(), help="PNG, PDF or SVG file.")
@click.option("--data", type=options.OutputFile(), help="CSV file of the curves.")
@click.option("--from", "start", type=options.NUMBER, help="Where the horizontal axis begins.")
@click.option("--to", "stop", type=options.NUMBER, help="Where it ends.")
@click.option("--points", type=click.IntRange(2, 100_000), help="How many on each curve.")
@click.option(
    "--delta", type=options.NUMBER, default=1e-5, show_default=True, help="For epsilon-over-steps."
)
def plot(
    expressions: tuple[str, ...],
    as_json: bool,
    kind: str,
    output: str | None,
    data: str | None,
    start: float | None,
    stop: float | None,
    points: int | None,
    delta: float,
    **how: Any,
) -> None:
    """Draw curves, in a file or in the terminal.

    The kinds: delta over epsilon (profile), epsilon after each step of a run such as
    "Gaussian(1) * 1000" (epsilon-over-steps), the Renyi divergence over its order (rdp), an
    attacker's smallest type II error over the type I error (tradeoff). Drawn are the safe ends.
    A profile has 81 points, 21 if they take long, and 14 more where it falls most. One EXPR may be
    - for standard input.

    \b
    Example:
      hockeystick plot "Gaussian(1)" "Laplace(1)" --kind profile
    """
    chosen = curves.KINDS[kind]
    mechanisms = [reading.mechanism(expression) for expression in expressions]
    if output is not None:
        from hockeystick.figures import plot as picture

        picture.check(output)
    with progress.bar("plot") as show:
        drawn = curves.curves(mechanisms, chosen, start, stop, points, delta, how, show)
    if data is not None:
        curves.write_csv(drawn, chosen, data)
    if output is not None:
        for curve in drawn:
            reason = curves.invisible(curve, chosen)
            if reason:
                click.echo(f"Warning: {curve.label} is not drawn: {reason}", err=True)
        with saving.whole(output) as draft:
            picture.draw(curves.figure(drawn, chosen), draft)
    if as_json:
        _print_json(drawn, kind)
    elif output is None and data is None:
        _print(drawn, chosen)


def _print(drawn: list[curves.Curve], kind: curves.Kind) -> None:
    click.echo(curves.title(drawn[0], kind, {}))
    reasons = [curves.invisible(curve, kind) for curve in drawn]
    shown = [(curve.x, [y if y >= kind.least else 0.0 for y in curve.y]) for curve in drawn]
    width = max(NARROWEST, min(WIDEST, shutil.get_terminal_size().columns - canvas.MARGIN - 3))
    if not all(reasons):
        for line in canvas.plot(shown, log_x=kind.log_x, log_y=kind.log_y, width=width):
            click.echo(line)
    for number, (curve, reason) in enumerate(zip(drawn, reasons, strict=True)):
        why = f"  (not drawn: {reason})" if reason else ""
        click.echo(f"{canvas.letter(number)}  {curve.label}{why}")


def _print_json(drawn: list[curves.Curve], kind: str) -> None:
    x, y = curves.KINDS[kind].x, curves.KINDS[kind].y
    objects = [
        {"expression": each.label, x: each.x, y: each.y, "lower": each.lower, "upper": each.upper}
        for each in drawn
    ]
    first = drawn[0]
    asked = {"relation": str(first.relation)} | (
        {} if first.delta is None else {"delta": first.delta}
    )
    answer.print_json({"kind": kind, **asked, "curves": objects})
