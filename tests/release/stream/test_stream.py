"""Noise as a stream: its law, what rounding moves, and what it keeps in memory."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.errors import NumericalError, ParameterError
from hockeystick.matrix import Strategy
from hockeystick.numerics.types import Array
from hockeystick.random.generators import source
from hockeystick.random.noise import normal
from hockeystick.release.stream import Stream
from hockeystick.release.stream.stack import Stack
from hockeystick.release.stream.stream import recursion_for

STEPS = 13
RNG = np.random.default_rng(5)
LOWER = np.tril(RNG.normal(size=(STEPS, STEPS))) + 3 * np.eye(STEPS)
TRIANGULAR: list[Strategy] = [
    hs.matrix.identity(STEPS),
    hs.matrix.square_root(STEPS),
    hs.matrix.banded(steps=STEPS, bands=4),
    hs.matrix.toeplitz(STEPS, (2.0, -0.5, 0.0, 0.3)),
    hs.matrix.buffered(STEPS, decay=(0.9, 0.3), scale=(0.2, 0.4)),
    hs.matrix.buffered(STEPS, decay=(0.0,), scale=(0.7,)),
    hs.matrix.dense(LOWER),
]
TREES = [hs.matrix.tree(STEPS), hs.matrix.tree(STEPS, restart_every=5)]


@pytest.mark.parametrize("strategy", TRIANGULAR)
def test_the_noise_is_the_inverse_of_the_matrix_on_fresh_noise(strategy: Strategy) -> None:
    stream, words = Stream(strategy, 3.0, 50, clip=0.5, rng=1), source(1)
    made = np.stack(list(stream))
    diagonal = np.abs(np.diag(strategy.dense()))
    scales = stream._grid.scale / diagonal
    fresh = np.stack([normal(scale, 50, words) for scale in scales.tolist()])
    linear = np.linalg.solve(strategy.dense(), fresh * np.diag(strategy.dense())[:, None])
    norm = np.abs(np.linalg.inv(strategy.dense()) * np.diag(strategy.dense())).sum(axis=1).max()
    assert np.abs(made / stream.grid - linear).max() <= norm * (0.5 + 1e-3)
    assert stream._grid.scale * stream.grid == pytest.approx(1.5, rel=2e-6)
    assert stream._grid.scale * stream.grid > 1.5


@pytest.mark.parametrize("strategy", [*TRIANGULAR, *TREES])
def test_the_law_of_prefix_sums(strategy: Strategy) -> None:
    stream = Stream(strategy, 2.0, 20_000, rng=2)
    prefixes = np.cumsum(np.stack(list(stream)), axis=0)
    expected = 4 * strategy.prefix_variances()
    assert prefixes.var(axis=1) == pytest.approx(expected, rel=6 * math.sqrt(2 / 20_000))
    assert np.abs(prefixes.mean(axis=1) / np.sqrt(expected / 20_000)).max() < 5.5


@pytest.mark.parametrize("strategy", TREES)
def test_a_tree_is_a_function_of_noisy_sums_exactly(strategy: hs.matrix.Tree) -> None:
    """The same arithmetic on noisy sums of blocks returns sums and noise, to the last bit."""
    sums = RNG.integers(-(2**40), 2**40, (STEPS, 30))
    noise, noisy = Stack(strategy, 30), Stack(strategy, 30)
    noise.limit(2.0**36)
    noisy.limit(2.0**50)
    blocks = iter(strategy.blocks())
    for step in range(STEPS):
        rows, _ = noise.fresh(step)
        drawn = RNG.integers(-(2**36), 2**36, (rows, 30))
        inside = [next(blocks) for _ in range(rows)]
        exact = np.stack([sums[start : start + length].sum(axis=0) for start, length in inside])
        both = sums[step] + noise.next(step, drawn)
        assert (noisy.next(step, drawn + exact) == both).all()


@pytest.mark.parametrize("strategy", TRIANGULAR[1:])
@pytest.mark.parametrize("scale", [2.0**30, 2.0**36])
def test_what_is_taken_off_is_linear_up_to_the_charged_error(
    strategy: Strategy, scale: float
) -> None:
    """Neighbours whose outputs are alike: the noise moves by −Δ, what is taken off by −CΔ."""
    one, other = recursion_for(strategy, 40), recursion_for(strategy, 40)
    for recursion in (one, other):
        recursion.limit(2 * scale)
    delta = RNG.integers(-(2**30), 2**30, (STEPS, 40)).astype(float)
    matrix, diagonal = strategy.dense(), np.diag(strategy.dense())
    for step in range(STEPS):
        drawn = np.rint(RNG.normal(size=(1, 40)) * scale)
        made = one.next(step, drawn)
        taken = drawn[0] - made
        # What the other must draw to make `made + delta`: found by what it takes off from 0.
        taken_off = -_peek(other, step)
        moved = np.asarray(taken_off - taken)
        expected = matrix[step, :step] @ delta[:step] / diagonal[step]
        assert np.abs(moved - expected).max() <= 2 * one.error(2 * scale)
        other.next(step, (made + delta[step] + taken_off)[None])


def _peek(recursion: object, step: int) -> Array:
    """The noise that a draw of 0 would make, without a trace."""
    import copy

    return copy.deepcopy(recursion).next(step, np.zeros((1, 40)))  # type: ignore[attr-defined,no-any-return]


def test_what_rounding_costs() -> None:
    """Two steps of the grid in each entry, but for the sum's own: √d·(1 + √n/‖c‖)."""
    stream = Stream(hs.matrix.banded(steps=100, bands=2), 1.0, 10_000, rng=0)
    length = math.sqrt(1.25)
    assert stream.wider == pytest.approx(stream.grid * 100 * (1 + 10 / length), rel=1e-3)
    assert stream.wider <= 2.0**-20
    secret = Stream(hs.matrix.banded(steps=100, bands=2), 1.0, 10_000, rng=0, secret=True)
    assert secret.wider == pytest.approx(secret.grid * 100 * (1 + 2), rel=1e-3)
    near = Stream(hs.matrix.banded(steps=100, bands=2), 1.0, 10_000, rng=0, nearest=0.5)
    assert near.wider / near.grid == pytest.approx(2 * stream.wider / stream.grid, rel=1e-3)
    plain = Stream(hs.matrix.identity(100), 1.0, 10_000, rng=0)
    assert plain.wider == pytest.approx(plain.grid * 100, rel=1e-3)
    tree = Stream(hs.matrix.tree(100), 1.0, 10_000, rng=0)
    assert tree.wider == pytest.approx(tree.grid * 100, rel=1e-3)


def test_a_release_is_the_rounded_sum_and_the_noise() -> None:
    strategy = hs.matrix.banded(steps=3, bands=2)
    release, noise = Stream(strategy, 1.0, 6, rng=3), Stream(strategy, 1.0, 6, rng=3)
    for _ in range(3):
        value = RNG.normal(size=(2, 3))
        exact = np.rint(value / noise.grid) * noise.grid + next(noise).reshape(2, 3)
        assert (release.release(value) == exact).all()
    with pytest.raises(ParameterError, match="all 3 steps"):
        release.release(np.zeros((2, 3)))
    assert list(noise) == []


def test_memory_of_bands_and_of_levels() -> None:
    dimension = 20_000
    for strategy, vectors in [
        (hs.matrix.banded(steps=64, bands=16), 15),
        (hs.matrix.buffered(64, decay=(0.9, 0.5), scale=(0.1, 0.3)), 2),
        (hs.matrix.tree(64), 7),
    ]:
        tracemalloc.start()
        stream = Stream(strategy, 1.0, dimension, rng=0)
        for _ in range(20):
            next(stream)
        held, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert held <= (vectors + 4) * 8 * dimension


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"noise_multiplier": 0}, r"noise_multiplier must be in \(0, inf\), got 0"),
        ({"noise_multiplier": math.inf}, "noise_multiplier must be in"),
        ({"dimension": 0}, "dimension must be an integer >= 1, got 0"),
        ({"clip": math.nan}, "clip must be in"),
    ],
)
def test_bad_input(options: dict[str, float], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Stream(hs.matrix.identity(2), **({"noise_multiplier": 1, "dimension": 2} | options))  # type: ignore[arg-type]


def test_what_no_proof_covers_is_refused() -> None:
    with pytest.raises(ParameterError, match="lower triangular"):
        Stream(hs.matrix.dense([[1, 1], [0, 1]]), 1.0, 2)
    with pytest.raises(ParameterError, match="without a 0 on its diagonal"):
        Stream(hs.matrix.dense([[0, 0], [1, 1]]), 1.0, 2)
    with pytest.raises(ParameterError, match="would have to be wider"):
        Stream(hs.matrix.toeplitz(2, (1.0, 1e-12)), 1.0, 10_000, secret=True)
    with pytest.raises(ParameterError, match="entries on the diagonal"):
        Stream(hs.matrix.dense([[1, 0], [0, 1e-6]]), 1.0, 2)
    with pytest.raises(ParameterError, match="must have 2 entries, got 3"):
        Stream(hs.matrix.identity(2), 1.0, 2, rng=0).release([1.0, 2.0, 3.0])
    with pytest.raises(ParameterError, match="finite"):
        Stream(hs.matrix.identity(2), 1.0, 2, rng=0).release([1.0, math.nan])


@pytest.mark.parametrize(
    "strategy",
    [
        hs.matrix.toeplitz(30, (1.0, 2.0)),
        hs.matrix.dense(np.eye(30) + 2 * np.eye(30, k=-1)),
        hs.matrix.buffered(100, decay=(0.0,), scale=(1.2,)),
    ],
)
def test_noise_beyond_what_floats_count_is_refused(strategy: Strategy) -> None:
    """There W is not an integer less another, but that rounded: the proof does not speak of it."""
    with pytest.raises(ParameterError, match="beyond 2\\^53 steps"):
        Stream(strategy, 1.0, 2)


def test_a_record_may_miss_the_longest_column() -> None:
    """Cyclic(period=2, times=1) has the steps 0 and 1 alone, and every row has what is rounded."""
    matrix = np.diag([1.0, 1.0, 100.0, 100.0]) + np.tril(np.full((4, 4), 0.1), -1)
    run = hs.Correlated(hs.matrix.dense(matrix), 1.0, hs.Cyclic(period=2, times=1))
    stream = run.stream(9, rng=0)
    moved = run.sensitivity.lower * (1 / stream.grid + 3) + 2 * 0.5 * 3 * np.sqrt(20002)
    assert (1 + stream.wider) * run.sensitivity.lower / stream.grid >= moved


def test_noise_that_cannot_be_is_an_error() -> None:
    recursion = recursion_for(hs.matrix.banded(steps=3, bands=2), 1)
    recursion.limit(1.0)
    with pytest.raises(NumericalError, match="64 standard deviations"):
        recursion.next(0, np.array([[1000.0]]))
