"""What is wrong with an answer, if anything."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from benchmarks.fuzz.questions import Question

SLOW = 10.0
LARGE = 500.0
WIDE = 1e-2
"""CPU seconds, megabytes and relative width from which on an answer is listed."""
KINDS = (
    "upper end below the truth",
    "lower end above the truth",
    "contradiction",
    "interpreter died",
    "crash",
    "slow",
    "memory",
    "vacuous",
    "numerical error",
)
"""The most severe first."""
Truth = tuple[str, str]


@dataclass(frozen=True)
class Finding:
    """One kind of trouble with one question."""

    kind: str
    question: Question
    detail: str

    def line(self) -> str:
        """A line of Python, what is wrong as its comment."""
        return f"{self.question.text}  # {self.detail}"


def number(text: str) -> Fraction | float:
    """The exact number that a text is."""
    return math.inf if "inf" in text else Fraction(text)


def resources(question: Question, answer: dict[str, Any]) -> list[Finding]:
    """Crashes, time and memory."""
    found: list[tuple[str, str]] = []
    if "timeout" in answer:
        found.append(("slow", "over the limit of CPU time"))
    if "died" in answer:
        after = f", perhaps of {answer['after']}" if "after" in answer else ""
        found.append(("interpreter died", f"exit code {answer['died']}{after}"))
    if answer.get("error") == "MemoryError":
        found.append(("memory", answer["message"]))
    elif "error" in answer and not answer["expected"]:
        detail = f"{answer['error']}: {answer['message']} ({answer['where']})"
        found.append(("crash", detail.replace("\n", " ")))
    elif answer.get("error") == "NumericalError" and not question.method:  # by name it may refuse
        found.append(("numerical error", answer["message"]))
    if answer.get("seconds", 0) > SLOW:
        found.append(("slow", f"{answer['seconds']:.1f} s"))
    if answer.get("peak_mb", 0) > LARGE:
        found.append(("memory", f"{answer['peak_mb']:.0f} MB"))
    return [Finding(kind, question, detail) for kind, detail in found]


def shape(question: Question, answer: dict[str, Any]) -> list[Finding]:
    """Ends that are out of order or out of their range."""
    most = 1.0 if question.query in ("delta", "profile", "tradeoff") else math.inf
    for lower, upper in answer["ends"]:
        if not 0 <= lower <= upper <= most:
            return [Finding("contradiction", question, f"[{lower!r}, {upper!r}]")]
    return []


def against(question: Question, ends: Sequence[float], truth: Truth) -> Finding | None:
    """One interval against the oracle's."""
    lower, upper = ends
    low, high = number(truth[0]), number(truth[1])
    here = f"[{lower!r}, {upper!r}], truth {_short(truth)}"
    if upper < low:
        return Finding("upper end below the truth", question, here)
    if lower > high:
        return Finding("lower end above the truth", question, here)
    sharp = low == high == math.inf or high - low <= 1e-9 * high
    if question.method == "renyi" or not sharp or high == 0 or low == math.inf:
        return None
    if upper == math.inf or lower == 0 or upper - lower > WIDE * upper:
        return None if _below_doubles(high) else Finding("vacuous", question, here)
    return None


def within(ends: Sequence[float], truths: Sequence[Truth | None]) -> bool:
    """Whether both ends are where the truths are, or between them, up to the allowed width."""
    known = [number(end) for truth in truths if truth for end in truth]
    lower, upper = ends
    return lower >= min(known) * (1 - WIDE) and upper <= max(known) * (1 + WIDE)


def _below_doubles(high: Fraction | float) -> bool:
    """Whether the truth is so small that 0 is as good an answer."""
    return high < 1e-300


def _short(truth: Truth) -> str:
    """Both ends if they differ in their first 20 digits."""
    low, high = (f"{Decimal(end):.19e}" for end in truth)
    return str(Decimal(high).normalize()) if low == high else f"in [{low}, {high}]"
