"""A guarantee in plain language: what it protects, from whom, and what it means for an attacker."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from hockeystick.numerics.digits import at_least, at_most
from hockeystick.questions import relation_of
from hockeystick.relation import Relation
from hockeystick.report.pieces import meaning, pieces
from hockeystick.report.statement import delta_at_most
from hockeystick.routes.auto import SENTENCES
from hockeystick.samplers.sampler import Grouped
from hockeystick.small_delta import log_of, times

if TYPE_CHECKING:
    from hockeystick.bound import Bound
    from hockeystick.mechanism import Mechanism

WIDTH = 88
INDENT = "  "
FALSE_POSITIVES = 0.01
PRIORS = (0.5, 0.01)
RARER = 0.1
LEAST_GAP = 1e-6
"""In percent; smaller ones are not told apart."""

CLAIMS = {
    Relation.ADD_REMOVE: ("the record is in the data", "it is not"),
    Relation.REPLACE_ONE: ("the record is the one they suspect", "it is a certain other one"),
    Relation.ZERO_OUT: ("the record contributed", "it did not"),
}
"""The two cases that an attacker tries to tell apart."""


@dataclass(frozen=True)
class Explanation:
    """The numbers of a guarantee."""

    mechanism: Mechanism
    relation: Relation
    delta: float
    bound: Bound
    true_positives: float
    log_odds: float
    """What the privacy loss exceeds with probability 2δ at most."""

    @classmethod
    def of(
        cls, mechanism: Mechanism, delta: float, relation: Relation | None, method: str
    ) -> Explanation:
        """Ask the mechanism for all of them."""
        neighbours = relation_of(mechanism, relation)
        bound = mechanism.epsilon(delta, relation=neighbours, method=method)
        missed = mechanism.tradeoff([FALSE_POSITIVES], relation=neighbours, method=method)
        hits = 1 - Decimal(repr(float(missed[0])))  # 1 − 0.99 is a little above 0.01 in floats
        smaller = mechanism.epsilon(times(RARER, delta), relation=neighbours, method=method)
        log_odds = _log_odds(bound, smaller, delta)
        return cls(mechanism, neighbours, delta, bound, float(hits), log_odds)

    @property
    def odds(self) -> tuple[float, float]:
        """By which factor the odds of an attacker can grow, and the chance that it is more."""
        factor = math.exp(self.log_odds) if self.log_odds < 700 else math.inf
        return factor, times(2.0, self.delta)

    def posterior(self, prior: float) -> float:
        """How sure an attacker can become who was so sure before."""
        factor = self.odds[0]
        return 1.0 if math.isinf(factor) else prior * factor / (prior * factor + 1 - prior)

    def parts(self) -> list[dict[str, Any]]:
        """What runs, how often, what it means and what its accounting rests on."""
        return [
            {
                "expression": repr(part),
                "count": count,
                "meaning": [meaning(piece) for piece in pieces(part)],
                "theorems": list(filter(None, (p.theorem(self.relation) for p in pieces(part)))),
            }
            for part, count in self.mechanism.parts.items()
        ]

    def __str__(self) -> str:
        lines = []
        for head, sentences in self.paragraphs().items():
            lines.append(head)
            lines += [
                textwrap.fill(each, WIDTH, initial_indent=INDENT, subsequent_indent=INDENT)
                for each in sentences
            ]
        return "\n".join(lines)

    def paragraphs(self) -> dict[str, list[str]]:
        """Sentences under their heads."""
        return {
            "What runs": _what_runs(self.parts()),
            "What is protected, and from whom": _protected(self),
            "The guarantee": _guarantee(self),
            "An attacker's best test": _attack(self),
            "What an attacker can come to believe": _belief(self),
            "Where the number comes from": _sources(self),
            "How tight it is": _tightness(self.bound),
        }


def _log_odds(bound: Bound, smaller: Bound, delta: float) -> float:
    """What the privacy loss L exceeds with probability 2δ at most, from ε(δ) and ε(δ/10).

    δ(ε) = E_P[(1 − e^{ε−L})₊] >= (1 − e^{ε−B})·Pr[L > B], so Pr[L > B] <= 2δ if
    B = ε(rδ) − log(1 − r/2), for any r <= 1; without a δ no loss is above ε.
    """
    if log_of(delta) == -math.inf:
        return bound.upper
    return min(bound.upper + math.log(2), smaller.upper - math.log1p(-RARER / 2))


def _what_runs(parts: list[dict[str, Any]]) -> list[str]:
    lines = []
    for part in parts:
        times = "Once" if part["count"] == 1 else f"{part['count']} times"
        lines.append(f"{times}: {part['expression']}.")
        lines += part["meaning"]
    return lines or ["Nothing."]


def _protected(explanation: Explanation) -> list[str]:
    parts = explanation.mechanism.parts
    grouped = bool(parts) and all(isinstance(part, Grouped) for part in parts)
    whose = "The records of one person" if grouped else "One record"
    more = "" if grouped else " Who has several records is protected less: see .group(size)."
    return [
        f"{whose}, from anyone who sees every output, knows all other records and how the "
        "computation works, and has any amount of computing power; the noise and the choice of "
        f"records stay secret.{more}",
        f"Neighbouring data: {explanation.relation.words('; how many there are is public')} ("
        f"{explanation.relation}).",
    ]


def _guarantee(explanation: Explanation) -> list[str]:
    delta = delta_at_most(explanation.delta)
    if math.isinf(explanation.bound.upper):
        return [f"None at delta = {delta}: no epsilon is large enough."]
    epsilon = at_most(explanation.bound.upper, 6)
    plus = "" if delta == "0" else f", plus {delta}"
    return [
        f"epsilon = {epsilon} at delta = {delta} ({explanation.relation}), in both "
        f"directions: no set of outputs is more than e^{epsilon} times as likely in one case "
        f"as in the other{plus}."
    ]


def _attack(explanation: Explanation) -> list[str]:
    yes, no = CLAIMS[explanation.relation]
    return [
        f"Whatever the test, one that says “{yes}” in at most {_percent(FALSE_POSITIVES)} of the "
        f"cases where {no} says so in at most {_percent(explanation.true_positives)} of the cases "
        f"where it is true; guessing gives {_percent(FALSE_POSITIVES)}. The same holds the other "
        "way round."
    ]


def _belief(explanation: Explanation) -> list[str]:
    yes, _ = CLAIMS[explanation.relation]
    factor, rest = explanation.odds
    (sure, then), (doubt, now) = ((p, explanation.posterior(p)) for p in PRIORS)
    unless = "" if log_of(rest) == -math.inf else f", except with probability {delta_at_most(rest)}"
    return [
        f"Someone who thought it {_percent(sure)} likely that {yes} is at most {_percent(then)} "
        f"sure afterwards, someone who thought {_percent(doubt)} at most {_percent(now)}{unless}: "
        f"their odds grow by a factor of at most {at_most(factor, 4)}."
    ]


def _sources(explanation: Explanation) -> list[str]:
    cited = [theorem for part in explanation.parts() for theorem in part["theorems"]]
    theorems = "; ".join(dict.fromkeys(cited))
    lines = [f"The parts: {theorems}."] if theorems else []
    method = explanation.bound.method
    if sum(explanation.mechanism.parts.values()) > 1:
        whose = "Mironov 2017" if method == "renyi" else "Zhu, Dong and Wang 2022"
        lines.append(f"Their composition: {whose}.")
    how = SENTENCES.get(method, method)
    return [*lines, f"Computed by {how} (method: {method})."]


def _tightness(bound: Bound) -> list[str]:
    lines = []
    if bound.upper == bound.lower:
        lines.append("It is attained: some pair of neighbouring data sets costs as much.")
    elif bound.lower > 0:
        lines.append(
            "Some pair of neighbouring data sets costs at least "
            f"{at_least(bound.lower, 6)}{_too_high(bound)}."
        )
    else:
        lines.append("No lower end is known: the true epsilon may be far smaller.")
    if not bound.certified:
        lines.append("Rounding errors are estimated with a margin, not proven.")
    return lines


def _too_high(bound: Bound) -> str:
    """By how much the answer may exceed the truth, which may be as small as the lower end."""
    if math.isinf(bound.upper):
        return ""
    gap = max(100 * (bound.upper / bound.lower - 1), LEAST_GAP)
    digits = max(2, len(f"{gap:.0f}"))  # 300 %, not 3e+02 %
    return f": the answer is at most {at_most(gap, digits)} % too high"


def _percent(share: float) -> str:
    return f"{at_most(100 * share, 4)} %"
