"""The fuzzer draws the same questions for a seed, and sees what is wrong with an answer."""

from __future__ import annotations

import pytest

from benchmarks.fuzz import aimed, judge, strategies
from benchmarks.fuzz.aimed import beside
from benchmarks.fuzz.consistency import Law, laws
from benchmarks.fuzz.process import Worker
from benchmarks.fuzz.questions import Question
from benchmarks.fuzz.run import Session, drawn
from tests.oracles.truth import truth

RESPONSE = Question("PureDP(1.0) * 2", "epsilon", 1e-3)


@pytest.mark.slow
def test_questions_of_a_seed_are_the_same_and_read_back() -> None:
    questions = drawn(strategies.questions(), 8, 3) + drawn(aimed.questions(), 8, 3)
    assert questions == drawn(strategies.questions(), 8, 3) + drawn(aimed.questions(), 8, 3)
    assert questions != drawn(strategies.questions(), 8, 4) + drawn(aimed.questions(), 8, 4)
    for question in questions:
        assert Question.read(question.text).text.replace(" ", "") == question.text.replace(" ", "")


def test_a_curve_is_several_questions() -> None:
    curve = Question("PureDP(1.0)", "epsilons", (1e-5, (1, 3)), "ZERO_OUT")
    assert curve.text == "(PureDP(1.0)).epsilons(1e-05, [1, 3], relation=ZERO_OUT)"
    first, second = curve.single()
    assert second.text == "((PureDP(1.0)) * 3).epsilon(1e-05, relation=ZERO_OUT)"
    assert first.relation == "ZERO_OUT"


@pytest.mark.parametrize(
    ("ends", "truth", "kind"),
    [
        ([0.9, 0.99], ("1.0", "1.0"), "upper end below the truth"),
        ([1.01, 1.1], ("1.0", "1.0"), "lower end above the truth"),
        ([1.0, 1.0], ("1." + "0" * 30 + "1", "1." + "0" * 30 + "2"), "upper end below the truth"),
        ([0.0, 1.0], ("1.0", "1.0"), "vacuous"),
        ([0.5, float("inf")], ("1.0", "1.0"), "vacuous"),
        ([0.98, 1.0], ("1.0", "1.0"), "vacuous"),
        ([3.0, 4.0], ("inf", "inf"), "upper end below the truth"),
        ([1.0, 1.0], ("1.0", "1.0"), None),
        ([0.5, 2.0], ("0.6", "1.5"), None),
        ([0.0, 1e-310], ("1e-320", "1e-320"), None),
    ],
)
def test_an_interval_is_judged(ends: list[float], truth: tuple[str, str], kind: str | None) -> None:
    finding = judge.against(RESPONSE, ends, truth)
    assert (finding and finding.kind) == kind


def test_errors_time_and_memory_are_judged() -> None:
    def kinds(answer: dict[str, object]) -> list[str]:
        return [finding.kind for finding in judge.resources(RESPONSE, answer)]

    error = {"message": "no", "where": "loss.py:1 f"}
    assert kinds({"error": "IndexError", "expected": False} | error) == ["crash"]
    assert kinds({"error": "NumericalError", "expected": True} | error) == ["numerical error"]
    assert kinds({"error": "ParameterError", "expected": True} | error) == []
    assert kinds({"error": "MemoryError", "expected": False} | error) == ["memory"]
    assert kinds({"ends": [], "seconds": 11.0, "peak_mb": 600.0}) == ["slow", "memory"]
    assert kinds({"timeout": True}) == ["slow"]
    assert kinds({"died": -11}) == ["interpreter died"]


def test_two_answers_contradict_each_other() -> None:
    law = Law(RESPONSE, RESPONSE, "larger")
    assert law.judge({"ends": [[2.0, 3.0]]}, {"ends": [[0.5, 1.0]]}) is not None
    assert law.judge({"ends": [[0.5, 1.0]]}, {"ends": [[2.0, 3.0]]}) is None
    equal = Law(RESPONSE, RESPONSE, "equal", equal=True)
    assert equal.judge({"ends": [[0.5, 1.0]]}, {"ends": [[2.0, 3.0]]}) is not None


def exact(question: Question) -> tuple[float, float]:
    """The doubles around the truth."""
    if question.query == "given":
        return question.at, question.at
    interval = truth(question.expression, question.query, question.at, question.relation)
    assert interval is not None
    return beside(float(interval[0]), -1), beside(float(interval[1]), 1)


@pytest.mark.parametrize("at", [0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1.0])
def test_laws_hold_of_the_truth(at: float) -> None:
    """Noise, rate, parts, order of a sum, what is given and its inverse: one law for each at."""
    question = Question("Gaussian(1.0).on(Poisson(0.25)) + PureDP(0.5)", "delta", at)
    [law] = laws(question, {"ends": [list(exact(question))], "method": "lattice"})
    smaller, larger = exact(law.smaller), exact(law.larger)
    assert smaller[0] <= larger[1]
    assert not law.equal or larger[0] <= smaller[1]


def test_doubles_beside_a_double() -> None:
    assert beside(1.0, 2) == 1.0 + 2 * 2.0**-52
    assert beside(1.0, -1) == 1.0 - 2.0**-53


@pytest.mark.slow
def test_a_worker_answers_dies_and_answers_again() -> None:
    """Wrong, crashing and endless questions, in processes of their own."""
    with Worker(3.0) as library, Worker(5.0) as oracle:
        session = Session(library, oracle)
        assert session.examine(RESPONSE) == []
        assert session.judged == 1
        endless = library.do(ask="next(x for x in iter(int, 1) if x)")
        assert endless == {"timeout": True}
        assert library.do(ask="__import__('os').abort()") == {"died": -6}
        assert library.do(ask="1 / 0")["error"] == "ZeroDivisionError"
        assert library.do(ask=RESPONSE.text)["ends"][0][1] > 1.9
