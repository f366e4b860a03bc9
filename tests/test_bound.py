"""A Bound is a float that remembers its other end; Bounds are an array of them."""

from __future__ import annotations

import copy
import functools
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


RUN = hs.Gaussian(2.0).on(hs.WithoutReplacement(10, 100)) * 1000
AGAIN = [copy.copy, copy.deepcopy, lambda b: pickle.loads(pickle.dumps(b))]


@pytest.mark.slow
@pytest.mark.parametrize("again", AGAIN)
def test_an_answer_knows_its_question(again) -> None:  # type: ignore[no-untyped-def]
    epsilon, delta, rdp = RUN.epsilon(1e-5), RUN.delta(0.5), RUN.rdp(4)
    for answer in map(again, (epsilon, delta, rdp)):
        assert (answer.mechanism, answer.relation) == (RUN, hs.REPLACE_ONE)
    assert (again(epsilon).delta, epsilon.epsilon, epsilon.order) == (1e-5, None, None)
    assert (again(delta).epsilon, delta.delta, delta.order) == (0.5, None, None)
    assert (again(rdp).order, rdp.delta, rdp.epsilon) == (4.0, None, None)
    assert RUN.epsilon(1e-5, relation=hs.ZERO_OUT).relation is hs.ZERO_OUT


@functools.cache
def curves() -> dict[str, tuple[hs.Bounds, list[float]]]:
    return {
        "epsilon": (RUN.profile([0.25, 1.0]), [0.25, 1.0]),
        "alpha": (RUN.tradeoff([0.1]), [0.1]),
        "order": (RUN.rdp([2, 3]), [2.0, 3.0]),
        "counts": (RUN.epsilons(1e-5, (n for n in (1, 2))), [1, 2]),
    }


@pytest.mark.slow
@pytest.mark.parametrize("again", [*AGAIN, lambda curve: curve.copy()])
def test_a_curve_knows_its_question(again) -> None:  # type: ignore[no-untyped-def]
    for name, (answers, asked) in curves().items():
        other = again(answers)
        assert type(other) is hs.Bounds
        np.testing.assert_array_equal(other, answers)
        np.testing.assert_array_equal(other.lower, answers.lower)
        np.testing.assert_array_equal(getattr(other, name), asked)
        assert (other.mechanism, other.relation) == (RUN, hs.REPLACE_ONE)
        assert other.method == answers.method
    assert again(curves()["counts"][0]).delta == 1e-5


def test_nothing_and_everything_allowed_know_their_question_too() -> None:
    for answer in (hs.Composition().epsilon(1e-5), RUN.epsilon(1.0)):
        assert answer == 0.0
        assert answer.mechanism is not None
        assert answer.relation is not None


def test_the_text_of_an_answer_names_the_question_but_not_the_mechanism() -> None:
    answer = hs.Laplace(2.0).epsilon(0)
    assert repr(answer) == (
        "Bound(0.5, lower=0.5, method='closed form', delta=0.0, relation=ADD_REMOVE)"
    )
    again = eval(repr(answer), vars(hs) | {"Bound": hs.Bound, "ADD_REMOVE": hs.ADD_REMOVE})
    assert (again, again.delta, again.relation) == (0.5, 0.0, hs.ADD_REMOVE)
    assert repr(hs.Laplace(2.0).delta(1, relation=hs.ZERO_OUT)).endswith(
        "epsilon=1.0, relation=ZERO_OUT)"
    )


def test_a_mechanism_that_cannot_be_pickled_is_left_out_of_the_pickle() -> None:
    mechanism = hs.RenyiDP(lambda order: order / 2)
    for answer in (mechanism.epsilon(1e-5), mechanism.profile([1.0])):
        assert answer.mechanism is mechanism
        assert copy.deepcopy(answer).mechanism is mechanism
        again = pickle.loads(pickle.dumps(answer))
        assert again.mechanism is None
        assert again.relation is hs.ADD_REMOVE
        assert np.all(again == answer)


def test_what_cannot_be_asked_is_refused() -> None:
    with pytest.raises(TypeError, match="colour"):
        hs.Bound(1.0, lower=1.0, method="contour", colour="red")  # type: ignore[call-arg]
