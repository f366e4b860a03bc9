"""The accountant adds up, answers as its total does, and survives a trip through a file."""

from __future__ import annotations

import inspect
import json
import math
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hockeystick as hs
from hockeystick.accountant import Accountant
from hockeystick.classical import get_delta, get_epsilon
from hockeystick.errors import ParameterError, RelationError
from hockeystick.mechanism import Mechanism
from tests.support.hostile_text import expressions, mutated

STEP = hs.Gaussian(1.1).on(hs.Poisson(0.01))
MECHANISMS = [
    STEP,
    hs.Gaussian(2.0),
    hs.Laplace(0.1),
    hs.Gaussian(2.0) * 3 + hs.Laplace(0.1),
    hs.Gaussian(1.0) * 0,
    hs.RenyiDP({2: 0.1, 8: 0.5}),
    hs.RandomizedResponse.truthful(0.75),
]
spending = st.lists(st.tuples(st.sampled_from(MECHANISMS), st.integers(0, 10**9)), max_size=8)


def filled(relation: hs.Relation | None = None) -> Accountant:
    accountant = Accountant(relation)
    accountant.spend(STEP, 1000)
    accountant.spend(hs.Laplace(2.0))
    return accountant


@given(spending)
def test_spending_is_composing(steps: list[tuple[Mechanism, int]]) -> None:
    accountant = Accountant()
    for mechanism, count in steps:
        accountant.spend(mechanism, count)
    assert accountant.spent == sum((m * n for m, n in steps), hs.Gaussian(1.0) * 0)


@given(spending, st.sampled_from([None, *hs.Relation]))
def test_json_keeps_everything(
    steps: list[tuple[Mechanism, int]], relation: hs.Relation | None
) -> None:
    accountant = Accountant(relation)
    for mechanism, count in steps:
        accountant.spend(mechanism, count)
    again = Accountant.from_json(accountant.to_json())
    assert again.spent == accountant.spent
    assert again.relation is relation
    assert again.to_json() == accountant.to_json()


def test_memory_follows_the_different_mechanisms() -> None:
    accountant = Accountant()
    for _ in range(10_000):
        accountant.spend(STEP)
    assert accountant.spent.parts == {STEP: 10_000}
    assert len(accountant._counts) == 1


def test_queries_are_those_of_the_total() -> None:
    accountant = filled()
    total = STEP * 1000 + hs.Laplace(2.0)
    assert accountant.epsilon(1e-5) == total.epsilon(1e-5) > 0
    assert accountant.delta(1.0) == total.delta(1.0) > 0
    assert accountant.rdp(4.0) == total.rdp(4.0) > 0
    np.testing.assert_array_equal(accountant.profile([0.5, 1.0]), total.profile([0.5, 1.0]))
    np.testing.assert_array_equal(accountant.tradeoff([0.1, 0.5]), total.tradeoff([0.1, 0.5]))
    twice = accountant.epsilons(1e-5, [1, 2])
    assert twice == pytest.approx([total.epsilon(1e-5), (total * 2).epsilon(1e-5)], rel=1e-9)


def test_every_question_to_a_mechanism_can_be_asked() -> None:
    """With the same arguments, but for the relation, which is the accountant's."""
    for name in ("epsilon", "delta", "rdp", "profile", "tradeoff", "epsilons"):
        one = inspect.signature(getattr(hs.Mechanism, name)).parameters
        other = inspect.signature(getattr(Accountant, name)).parameters
        assert [each for each in other if each != "mechanism"] == [
            each for each in one if each != "relation"
        ], name


@pytest.mark.slow
def test_method_is_handed_on() -> None:
    assert filled().epsilon(1e-5, method="renyi").method == "renyi"
    assert filled().delta(1.0, method="renyi").method == "renyi"
    assert filled().profile([1.0], method="renyi").method == "renyi"
    assert "renyi" in filled().tradeoff([0.0], method="renyi").method
    assert filled().epsilons(1e-5, [2], method="renyi").method == "renyi"


def test_relation_is_handed_on() -> None:
    one, other = Accountant(hs.ADD_REMOVE), Accountant(hs.REPLACE_ONE)
    one.spend(hs.Gaussian(4.0))
    other.spend(hs.Gaussian(4.0))
    assert other.relation is hs.REPLACE_ONE
    assert one.epsilon(1e-5) == hs.Gaussian(4.0).epsilon(1e-5, relation=hs.ADD_REMOVE)
    assert other.epsilon(1e-5) == hs.Gaussian(4.0).epsilon(1e-5, relation=hs.REPLACE_ONE)
    assert other.epsilon(1e-5) > one.epsilon(1e-5)
    epoch = Accountant(hs.ADD_REMOVE)
    epoch.spend(hs.Gaussian(4.0).on(hs.Shuffled(10)))
    with pytest.raises(RelationError):
        epoch.epsilon(1e-5)


def test_nothing_spent_costs_nothing() -> None:
    assert Accountant().epsilon(1e-5) == 0.0
    assert Accountant().delta(0.0) == 0.0


# the moments accountant -------------------------------------------------------------------------


def parts_cgf(x: float) -> float:
    """K of 40 Gaussians, a Laplace and three randomized responses, by their closed forms."""
    a, b, p = x + 1, 0.5, 0.75
    laplace = a * math.exp(x * b) + x * math.exp(-a * b)
    response = p**a * (1 - p) ** -x + (1 - p) ** a * p**-x
    return 40 * a * x / (2 * 9) + math.log(laplace / (2 * a - 1)) + 3 * math.log(response)


def of_three() -> Accountant:
    accountant = Accountant(hs.REPLACE_ONE)
    accountant.spend(hs.Gaussian(3.0, replace_sensitivity=1), 40)
    accountant.spend(hs.Laplace(2.0, replace_sensitivity=1))
    accountant.spend(hs.RandomizedResponse.truthful(0.75), 3)
    return accountant


@pytest.mark.parametrize("x", [1e-3, 0.25, 1.0, math.pi, 100.0])
def test_the_cgf_adds_up_at_any_lambda(x: float) -> None:
    exact = parts_cgf(x)
    assert exact * (1 - 1e-13) <= of_three().cgf(x) <= exact * (1 + 1e-12)


def test_the_cgf_of_many_and_of_none() -> None:
    accountant = of_three()
    wanted = np.array([[0.0, 0.5], [2.0, 31.0]])
    values = accountant.cgf(wanted)
    assert values.shape == (2, 2)
    alone = [accountant.cgf(x) for x in wanted.ravel().tolist()]
    assert values.ravel().tolist() == pytest.approx(alone, rel=1e-14)
    assert type(accountant.cgf(2)) is float
    assert values[0, 0] == 0
    assert Accountant().cgf(3.0) == 0


def test_the_cgf_near_zero_is_the_mean() -> None:
    """1 + λ is not λ away from 1 in floats; the value is rounded to the safe side."""
    accountant = Accountant()
    accountant.spend(hs.Gaussian(2.0), 8)
    for x in (1e-15, 3e-13, 1e-9):
        exact = x * (x + 1)
        assert exact <= accountant.cgf(x) <= exact * (1 + 1e-12)


def test_both_ends_of_the_curve_are_kept() -> None:
    """The mean loss (order 1) and the largest (order inf), which no λ in (0, inf) gives."""
    accountant = of_three()
    laplace = 0.5 + math.expm1(-0.5)
    mean = 40 / 18 + laplace + 3 * 0.5 * math.log(3)
    assert accountant.rdp(1) == pytest.approx(mean, rel=1e-12, abs=0)
    assert accountant.rdp(math.inf) == math.inf
    pure = Accountant(hs.REPLACE_ONE)
    pure.spend(hs.Laplace(2.0, replace_sensitivity=1), 4)
    pure.spend(hs.RandomizedResponse.truthful(0.75), 3)
    largest = 2 + 3 * math.log(3)
    assert pure.rdp(math.inf) == pytest.approx(largest, rel=1e-12, abs=0)
    assert get_epsilon(pure.cgf, 0.0, largest_loss=pure.rdp(math.inf)) == pure.rdp(math.inf)


def test_the_papers_queries_are_above_the_others() -> None:
    accountant = of_three()
    delta = 1e-6
    theirs = get_epsilon(accountant.cgf, delta)
    best = min((parts_cgf(x) - math.log(delta)) / x for x in np.linspace(0.5, 5, 4501).tolist())
    assert theirs == pytest.approx(best, rel=1e-6, abs=0)
    assert accountant.epsilon(delta) < accountant.epsilon(delta, method="renyi") < theirs
    back = get_delta(accountant.cgf, theirs)
    assert back == pytest.approx(delta, rel=1e-9, abs=0)
    assert accountant.delta(theirs) < accountant.delta(theirs, method="renyi") < back


def test_a_query_asks_for_few_values() -> None:
    """Some 60 values of K, however many steps: the doublings and the golden sections."""
    for steps in (1, 10**4, 10**8):
        accountant = Accountant()
        accountant.spend(STEP, steps)
        asked: list[float] = []

        def cgf(x: float, accountant: Accountant = accountant, asked: list[float] = asked) -> float:
            asked.append(x)
            return float(accountant.cgf(x))

        get_epsilon(cgf, 1e-5)
        assert len(asked) <= 70


def test_spending_looks_at_nothing_else() -> None:
    """One more step of a mechanism takes as many comparisons among 1000 mechanisms as among 2."""
    looks = 0

    class Watched(hs.Gaussian):
        def __hash__(self) -> int:
            nonlocal looks
            looks += 1
            return hash(self.noise_multiplier)

    def cost(kinds: int) -> int:
        accountant = Accountant()
        for kind in range(1, kinds + 1):
            accountant.spend(Watched(float(kind)))
        before = looks
        accountant.spend(Watched(1.0))
        return looks - before

    assert 0 < cost(1000) == cost(2)


@pytest.mark.parametrize("x", [-1.0, math.nan, math.inf, [1.0, -2.0]])
def test_lambda_is_checked(x: Any) -> None:
    with pytest.raises(ParameterError, match="lambda must be in"):
        of_three().cgf(x)


def test_more_can_be_spent_after_loading(tmp_path: Path) -> None:
    filled().save(tmp_path / "spent.json")
    again = Accountant.load(tmp_path / "spent.json")
    again.spend(STEP)
    assert again.spent == STEP * 1001 + hs.Laplace(2.0)


# wrong arguments ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mechanism", "count"),
    [
        ("Gaussian(1)", 1),
        (None, 1),
        (1.0, 1),
        (hs.Poisson(0.1), 1),
        (hs.Gaussian, 1),
        (hs.Gaussian(1.0), -1),
        (hs.Gaussian(1.0), 1.0),
        (hs.Gaussian(1.0), True),
        (hs.Gaussian(1.0), "1"),
        (hs.Gaussian(1.0), None),
        (hs.Gaussian(1.0) + hs.Laplace(1.0), -1),
    ],
)
def test_wrong_spending_changes_nothing(mechanism: Any, count: Any) -> None:
    accountant = filled()
    before = accountant.to_json()
    with pytest.raises(ParameterError, match="must be"):
        accountant.spend(mechanism, count)
    assert accountant.to_json() == before


@pytest.mark.parametrize("relation", ["ADD_REMOVE", 1, True, hs.Gaussian(1.0)])
def test_wrong_relation(relation: Any) -> None:
    with pytest.raises(ParameterError, match="relation must be"):
        Accountant(relation)


# files ------------------------------------------------------------------------------------------


def test_the_file_is_what_is_promised(tmp_path: Path) -> None:
    filled(hs.ADD_REMOVE).save(tmp_path / "spent.json")
    assert json.loads((tmp_path / "spent.json").read_text()) == {
        "format": "hockeystick accountant",
        "version": 1,
        "relation": "add-remove",
        "spent": [
            {"mechanism": "Gaussian(1.1).on(Poisson(0.01))", "count": 1000},
            {"mechanism": "Laplace(2.0)", "count": 1},
        ],
    }


def test_saving_leaves_one_file(tmp_path: Path) -> None:
    path = tmp_path / "spent.json"
    accountant = Accountant()
    accountant.save(path)
    accountant.spend(filled().spent)
    accountant.save(str(path))
    assert os.listdir(tmp_path) == ["spent.json"]
    assert Accountant.load(path).spent == filled().spent


def test_a_function_is_refused_and_the_old_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "spent.json"
    accountant = filled()
    accountant.save(path)
    accountant.spend(hs.RenyiDP(lambda order: order))
    with pytest.raises(ParameterError, match=r"cannot be written as text.*Python function"):
        accountant.save(path)
    assert Accountant.load(path).spent == filled().spent
    assert os.listdir(tmp_path) == ["spent.json"]


def test_a_stranger_with_a_known_name_is_refused() -> None:
    class Gaussian(hs.Gaussian):
        """Writes itself as the other does."""

    accountant = Accountant()
    accountant.spend(Gaussian(1.0))
    with pytest.raises(ParameterError, match="is another one"):
        accountant.to_json()


def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "spent.json"
    filled().save(path)

    def broken(source: object, target: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(OSError, match="no space left"):
        Accountant().save(path, overwrite=True)
    assert os.listdir(tmp_path) == ["spent.json"]
    assert Accountant.load(path).spent == filled().spent


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link.json").symlink_to(tmp_path / "spent.json")
    filled().save(tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert Accountant.load(tmp_path / "spent.json").spent == filled().spent


def test_a_missing_file_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Accountant.load(tmp_path / "none.json")


def test_a_file_of_bytes_is_refused(tmp_path: Path) -> None:
    (tmp_path / "spent.json").write_bytes(b"\xff\xfe")
    with pytest.raises(ParameterError, match="is not UTF-8 text"):
        Accountant.load(tmp_path / "spent.json")


def state(**changes: object) -> str:
    good = {"format": "hockeystick accountant", "version": 1, "relation": None, "spent": []}
    return json.dumps(good | changes)


def entry(mechanism: object, count: object) -> list[dict[str, object]]:
    return [{"mechanism": mechanism, "count": count}]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "text must be JSON"),
        ("{", "text must be JSON"),
        ("[" * 100_000, "text must be JSON"),
        ("[]", "text must be a JSON object"),
        ("null", "text must be a JSON object"),
        ("{}", "state must have the keys format, relation, spent, version"),
        (None, "text must be JSON"),
        (state(more=1), "state must have the keys .*got .*more"),
        (state(format="other"), "format must be 'hockeystick accountant', got 'other'"),
        (state(version=2), "version must be 1, got 2"),
        (state(version="1"), "version must be 1, got '1'"),
        (state(version=True), "version must be 1, got True"),
        (state(relation="ADD"), "relation must be null or one of add-remove, .*got 'ADD'"),
        (state(relation=[]), "relation must be null or one of"),
        (state(spent={}), "spent must be a list"),
        (state(spent=[1]), r"spent\[0\] must have the keys count, mechanism, got 1"),
        (state(spent=[{"mechanism": "Gaussian(1)"}]), r"spent\[0\] must have the keys"),
        (
            state(spent=entry("Gaussian(1)", -1)),
            r"spent\[0\]: count must be an integer >= 0, got -1",
        ),
        (state(spent=entry("Gaussian(1)", 1.5)), r"spent\[0\]: count must be an integer"),
        (state(spent=entry("Gaussian(1)", True)), r"spent\[0\]: count must be an integer"),
        (state(spent=entry("Gaussian(1)", None)), r"spent\[0\]: count must be an integer"),
        (state(spent=entry("Gaussian(-1)", 1)), r"spent\[0\]: noise_multiplier must be"),
        (state(spent=entry("Gausian(1)", 1)), r"spent\[0\]: .*did you mean Gaussian"),
        (state(spent=entry("__import__(os)", 1)), r"spent\[0\]: '__import__' .*not a known name"),
        (state(spent=entry(5, 1)), r"spent\[0\]: text must be a string"),
        (state(spent=entry("Laplace(1)", 1) + entry("", 1)), r"spent\[1\]: text is empty"),
        ('{"format": 1, "format": 2}', "each key must be given once"),
        (state(version=10**4000), "version must be 1, got an integer of about 4001 digits"),
        ('{"version": ' + "9" * 5000 + "}", "text must be JSON: Exceeds the limit"),
        (
            state(spent=entry("Gaussian(1)", 10**4000)),
            r"spent\[0\]: count must be .* 2\^62\], got an",
        ),
        (
            state(spent=entry("Gaussian(1)", 2**61) * 3),
            r"spent\[2\]: counts must add up to at most",
        ),
        (state(spent=entry(f"PureDP({'9' * 400})", 1)), r"spent\[0\]: .* is too large a number"),
        (state(relation=json.loads("[" * 900 + "]" * 900)), "relation must be null or one of"),
        (state(**{"k" * 5000: 1}), "state must have the keys"),
    ],
)
def test_bad_text_is_refused(text: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message) as caught:
        Accountant.from_json(text)
    assert len(str(caught.value)) < 700


values: st.SearchStrategy[object] = st.sampled_from(
    [0, 1, 1.5, -1, 2**62, 2**62 + 1, 10**400, 10**4000, True, None, "", [], {}, [[[[1]]]], 1e308]
)


@given(
    st.fixed_dictionaries(
        {
            "format": st.just("hockeystick accountant") | values,
            "version": st.just(1) | values,
            "relation": st.none() | st.just("ZERO_OUT") | values,
            "spent": st.lists(
                st.fixed_dictionaries(
                    {"mechanism": expressions | values, "count": st.just(2**61) | values}
                ),
                max_size=3,
            )
            | values,
        }
    ),
    st.data(),
)
def test_any_json_is_an_accountant_or_a_parameter_error(
    state: dict[str, Any], data: st.DataObject
) -> None:
    text = data.draw(mutated(st.just(json.dumps(state))) | st.just(json.dumps(state)))
    refusal = ""
    try:
        assert isinstance(Accountant.from_json(text), Accountant)
    except ParameterError as error:
        refusal = str(error)
    assert len(refusal) < 1200
