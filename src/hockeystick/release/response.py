"""Randomized response as it runs: exact coins for the reports, and what the reports tell."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hockeystick.numerics import clopper_pearson
from hockeystick.random.coins import Flags
from hockeystick.random.generators import Source, below

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


def respond(answers: Integers, epsilon: float, categories: int, words: Source) -> Integers:
    """Each answer with probability p = e^ε/(e^ε + K − 1), else one of the K − 1 others."""
    truthful = truths(epsilon, categories, answers.size, words).reshape(answers.shape)
    away = 1 + below(categories - 1, answers.size, words).astype(np.int64).reshape(answers.shape)
    return np.where(truthful, answers, (answers + away) % categories)


def truths(epsilon: float, categories: int, count: int, words: Source) -> Flags:
    """Coins that fall True with probability p = e^ε/(e^ε + K − 1), exactly.

    p is no fraction, but known to as many digits as are asked for: a uniform real number, whose
    digits in base 2^64 are random words, is compared with it, and both get further digits until
    they differ.

    Parameters
    ----------
    epsilon: in [0, 1e6].
    """
    low, high = truth_digits(epsilon, categories, 64)
    drawn = words(count)
    fell = drawn < np.uint64(low)
    for i in np.flatnonzero(~fell & (drawn <= np.uint64(high - 1))):
        fell[i] = _compared(int(drawn[i]), epsilon, categories, words)
    return fell


def _compared(digits: int, epsilon: float, categories: int, words: Source) -> bool:
    """Whether the uniform number that begins with these 64 bits is below p."""
    bits = 64
    while True:
        digits, bits = digits << 64 | int(words(1)[0]), bits + 64
        low, high = truth_digits(epsilon, categories, bits)
        if digits < low or digits >= high:
            return digits < low


def truth_digits(epsilon: float, categories: int, bits: int) -> tuple[int, int]:
    """Integers low <= p·2^bits <= high, at most a few units apart.

    `Decimal` rounds exp, + and / correctly: with 8 digits more than 2^bits has, four roundings are
    far less than one unit.

    >>> truth_digits(0.0, 2, 4)
    (7, 10)
    """
    digits = len(str(2**bits)) + 8
    with localcontext(Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN)):
        odds = (categories - 1) / Decimal(epsilon).exp()
        scaled = int(Decimal(2**bits) / (1 + odds))
    return max(scaled - 1, 0), min(scaled + 2, 2**bits)


@dataclass(frozen=True, eq=False)
class Estimate:
    """What share of the answers each category has, as far as the reports tell.

    frequencies: unbiased, so that single ones can be below 0 or above 1; they add up to 1.
    lower, upper: a confidence interval for each share by itself, within [0, 1].
    labels: the names of the categories, in the same order; None where they are numbers.
    """

    frequencies: Array
    lower: Array
    upper: Array
    confidence: float
    reports: int
    labels: tuple[Any, ...] | None = None


def estimate(reports: Integers, truth: float, categories: int, confidence: float) -> Estimate:
    """Shares f of the answers from the shares r of the reports: r = q + (p − q)·f.

    p = `truth` and q = (1 − p)/(K − 1). The interval is that of Clopper and Pearson (1934) for r,
    moved along.
    """
    counts = np.bincount(reports.ravel(), minlength=categories)
    n, lie = reports.size, (1 - truth) / (categories - 1)
    miss = (1 - confidence) / 2
    shares = (
        counts / n,
        *(bound(counts, n, miss) for bound in (clopper_pearson.at_least, clopper_pearson.at_most)),
    )
    frequencies, low, high = ((share - lie) / (truth - lie) for share in shares)
    return Estimate(frequencies, low.clip(0, 1), high.clip(0, 1), confidence, n)
