"""`conjecture`: what it prints of a search, and as JSON."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import hockeystick as hs
from hockeystick.bernoulli import conjecture
from hockeystick.bernoulli.conjecture import Report, Trial
from tests.support.command import BOUND, call, read_json, refused, shape

WORSE = Trial(2.0, 3.0, 0.1, 1, 2, hs.Bound(0.6, lower=0.5, method="certificate"), 0.55)
CLOSED = Trial(1.0, 4.0, 0.2, 1, 1, hs.Bound(0.4, lower=0.4, method="certificate"), 0.4)


@pytest.fixture
def _found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that finds a counterexample, which nobody has seen."""

    def search(trials: int, seed: int, progress: Callable[[int, int], None]) -> Report:
        progress(trials, trials)
        return Report([CLOSED, WORSE])

    monkeypatch.setattr(conjecture, "counterexamples", search)


@pytest.mark.usefixtures("_found")
def test_a_counterexample_as_json() -> None:
    found = read_json("conjecture", "--trials", "2", "--seed", "7")
    parameters = {"epsilon": 2.0, "order": 3.0, "c": 0.1, "dimension": 1, "samples": 2}
    assert shape(found["counterexamples"]) == [
        dict.fromkeys([*parameters, "found"], "number")
        | {n: kind for n, kind in BOUND.items() if n != "relation"}
    ]
    (worse,) = found["counterexamples"]
    assert parameters.items() <= worse.items()
    assert (worse["found"], worse["lower"], worse["upper"]) == (0.55, 0.5, 0.6)
    assert (found["seed"], found["trials"], found["proven"]) == (7, 2, 1)
    assert found["largest_gap"] == pytest.approx(0.1 / 0.6)
    assert found["largest_surplus"] == pytest.approx(0.05 / 0.6)


@pytest.mark.usefixtures("_found")
def test_a_counterexample_in_words() -> None:
    lines = call("conjecture", "--trials", "2").stdout.splitlines()
    assert lines[:2] == ["trials:                 2", "conjecture proven for:  1"]
    assert lines[2] == "largest gap:            0.17 (of the divergence, below 1)"
    assert lines[4:] == [
        "counterexamples:        1",
        "  epsilon=2.0, order=3.0, c=0.1, dimension=1, samples=2: 0.55 against 0.5, at most 0.6",
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--trials", "0"), "0 is not in the range x>=1"),
        (("--seed", "-1"), "-1 is not in the range x>=0"),
        (("--relation", "add-remove"), "No such option '--relation'"),
    ],
)
def test_bad_input_is_one_line(arguments: tuple[str, ...], said: str) -> None:
    assert said in refused(call("conjecture", *arguments))
