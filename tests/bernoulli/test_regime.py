"""The regimes of Section 6, read off numbers instead of plots."""

from __future__ import annotations

import pytest

from hockeystick.bernoulli import Regime, regime
from hockeystick.errors import ParameterError

PAPER = [(d, 1, c) for d in (1, 2, 3, 5, 15) for c in (0.01, 0.1, 0.3)] + [
    (d, k, 0.1) for d in (1, 3, 5) for k in (2, 4)
]
ENDS_EARLY = {
    *((d, 1, 0.3) for d in (1, 2, 3, 5)),
    *((d, 1, 0.1) for d in (1, 2)),
    (1, 1, 0.01),
    (1, 2, 0.1),
}
"""(d, k, c) for which Regime I ends before ε = 5: Imola and Chaudhuri, Section 6."""


@pytest.mark.slow
@pytest.mark.parametrize("order", [5, 50])
def test_where_regime_one_ends_before_five(order: float) -> None:
    early = {(d, k, c) for d, k, c in PAPER
             if regime(5.0, order, c, d, k) is not Regime.POST_PROCESSING}  # fmt: skip
    assert early == ENDS_EARLY


@pytest.mark.slow
def test_the_three_regimes_follow_each_other() -> None:
    found = [regime(e / 4, 50, 0.1, 2).value for e in range(1, 60)]
    assert found == sorted(found)
    assert set(found) == {"I", "II", "III"}


def test_the_tolerance_decides() -> None:
    assert regime(2.0, 50, 0.1, 2, within=0.5) is Regime.POST_PROCESSING
    assert regime(2.0, 50, 0.1, 2, within=0.0) is Regime.TRANSITION
    with pytest.raises(ParameterError, match="within must be in"):
        regime(2.0, 50, 0.1, within=1.5)
