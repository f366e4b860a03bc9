"""Clipping: no record weighs more than the clip, whatever it holds."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hockeystick.errors import ParameterError
from hockeystick.learn import clipping
from hockeystick.learn.clipping import silent
from hockeystick.learn.linear import Linear, Logistic, Softmax, Squares
from hockeystick.learn.objective import Custom, Objective
from hockeystick.learn.records import Records
from hockeystick.numerics.types import Array
from hockeystick.sensitivity import Norm

NORMS = ("L1", "L2")
LIMIT = 1 - 2.0**-20
"""Of the clip, what a record may be long: the rest is for rounding."""
lengths, clipped = silent()(clipping.lengths), silent()(clipping.clipped)
ORDINARY = st.floats(-10, 10)
ANY = st.floats(allow_nan=False, allow_infinity=False)


def exact_norm(values: list[float], norm: Norm) -> float:
    """By exactly rounded sums, after scaling by a power of two."""
    largest = max((abs(v) for v in values), default=0.0)
    if largest == 0:
        return 0.0
    shift = math.frexp(largest)[1]
    small = [math.ldexp(v, -shift) for v in values]
    total = (
        math.fsum(map(abs, small)) if norm == "L1" else math.sqrt(math.fsum(v * v for v in small))
    )
    return math.ldexp(total, shift) if shift < 1000 else total * 2.0**shift


def records_of(
    objective: Objective, rng: np.random.Generator, count: int = 40, features: int = 6
) -> Records:
    x = rng.standard_normal((count, features)) * rng.exponential(3, (count, 1))
    if isinstance(objective, Softmax):
        return Records(x, rng.integers(0, objective.outputs, count).astype(float))
    if isinstance(objective, Logistic):
        return Records(x, rng.integers(0, 2, count).astype(float))
    return Records(x, rng.standard_normal(count) * 5)


@given(arrays(float, st.integers(1, 70), elements=st.floats()))
def test_the_ends_of_numbers_show_nan(values: Array) -> None:
    for found, wanted in (
        (clipping.lowest(values), values.min()),
        (clipping.highest(values), values.max()),
    ):
        assert found == wanted or (math.isnan(found) and math.isnan(wanted))


def test_nan_is_found_at_every_place() -> None:
    for count in (*range(1, 40), 512, 513):
        for place in range(count):
            values = np.arange(count) - 3.0
            values[place] = np.nan
            assert math.isnan(clipping.lowest(values))
            assert math.isnan(clipping.highest(values))


@pytest.mark.parametrize("norm", NORMS)
@given(arrays(float, (3, 4), elements=st.floats(-1e300, 1e300)))
def test_lengths_neither_overflow_nor_underflow(norm: Norm, rows: Array) -> None:
    found = lengths(rows, norm)
    for row, length in zip(rows.tolist(), found.tolist(), strict=True):
        assert length == pytest.approx(exact_norm(row, norm), rel=1e-14, abs=0)


@pytest.mark.parametrize("norm", NORMS)
@given(arrays(float, (4, 3), elements=ANY), st.floats(1e-3, 1e3))
def test_no_row_is_longer_than_the_clip(norm: Norm, rows: Array, clip: float) -> None:
    for row in clipped(rows, lengths(rows, norm), clip).tolist():
        assert exact_norm(row, norm) <= clip


@pytest.mark.slow
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("objective", [Logistic(), Softmax(4), Squares()], ids=repr)
@given(st.data())
def test_one_record_of_a_linear_model_weighs_at_most_the_clip(
    norm: Norm, objective: Objective, data: st.DataObject
) -> None:
    """Even with absurd features, targets and parameters."""
    x = data.draw(arrays(float, (1, 3), elements=ANY))
    theta = data.draw(arrays(float, objective.shape(3), elements=ANY))
    y = data.draw(ANY) if isinstance(objective, Squares) else float(data.draw(st.integers(0, 1)))
    total = objective.clipped_sum(theta, Records(x, np.array([y])), 0.7, norm)
    assert exact_norm(total.ravel().tolist(), norm) <= 0.7


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("objective", [Logistic(), Softmax(5), Squares()], ids=repr)
@pytest.mark.parametrize("clip", [0.05, 1.0, 1e6])
def test_linear_models_clip_as_the_matrix_of_gradients_says(
    norm: Norm, objective: Objective, clip: float
) -> None:
    rng = np.random.default_rng(1)
    records = records_of(objective, rng)
    theta = rng.standard_normal(objective.shape(6))
    rows = objective.gradients(theta, records).reshape(40, -1)
    norms = np.linalg.norm(rows, ord=1 if norm == "L1" else 2, axis=1)
    wanted = (rows * np.minimum(1, LIMIT * clip / norms)[:, None]).sum(axis=0)
    found = objective.clipped_sum(theta, records, clip, norm)
    np.testing.assert_allclose(found.ravel(), wanted, rtol=1e-11, atol=1e-11)
    assert (norms > 0.05).any()


@pytest.mark.parametrize("objective", [Logistic(), Softmax(3), Squares()], ids=repr)
def test_gradients_are_the_differences_of_the_losses(objective: Objective) -> None:
    rng = np.random.default_rng(2)
    records = records_of(objective, rng, count=7, features=3)
    theta = rng.standard_normal(objective.shape(3)) * 0.3
    found = objective.gradients(theta, records)
    h = 1e-6
    for place in np.ndindex(theta.shape):
        move = np.zeros(theta.shape)
        move[place] = h
        slope = objective.losses(theta + move, records) - objective.losses(theta - move, records)
        np.testing.assert_allclose(
            found[(slice(None), *place)], slope / (2 * h), atol=2e-6, rtol=1e-6
        )


@pytest.mark.slow
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize(
    "clip",
    [
        1e-320,
        pytest.param(1e-300, marks=pytest.mark.slow),
        1e-200,
        1e-10,
        pytest.param(0.7, marks=pytest.mark.slow),
    ],
)
@given(st.data())
def test_tiny_clips_and_tiny_factors_keep_the_limit(
    norm: Norm, clip: float, data: st.DataObject
) -> None:
    """Below 2e-308 floats have few digits, so that a product could come out longer."""
    size = st.floats(-323, 308).map(lambda e: 10.0**e)
    x = data.draw(arrays(float, (1, 3), elements=size))
    theta, y = data.draw(arrays(float, (3, 1), elements=size)), data.draw(size)
    records = Records(x, np.array([y]))
    objectives = Squares(), Custom(3, lambda t, x, y: y, lambda t, x, y: x)
    for objective in objectives:
        total = objective.clipped_sum(theta, records, clip, norm)
        assert exact_norm(total.ravel().tolist(), norm) <= clip


def test_a_factor_without_digits_is_none() -> None:
    """1e308 · (1e-10 / 1e308) is 0.99999998e-10 or 1.0000001e-10: no factor in floats is near."""
    for length in (9.3e307, 1.1e308, 1.7e308):
        rows = np.array([[length]])
        assert clipped(rows, np.array([length]), 1e-10).tolist() == [[0.0]]
    near = clipped(np.array([[1e270]]), np.array([1e270]), 1e-10)
    np.testing.assert_allclose(near, LIMIT * 1e-10, rtol=1e-11)


def test_losses_of_known_values() -> None:
    one = Records(np.array([[2.0]]), np.array([1.0]))
    assert Logistic().losses(np.array([[3.0]]), one)[0] == pytest.approx(math.log1p(math.exp(-6)))
    assert Squares().losses(np.array([[3.0]]), one)[0] == 12.5
    theta = np.array([[1.0, 3.0, 0.0]])
    wanted = math.log(math.exp(2) + math.exp(6) + 1) - 6
    assert Softmax(3).losses(theta, one)[0] == pytest.approx(wanted, rel=1e-14)


def test_softmax_of_two_classes_is_logistic() -> None:
    rng = np.random.default_rng(3)
    records = records_of(Logistic(), rng)
    theta = rng.standard_normal((6, 1))
    both = np.hstack([np.zeros((6, 1)), theta])
    np.testing.assert_allclose(
        Softmax(2).losses(both, records), Logistic().losses(theta, records), rtol=1e-12
    )


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("objective", [Logistic(), Softmax(2), Squares()], ids=repr)
def test_a_record_that_is_not_finite_contributes_nothing(
    norm: Norm, bad: float, objective: Objective
) -> None:
    """A file that is mapped into memory may change after it was checked."""
    x, y = np.array([[0.1, 0.2], [bad, 1.0]]), np.ones(2)
    theta = np.full(objective.shape(2), 0.3)
    found = objective.clipped_sum(theta, Records(x, y), 1.0, norm)
    alone = objective.clipped_sum(theta, Records(x[:1], y[:1]), 1.0, norm)
    np.testing.assert_array_equal(found, alone)


@pytest.mark.parametrize("norm", NORMS)
def test_lengths_of_rows_of_all_sizes_together(norm: Norm) -> None:
    """Each row by itself: one that is out of range takes no other along."""
    rows = 10.0 ** np.linspace(-320, 307, 50)[:, None] * np.array([[3.0, -4.0, 0.0]])
    rows[7] = 0.0
    found = lengths(rows, norm)
    for row, length in zip(rows.tolist(), found.tolist(), strict=True):
        assert length == pytest.approx(exact_norm(row, norm), rel=1e-14, abs=0)
    assert lengths(np.zeros((2, 0)), norm).tolist() == [0.0, 0.0]


def test_a_batch_of_nobody_sums_to_zero() -> None:
    custom = Custom(4, lambda t, x, y: y, lambda t, x, y: x)
    for objective in (Logistic(), Softmax(3), Squares(), custom):
        nobody = Records(np.zeros((0, 4)), np.zeros(0))
        total = objective.clipped_sum(np.ones(objective.shape(4)), nobody, 1.0, "L2")
        assert total.shape == objective.shape(4)
        assert not total.any()


def test_custom_objectives_clip_each_record() -> None:
    custom = Custom(2, lambda t, x, y: y, lambda t, x, y: x)
    records = Records(np.array([[3.0, 4.0], [0.3, 0.4], [np.inf, 1.0]]), np.zeros(3))
    found = custom.clipped_sum(np.zeros((2, 1)), records, 1.0, "L2")
    wanted = [0.6 * LIMIT + 0.3, 0.8 * LIMIT + 0.4]
    np.testing.assert_allclose(found[:, 0], wanted, rtol=1e-11)
    assert not isinstance(custom, Linear)


@pytest.mark.parametrize("shape", [(2, 1), (4, 1), (4, 2), (2, 2, 1), (2,), (1, 2), (4,)])
def test_gradients_of_another_shape_are_refused(shape: tuple[int, ...]) -> None:
    """Two records and three parameters: 2 x 3 and nothing that only has as many numbers."""
    records = Records(np.zeros((2, 3)), np.zeros(2))
    custom = Custom(3, lambda t, x, y: y, lambda t, x, y: np.ones(shape))
    with pytest.raises(ParameterError, match=r"gradient must be an array of the shape \(2, 3\)"):
        custom.clipped_sum(np.zeros((3, 1)), records, 1.0, "L2")


def test_one_record_must_not_become_many() -> None:
    class Cut(Squares):
        def gradients(self, parameters: Array, records: Records) -> Array:
            return np.ones((3 * len(records.targets), *parameters.shape))

        def residuals(self, parameters: Array, records: Records) -> Array:
            return np.ones((len(records.targets), 2))

    records = Records(np.zeros((2, 3)), np.zeros(2))
    with pytest.raises(
        ParameterError, match=r"gradients must be an array of the shape \(2, 3, 1\)"
    ):
        Objective.clipped_sum(Cut(), np.zeros((3, 1)), records, 1.0, "L2")
    with pytest.raises(ParameterError, match=r"residuals must be an array of the shape \(2, 1\)"):
        Cut().clipped_sum(np.zeros((3, 1)), records, 1.0, "L2")


@pytest.mark.parametrize("clip", [0.1, 0.7, 1.3])
def test_rounded_sums_of_neighbours_are_no_further_apart_than_the_clip(clip: float) -> None:
    """Tens of thousands of records of one direction, whose sum has few digits left for one more."""
    custom = Custom(1, lambda t, x, y: y, lambda t, x, y: x)
    worst = Fraction(0)
    for count in range(60_000, 60_040):
        records = [Records(np.full((n, 1), 9.0), np.zeros(n)) for n in (count, count + 1)]
        one, more = (custom.clipped_sum(np.zeros((1, 1)), r, clip, "L2")[0, 0] for r in records)
        worst = max(worst, Fraction(float(more)) - Fraction(float(one)))
    assert worst <= Fraction(clip)
    assert worst > Fraction(clip) * Fraction(1 - 2.0**-19)
