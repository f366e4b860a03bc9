"""Cyclic participations against the sums of every shift."""

from __future__ import annotations

import numpy as np
import pytest

from hockeystick.errors import ParameterError
from hockeystick.matrix import dense, toeplitz
from hockeystick.matrix.sensitivity import cyclic as module
from hockeystick.matrix.sensitivity.cyclic import cyclic
from hockeystick.matrix.sensitivity.ends import is_exact
from hockeystick.matrix.strategy import Strategy
from tests.matrix.sensitivity.oracle import cyclic_sets, largest

SIGNED = dense(
    [
        [1, 0, 0, 0, 0, 0], [-1, 2, 0, 0, 0, 0], [0, -1, 1, 0, 0, 0], [1, 0, -2, 1, 0, 0],
        [0, 1, 0, -1, 2, 0], [-1, 0, 1, 0, -1, 1],
    ]
)  # fmt: skip


@pytest.mark.parametrize(("period", "times", "square"), [(2, 3, 25), (3, 2, 15)])
def test_a_signed_matrix(period: int, times: int, square: float) -> None:
    answer = cyclic(SIGNED, period, times)
    assert is_exact(answer)
    assert answer.lower**2 <= square <= answer.upper**2
    assert answer.upper - answer.lower < 1e-10


@pytest.mark.parametrize("case", range(30))
def test_every_shift(case: int) -> None:
    rng = np.random.default_rng(case)
    steps, period, times = (int(rng.integers(*ends)) for ends in ((2, 12), (1, 5), (1, 5)))
    least = 0.4 * (case % 2)
    strategy: Strategy = dense(np.tril(rng.random((steps, steps)) - least) + np.eye(steps))
    if case % 3 == 0:
        strategy = toeplitz(steps, (1.0, *(rng.random(steps - 1) - least)))
    low, high = largest(strategy, cyclic_sets(steps, period, times))
    answer = cyclic(strategy, period, times)
    assert is_exact(answer)
    assert answer.lower**2 <= high * (1 + 1e-9)
    assert low * (1 - 1e-9) <= answer.upper**2 <= high * (1 + 1e-8)


def test_many_participations_of_either_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    strategy = toeplitz(12, (1.0, -0.5, 0.25, 0.3))
    low, high = largest(strategy, cyclic_sets(12, 2, 6))
    monkeypatch.setattr(module, "MOST_STEPS", 3)
    answer = cyclic(strategy, 2, 6)
    assert answer.method == "upper: absolute values of the coefficients"
    assert answer.lower**2 <= low <= high <= answer.upper**2


def test_a_long_matrix_without_structure_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_GRAM", 5)
    with pytest.raises(ParameterError, match="at most 5"):
        cyclic(SIGNED, 2, 3)
