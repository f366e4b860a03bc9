"""Two losses only, any number of steps: a binomial sum (Theorem 10).

With S_j = j·high + (n−j)·low, A_j = Σ_{i>=j} p_i and B_j = Σ_{i>=j} p_i·e^{−S_i},

    δ(ε) = A_j − e^ε·B_j     for S_{j−1} <= ε <= S_j.
"""

from __future__ import annotations

import math

from flint import arb

from hockeystick.routes.certified.balls import only_if

NATS = 45.0
"""Terms that many nats below δ are not listed but bounded."""

MOST_TERMS = 3_000_000


class TwoValues:
    """n steps, each with loss `high` of P-mass p, or `low`; all of finite loss."""

    def __init__(self, p: arb, rest: arb, high: arb, low: arb, n: int, log_least: float) -> None:
        only_if(high > low, "two different losses")
        self._high, self._low, self._n = high, low, n
        self._top, last = self._window(float(p / (p + rest)), log_least)
        only_if(self._top - last <= MOST_TERMS, "a sum of fewer terms")
        self._list(p, rest, last)

    def value(self, j: int) -> arb:
        return j * self._high + (self._n - j) * self._low

    def _window(self, p: float, log_least: float) -> tuple[int, int]:
        """Floats: from where to where terms are listed."""
        n, mean = self._n, self._n * p
        step = max(1, int(math.sqrt(n * p * (1 - p)) / 4))

        def log_mass(j: int) -> float:
            ways = math.lgamma(n + 1) - math.lgamma(j + 1) - math.lgamma(n - j + 1)
            return ways + j * math.log(p) + (n - j) * math.log1p(-p)

        top = min(n, math.ceil(mean))
        while top < n and log_mass(top) > log_least - NATS:
            top = min(n, top + step)
        last = max(0, int(mean))
        while last > 0 and log_mass(last) > -NATS:
            last = max(0, last - step)
        return top, last

    def _list(self, p: arb, rest: arb, last: int) -> None:
        """From the top down: p_{j−1} = p_j·j/(n−j+1)·rest/p; above the top terms fall at least
        geometrically."""
        n, top = self._n, self._top
        ways = arb(n + 1).lgamma() - arb(top + 1).lgamma() - arb(n - top + 1).lgamma()
        mass = (ways + top * p.log() + (n - top) * rest.log()).exp()
        weight = mass * (-self.value(top)).exp()
        fall = arb(n - top) / (top + 1) * p / rest
        only_if(fall < 1, "a list that begins beyond the bulk")
        above = arb(0).union(mass * fall / (1 - fall))
        self._a, self._b = [above], [arb(0).union(weight * fall / (1 - fall))]
        ratio, gap = rest / p, (self._high - self._low).exp()
        for j in range(top, last - 1, -1):
            self._a.append(self._a[-1] + mass)
            self._b.append(self._b[-1] + weight)
            factor = ratio * j / (n - j + 1)
            mass, weight = mass * factor, weight * factor * gap
        self._last = last

    def delta(self, epsilon: arb) -> arb:
        """δ(ε): the largest A_j − e^ε·B_j, of the segment of ε and its neighbours. Each is at most
        δ, so that beyond the ends of the list one end is still known."""
        place = float((epsilon - self._n * self._low) / (self._high - self._low))
        j = min(max(math.floor(place) + 1, self._last), self._top + 1)
        low, high = max(j - 2, self._last), min(j + 2, self._top + 1)
        grown, best = epsilon.exp(), arb(0)
        for k in range(low, high + 1):
            i = self._top + 1 - k
            best = arb.max(best, self._a[i] - grown * self._b[i])
        if self._last > 0 and not self.value(low) < epsilon:
            return best.union(arb(1))
        if self._top < self._n and not self.value(min(high, self._top)) > epsilon:
            return arb(0).union(self._a[1])
        inside = high > self._top or self.value(high) > epsilon
        only_if(inside, "ε within a segment of the sum")
        return best
