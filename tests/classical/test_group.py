"""Group privacy: the black-box bound holds, and the white-box profiles are below it."""

from __future__ import annotations

import math
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from hockeystick.classical import (
    gaussian_group_profile,
    gaussian_profile,
    group_profile,
    hockey_stick,
    laplace_group_profile,
    laplace_profile,
)
from hockeystick.errors import ParameterError


@pytest.mark.parametrize("size", [1, 2, 5, 40])
@pytest.mark.parametrize("epsilon", [0.0, 1e-9, 0.3, 2.0, 30.0])
def test_white_box_is_never_above_black_box(epsilon: float, size: int) -> None:
    for shift in (0.1, 1.0, 3.0):
        for one, many in (
            (laplace_profile, laplace_group_profile),
            (gaussian_profile, gaussian_group_profile),
        ):
            black = group_profile(partial(one, shift=shift), epsilon, size)
            assert many(epsilon, shift, size) <= black * (1 + 1e-12)


def test_the_formula() -> None:
    def profile(epsilon: float) -> float:
        return 1e-3 * math.exp(-epsilon)

    for epsilon, size in ((0.5, 3), (2.0, 7)):
        plain = math.expm1(epsilon) / math.expm1(epsilon / size) * profile(epsilon / size)
        assert group_profile(profile, epsilon, size) == pytest.approx(plain, rel=1e-13, abs=0)
    assert group_profile(profile, 0.0, 4) == pytest.approx(4e-3, rel=1e-14, abs=0)
    assert group_profile(profile, 1e-14, 4) == pytest.approx(4e-3, rel=1e-12, abs=0)
    assert group_profile(profile, 0.7, 1) == profile(0.7)


def test_extremes_do_not_overflow() -> None:
    assert group_profile(lambda e: 1e-300, 1e5, 2) == 1
    assert group_profile(lambda e: 1e-300, 600.0, 2) == pytest.approx(
        math.exp(300 - 300 * math.log(10)), rel=1e-9, abs=0
    )
    assert group_profile(lambda e: 0.0, 1e5, 2) == 0
    assert group_profile(lambda e: 0.5, math.inf, 2) == 1


def test_a_chain_of_neighbours_obeys_it() -> None:
    """Laws M₀, …, M₃, each adjacent to the next: H between the ends is within the group bound."""
    rng = np.random.default_rng(4)
    for _ in range(50):
        laws = np.exp(rng.choice([0.2, 1.0, 3.0]) * rng.normal(size=(4, 5)))
        laws /= laws.sum(axis=1, keepdims=True)

        def profile(epsilon: float, laws=laws) -> float:  # type: ignore[no-untyped-def]
            pairs = [*pairwise(laws), *pairwise(laws[::-1])]
            return max(hockey_stick(p, q, math.exp(epsilon)) for p, q in pairs)

        for epsilon in (0.0, 0.3, 1.0, 3.0):
            ends = hockey_stick(laws[0], laws[3], math.exp(epsilon))
            assert ends <= group_profile(profile, epsilon, 3) * (1 + 1e-12) + 1e-15


def test_bad_input() -> None:
    with pytest.raises(ParameterError, match="size must be an integer"):
        group_profile(lambda e: 0.1, 1.0, 0)
    with pytest.raises(ParameterError, match="profile must be in"):
        group_profile(lambda e: 1.5, 1.0, 2)
