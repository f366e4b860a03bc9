"""Compute the reference answers of the benchmark, to far more digits than a float holds.

Run ``python -m benchmarks.make_truths [NAME ...]`` (needs mpmath only; an hour, less with gmpy2).
It rewrites ``truths.json``. Nothing here is shared with the library under test: arbitrary
precision, its own quadrature and its own contour, so that an agreement means something.

For a pair (P, Q) with loss ``l = log dP/dQ``, put ``M(p) = E_Q[exp(p l)]``. After T repetitions the
two directions have the curves

    delta(eps) = 1/(2 pi i) * integral over Re s = c of  M(p)^T exp(-s eps) / (s (s+1)) ds

with ``p = s + 1`` when a record is removed and ``p = -s`` when one is added. The formula is the
Laplace inversion of E_P[(1 - exp(eps - L))_+], the hockey-stick divergence; M is the moment
function that Abadi et al. (2016) track at integer orders, here at complex ones. The truth is the
larger of the two directions.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from mpmath import mp, mpc, mpf  # type: ignore[import-untyped,import-not-found,unused-ignore]

from benchmarks import atom_truths

Number = Any  # mpf or mpc: mpmath ships no types
PATH = Path(__file__).with_name("truths.json")


@dataclass(frozen=True)
class Accuracy:
    """How hard to work. Every truth is made twice; the file says how far the two differ."""

    digits: int = 30
    noise_density: float = 1.0  # points per unit of noise, relative to the default
    contour_density: float = 1.0  # panels per unit of contour, relative to the default

    def finer(self) -> Accuracy:
        return Accuracy(self.digits + 4, 1.4 * self.noise_density, 1.6 * self.contour_density)


# M(p): one class for each mechanism


class SampledGaussian:
    """Poisson-sampled Gaussian: Q = N(0, sigma^2), P = (1-q) Q + q N(1, sigma^2).

    The integral over the noise runs along ``x + i b`` with a fixed ``b``: there the factor
    ``exp(p l)`` decays instead of spinning when Im p is large, and the trapezoid rule needs no more
    points at ten million radians than at one. The logarithm's branch point is at
    ``b = pi sigma^2``: ``turn`` is ``b / (pi sigma^2)``, a half for Re p > 0, but a quarter for
    Re p < 0, where ``exp(p l)`` grows without bound beyond the half.
    """

    def __init__(
        self, noise: str | Number, rate: str, accuracy: Accuracy, turn: float = 0.5
    ) -> None:
        self.noise, self.rate = mpf(noise), mpf(rate)
        self.angle = mp.pi * mpf(turn) * min(mpf(1), 1 / self.noise)
        gap = self.noise * self.angle  # the half-width of the strip to rely on, in noises
        nats = mp.dps * mp.ln(10)
        self.step = 2 * mp.pi * gap / (nats + gap**2 / 2) / mpf(accuracy.noise_density)
        self.width = mp.sqrt(2 * nats) + 1
        self._nodes: list[tuple[Number, Number]] = []
        self._first = -int(self.width / self.step)

    def _node(self, k: int) -> tuple[Number, Number]:
        z = mpc(k * self.step, self.noise * self.angle)
        likelihood = mp.exp(z / self.noise - 1 / (2 * self.noise**2))
        loss = mp.log(1 - self.rate + self.rate * likelihood)
        return loss, self.step * mp.npdf(z)

    def __call__(self, p: Number) -> Number:
        if mp.im(p) < 0:
            return mp.conj(self(mp.conj(p)))
        last = int((max(mpf(0), mp.re(p)) / self.noise + self.width) / self.step) + 1
        while len(self._nodes) < last - self._first:
            self._nodes.append(self._node(self._first + len(self._nodes)))
        total = mp.fsum(w * mp.exp(p * loss) for loss, w in self._nodes[: last - self._first])
        return total if mp.im(p) else mp.re(total)


class SampledLaplace:
    """Poisson-sampled Laplace: constant loss left of 0 and right of 1, smooth in between."""

    def __init__(self, noise: str, rate: str, accuracy: Accuracy) -> None:
        b, q = mpf(noise), mpf(rate)
        self._nodes = [
            (mp.log(1 - q + q * mp.exp(-1 / b)), mpf(1) / 2),
            (mp.log(1 - q + q * mp.exp(1 / b)), mp.exp(-1 / b) / 2),
        ]
        for x, w in gauss_legendre(int(60 * accuracy.noise_density)):
            y = (1 + x) / 2
            loss = mp.log(1 - q + q * mp.exp((2 * y - 1) / b))
            self._nodes.append((loss, w / 2 * mp.exp(-y / b) / (2 * b)))

    def __call__(self, p: Number) -> Number:
        return mp.fsum(w * mp.exp(p * loss) for loss, w in self._nodes)


class NoiseRange:
    """The product of M over noises ``first, first+gap, ...``, ``count`` of them.

    log M is analytic in the noise, so it is interpolated at Chebyshev points in the noise and only
    the interpolant is summed over all of them: 24 integrals in place of a thousand.
    """

    def __init__(self, first: str, gap: str, count: int, rate: str, accuracy: Accuracy) -> None:
        points = int(24 * accuracy.noise_density)
        low, span = mpf(first), mpf(gap) * (count - 1)
        angles = [(2 * k + 1) * mp.pi / (2 * points) for k in range(points)]
        noises = [low + span * (1 + mp.cos(a)) / 2 for a in angles]
        targets = [low + mpf(gap) * i for i in range(count)]
        self._weights = summed_lagrange(noises, targets)
        self._parts = [SampledGaussian(noise, rate, accuracy) for noise in noises]

    def __call__(self, p: Number) -> Number:
        logs = (w * mp.log(m(p)) for w, m in zip(self._weights, self._parts, strict=True))
        return mp.exp(mp.fsum(logs))


def summed_lagrange(nodes: list[Number], targets: list[Number]) -> list[Number]:
    """Weights v with sum_j v_j f(node_j) = sum of the interpolant of f over the targets."""
    scale = [1 / mp.fprod(a - b for b in nodes if b is not a) for a in nodes]
    weights = [mpf(0)] * len(nodes)
    for t in targets:
        exact = [a for a in nodes if a == t]
        if exact:
            weights[nodes.index(exact[0])] += 1
            continue
        terms = [w / (t - a) for w, a in zip(scale, nodes, strict=True)]
        total = mp.fsum(terms)
        weights = [v + term / total for v, term in zip(weights, terms, strict=True)]
    return weights


@lru_cache(maxsize=8)
def _legendre(points: int, precision: int) -> tuple[tuple[Number, Number], ...]:
    """Newton's iteration on the Legendre polynomial; ``precision`` only keys the cache."""
    nodes = []
    for k in range(points):
        x = mp.cos(mp.pi * (k + mpf(3) / 4) / (points + mpf(1) / 2))
        slope = mpf(1)
        for _ in range(12):
            before, value = mpf(1), x
            for n in range(2, points + 1):
                before, value = value, ((2 * n - 1) * x * value - (n - 1) * before) / n
            slope = points * (x * value - before) / (x * x - 1)
            x -= value / slope
        nodes.append((x, 2 / ((1 - x * x) * slope**2)))
    return tuple(nodes)


def gauss_legendre(points: int) -> tuple[tuple[Number, Number], ...]:
    """Nodes and weights on [-1, 1]."""
    return _legendre(points, mp.prec)


# delta(eps): the inversion


@dataclass(frozen=True)
class Curve:
    """delta(eps) of one direction: points s, and all of the integrand there but exp(-s eps)."""

    points: tuple[tuple[Number, Number], ...]
    guess: Number  # an upper bound on the epsilon it was made for

    def delta(self, epsilon: Number) -> Number:
        return mp.fsum(mp.re(f * mp.exp(-s * epsilon)) for s, f in self.points)

    def slope(self, epsilon: Number) -> Number:
        return mp.fsum(mp.re(-s * f * mp.exp(-s * epsilon)) for s, f in self.points)


def log_transform(
    moment: Callable[[Number], Number], steps: int, direction: str, s: Number
) -> Number:
    p = s + 1 if direction == "remove" else -s
    return steps * mp.log(moment(p))


def chernoff(
    moment: Callable[[Number], Number], steps: int, direction: str, delta: Number
) -> tuple[Number, Number]:
    """Where to cross the real axis: the order of the best Renyi bound on eps; and that bound."""

    def bound(s: Number) -> Number:
        k = log_transform(moment, steps, direction, s)
        return (k - mp.log(delta) - mp.log(s + 1) + s * mp.log(s / (s + 1))) / s

    best = bound(mpf("1e-4")), mpf("1e-4")
    while (wider := bound(4 * best[1] / 3)) < best[0]:
        best = wider, 4 * best[1] / 3
    return best[1], best[0]


def panels(first: Number, cap: Number, density: float) -> Iterator[tuple[Number, Number]]:
    """Left ends and widths: at first the peak's, then growing, never many turns of exp(-s eps)."""
    left = mpf(0)
    while True:
        width = min(max(first, left / 4), cap) / mpf(density)
        yield left, width
        left += width


def invert(
    moment: Callable[[Number], Number],
    steps: int,
    direction: str,
    delta: Number,
    accuracy: Accuracy,
    scale: str = "inf",
    floor: Callable[[Number], Number] | None = None,
) -> Curve:
    """Gauss-Legendre panels along the upper half of the line, until a panel adds nothing.

    ``scale`` bounds epsilon from above, where the Renyi bound is too crude to size panels by.
    ``floor`` is the transform of an atom left of epsilon: it adds nothing to delta, and without it
    the rest fades along the line.
    """
    c, bound = chernoff(moment, steps, direction, delta)
    guess = min(bound, mpf(scale))
    h = c / 1000
    k = [log_transform(moment, steps, direction, c + j * h) for j in (-1, 0, 1)]
    spread = 1 / mp.sqrt(abs(k[0] - 2 * k[1] + k[2]) / h**2 + 1 / c**2)
    cap = 12 / max(abs(guess), mpf("1e-6"))
    small = mpf(10) ** (-accuracy.digits) * delta * mp.exp(c * guess)
    points: list[tuple[Number, Number]] = []
    turn = 4 * 2 * h / abs(k[2] - k[0])
    for left, width in panels(min(spread, turn) / 4, cap, accuracy.contour_density):
        added = mpf(0)
        for x, w in gauss_legendre(20):
            s = mpc(c, left + width * (1 + x) / 2)
            f = mp.exp(log_transform(moment, steps, direction, s)) - (floor(s) if floor else 0)
            f *= w * width / 2 / mp.pi / (s * (s + 1))
            points.append((s, f))
            added += abs(f)
        if added * (1 + left / width) < small:
            return Curve(tuple(points), guess)
    raise AssertionError("unreachable: panels() is endless")


def solve(curve: Curve, delta: Number) -> Number:
    """Newton's method on log delta, inside a bracket (no case here has epsilon = 0)."""
    low, high = mpf(0), 2 * abs(curve.guess)
    epsilon = high / 2
    for _ in range(200):
        value = curve.delta(epsilon)
        low, high = (epsilon, high) if value > delta else (low, epsilon)
        change = mp.log(value / delta) * value / curve.slope(epsilon) if value > 0 else mp.inf
        if abs(change) <= epsilon * mpf(10) ** (10 - mp.dps):
            return epsilon - change
        epsilon = epsilon - change if low < epsilon - change < high else (low + high) / 2
    raise ArithmeticError("the search for epsilon did not settle")


# the cases


@dataclass(frozen=True)
class Sampled:
    """A sampled mechanism, repeated: ``kind`` names the class that evaluates M."""

    kind: str
    noise: str
    rate: str
    steps: int
    delta: str
    digits: int = 30
    scale: str = "inf"
    atomic: bool = False  # so little noise that an unsampled step all but reveals itself

    def moment(self, direction: str, accuracy: Accuracy) -> Callable[[Number], Number]:
        if self.kind == "laplace":
            return SampledLaplace(self.noise, self.rate, accuracy)
        if self.kind == "range":
            return NoiseRange(self.noise, "0.001", 1000, self.rate, accuracy)
        turn = 0.5 if direction == "remove" else 0.25
        return SampledGaussian(self.noise, self.rate, accuracy, turn)

    def epsilon(self, direction: str, accuracy: Accuracy) -> Number:
        moment, delta = self.moment(direction, accuracy), mpf(self.delta)
        floor = self.unsampled if self.atomic else None
        curve = invert(moment, self.steps, direction, delta, accuracy, self.scale, floor)
        return solve(curve, delta)

    def unsampled(self, s: Number) -> Number:
        """The atom of all steps unsampled, at the loss ``steps * log(1-q)`` < 0 (remove)."""
        return (1 - mpf(self.rate)) ** (self.steps * (s + 1))

    def both(self, accuracy: Accuracy) -> dict[str, Number]:
        """Adding a record never loses more than -log(1-q) a step: often enough to leave it out."""
        with mp.workdps(accuracy.digits + 10):
            found = {"remove": self.epsilon("remove", accuracy)}
            most = -self.steps * (1000 if self.kind == "range" else 1) * mp.log(1 - mpf(self.rate))
            if most > found["remove"]:
                found["add"] = self.epsilon("add", accuracy)
            return found

    def truth(self) -> dict[str, Any]:
        coarse = self.both(Accuracy(self.digits))
        fine = self.both(Accuracy(self.digits).finer())
        value, other = max(fine.values()), max(coarse.values())
        how = (
            "Laplace inversion of the two-sided moment function along a vertical line in arbitrary "
            "precision, both directions, the larger kept; repeated with finer quadratures"
        )
        parts = {d: mp.nstr(v, 20) for d, v in fine.items()}
        return entry(value, other, how) | parts


def entry(value: Number, other: Number, how: str) -> dict[str, Any]:
    change = abs(value - other) / value if value else mpf(0)
    return {
        "value": mp.nstr(value, 20),
        "relative_change_when_refined": mp.nstr(change, 3),
        "how": how,
    }


def gaussian_delta(mu: Number, epsilon: Number) -> Number:
    """Balle and Wang (2018), Theorem 8, in terms of mu = sensitivity / noise."""
    return mp.ncdf(mu / 2 - epsilon / mu) - mp.exp(epsilon) * mp.ncdf(-mu / 2 - epsilon / mu)


def plain_gaussian(mu: str, delta: str, guess: str) -> dict[str, Any]:
    found = []
    for digits in (40, 60):
        with mp.workdps(digits):
            found.append(mp.findroot(partial(_gaussian_gap, mpf(mu), mpf(delta)), mpf(guess)))
    return entry(found[1], found[0], "root of the closed form of Balle and Wang (2018), Theorem 8")


def _gaussian_gap(mu: Number, delta: Number, epsilon: Number) -> Number:
    return mp.log(gaussian_delta(mu, epsilon) / delta)


def plain_laplace(noise: str, delta: str) -> dict[str, Any]:
    """delta(eps) = 1 - exp((eps - 1/b)/2) on [0, 1/b], so eps = 1/b + 2 log(1 - delta)."""
    with mp.workdps(40):
        value = 1 / mpf(noise) + 2 * mp.log(1 - mpf(delta))
        return entry(value, value, "closed form: 1/b + 2 log(1 - delta)")


def sampled_once(noise: str, rate: str, delta: str) -> dict[str, Any]:
    """One sampled Gaussian: delta of the sample at e' with e^eps = 1 + q (e^e' - 1) (remove)."""
    with mp.workdps(40):
        q, mu, d = mpf(rate), 1 / mpf(noise), mpf(delta)
        inner = mp.findroot(lambda e: mp.log(gaussian_delta(mu, e)) - mp.log(d / q), mpf(1))
        value = mp.log(1 + q * mp.expm1(inner))
        return entry(value, value, "closed form of one sampled step, remove direction (the larger)")


def one_step_delta(q: Number, epsilon: Number) -> Number:
    """One sampled Gaussian of noise 1, remove direction: P(x > t) - e^eps Q(x > t) at loss t."""
    if epsilon <= mp.log(1 - q):
        return 1 - mp.exp(epsilon)
    t = mp.log((mp.exp(epsilon) - 1 + q) / q) + mpf(1) / 2
    return q * mp.ncdf(1 - t) - (mp.exp(epsilon) - 1 + q) * mp.ncdf(-t)


def two_steps_delta(q: Number, parts: int, epsilon: Number) -> Number:
    """The second step's closed form, averaged over the first step's loss: no contour at all."""

    def integrand(x: Number) -> Number:
        density = (1 - q) * mp.npdf(x) + q * mp.npdf(x - 1)
        loss = mp.log(1 - q + q * mp.exp(x - mpf(1) / 2))
        return density * one_step_delta(q, epsilon - loss)

    contact = mp.log((mp.exp(epsilon) / (1 - q) - 1 + q) / q) + mpf(1) / 2  # smooth, not analytic
    near = [contact + side * mpf(2) ** -k for k in range(1, 40) for side in (-1, 1)]
    return mp.quad(integrand, sorted([*mp.linspace(-12, 12, parts + 1), contact, *near]))


def two_steps(rate: str, delta: str, guess: str) -> dict[str, Any]:
    """The remove direction, the larger: adding loses at most -2 log(1-q), which is less."""
    found = []
    for digits, parts in ((22, 48), (26, 96)):
        with mp.workdps(digits):
            q, d, a = mpf(rate), mpf(delta), mpf(guess)
            gap = partial(_two_steps_gap, q, d, parts)
            found.append(secant(gap, a, a * mpf("1.001"), a * mpf(10) ** -18))
    return entry(found[1], found[0], "nested quadrature of the closed form of one sampled step")


def _two_steps_gap(q: Number, delta: Number, parts: int, epsilon: Number) -> Number:
    return mp.log(two_steps_delta(q, parts, epsilon) / delta)


def smallest_noise() -> dict[str, Any]:
    """W8: the noise at which eps = 2, by the secant rule on delta at fixed eps."""
    found = []
    for accuracy in (Accuracy(24), Accuracy(24).finer()):
        with mp.workdps(accuracy.digits + 10):
            found.append(
                secant(partial(_noise_gap, accuracy), mpf("2.1273"), mpf("2.1274"), mpf(10) ** -22)
            )
    how = "secant rule on log delta(2) = log 1e-5; the remove direction is the larger"
    return entry(found[1], found[0], how)


def secant(f: Callable[[Number], Number], a: Number, b: Number, within: Number) -> Number:
    fa, fb = f(a), f(b)
    for _ in range(20):
        a, b, fa = b, b - fb * (b - a) / (fb - fa), fb
        if abs(b - a) < within:
            return b
        fb = f(b)
    raise ArithmeticError("the secant rule did not settle")


def _noise_gap(accuracy: Accuracy, noise: Number) -> Number:
    moment = SampledGaussian(noise, "0.01", accuracy)
    curve = invert(moment, 10_000, "remove", mpf("1e-5"), accuracy)
    return mp.log(curve.delta(mpf(2)) / mpf("1e-5"))


def _atomic(case: Callable[[], tuple[Number, Number, str]]) -> dict[str, Any]:
    return entry(*case())


FEW = {5: "1e-3", 10: "2e-3", 20: "4e-3", 50: "9e-3"}
MORE = {10: "0.45", 100: "1", 400: "1.5"}
CURVE = {10: "0.45", 30: "0.6", 100: "1", 300: "1.3", 1000: "2", 3000: "3.5", 10_000: "6.5"}


def cases() -> dict[str, Callable[[], dict[str, Any]]]:
    """Every truth by the name of its workload (a curve's truths are ``name@count``)."""
    g = "gaussian"
    sampled = {
        "W1a": Sampled(g, "1", "0.001", 600_000, "1e-8"),
        "W1b": Sampled(g, "5", "0.001", 600_000, "1e-8"),
        "W2": Sampled(g, "1.1", "256/60000", 14_063, "1e-5"),
        "W3": Sampled(g, "0.5", "0.01", 1000, "1e-5"),
        "W4/1e-12": Sampled(g, "1", "0.01", 1000, "1e-12"),
        "W4/1e-15": Sampled(g, "1", "0.01", 1000, "1e-15"),
        "W4/1e-20": Sampled(g, "1", "0.01", 1000, "1e-20"),
        "W4/1e-30": Sampled(g, "1", "0.01", 1000, "1e-30"),
        "W6a": Sampled("laplace", "2", "0.001", 600_000, "1e-8"),
        "W6b": Sampled("laplace", "0.5", "0.001", 600_000, "1e-8"),
        "W7": Sampled("range", "1", "0.005", 10, "1e-6", 13),
        "H1": Sampled(g, "0.05", "0.01", 100, "1e-5", 12, atomic=True),
    }
    for n, scale in FEW.items():
        sampled[f"H4/{n}"] = Sampled(g, "1", "1e-4", n, "1e-5", 14, scale)
    sampled["H5"] = Sampled(g, "0.8", "0.001", 1000, "1e-6", 14, "0.6")
    for n, scale in MORE.items():
        sampled[f"H6/{n}"] = Sampled(g, "1", "0.01", n, "1e-5", 14, scale)
    for n, scale in CURVE.items():
        sampled[f"W10@{n}"] = Sampled(g, "1", "0.01", n, "1e-5", 14, scale)
    return {
        "W5/1": lambda: plain_gaussian("1", "1e-5", "4.3772"),
        "W5/400": lambda: plain_gaussian("1", "1e-5", "4.3772"),
        "W6c": lambda: plain_laplace("1", "0.1"),
        "W8": smallest_noise,
        "W10@1": lambda: sampled_once("1", "0.01", "1e-5"),
        "W10@2": lambda: two_steps("0.01", "1e-5", "0.24546598"),
        "H4/2": lambda: two_steps("1e-4", "1e-5", "3.887209e-4"),
        "H2": lambda: plain_gaussian("100/3", "1e-5", "696.778"),
        "H3": lambda: plain_laplace("0.001", "1e-6"),
        **{name: case.truth for name, case in sampled.items()},
        **{name: partial(_atomic, case) for name, case in atom_truths.cases().items()},
    }


def make(name: str) -> tuple[str, dict[str, Any], float]:
    start = time.process_time()
    return name, cases()[name](), time.process_time() - start


def main(names: list[str]) -> None:
    """Make the named truths (all, by default) and merge them into the file."""
    for name, found, seconds in map(make, names or list(cases())):
        known: dict[str, Any] = json.loads(PATH.read_text()) if PATH.exists() else {}
        known[name] = found
        print(
            f"{name}: {found['value']}  ({found['relative_change_when_refined']}, {seconds:.0f} s)"
        )
        PATH.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
