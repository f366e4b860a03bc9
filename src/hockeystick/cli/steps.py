"""`hockeystick steps`: how often a computation may run within a budget."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import click

from hockeystick.checks import LARGEST_WHOLE
from hockeystick.cli.shared import answer, options, reading
from hockeystick.errors import ParameterError

if TYPE_CHECKING:
    from hockeystick.mechanism import Mechanism
    from hockeystick.relation import Relation


@click.command()
@options.question
@options.budget
@click.pass_context
def steps(
    context: click.Context,
    expression: str,
    relation: Relation | None,
    method: str,
    as_json: bool,
    epsilon: float,
    delta: float,
) -> None:
    """How often EXPR may run within (epsilon, delta).

    Exit code 1 if not even once. EXPR - reads it from standard input.

    \b
    Example:
      hockeystick steps "Gaussian(1.1).on(Poisson(0.01))" --epsilon 2 --delta 1e-5
    """
    from hockeystick.checks import non_negative

    step, epsilon = reading.mechanism(expression), non_negative("epsilon", epsilon)
    most = _most(step, epsilon, delta, relation, method)
    count = 0 if math.isinf(most) else int(most)
    after = (step * count).epsilon(delta, relation=relation, method=method)
    following = (step * (count + 1)).epsilon(delta, relation=relation, method=method)
    if as_json:
        answer.print_json(
            {
                "steps": most,
                "epsilon": epsilon,
                "delta": delta,
                "after": {"epsilon": after.upper, **answer.ends(after)},
                "one_more": {"epsilon": following.upper, **answer.ends(following)},
            }
        )
    else:
        click.echo(f"steps = {most}  (epsilon = {epsilon!r}; delta = {delta!r})")
        click.echo(f"after them epsilon = {answer.at_most(after.upper)}")
        click.echo(f"with one more epsilon = {answer.at_most(following.upper)}")
    context.exit(0 if most else 1)


def _most(
    step: Mechanism, epsilon: float, delta: float, relation: Relation | None, method: str
) -> float:
    """The largest count within the budget, an integer or infinity."""
    from hockeystick.calibration import calibrate

    if step.epsilon(delta, relation=relation, method=method) > epsilon:
        return 0
    if float(step.epsilon(0.0, relation=relation)) == 0 or math.isinf(epsilon) or delta == 1:
        return math.inf
    run = calibrate(
        lambda count: step * count,
        epsilon=epsilon, delta=delta, relation=relation, method=method, integer=True,
    )  # fmt: skip
    total = sum(run.parts.values())
    if total > LARGEST_WHOLE // 2:
        raise ParameterError(f"epsilon must be so small that 2^61 steps exceed it, got {epsilon!r}")
    return total // sum(step.parts.values())
