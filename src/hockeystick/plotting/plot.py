"""`plot`: curves of mechanisms, drawn into axes of matplotlib (the extra `plots`)."""

from __future__ import annotations

from typing import Any

from hockeystick.checks import probability, shown
from hockeystick.errors import ParameterError
from hockeystick.figures.plot import drawn_in
from hockeystick.mechanism import Mechanism
from hockeystick.plotting import curves
from hockeystick.relation import Relation


def plot(
    *mechanisms: Mechanism,
    kind: str = "profile",
    delta: float = 1e-5,
    start: float | None = None,
    stop: float | None = None,
    points: int | None = None,
    relation: Relation | None = None,
    method: str = "auto",
    axes: Any = None,
) -> Any:
    """Curves of one or several mechanisms, as axes of matplotlib; drawn are the safe ends.

    The kinds: δ over ε ("profile"), ε after each step of a run ("epsilon-over-steps"), the Rényi
    divergence over its order ("rdp"), an attacker's smallest type II error over the type I error
    ("tradeoff"). Save a picture with `.figure.savefig(path)`. The settings of matplotlib are the
    user's own, and nothing is shown: a notebook does that.

    Parameters
    ----------
    delta: in [0, 1], for "epsilon-over-steps".
    start, stop: ends of the horizontal axis; points: how many on each curve. None takes what suits.
    relation: which data sets are neighbours. None takes the natural ones of the samplers, which
        must be the same for all curves: else an error, as they cannot be compared.
    axes: axes to draw into; None makes a figure of its own.

    >>> from hockeystick import Gaussian, Laplace
    >>> plot(Gaussian(2.0), Laplace(2.0), points=5).get_title()
    'δ over ε, add-remove'
    """
    if kind not in curves.KINDS:
        raise ParameterError(f"kind must be one of {', '.join(curves.KINDS)}, got {shown(kind)}")
    if not mechanisms or not all(isinstance(each, Mechanism) for each in mechanisms):
        raise ParameterError(f"plot takes one or more mechanisms, got {shown(mechanisms)}")
    chosen = curves.KINDS[kind]
    how = {"relation": relation, "method": method}
    delta = probability("delta", delta)
    drawn = curves.curves(mechanisms, chosen, start, stop, points, delta, how)
    return drawn_in(axes, curves.figure(drawn, chosen).panels[0])
