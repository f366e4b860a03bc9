"""What a ledger promises, on every store."""

from __future__ import annotations

import contextlib
import copy
import itertools
import pickle
import threading
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hockeystick as hs
from hockeystick.ledger.ledger import Ledger

WHO = {"by": "ana", "purpose": "a table"}


@pytest.fixture
def ledger(url: str) -> Ledger:
    made = hs.Ledger(url, create=True)
    made.open("census", epsilon=1, unit="one person")
    return made


@pytest.mark.slow
def test_eleven_elevenths_are_one(ledger: Ledger) -> None:
    for _ in range(11):
        ledger.spend("census", "PureDP(1/11)", **WHO)
    with pytest.raises(hs.BudgetExceeded, match=r"100.0000% is spent.*nothing was spent"):
        ledger.spend("census", "PureDP(1e-20)", **WHO)
    assert ledger.show("census").used == 1.0
    assert ledger.verify().entries == 12


def test_ten_tenths_as_decimals_are_one(ledger: Ledger) -> None:
    assert ledger.left("census", "PureDP(0.1)") == 10
    ledger.spend("census", "PureDP(0.1) * 9 + PureDP(0.1)", **WHO)
    assert ledger.left("census", "PureDP(0.1)") == 0


def test_a_float_is_the_number_that_it_is(ledger: Ledger) -> None:
    """0.1 as a double is above a tenth; as text it is a tenth."""
    tenth = hs.PureDP(0.1)
    assert ledger.left("census", tenth) == 10  # its text is what is written
    ledger.open("floats", epsilon=0.3, unit="one person")
    assert Fraction(0.3) < Fraction(3, 10)
    assert ledger.left("floats", "PureDP(0.1)") == 2


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("PureDP(5e-324)", "at least 2\\^-100"),
        ("PureDP(-1)", "epsilon must be"),
        ("PureDP(inf)", "not epsilon-DP"),
        ("PureDP(nan)", "nan"),
        ("Nonsense(1)", "Nonsense"),
        ("Gaussian(1)", "say with delta="),
        ("Composition()", "must not be empty"),
        ("", "empty"),
        ("PureDP(0.1); DROP TABLE hockeystick_entries", "unexpected"),
        ("(" * 10_000 + "PureDP(1)", "nested"),
        ("PureDP(0.1)" + " + PureDP(0.1)" * 100_000, "characters"),
    ],
)
def test_what_is_refused_is_not_written(ledger: Ledger, expression: str, message: str) -> None:
    with pytest.raises(hs.ParameterError, match=message):
        ledger.spend("census", expression, **WHO)
    assert ledger.verify().entries == 1


@pytest.mark.parametrize("name", ["", " ", "a b", "é", "x" * 101, "'; --", "a\n", "\u202eabc", 3])
def test_bad_names(ledger: Ledger, name: str) -> None:
    with pytest.raises(hs.ParameterError, match="budget must be a name"):
        ledger.open(name, epsilon=1, unit="one person")
    with pytest.raises(hs.ParameterError, match="budget must be a name"):
        ledger.spend(name, "PureDP(0.1)", **WHO)
    assert ledger.verify().entries == 1


@pytest.mark.slow
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=600))
def test_any_text_is_kept_as_it_is_or_refused(ledger: Ledger, text: str) -> None:
    before = ledger.verify()
    try:
        entry = ledger.spend("census", "PureDP(1e-12)", by=text, purpose=text)
    except hs.ParameterError:
        assert not text.strip() or not text.isprintable() or len(text) > 500
        assert ledger.verify() == before
    else:
        assert entry.content["by"] == text
        assert list(ledger.entries("census"))[-1] == entry
        assert ledger.verify().entries == before.entries + 1


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"epsilon": -1}, "epsilon must be at least 0"),
        ({"epsilon": float("nan")}, "epsilon must be a finite number"),
        ({"epsilon": float("inf")}, "epsilon must be a finite number"),
        ({"epsilon": "three"}, "epsilon must be a number"),
        ({"epsilon": "1/0"}, "epsilon must be a number"),
        ({"epsilon": True}, "epsilon must be a number"),
        ({"delta": 1}, "delta in"),
        ({"mode": "both"}, "mode must be one of"),
        ({"mode": "planned"}, "needs a plan"),
        ({"plan": "PureDP(1)"}, "needs a plan"),
        ({"filter": "pld"}, "filter must be one of"),
        ({"filter": "gdp"}, "filter must be basic"),
        ({"partition": "region", "relation": hs.REPLACE_ONE}, "add-remove"),
        ({"unit": ""}, "unit must be a line"),
    ],
)
def test_what_cannot_be_opened(ledger: Ledger, how: dict[str, object], message: str) -> None:
    with pytest.raises(hs.ParameterError, match=message):
        ledger.open("new", **({"epsilon": 1, "unit": "one person"} | how))  # type: ignore[arg-type]
    assert ledger.budgets() == ["census"]


def test_a_budget_is_opened_once_and_spent_by_its_name(ledger: Ledger) -> None:
    with pytest.raises(hs.ParameterError, match="budget must be a new name, got 'census'"):
        ledger.open("census", epsilon=100, unit="one person")
    with pytest.raises(hs.ParameterError, match=r"opened one \(census\), got 'survey'"):
        ledger.spend("survey", "PureDP(0.1)", **WHO)


def test_a_key_is_spent_once(ledger: Ledger) -> None:
    first = ledger.spend("census", "PureDP(0.6)", key="w46", **WHO)
    again = ledger.spend("census", "PureDP(0.6)", key="w46", **WHO)
    assert (first.repeated, again.repeated, again) == (False, True, first)
    with pytest.raises(hs.ParameterError, match=r"'w46' was spent by entry 2.*0\.6.*0\.1"):
        ledger.spend("census", "PureDP(0.1)", key="w46", **WHO)
    assert ledger.verify().entries == 2


def test_what_is_charged_stays_charged(ledger: Ledger) -> None:
    with pytest.raises(RuntimeError), ledger.spend("census", "PureDP(1)", **WHO):
        raise RuntimeError("the release failed")
    assert ledger.left("census", "PureDP(0.1)") == 0


def test_threads_that_race_never_overspend_and_refuse_nothing_that_fits(ledger: Ledger) -> None:
    start, passed = threading.Barrier(16), []

    def spend() -> None:
        start.wait()
        with contextlib.suppress(hs.BudgetExceeded):
            passed.append(ledger.spend("census", "PureDP(1/11)", **WHO).number)

    threads = [threading.Thread(target=spend) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(passed) == list(range(2, 13))
    assert ledger.verify().entries == 12


def enumerated(spendings: list[tuple[str, Fraction]]) -> Fraction:
    """What the record that is charged most is charged, record by record."""
    parts = {part for part, _ in spendings} | {"elsewhere"}
    return max(
        sum((cost for part, cost in spendings if part in ("", record)), Fraction(0))
        for record in parts - {""}
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_parts_of_the_data_cost_their_maximum(ledger: Ledger, seed: int) -> None:
    ledger.open("parts", epsilon=1, unit="one person", partition="region")
    costs, parts = itertools.cycle(["1/7", "0.11", "1/5", "0.02"]), ["north", "", "south", "west"]
    done: list[tuple[str, Fraction]] = []
    for i in range(16):
        cost, part = next(costs), parts[(i * i + seed) % 4]
        then = [*done, (part, Fraction(cost))]
        if enumerated(then) <= 1:
            ledger.spend("parts", f"PureDP({cost})", part=part, **WHO)
            done = then
        else:
            with pytest.raises(hs.BudgetExceeded):
                ledger.spend("parts", f"PureDP({cost})", part=part, **WHO)
    assert ledger.show("parts").used == pytest.approx(float(enumerated(done)), rel=1e-12)
    assert ledger.show("parts").running()[-1] == ledger.show("parts").used
    ledger.verify()


def test_parts_are_for_partitioned_budgets(ledger: Ledger) -> None:
    with pytest.raises(hs.ParameterError, match="census is not partitioned, got 'north'"):
        ledger.spend("census", "PureDP(0.1)", part="north", **WHO)


def test_a_planned_budget_takes_its_plan_and_nothing_else(ledger: Ledger) -> None:
    step = hs.Gaussian(20.0).on(hs.Poisson(0.01))
    plan = step * 100_000 + hs.Laplace(10.0)
    exact = plan.epsilon(1e-6)
    with pytest.raises(hs.ParameterError, match="the plan costs epsilon"):
        ledger.open(
            "run", epsilon=exact.lower * 0.999, delta="1e-6", unit="x", mode="planned", plan=plan
        )
    ledger.open("run", epsilon=exact.upper, delta="1e-6", unit="x", mode="planned", plan=plan)
    ledger.spend("run", step * 60_000, **WHO)
    with pytest.raises(hs.BudgetExceeded):
        ledger.spend("run", step * 40_001, **WHO)
    with pytest.raises(hs.ParameterError, match=r"Laplace\(11.0\) is not in the plan"):
        ledger.spend("run", "Laplace(11)", **WHO)
    ledger.spend("run", step * 40_000 + hs.Laplace(10.0), **WHO)
    assert ledger.left("run", step) == 0
    ledger.verify()


def test_the_password_of_a_database_is_never_shown() -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(hs.LedgerError) as error:
        hs.Ledger("postgresql://ana:hunter2@127.0.0.1:1/none")
    assert "hunter2" not in str(error.value)
    assert "127.0.0.1:1/none" in str(error.value)
    assert error.value.__cause__ is None


def test_a_ledger_is_pickled_without_a_password(ledger: Ledger) -> None:
    again = pickle.loads(pickle.dumps(ledger))
    again.spend("census", "PureDP(0.5)", **WHO)
    assert ledger.used("census") == 0.5
    pytest.importorskip("psycopg")
    from hockeystick.ledger.stores.postgres import PostgresStore

    with pytest.raises(hs.LedgerError, match="cannot be pickled"):
        pickle.dumps(PostgresStore("postgresql://ana:hunter2@127.0.0.1:1/none"))


def test_an_account_charges_and_then_releases(ledger: Ledger) -> None:
    census = ledger.account("census", **WHO)
    assert copy.deepcopy(census) is census
    value = hs.DiscreteLaplace(4.0).release(100, rng=1, ledger=census)
    assert abs(value - 100) < 100
    assert ledger.used("census") == 0.25
    hs.Laplace(8.0).release([1, 2], rng=1, ledger=census)
    assert ledger.used("census") == 0.375
    for mechanism in (hs.DiscreteLaplace(1.0), hs.Laplace(1.0)):
        with pytest.raises(hs.BudgetExceeded):
            mechanism.release(100, ledger=census)
        with pytest.raises(hs.ParameterError, match="value must be"):  # and costs nothing
            mechanism.release("many", ledger=census)
    assert ledger.used("census") == 0.375
    with pytest.raises(hs.RelationError, match="is about add-remove, and this run about replace"):
        census.spend(hs.PureDP(0.1), hs.REPLACE_ONE)
    with pytest.raises(hs.ParameterError, match="opened one"):
        ledger.account("survey", **WHO)


@pytest.mark.parametrize("url", ["mysql://x/y", "sqlite://budget.db", 3])
def test_addresses(url: str) -> None:
    with pytest.raises(hs.ParameterError, match="url must be"):
        hs.Ledger(url)
