"""The reference answers, and how an answer is judged against them."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path

from benchmarks.workloads import CHECKPOINTS, Workload

SLACK = Fraction(2, 10**15)
"""The inputs are decimals rounded to floats: an answer this close to the truth is not below it."""


@cache
def _table() -> dict[str, Fraction]:
    stored = json.loads(Path(__file__).with_name("truths.json").read_text())
    return {name: Fraction(entry["value"]) for name, entry in stored.items()}


def truths(workload: Workload) -> list[Fraction]:
    """One number, or one for each checkpoint of a curve."""
    if workload.question == "import":
        return []
    if workload.question == "curve":
        return [_table()[f"{workload.name}@{n}"] for n in CHECKPOINTS]
    return [_table()[workload.name]]


@dataclass(frozen=True)
class Verdict:
    """The worst over the numbers of an answer."""

    excess: float  # upper / truth - 1
    below: bool  # an upper end under the truth: a false privacy claim
    encloses: bool | None  # lower <= truth <= upper; None where no lower end is given
    width: float | None  # (upper - lower) / truth


def judge(workload: Workload, upper: Sequence[float], lower: Sequence[float] | None) -> Verdict:
    """Exact rational comparison, so that the judge adds no rounding of its own."""
    true = truths(workload)
    if any(math.isnan(u) for u in upper):
        return Verdict(math.nan, True, False, None)
    excesses = [_relative(u, t) for u, t in zip(upper, true, strict=True)]
    below = any(e < -SLACK for e in excesses)
    worst = min(excesses) if below else max(excesses)
    if lower is None:
        return Verdict(float(worst), below, None, None)
    holds = all(_relative(v, t) <= SLACK for v, t in zip(lower, true, strict=True))
    gaps = [float(_relative(u, t)) - float(_relative(v, t))
            for u, v, t in zip(upper, lower, true, strict=True)]  # fmt: skip
    return Verdict(float(worst), below, holds and not below, max(gaps))


def _relative(value: float, truth: Fraction) -> Fraction | float:
    return Fraction(value) / truth - 1 if math.isfinite(value) else value
