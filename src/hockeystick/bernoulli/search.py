"""Algorithms 1, 2 and 3 of Imola and Chaudhuri, corrected: an independent check for small d and k.

They maximise R_α(Bern_k(P), Bern_k(Q)) over P, Q on the corners of [c, 1−c]^d whose Rényi
divergences are at most ε both ways (1 for k = 1, 2 for d = 1, 3 in general). The objective is
convex and to be *maximised*, so a local solver may stop anywhere: here it starts from every
two-point pair (of each distance between two corners, with the best pair on them by a search of the
whole boundary), from their mean and from random pairs.
What is returned is feasible, hence a lower bound on Post whatever the solver did.

The outcomes of one coordinate are its number of ones, with the masses of the appendix of the paper:
Bin(k, θ). (The body of its Algorithm 2 has x·c^j + (1−x)·(1−c)^{k−j}, which is no probability.)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from hockeystick.bernoulli.excess import two_points
from hockeystick.bernoulli.parameters import clipping
from hockeystick.bernoulli.symmetric import symmetric_loss
from hockeystick.checks import finite_positive, whole
from hockeystick.errors import ParameterError
from hockeystick.numerics.log_sum import log_sum_exp
from hockeystick.numerics.roots import last_true
from hockeystick.numerics.types import Array

MOST_OUTCOMES = 5000
MOST_POINTS = 64
FLOOR = -60.0
"""Logarithms of probabilities are kept above."""


class Found(NamedTuple):
    """A feasible pair and the Rényi divergence of its coins."""

    divergence: float
    points: Array
    first: Array
    second: Array


def search(
    epsilon: float,
    order: float,
    c: float,
    dimension: int = 1,
    samples: int = 1,
    *,
    points: Sequence[Sequence[float]] | Array | None = None,
    starts: int = 10,
    seed: int = 0,
) -> Found:
    """The worst pair of parameters that a global search finds: a lower bound on Post, and the pair.

    Parameters
    ----------
    epsilon: in (0, inf). order: in (1, inf). c: in (0, 1/2).
    dimension, samples: integers >= 1 with (samples + 1)^dimension at most 5000.
    points: parameters in [c, 1−c]^d that P and Q may take, the corners if not given.
    starts: how many random pairs to start from. seed: of those.

    >>> worst = search(epsilon=1.0, order=2, c=0.1, starts=2)
    >>> round(worst.divergence, 6), worst.first.round(6).tolist()
    (0.669067, [0.225916, 0.774084])
    """
    e, a = finite_positive("epsilon", epsilon), finite_positive("order", order)
    c, d, k = clipping("c", c), whole("dimension", dimension, 1), whole("samples", samples, 1)
    if not a > 1 or not 0 < c < 0.5:
        raise ParameterError(f"search needs order > 1 and 0 < c < 0.5, got {order!r} and {c!r}")
    where = _support(points, c, d)
    if len(where) > MOST_POINTS or (k + 1) ** d > MOST_OUTCOMES:
        raise ParameterError(
            f"search is for small problems: at most {MOST_POINTS} points and {MOST_OUTCOMES} "
            f"outcomes, got {len(where)} and {(k + 1) ** d}"
        )
    problem = Problem(_kernel(where, k), a, e)
    best = max(problem.improved(*start) for start in _starts(problem, where, starts, seed))
    return Found(best.value, where, np.array(best.first), np.array(best.second))


def _support(points: Any, c: float, d: int) -> Array:
    if points is None:
        return np.array(list(product((c, 1 - c), repeat=d)))
    where = np.atleast_2d(np.asarray(points, dtype=float))
    inside = (
        where.ndim == 2 and where.shape[1] == d and bool(((where >= c) & (where <= 1 - c)).all())
    )
    if not inside:
        raise ParameterError(f"points must be vectors in [{c!r}, {1 - c!r}]^{d}, got {points!r}")
    return where


def _kernel(where: Array, k: int) -> Array:
    """Probability of each outcome (columns) for each parameter (rows)."""
    ones = np.arange(k + 1)
    ways = np.array([math.comb(k, j) for j in ones])
    rows = []
    for theta in where:
        row = np.ones(1)
        for t in theta:
            row = np.outer(row, ways * t**ones * (1 - t) ** (k - ones)).ravel()
        rows.append(row)
    return np.array(rows)


class Candidate(NamedTuple):
    """A feasible pair, ordered by the divergence of its coins."""

    value: float
    first: tuple[float, ...]
    second: tuple[float, ...]


class Problem:
    """Maximise R_α(x·kernel, y·kernel) subject to R_α(x, y), R_α(y, x) <= ε."""

    def __init__(self, kernel: Array, order: float, epsilon: float) -> None:
        self.kernel, self.order, self.epsilon = kernel, order, epsilon
        self._same = np.eye(len(kernel))

    def divergence(self, x: Array, y: Array, kernel: Array) -> float:
        """R_α(x·kernel, y·kernel)."""
        p, q = x @ kernel, y @ kernel
        if (p[q == 0] > 0).any():
            return math.inf
        seen = (p > 0) & (q > 0)
        power = self.order * (np.log(p[seen]) - np.log(q[seen])) + np.log(q[seen])
        return float(log_sum_exp(power)) / (self.order - 1)

    def slopes(self, x: Array, y: Array, kernel: Array) -> tuple[Array, Array]:
        """The gradients of R_α(x·kernel, y·kernel) in x and in y, where all of both is positive."""
        p, q = x @ kernel, y @ kernel
        power = self.order * (np.log(p) - np.log(q)) + np.log(q)
        shares = np.exp(power - log_sum_exp(power))
        return kernel @ (shares / p) * (self.order / (self.order - 1)), -(kernel @ (shares / q))

    def spread(self, x: Array, y: Array) -> float:
        """The larger of the two divergences of the pair itself."""
        return max(self.divergence(x, y, self._same), self.divergence(y, x, self._same))

    def allows(self, pairs: Callable[[float], tuple[Array, Array]], at: float) -> bool:
        """Whether one of a family of pairs satisfies the constraints."""
        return self.spread(*pairs(at)) <= self.epsilon

    def feasible(self, x: Array, y: Array) -> Candidate:
        """The pair, moved together until it satisfies the constraints; and its value."""
        middle = (x + y) / 2

        def moved(share: float) -> tuple[Array, Array]:
            return x + share * (middle - x), y + share * (middle - y)

        if not self.allows(moved, 0.0):
            _, share = last_true(lambda t: not self.allows(moved, t), 0.0, 1.0, 60)
            x, y = moved(share)
        value = self.divergence(x, y, self.kernel)
        return Candidate(value, tuple(x.tolist()), tuple(y.tolist()))

    def improved(self, x: Array, y: Array) -> Candidate:
        """The better of the pair and what a local solver makes of it."""
        from scipy import optimize

        size = len(x)
        solver: Any = optimize.minimize

        def pair(logs: Array) -> tuple[Array, Array]:
            weights = np.exp(np.clip(logs, FLOOR, 0.0))
            return weights[:size] / weights[:size].sum(), weights[size:] / weights[size:].sum()

        with np.errstate(divide="ignore"):
            start = np.maximum(np.log(np.concatenate([x, y])), FLOOR / 2)

        def slope(logs: Array, kernel: Array, turned: bool = False) -> Array:
            x, y = pair(logs)
            if turned:
                y_slope, x_slope = self.slopes(y, x, kernel)
            else:
                x_slope, y_slope = self.slopes(x, y, kernel)
            along_x, along_y = x * (x_slope - x @ x_slope), y * (y_slope - y @ y_slope)
            return np.concatenate([along_x, along_y])

        limits = [
            {
                "type": "ineq",
                "fun": lambda z: self.epsilon - self.divergence(*pair(z), self._same),
                "jac": lambda z: -slope(z, self._same),
            },
            {
                "type": "ineq",
                "fun": lambda z: self.epsilon - self.divergence(*pair(z)[::-1], self._same),
                "jac": lambda z: -slope(z, self._same, turned=True),
            },
        ]
        with np.errstate(all="ignore"):
            optimum = solver(
                lambda z: -self.divergence(*pair(z), self.kernel),
                start,
                jac=lambda z: -slope(z, self.kernel),
                method="SLSQP",
                constraints=limits,
                bounds=[(FLOOR, 0.0)] * (2 * size),
                options={"maxiter": 200, "ftol": 1e-12},
            )
        candidates = [self.feasible(x, y)]
        if np.isfinite(optimum.x).all():
            candidates.append(self.feasible(*pair(optimum.x)))
        return max(candidates)


def _starts(
    problem: Problem, where: Array, starts: int, seed: int
) -> Iterator[tuple[Array, Array]]:
    """Two-point pairs for each distance, their mixture, and random pairs."""
    size = len(where)
    structured = []
    first_at: dict[float, int] = {}
    for i in range(1, size):
        first_at.setdefault(round(float(np.abs(where[i] - where[0]).sum()), 12), i)
    for i in first_at.values():
        structured.append(_two_point_start(problem, size, i))
    yield from structured
    x, y = np.mean(structured, axis=0)
    yield x, y
    rng = np.random.default_rng(seed)
    for _ in range(starts):
        yield rng.dirichlet(np.ones(size)), rng.dirichlet(np.ones(size))


def _two_point_start(problem: Problem, size: int, other: int) -> tuple[Array, Array]:
    """The best pair on the points 0 and `other`, along the whole boundary of what is allowed.

    All divergences grow with both losses ρ and σ, so the best pair has one constraint at its limit:
    for each σ the largest ρ, found by bisection.
    """
    top = symmetric_loss(problem.epsilon, problem.order)
    sigmas = top * np.concatenate([np.linspace(0.02, 1.5, 38), [1.0, 2.0, 4.0, 16.0]])
    best = (-math.inf, np.full(size, 1 / size), np.full(size, 1 / size))
    for rho, sigma in zip(_largest_losses(problem, sigmas, 32 * top + 1), sigmas, strict=True):
        x, y = _on(size, other, float(rho), float(sigma))
        value = problem.divergence(x, y, problem.kernel) if rho > 0 else -math.inf
        best = max(best, (value, x, y), key=lambda each: each[0])
    return best[1], best[2]


def _largest_losses(problem: Problem, sigmas: Array, high: float) -> Array:
    """For each σ the largest ρ in [0, high] that is allowed, by halving 60 times."""
    below, above = np.zeros(sigmas.shape), np.full(sigmas.shape, high)
    for _ in range(60):
        rho = (below + above) / 2
        pair = two_points(rho, sigmas)
        x, y = np.array([pair.x, pair.not_x]), np.array([pair.y, pair.not_y])
        one, other = _divergences(x, y, problem.order), _divergences(y, x, problem.order)
        allowed = np.maximum(one, other) <= problem.epsilon
        below, above = np.where(allowed, rho, below), np.where(allowed, above, rho)
    return below


def _divergences(p: Array, q: Array, order: float) -> Array:
    """R_α(p, q) of each column."""
    with np.errstate(divide="ignore", invalid="ignore"):
        power = order * (np.log(p) - np.log(q)) + np.log(q)
    power = np.where(p > 0, np.where(q > 0, power, math.inf), -math.inf)
    return np.asarray(np.logaddexp(power[0], power[1]) / (order - 1))


def _on(size: int, other: int, rho: float, sigma: float) -> tuple[Array, Array]:
    pair = two_points(np.array([rho]), np.array([sigma]))
    x, y = np.zeros(size), np.zeros(size)
    x[other], x[0] = pair.x[0], pair.not_x[0]
    y[other], y[0] = pair.y[0], pair.not_y[0]
    return x, y
