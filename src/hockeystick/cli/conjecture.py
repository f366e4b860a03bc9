"""`hockeystick conjecture`: a search for counterexamples about Bernoulli sampling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hockeystick import progress
from hockeystick.cli.shared import answer, options

if TYPE_CHECKING:
    from hockeystick.bernoulli.conjecture import Report, Trial


@click.command()
@click.option(
    "--trials", type=click.IntRange(min=1), default=100, show_default=True, help="How many."
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the parameters."
)
@options.json
def conjecture(trials: int, seed: int, as_json: bool) -> None:
    """Look for pairs worse than the symmetric one of Imola and Chaudhuri.

    They conjecture that, of all private parameters, a symmetric pair on two opposite corners
    makes coins cost most. Each trial takes random parameters, proves the conjecture for them if
    the certificate closes, and lets a solver look for a worse pair.

    \b
    Example:
      hockeystick conjecture --trials 200 --seed 1
    """
    from hockeystick.bernoulli.conjecture import counterexamples

    with progress.bar("trials") as show:
        report = counterexamples(trials, seed, show)
    if as_json:
        answer.print_json({"seed": seed, **_json(report)})
    else:
        _print(report)


def _print(report: Report) -> None:
    click.echo(f"trials:                 {len(report.trials)}")
    click.echo(f"conjecture proven for:  {report.proven}")
    click.echo(f"largest gap:            {report.largest_gap:.2g} (of the divergence, below 1)")
    click.echo(f"best found by search:   {report.largest_surplus:+.1e} against the symmetric pair")
    click.echo(f"counterexamples:        {len(report.refuting)}")
    for trial in report.refuting:
        click.echo(
            f"  epsilon={trial.epsilon!r}, order={trial.order!r}, c={trial.c!r}, "
            f"dimension={trial.dimension}, samples={trial.samples}: {trial.found!r} against "
            f"{trial.bound.lower!r}, at most {trial.bound.upper!r}"
        )


def _json(report: Report) -> dict[str, Any]:
    return {
        "trials": len(report.trials),
        "proven": report.proven,
        "largest_gap": report.largest_gap,
        "largest_surplus": report.largest_surplus,
        "counterexamples": [_trial(trial) for trial in report.refuting],
    }


def _trial(trial: Trial) -> dict[str, Any]:
    names = ("epsilon", "order", "c", "dimension", "samples", "found")
    return {**{name: getattr(trial, name) for name in names}, **answer.ends(trial.bound)}
