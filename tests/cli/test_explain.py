"""`explain`: every number in the plain words is right."""

from __future__ import annotations

import math
import re

import pytest
from scipy.stats import norm

import hockeystick as hs
from hockeystick.registry import own_kinds
from hockeystick.report.explanation import Explanation
from tests.support.command import BOUND, call, read_json, shape

RUN = "Gaussian(1.1).on(Poisson(0.01)) * 10000 + Laplace(5)"


def test_json_has_every_number() -> None:
    found = read_json("explain", RUN, "--delta", "1e-5")
    part = {"expression": "text", "count": "number", "meaning": ["text"], "theorems": ["text"]}
    assert shape(found) == BOUND | {
        "epsilon": "number",
        "delta": "number",
        "relation": "text",
        "parts": [part],
        "attacker": {"false_positive_rate": "number", "true_positive_rate": "number"},
        "bayes": {
            "odds_factor": "number",
            "except_with_probability": "number",
            "updates": [{"prior": "number", "posterior": "number"}],
        },
    }
    mechanism = hs.parse(RUN)
    assert found["epsilon"] == mechanism.epsilon(1e-5)
    assert found["attacker"]["true_positive_rate"] == pytest.approx(
        1 - mechanism.tradeoff([0.01])[0], rel=1e-12
    )


def test_the_attack_on_gaussian_noise_is_the_best_one() -> None:
    """At false positives α the best test finds Φ(Φ⁻¹(α) + 1/σ), by Neyman and Pearson."""
    statement = Explanation.of(hs.Gaussian(2.0), 1e-5, None, "auto")
    best = norm.cdf(norm.ppf(0.01) + 1 / 2)
    assert best <= statement.true_positives <= best + 1e-9


def test_the_odds_bound_holds_for_gaussian_noise() -> None:
    """The loss is N(μ²/2, μ²); the bound is not below its 1 − 2δ quantile, and not far above."""
    for sigma, delta in ((1.0, 1e-5), (0.3, 1e-3), (5.0, 0.01)):
        statement = Explanation.of(hs.Gaussian(sigma), delta, None, "auto")
        factor, rest = statement.odds
        mu = 1 / sigma
        quantile = mu * mu / 2 + mu * norm.isf(2 * delta)
        assert rest == 2 * delta
        assert quantile <= math.log(factor) <= statement.bound + math.log(2)
        assert math.log(factor) <= 1.5 * quantile + 0.1


def test_without_a_delta_the_odds_grow_by_e_to_the_epsilon() -> None:
    statement = Explanation.of(hs.PureDP(math.log(3)), 0.0, None, "auto")
    factor, rest = statement.odds
    assert factor == pytest.approx(3)
    assert rest == 0
    assert statement.posterior(0.5) == pytest.approx(0.75)
    assert statement.posterior(0.01) == pytest.approx(0.03 / 1.02)


@pytest.mark.parametrize("asked", [("--delta", "1e-400"), ("--log-delta", "-921.0340371976184")])
def test_a_delta_below_every_float_is_explained(asked: tuple[str, str]) -> None:
    """Pr[L > B] <= 2δ for the bound B on the log odds, which is not ε, as it were without a δ."""
    found = read_json("explain", "Gaussian(1.5)", *asked)
    assert found["epsilon"] == hs.Gaussian(1.5).epsilon(log_delta=-921.0340371976184)
    assert found["log_delta"] == pytest.approx(-400 * math.log(10), rel=1e-12)
    rest = found["bayes"]["log_except_with_probability"]
    assert rest == pytest.approx(math.log(2) - 400 * math.log(10), rel=1e-12)
    log_odds = math.log(found["bayes"]["odds_factor"])
    tail = norm.logsf((log_odds - 1 / 4.5) * 1.5)  # the loss is N(μ²/2, μ²), μ = 1/1.5
    assert rest - 5 < tail <= rest
    assert "plus e^-921.034." in words("Gaussian(1.5)", *asked)
    assert "except with probability e^-920.34:" in words("Gaussian(1.5)", *asked)


def test_twice_a_delta_at_the_edge_of_floats_is_not_rounded_down() -> None:
    (_, rest) = Explanation.of(hs.Gaussian(1.0), hs.SmallDelta(-700.5), None, "auto").odds
    assert 1e-12 >= math.log(rest) - (math.log(2) - 700.5) >= 0


def test_a_delta_is_not_written_smaller_than_it_is() -> None:
    delta = 1.2345640000000001e-05
    assert "delta = 1.23457e-05" in words("Gaussian(1.5)", "--delta", repr(delta))
    assert "plus 1.23457e-05." in words("Gaussian(1.5)", "--delta", repr(delta))


def test_the_words_say_all_that_was_promised() -> None:
    printed = words(RUN, "--delta", "1e-5")
    for expected in (
        "10000 times: Gaussian(1.1).on(Poisson(0.01)).",
        "Once: Laplace(5.0).",
        "Each record is drawn with probability 0.01, independently of all others.",
        "knows all other records",
        "Neighbouring data: one record is added or removed (add-remove).",
        "in both directions",
        "in at most 1 % of the cases where it is not",
        "except with probability 2e-05",
        "Balle and Wang 2018, Theorem 5; Zhu, Dong and Wang 2022, Theorem 11; Balle, Barthe and "
        "Gaboardi 2018, Theorem 3.",
        "Their composition: Zhu, Dong and Wang 2022.",
        "(method: contour)",
        "the answer is at most 1e-06 % too high.",
    ):
        assert expected in printed
    epsilon = float(re.search(r"epsilon = (\S+) at delta = 1e-05", printed)[1])  # type: ignore[index]
    assert epsilon == pytest.approx(hs.parse(RUN).epsilon(1e-5), rel=1e-5)


def words(*arguments: str) -> str:
    return " ".join(call("explain", *arguments).stdout.split())


def test_the_relation_is_named() -> None:
    replaced = words("Laplace(1)", "--delta", "0", "--relation", "replace-one")
    assert "one record is replaced by another" in replaced
    assert "epsilon = 2 at delta = 0" in replaced
    zeroed = words("Laplace(1)", "--delta", "0", "--relation", "zero-out")
    assert "“the record contributed”" in zeroed


def test_no_guarantee_is_called_none() -> None:
    printed = words("Gaussian(0)", "--delta", "1e-5")
    assert "None at delta = 1e-05: no epsilon is large enough." in printed
    assert "at most 100 % of the cases" in printed


def test_what_is_known_by_its_curve_has_no_lower_end() -> None:
    mechanism = hs.ZeroConcentratedDP(0.1) * 3
    bound = mechanism.epsilon(1e-5)
    paragraphs = Explanation(mechanism, hs.ADD_REMOVE, 1e-5, bound, 0.5, 1.0).paragraphs()
    assert "No lower end is known" in paragraphs["How tight it is"][0]
    assert paragraphs["Where the number comes from"][:2] == [
        "The parts: Bun and Steinke 2016.",
        "Their composition: Mironov 2017.",
    ]


@pytest.mark.parametrize(
    ("lower", "upper", "said"),
    [
        (1.99999, 3.7765, "costs at least 1.99999: the answer is at most 89 % too high."),
        (1.0, 4.0, "costs at least 1: the answer is at most 300 % too high."),
        (2.0, 2.025, "costs at least 2: the answer is at most 1.3 % too high."),
        (2.0, math.inf, "costs at least 2."),
    ],
)
def test_too_high_is_measured_from_the_lower_end(lower: float, upper: float, said: str) -> None:
    """The truth may be as small as the lower end: from 1 to 4 is 300 %, not 75 %."""
    bound = hs.Bound(upper, lower=lower, method="lattice")
    paragraphs = Explanation(hs.Laplace(1), hs.ADD_REMOVE, 1e-6, bound, 0.5, 1.0).paragraphs()
    assert paragraphs["How tight it is"][0].endswith(said)


def test_nothing_costs_nothing() -> None:
    printed = words("Composition()", "--delta", "0")
    assert "What runs Nothing." in printed
    assert "in at most 1 % of the cases where it is true" in printed


@pytest.mark.parametrize(
    "kind", [each for each in own_kinds().values() if each.__module__.count(".")]
)
def test_every_class_has_a_first_sentence(kind: type) -> None:
    sentence = (kind.__doc__ or "").split("\n\n")[0]
    assert re.fullmatch(r"[^\n]+\.", sentence)


@pytest.mark.parametrize(
    ("mechanism", "relation", "cited"),
    [
        (hs.RenyiDP({2: 0.1}), hs.ADD_REMOVE, "Mironov 2017"),
        (hs.Poisson(0.1), hs.ADD_REMOVE, "Zhu, Dong and Wang 2022, Theorem 11"),
        (hs.Poisson(0.1), hs.REPLACE_ONE, "Lebeda et al. 2025, Proposition 13"),
        (hs.WithoutReplacement(1, 2), hs.REPLACE_ONE, "Balle, Barthe and Gaboardi 2018, Theorem 9"),
        (hs.WithReplacement(1, 2), hs.REPLACE_ONE, "Balle, Barthe and Gaboardi 2018, Theorem 10"),
        (hs.WithReplacement(1, 2), hs.ADD_REMOVE, "Balle, Barthe and Gaboardi 2018, Theorem 11"),
    ],
)
def test_the_theorem_is_that_of_the_relation(
    mechanism: hs.Mechanism | hs.Sampler, relation: hs.Relation, cited: str
) -> None:
    assert mechanism.theorem(relation).startswith(cited)


@pytest.mark.parametrize(
    "kind", [each for each in own_kinds().values() if each.__dict__.get("source")]
)
def test_what_is_cited_is_in_the_docstring(kind: type[hs.Mechanism] | type[hs.Sampler]) -> None:
    """So that who changes one changes the other."""
    text = " ".join((kind.__doc__ or "").split())
    for source in (kind.source, *getattr(kind, "sources", {}).values()):
        for author in re.findall(r"[A-Z]\w+(?= et al\.|,| and| \d{4})", source):
            assert author in text
        for year in re.findall(r"\d{4}", source):
            assert year in text


def test_the_library_says_the_same() -> None:
    printed = call("explain", RUN, "--delta", "1e-5").stdout
    assert hs.parse(RUN).explain(delta=1e-5) + "\n" == printed
