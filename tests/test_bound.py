"""A Bound is a float that remembers its other end; Bounds are an array of them."""

from __future__ import annotations

import copy
import json
import math
import pickle

import numpy as np
import pytest

import hockeystick as hs

BOUND = hs.Bound(1.5, lower=1.25, method="contour")


def bounds(safe: str = "upper") -> hs.Bounds:
    lower, upper = np.array([1.0, 2.0, 3.0]), np.array([1.5, 2.5, 3.5])
    return hs.Bounds.of(lower, upper, "lattice", safe)  # type: ignore[arg-type]


def test_is_its_safe_end() -> None:
    assert BOUND == 1.5 == BOUND.upper
    assert isinstance(BOUND, float)
    assert type(BOUND.upper) is float
    assert hash(BOUND) == hash(1.5)
    assert math.exp(BOUND) == math.exp(1.5)
    assert sorted([2.0, BOUND, 1.0]) == [1.0, 1.5, 2.0]


def test_arithmetic_forgets_the_other_end() -> None:
    """Twice an ε is not the ε of twice the mechanism: a plain number makes no such claim."""
    for value in (BOUND + 1, 2 * BOUND, -BOUND, BOUND**2, round(BOUND, 1)):
        assert type(value) is float


def test_is_not_certified_unless_said() -> None:
    assert not BOUND.certified
    assert hs.Bound(1.0, lower=1.0, method="closed form", certified=True).certified


def test_lower_end_is_required() -> None:
    with pytest.raises(TypeError):
        hs.Bound(1.0)  # type: ignore[call-arg]


def test_text() -> None:
    assert repr(BOUND) == "Bound(1.5, lower=1.25, method='contour')"
    assert str(BOUND) == f"{BOUND}" == "1.5"
    assert f"{BOUND:.3f}" == "1.500"
    assert json.dumps(BOUND) == "1.5"
    assert eval(repr(BOUND), {"Bound": hs.Bound}) == BOUND


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda b: pickle.loads(pickle.dumps(b))]
)
@pytest.mark.parametrize("certified", [False, True])
def test_copies_keep_everything(again, certified: bool) -> None:  # type: ignore[no-untyped-def]
    bound = hs.Bound(math.inf, lower=0.5, method="renyi", certified=certified)
    other = again(bound)
    assert type(other) is hs.Bound
    assert (other, other.lower, other.method, other.certified) == (
        math.inf,
        0.5,
        "renyi",
        certified,
    )


def test_numpy_takes_it_as_a_number() -> None:
    assert np.asarray([BOUND]).dtype == float
    assert np.float64(BOUND) == 1.5


def test_bounds_are_the_safe_ends() -> None:
    np.testing.assert_array_equal(bounds(), [1.5, 2.5, 3.5])
    np.testing.assert_array_equal(bounds("lower"), [1.0, 2.0, 3.0])
    for safe in ("lower", "upper"):
        np.testing.assert_array_equal(bounds(safe).lower, [1.0, 2.0, 3.0])
        np.testing.assert_array_equal(bounds(safe).upper, [1.5, 2.5, 3.5])
    assert bounds().method == "lattice"


def test_what_is_computed_from_bounds_is_plain() -> None:
    """A slice that kept the whole array's ends would pair the wrong numbers."""
    for value in (bounds()[1:], bounds() + 1, np.exp(bounds())):
        assert type(value) is np.ndarray
    assert bounds()[0] == 1.5
    assert bounds().max() == 3.5
    assert [float(x) for x in bounds()] == [1.5, 2.5, 3.5]


def test_bounds_do_not_share_memory_with_what_they_were_made_of() -> None:
    lower, upper = np.zeros(2), np.ones(2)
    made = hs.Bounds.of(lower, upper, "contour")
    lower[:], upper[:] = 7, 7
    np.testing.assert_array_equal(made, [1, 1])
    np.testing.assert_array_equal(made.lower, [0, 0])
    np.testing.assert_array_equal(made.upper, [1, 1])
