"""What sampling without replacement and random allocation cost: `python -m benchmarks.subsampling`.

The six panels of Figure 4 of Wang, Balle and Kasiviswanathan (2019): 600 000 steps on 0.1 % of the
data, δ = 1e-8, one record replaced. Their bound (Theorem 9, integer orders), ours, and a pair of
data sets that costs as much as the last column says.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from rich.console import Console
from rich.table import Table

import hockeystick as hs
from hockeystick.classical import mironov_epsilon, rdp_without_replacement

PANELS = (
    hs.Gaussian(5, replace_sensitivity=1),
    hs.Gaussian(1, replace_sensitivity=1),
    hs.Laplace(2, replace_sensitivity=1),
    hs.Laplace(0.5, replace_sensitivity=1),
    hs.RandomizedResponse.truthful(0.6),
    hs.RandomizedResponse.truthful(0.9),
)
SAMPLER = hs.WithoutReplacement(60, 60_000)
STEPS, DELTA = 600_000, 1e-8


def papers_bound(base: hs.Mechanism) -> float:
    """Theorem 9 at the best integer order, converted as in the paper."""

    def curve(order: float) -> float:
        return float(base.rdp(order, relation=hs.REPLACE_ONE))

    pure = curve(float("inf"))
    candidates = []
    for order in range(2, 257):
        step = rdp_without_replacement(curve, SAMPLER.fraction, order, pure)
        candidates.append(float(mironov_epsilon(order, STEPS * step, DELTA)))
    return min(candidates)


def timed(question: Callable[[], hs.Bound]) -> tuple[hs.Bound, float]:
    """The answer and its CPU time in milliseconds, the second time it is asked."""
    question()
    start = time.process_time()
    answer = question()
    return answer, 1e3 * (time.process_time() - start)


def main() -> None:
    """Print both tables."""
    console = Console()
    table = Table(
        "mechanism", "Theorem 9", "exact (upper)", "lower bound", "CPU ms", title="Figure 4"
    )
    for base in PANELS:
        run = base.on(SAMPLER) * STEPS
        answer, cost = timed(partial(run.epsilon, DELTA))
        name = repr(base).replace(", replace_sensitivity=1.0", "")
        theirs = f"{papers_bound(base):.4f}"
        table.add_row(name, theirs, f"{answer.upper:.6f}", f"{answer.lower:.6f}", f"{cost:.0f}")
    console.print(table)
    others = Table("workload", "upper", "lower", "CPU ms", title="More")
    for name, run, delta in (
        ("W9: 1000 steps on 1 %, sigma=1",
         hs.Gaussian(1, replace_sensitivity=1).on(hs.WithoutReplacement(100, 10_000)) * 1000, 1e-6),
        ("random allocation, t=1000, sigma=1, 10 epochs",
         hs.Gaussian(1).on(hs.RandomAllocation(1000)) * 10, 1e-6),
        ("Poisson 1 %, one replaced, 1000 steps",
         hs.Gaussian(1.1).on(hs.Poisson(0.01)) * 1000, 1e-5),
    ):  # fmt: skip
        relation = hs.REPLACE_ONE if "replaced" in name else None
        answer, cost = timed(partial(run.epsilon, delta, relation=relation))
        others.add_row(name, f"{answer.upper:.6f}", f"{answer.lower:.6f}", f"{cost:.0f}")
    console.print(others)


if __name__ == "__main__":
    main()
