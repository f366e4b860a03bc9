"""A budget is never exceeded, to the last digit, and what fits is not refused."""

from __future__ import annotations

import copy
import math
import pickle
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import pytest

import hockeystick as hs
from hockeystick.budget import Budget, _is_less, about, last_that
from hockeystick.errors import BudgetExceeded, ParameterError

STEP = hs.Gaussian(1.1).on(hs.Poisson(0.01))


def spend_until_refused(accountant: hs.Accountant, mechanism: hs.Mechanism, most: int) -> int:
    for done in range(most):
        try:
            accountant.spend(mechanism)
        except BudgetExceeded:
            return done
    return most


@pytest.mark.parametrize("parts", range(1, 41))
def test_the_edge_of_pure_budgets_is_kept_exactly(parts: int) -> None:
    """n shares of 1/n, as floats, are above 1 or not: rational arithmetic says which."""
    share = 1 / parts
    accountant = hs.Accountant(budget=(1.0, 0.0))
    count = spend_until_refused(accountant, hs.PureDP(share), parts + 2)
    assert count * Fraction(share) <= 1
    assert count >= parts - 1
    if parts * Fraction(share) <= 1 - Fraction(1, 2**52):
        assert count == parts
    assert accountant.epsilon(0) <= 1.0


def test_eleven_elevenths() -> None:
    assert 11 * Fraction(1 / 11) > 1
    accountant = hs.Accountant(budget=(1.0, 0.0))
    accountant.spend(hs.PureDP(1 / 11), 10)
    with pytest.raises(BudgetExceeded, match=r"would be 1\.0000000000000002 at delta = 0.0 \(add-"):
        accountant.spend(hs.PureDP(1 / 11))
    assert accountant.spent == hs.PureDP(1 / 11) * 10
    accountant.spend(hs.PureDP(0.0625))  # what fits is still allowed


def test_eight_eighths_fit() -> None:
    accountant = hs.Accountant(budget=(1.0, 0.0))
    assert accountant.steps_left(hs.PureDP(0.125)) == 8
    assert spend_until_refused(accountant, hs.PureDP(0.125), 20) == 8
    assert accountant.steps_left(hs.PureDP(0.125)) == 0
    assert accountant.steps_left(hs.PureDP(0.0)) == math.inf


def test_steps_are_counted_to_the_last_that_fits() -> None:
    accountant = hs.Accountant(budget=(2.0, 1e-5))
    assert accountant.steps_left(STEP) == 1725
    assert (STEP * 1725).epsilon(1e-5) <= 2.0 < (STEP * 1726).epsilon(1e-5)
    accountant.spend(STEP, 1700)
    assert accountant.steps_left(STEP) == 25
    assert accountant.steps_left(STEP * 5) == 5
    assert accountant.steps_left(hs.Composition()) == math.inf
    assert spend_until_refused(accountant, STEP, 100) == 25
    assert accountant.spent == STEP * 1725


@pytest.mark.parametrize(("budget", "step"), [
    ((0.5, 1e-6), hs.Gaussian(1.0).on(hs.Poisson(0.001))),
    ((0.01, 1e-6), hs.Gaussian(300.0)),
    ((3.0, 1e-7), hs.Laplace(20.0)),
    ((1.0, 0.0), hs.PureDP(1e-7)),
])  # fmt: skip
def test_one_more_than_what_is_left_is_too_much(
    budget: tuple[float, float], step: hs.Mechanism
) -> None:
    left = int(hs.Accountant(budget=budget).steps_left(step))
    epsilon, delta = budget
    assert (step * left).epsilon(delta) <= epsilon < (step * (left + 1)).epsilon(delta).upper
    assert (step * (left + 1)).delta(epsilon).upper > delta


def test_what_is_left_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop may ask at every step: what was found once is true of fewer steps."""
    accountant = hs.Accountant(budget=(1.0, 1e-5))
    left = accountant.steps_left(STEP)
    monkeypatch.setattr(Budget, "allows", lambda self, counts: _is_less(counts, self._fits))
    for done in range(1, 20):
        accountant.spend(STEP)
        assert accountant.steps_left(STEP) == left - done


@pytest.mark.parametrize("last", [1, 2, 3, 36, 37, 38, 999, 1000])
@pytest.mark.parametrize("first", [1, 2, 37, 500, 1000])
def test_the_last_count_is_found_from_anywhere(last: int, first: int) -> None:
    assert last_that(lambda n: n <= last, 1000, first) == last


def test_a_guess_stays_in_its_range_whatever_costs() -> None:
    assert about(lambda n: math.inf, 1.0, 50) == 1
    assert about(lambda n: 0.0, 1.0, 50) == 1
    assert about(lambda n: 5.0, 1.0, 50) == 1
    assert about(lambda n: float(n), 0.0, 50) == 1
    assert about(lambda n: 1e-9 * n, 1.0, 50) == 50


@pytest.mark.slow
def test_after_another_release_less_is_left() -> None:
    accountant = hs.Accountant(budget=(2.0, 1e-5))
    accountant.spend(hs.Laplace(2.0))
    left = accountant.steps_left(STEP)
    run = hs.Laplace(2.0) + STEP * int(left)
    assert run.epsilon(1e-5) <= 2.0 < (run + STEP).epsilon(1e-5)
    accountant.spend(STEP, int(left))
    with pytest.raises(BudgetExceeded):
        accountant.spend(STEP)
    assert accountant.spent == run


def test_a_calibrated_run_fits_and_nothing_more() -> None:
    run = hs.calibrate(lambda s: hs.Gaussian(s) * 10, epsilon=1.0, delta=1e-6)
    accountant = hs.Accountant(budget=(1.0, 1e-6))
    accountant.spend(run)
    with pytest.raises(BudgetExceeded):
        accountant.spend(hs.Gaussian(1e3))
    accountant.spend(hs.Gaussian(math.inf))  # costs nothing


def test_neighbours_are_those_of_the_accountant() -> None:
    assert hs.Accountant(hs.REPLACE_ONE, budget=(1.0, 0.0)).steps_left(hs.Laplace(4.0)) == 2
    assert hs.Accountant(hs.ADD_REMOVE, budget=(1.0, 0.0)).steps_left(hs.Laplace(4.0)) == 4


def test_threads_together_do_not_exceed_it() -> None:
    accountant = hs.Accountant(budget=(2.0, 0.0))

    def work(_: int) -> int:
        return spend_until_refused(accountant, hs.PureDP(0.03125), 64)

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(work, range(4))) == 64
    assert accountant.epsilon(0) == 2.0


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda a: pickle.loads(pickle.dumps(a))]
)
def test_copies_keep_their_own(again) -> None:  # type: ignore[no-untyped-def]
    accountant = hs.Accountant(budget=(1.0, 0.0))
    accountant.spend(hs.PureDP(0.5))
    other = again(accountant)
    assert other.budget == (1.0, 0.0)
    other.spend(hs.PureDP(0.5))
    with pytest.raises(BudgetExceeded):
        other.spend(hs.PureDP(0.5))
    accountant.spend(hs.PureDP(0.5))


def test_a_file_keeps_it(tmp_path: Path) -> None:
    path = tmp_path / "spent.json"
    for _ in range(2):
        with hs.Accountant.open(path, budget=(1.0, 0.0)) as accountant:
            accountant.spend(hs.PureDP(0.5))
    with hs.Accountant.open(path) as accountant:
        assert accountant.budget == (1.0, 0.0)
        with pytest.raises(BudgetExceeded):
            accountant.spend(hs.PureDP(0.5))
    assert hs.Accountant.load(path).spent == hs.PureDP(0.5) * 2
    with (
        pytest.raises(ParameterError, match="budget must be that of"),
        hs.Accountant.open(path, budget=(2.0, 0.0)),
    ):
        pass


def test_what_a_file_says_was_spent_was_spent() -> None:
    """Even above its budget: it is read, and nothing more is allowed."""
    accountant = hs.Accountant()
    accountant.spend(hs.PureDP(2.0))
    text = accountant.to_json().replace('"spent"', '"budget": {"epsilon": 1, "delta": 0}, "spent"')
    again = hs.Accountant.from_json(text)
    assert again.epsilon(0) == 2.0
    with pytest.raises(BudgetExceeded):
        again.spend(hs.PureDP(0.001))
    for bad in (
        '{"epsilon": -1, "delta": 0}',
        '{"epsilon": 1}',
        "1",
        '{"epsilon": 1, "delta": "x"}',
    ):
        with pytest.raises(ParameterError):
            hs.Accountant.from_json(text.replace('{"epsilon": 1, "delta": 0}', bad))


@pytest.mark.parametrize(
    "budget",
    [1.0, (1.0,), (-1.0, 0.0), (math.inf, 0.0), (math.nan, 0.0), (1.0, 2.0), "12", (1, None)],
)
def test_bad_budgets_are_refused(budget: object) -> None:
    with pytest.raises(ParameterError, match="budget"):
        hs.Accountant(budget=budget)  # type: ignore[arg-type]


def test_steps_left_needs_a_budget_and_a_mechanism() -> None:
    with pytest.raises(ParameterError, match="budget="):
        hs.Accountant().steps_left(STEP)
    with pytest.raises(ParameterError, match="mechanism must be a Mechanism"):
        hs.Accountant(budget=(1.0, 0.0)).steps_left("Gaussian(1)")  # type: ignore[arg-type]
