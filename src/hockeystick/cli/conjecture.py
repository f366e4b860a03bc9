"""`hockeystick conjecture`: a search for counterexamples about Bernoulli sampling."""

from __future__ import annotations

import click

from hockeystick.cli.shared import progress


@click.command()
@click.option(
    "--trials", type=click.IntRange(min=1), default=100, show_default=True, help="How many."
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the parameters."
)
def conjecture(trials: int, seed: int) -> None:
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
    refuting = report.refuting
    click.echo(f"trials:                 {trials}")
    click.echo(f"conjecture proven for:  {report.proven}")
    click.echo(f"largest gap elsewhere:  {report.largest_gap:.2g} (of the divergence, below 1)")
    click.echo(f"best found by search:   {report.largest_surplus:+.1e} against the symmetric pair")
    click.echo(f"counterexamples:        {len(refuting)}")
    for trial in refuting:
        click.echo(
            f"  epsilon={trial.epsilon!r}, order={trial.order!r}, c={trial.c!r}, "
            f"dimension={trial.dimension}, samples={trial.samples}: {trial.found!r} against "
            f"{trial.bound.lower!r}, at most {trial.bound.upper!r}"
        )
