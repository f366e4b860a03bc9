"""What no peer answers, and how long it takes here: `python -m benchmarks.rows [NAME ...]`.

Each row is asked in a process of its own, twice: of the second call, which is warm, the CPU time;
of the process the most memory that it held. A row that is not done in time is stopped.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
LIMIT = 40.0
"""Seconds for one row."""
COPIES = "hs.Gaussian(1).on(hs.WithReplacement(10, 1000))"
FIXED = "hs.Gaussian(1).on(hs.WithoutReplacement(600, 60_000))"
EPOCH = "hs.Gaussian(1).on(hs.RandomAllocation(1000))"
KINKED = "hs.ProfileDP(lambda e: max(.3 - .2 * e, .12 - .05 * e, 0.0))"
UNEQUAL = "sum(hs.Gaussian(.6 + .03 * i).on(hs.Poisson(.005)) * 10 for i in range(100))"
RUN = "(hs.Gaussian(1).on(hs.Poisson(.01)) * 1000)"


@dataclass(frozen=True)
class Row:
    """A question, as Python, and the CPU seconds that are the aim."""

    name: str
    question: str
    aim: float


ROWS = (
    *(
        Row(f"with replacement, {n}", f"({COPIES} * {n}).epsilon(1e-6)", 0.1)
        for n in (1, 10, 100, 1000)
    ),
    Row("with replacement, all drawn, zeroed out",
        "(hs.Gaussian(5).on(hs.WithReplacement(100, 100)) * 25)"
        ".epsilon(1e-6, relation=hs.ZERO_OUT)", 2.0),
    Row("random allocation, 10 epochs", f"({EPOCH} * 10).epsilon(1e-6)", 0.2),
    Row("fixed size, one replaced", f"({FIXED} * 1000).epsilon(1e-6)", 0.03),
    Row("fixed size, one zeroed out",
        f"({FIXED} * 1000).epsilon(1e-6, relation=hs.ZERO_OUT)", 0.03),
    Row("fixed size, 100 Rényi orders", f"{FIXED}.rdp(np.linspace(1.1, 64, 100)).sum()", 0.02),
    *(Row(f"kinked profile, {n}", f"({KINKED} * {n}).epsilon(1e-6)", 0.5) for n in (10, 1000)),
    Row("100 unequal parts", f"({UNEQUAL}).epsilon(1e-6)", 1.0),
    Row("profile of 1000 points", f"{RUN}.profile(np.linspace(0, 5, 1000)).upper.sum()", 0.2),
    Row("trade-off of 20 points", f"{RUN}.tradeoff(np.linspace(.01, .9, 20)).upper.sum()", 0.1),
    Row("Rényi divergences alone, little noise",
        "(hs.Gaussian(.05).on(hs.Poisson(.01)) * 100).epsilon(1e-5, method='renyi')", 0.5),
    Row("compare, with replacement", f"len(hs.compare({COPIES} * 100, delta=1e-6))", 2.0),
    Row("little noise on samples of one",
        "(hs.Gaussian(.05).on(hs.WithoutReplacement(1, 10**6)) * 2).epsilon(1e-8)", 0.5),
    Row("next to no noise on batches of fixed size",
        "(hs.Gaussian(.01).on(hs.WithoutReplacement(60, 60_000)) * 1000).epsilon(1e-5)", 2.0),
    Row("next to no noise, three moves",
        "hs.MixtureOfGaussians(.01, (0, 1, 2), (.5, .3, .2)).epsilon(1e-6)", 2.0),
    Row("one record of 1e8 at a time",
        "(hs.Gaussian(1).on(hs.WithoutReplacement(1, 10**8)) * 10**6).epsilon(1e-6)", 2.0),
    Row("delta of 1e-200, rarely drawn",
        "(hs.Gaussian(1).on(hs.Poisson(1e-8)) * 10**9).epsilon(1e-200)", 2.0),
    Row("fixed size, total variation",
        "(hs.Gaussian(4).on(hs.WithoutReplacement(100, 1000)) * 20).delta(0)", 2.0),
    Row("calibrated noise",
        "hs.calibrate(lambda s: hs.Gaussian(s).on(hs.Poisson(.01)) * 10_000, epsilon=2, delta=1e-5)"
        ".epsilon(1e-5)", 0.02),
    Row("coins in three dimensions",
        "hs.bernoulli.amplify(epsilon=1.0, order=3, c=0.1, dimension=3, samples=5)", 0.1),
)  # fmt: skip


def measured(question: str) -> dict[str, Any]:
    """In this process: both ends or the number, and what it took."""
    import numpy as np

    import hockeystick as hs
    from benchmarks.worker import peak_mb

    taken = []
    for _ in range(2):
        start = time.process_time()
        answer = eval(question, {"hs": hs, "np": np})  # the rows above, nobody else's
        taken.append(time.process_time() - start)
    upper, lower = getattr(answer, "upper", answer), getattr(answer, "lower", answer)
    return {
        "upper": float(upper), "lower": float(lower), "first": taken[0], "warm": taken[1],
        "peak": peak_mb(),
    }  # fmt: skip


def run(row: Row, limit: float) -> dict[str, Any]:
    """In a process of its own; what went wrong, if it did."""
    call = [sys.executable, "-m", "benchmarks.rows", "--one", row.question]
    try:
        done = subprocess.run(
            call, capture_output=True, text=True, timeout=limit, cwd=ROOT, check=False
        )
    except subprocess.TimeoutExpired:
        return {"wrong": f"more than {limit:g} s"}
    if done.returncode:
        return {"wrong": (done.stderr.strip().splitlines() or ["killed"])[-1][:60]}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def show(console: Console, names: list[str], limit: float = LIMIT) -> list[dict[str, Any]]:
    """Ask every row whose name begins with one of these, or all, and print the table."""
    heads = "lower", "upper", "first, s", "warm, s", "aim, s", "peak MB"
    table = Table("question", *heads, title="What no peer answers")
    results = []
    for row in ROWS:
        if names and not any(row.name.startswith(name) for name in names):
            continue
        found = run(row, limit)
        results.append({"name": row.name, "question": row.question} | found)
        if "wrong" in found:
            table.add_row(row.name, found["wrong"])
            continue
        ends = f"{found['lower']:.10g}", f"{found['upper']:.10g}"
        times = f"{found['first']:.3f}", f"{found['warm']:.3f}", f"{row.aim:g}"
        table.add_row(row.name, *ends, *times, f"{found['peak']:.0f}")
    console.print(table)
    return results


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(measured(sys.argv[2])))
    else:
        show(Console(), sys.argv[1:])
