"""Correlated noise: published values, relations, and every place where a mechanism is used."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.matrix.participation.pattern import Pattern
from hockeystick.numerics.types import Array
from tests.support.command import answered

ROOT = hs.matrix.square_root(64)


@pytest.mark.parametrize(
    ("strategy", "noise", "pattern", "epsilon"),
    [
        (hs.matrix.tree(1600), 1.13, hs.Once(), 17.66675076),
        (hs.matrix.tree(1600), 8.83, hs.Once(), 1.64865884),
        (hs.matrix.tree(24), 10.0, hs.MinSeparated(every=3, at_most=8), 4.54441765),
        (ROOT, 10.0, hs.MinSeparated(every=16, at_most=4), 1.74670159),
    ],
)
def test_values(
    strategy: hs.matrix.Strategy, noise: float, pattern: object, epsilon: float
) -> None:
    """At δ = 1e-6, where the papers' Rényi figures for the first two are 19.74 and 2.04."""
    run = hs.Correlated(strategy, noise_multiplier=noise, participation=pattern)  # type: ignore[arg-type]
    answer = run.epsilon(delta=1e-6)
    assert answer == pytest.approx(epsilon, abs=1e-8)
    assert answer.upper - answer.lower < 1e-9
    same = hs.Gaussian(noise / run.sensitivity)
    assert answer == pytest.approx(same.epsilon(1e-6), rel=1e-12)
    assert (run * 4).epsilon(1e-6) == pytest.approx((same * 4).epsilon(1e-6), rel=1e-12)


def test_relations() -> None:
    run = hs.Correlated(ROOT, 10.0, hs.MinSeparated(every=16, at_most=4))
    added, zeroed = run.delta(0.5), run.delta(0.5, relation=hs.ZERO_OUT)
    assert added == zeroed
    replaced = run.delta(0.5, relation=hs.REPLACE_ONE)
    assert replaced == hs.Correlated(ROOT, 5.0, run.participation).delta(0.5)
    near = hs.Correlated(ROOT, 10.0, hs.Cyclic(period=16), replace_sensitivity=1.0)
    assert near.delta(0.5, relation=hs.REPLACE_ONE) == pytest.approx(added, rel=1e-12)
    assert hs.parse(repr(near)) == near


@pytest.mark.parametrize("near", [0.1, 1.0])
@pytest.mark.parametrize(
    "pattern", [hs.Once(), hs.MinSeparated(every=2, at_most=2), hs.EveryStep()]
)
def test_the_record_in_the_place_of_another_may_have_other_steps(
    pattern: Pattern, near: float
) -> None:
    """All pairs of sets of steps: 1 apart where one of both takes part, `near` where both do."""
    run = hs.Correlated(hs.matrix.square_root(4), 2.0, pattern, replace_sensitivity=near)
    sets = [np.array(each) for each in product((0, 1), repeat=4) if _allowed(pattern, each)]
    moves = [np.where(one & other, near, one | other) for one in sets for other in sets]
    farthest = max(float(np.linalg.norm(run.matrix.dense() @ move)) for move in moves)
    answer = run.delta(0.5, relation=hs.REPLACE_ONE)
    assert hs.Gaussian(2.0 / farthest).delta(0.5) <= answer.upper
    assert answer.upper <= hs.Gaussian(2.0 / (2 * run.sensitivity)).delta(0.5) * (1 + 1e-12)


def _allowed(pattern: Pattern, taken: tuple[int, ...]) -> bool:
    try:
        pattern.check(np.flatnonzero(taken).tolist(), len(taken))
    except hs.ParameterError:
        return False
    return True


def test_a_fixed_partition_refuses_added_records() -> None:
    run = hs.Correlated(ROOT, 10.0, hs.Cyclic(period=16))
    assert run.natural_relation is hs.ZERO_OUT
    assert run.epsilon(1e-6) == pytest.approx(1.74670159, abs=1e-8)
    with pytest.raises(hs.RelationError, match="MinSeparated"):
        run.epsilon(1e-6, relation=hs.ADD_REMOVE)


@pytest.mark.slow
def test_a_sensitivity_that_is_a_bound_gives_both_ends() -> None:
    """A random dense matrix of either sign, too large to try all sets."""
    matrix = np.tril(np.random.default_rng(0).normal(size=(40, 40)))
    run = hs.Correlated(hs.matrix.dense(matrix), 50.0, hs.MinSeparated(every=3, at_most=6))
    moved, answer = run.sensitivity, run.epsilon(1e-6)
    assert moved.method.startswith("upper")
    assert 0.5 * moved.upper < moved.lower < moved.upper
    assert answer.lower == pytest.approx(hs.Gaussian(50 / moved.lower).epsilon(1e-6), rel=1e-9)
    assert answer.upper == pytest.approx(hs.Gaussian(50 / moved.upper).epsilon(1e-6), rel=1e-9)
    assert "at most" in run.statement(delta=1e-6)
    with pytest.raises(hs.ParameterError, match="dense matrix has no text form"):
        hs.parse(repr(run))


def test_extremes() -> None:
    pattern = hs.Once()
    assert hs.Correlated(ROOT, 0.0, pattern).epsilon(1e-6) == float("inf")
    assert hs.Correlated(ROOT, float("inf"), pattern).epsilon(1e-6) == 0.0
    for secret in (hs.CyclicPoisson(0.5, 16), hs.BallsInBins(16), hs.Poisson(0.5)):
        assert hs.Correlated(ROOT, float("inf"), secret).epsilon(1e-6) == 0.0
        assert hs.Correlated(ROOT, 0.0, secret).delta(1.0) > 0.4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3, 1.0, hs.Once()), "matrix must be a Strategy"),
        ((ROOT, -1.0, hs.Once()), "noise_multiplier must be in"),
        ((ROOT, 1.0, 3), "participation must be Once"),
        ((ROOT, 1.0, hs.WithoutReplacement(2, 4)), "participation must be Once"),
        ((ROOT, 1.0, hs.Once(), 3.0), "replace_sensitivity must be in"),
    ],
)
def test_bad_arguments(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(hs.ParameterError, match=message):
        hs.Correlated(*arguments)  # type: ignore[arg-type]


def test_groups() -> None:
    run = hs.Correlated(ROOT, 10.0, hs.Once())
    assert run.group(2).epsilon(1e-6) == hs.Correlated(ROOT, 5.0, hs.Once()).epsilon(1e-6)
    with pytest.raises(hs.ParameterError, match="group privacy"):
        hs.Correlated(ROOT, 10.0, hs.BallsInBins(4)).group(2)


def test_accountants_and_files() -> None:
    run = hs.Correlated(hs.matrix.toeplitz(6, (1.0, 0.5)), 4.0, hs.CyclicPoisson(0.3, 2))
    account = hs.Accountant()
    account.spend(run, 2)
    account.spend(hs.Gaussian(5.0))
    again = hs.Accountant.from_json(account.to_json())
    assert json.loads(account.to_json())
    assert again.spent == account.spent == run * 2 + hs.Gaussian(5.0)
    assert again.epsilon(1e-6) == account.epsilon(1e-6)


def test_words_and_tables() -> None:
    run = hs.Correlated(ROOT, 10.0, hs.MinSeparated(every=16, at_most=4))
    assert "by exactly 3.96063 norms" in run.statement(delta=1e-6)
    assert "Kalinin and Lampert 2024" in run.explain(1e-6)
    rows = {row.name: row.epsilon for row in hs.compare(run, 1e-6)}
    assert rows["exact"] < rows["RDP exact curve"] < rows["zCDP"]
    assert len(run.profile([0.1, 1.0])) == 2
    assert run.error("max") == 10 * ROOT.error("max")


def test_on_the_command_line() -> None:
    text = "Correlated(matrix.tree(1600), noise_multiplier=8.83, participation=Once())"
    assert "epsilon = 1.6486588" in answered("epsilon", text, "--delta", "1e-6")


@pytest.mark.parametrize(
    "pattern", [hs.Poisson(0.3), hs.CyclicPoisson(0.3, 2), hs.BallsInBins(2), hs.Once()]
)
def test_no_noise_and_vast_noise(pattern: Pattern) -> None:
    """Nothing is left out above: δ(0) is at least what one known step tells, times its chance."""
    bare = hs.Correlated(hs.matrix.square_root(4), 0.0, pattern)
    for relation in (hs.ZERO_OUT, hs.REPLACE_ONE):
        assert bare.delta(0.0, relation=relation).upper == 1.0
    for noise in (1e51, 1e70, 1e150):
        vast = hs.Correlated(hs.matrix.square_root(4), noise, pattern).delta(0.0)
        one = hs.Gaussian(noise).delta(0.0)
        assert 0.3 * one < vast.upper < 4 * one
    none = hs.Correlated(hs.matrix.square_root(4), float("inf"), pattern)
    assert none.delta(0.0).upper == 0.0


def test_coins_without_noise() -> None:
    """All is known as soon as one coin of three falls so."""
    answer = (hs.Gaussian(0.0).on(hs.Poisson(0.3)) * 3).delta(0.0)
    assert answer.lower <= 1 - 0.7**3 <= answer.upper < 1 - 0.7**3 + 1e-12


@pytest.mark.slow
def test_a_known_group_that_a_record_brings_along_is_not_covered() -> None:
    """Two groups that share rows: δ of a record of one against one of the other, by simulation."""
    run = hs.Correlated(hs.matrix.toeplitz(33, (1.0, 1.0)), 1.0, hs.CyclicPoisson(0.3, 2))
    here, there = run.matrix.dense()[:, 0::2], -run.matrix.dense()[:, 1::2]
    rng = np.random.default_rng(3)
    y = (rng.random((40_000, 17)) < 0.3) @ here.T + rng.normal(size=(40_000, 33))
    loss = _log_ratio(y, here) - _log_ratio(y, there)
    shown = -np.expm1(np.minimum(0.5 - loss, 0.0))
    answer = run.delta(0.5, relation=hs.REPLACE_ONE)
    assert answer.upper < shown.mean() - 4 * shown.std() / 200
    said = "is in its group"
    assert said in run.statement(delta=1e-3, relation=hs.REPLACE_ONE)
    assert said not in run.statement(delta=1e-3, relation=hs.ADD_REMOVE)


def _log_ratio(y: Array, columns: Array) -> Array:
    """Of the law with coins at these columns to the normal one."""
    ratios = np.expm1(y @ columns - np.square(columns).sum(axis=0) / 2)
    return np.asarray(np.log1p(0.3 * ratios).sum(axis=1))
