"""How long each kind of question takes here: `python -m benchmarks.rows [NAME ...]`.

Each row is asked in a process of its own, twice: of the second call, which is warm, the CPU time,
that of commands it starts included; of the process the most memory that it held. A row that is not
done in time is stopped. Where a peer can answer too, `python -m benchmarks` has it beside.
"""

from __future__ import annotations

import json
import resource
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
WIDTH = 140
"""Of the table in a file, where nothing else says how wide a line may be."""
COPIES = "hs.Gaussian(1).on(hs.WithReplacement(10, 1000))"
FIXED = "hs.Gaussian(1).on(hs.WithoutReplacement(600, 60_000))"
EPOCH = "hs.Gaussian(1).on(hs.RandomAllocation(1000))"
KINKED = "hs.ProfileDP(lambda e: max(.3 - .2 * e, .12 - .05 * e, 0.0))"
UNEQUAL = "sum(hs.Gaussian(.6 + .03 * i).on(hs.Poisson(.005)) * 10 for i in range(100))"
RUN = "(hs.Gaussian(1).on(hs.Poisson(.01)) * 1000)"
SHARED = "(hs.Gaussian(1) + hs.Laplace(1)).on(hs.Poisson(.01))"
FIGURES = ("balle-1", "imola-1", "imola-2", "imola-3", *(f"wang-{n}" for n in range(3, 11)))
COLD = ("epsilon", "Gaussian(1.1).on(Poisson(256/60000)) * 14063", "--delta", "1e-5")


@dataclass(frozen=True)
class Row:
    """A question, as Python, and the CPU seconds that are the aim."""

    name: str
    question: str
    aim: float
    before: str = ""
    """What is made first, as Python, and takes no part in the measurement."""


def sampled(sigma: float, rate: float, steps: int, delta: float) -> str:
    """ε of steps on Poisson samples."""
    return f"(hs.Gaussian({sigma}).on(hs.Poisson({rate})) * {steps}).epsilon({delta})"


FEW_STEPS = (
    *(
        Row(f"few sparse steps, {n}", sampled(1, 1e-4, n, 1e-5), 0.02)
        for n in (2, 10, 100, 1000)
    ),
    *(
        Row(f"the middle, σ={sigma} n={n}", sampled(sigma, 0.001, n, 1e-6), 0.02)
        for sigma in (0.6, 0.8, 1)
        for n in (100, 1000)
    ),
    Row("the middle, calibrated",
        "hs.calibrate(lambda s: hs.Gaussian(s).on(hs.Poisson(.001)) * 25, epsilon=1, delta=1e-6)"
        ".epsilon(1e-6)", 0.2),
    *(Row(f"few steps, q=0.01 n={n}", sampled(1, 0.01, n, 1e-5), 0.02) for n in (2, 20, 400)),
    Row("a tiny δ", sampled(1, 0.01, 1000, 1e-30), 0.06),
    *(Row(f"little noise, σ={sigma}", sampled(sigma, 0.01, 100, 1e-5), 0.05)
      for sigma in (0.3, 0.2, 0.05)),
    Row("Laplace, 150 steps", "(hs.Laplace(12) * 150).epsilon(1e-7)", 0.01),
    Row("Laplace, 3 steps, a tiny δ", "(hs.Laplace(1) * 3).epsilon(1e-20)", 0.01),
    Row("Laplace, calibrated",
        "(hs.calibrate(lambda b: hs.Laplace(b) * 150, epsilon=2, delta=1e-7)).epsilon(1e-7)", 0.2),
    *(Row(f"Laplace, sampled, {n} steps", f"(hs.Laplace(1).on(hs.Poisson(.01)) * {n})"
          ".epsilon(1e-6)", 0.02) for n in (2, 20, 200)),
)  # fmt: skip

ATOMS = (
    Row("atoms: discrete Gaussian, sampled",
        "(hs.DiscreteGaussian(3).on(hs.Poisson(.1)) * 1000).epsilon(1e-6)", 0.1),
    Row("atoms: response of 4, sampled",
        "(hs.RandomizedResponse(1, 4).on(hs.Poisson(.1)) * 100).epsilon(1e-6)", 0.1),
    Row("atoms: approximate DP, sampled",
        "(hs.ApproximateDP(.5, 1e-10).on(hs.Poisson(.01)) * 200).epsilon(1e-6)", 0.1),
    Row("atoms: approximate DP, 1e6 steps", "(hs.ApproximateDP(.001, 1e-14) * 10**6).epsilon(1e-6)",
        0.1),
    Row("atoms: off a common lattice",
        "(hs.PureDP(1).on(hs.Poisson(.01)) * 100 + hs.PureDP(.5).on(hs.Poisson(.02)) * 140)"
        ".epsilon(1e-6)", 0.1),
)  # fmt: skip

CURVES_AND_TOOLS = (
    Row("1000 different parts",
        "sum(hs.Gaussian(1 + .001 * i).on(hs.Poisson(.005)) * 10 for i in range(1000))"
        ".epsilon(1e-6)", 0.3),
    Row("ε after each of 10000 steps",
        "hs.Gaussian(1).on(hs.Poisson(.01)).epsilons(1e-5, range(1, 10_001)).upper.sum()", 0.15),
    Row("trade-off, two releases of one sample",
        f"{SHARED}.tradeoff(np.linspace(.01, .9, 20)).upper.sum()", 0.5),
    Row("explain, two releases of one sample", f"len({SHARED}.explain(delta=1e-6))", 0.5),
    Row("compare, without replacement",
        "len(hs.compare(hs.Laplace(1).on(hs.WithoutReplacement(10, 1000)), delta=1e-6))", 2.0),
    Row("calibrate, 10000 steps",
        "hs.calibrate(lambda s: hs.Gaussian(s).on(hs.Poisson(.01)) * 10_000, epsilon=2, delta=1e-5)"
        ".epsilon(1e-5)", 0.02),
    *(Row(f"figure {name}", f"len(figures.compute({name!r}).panels)", 5.0,
          "from hockeystick import figures") for name in FIGURES),
    Row("cold command", "command()", 0.35, f"""
import os, subprocess, sys
call = [sys.executable, "-c", "from hockeystick.cli.main import main; main()", *{COLD!r}]
compiled = os.environ | {{"PYTHONDONTWRITEBYTECODE": ""}}  # as for people: the first call compiles
run = lambda: subprocess.run(call, capture_output=True, check=True, env=compiled)
command = lambda: float(run().returncode)
"""),
    *(Row(f"SGD, 100 steps, {kind}", f"[{step}() for _ in range(100)] and 0.0", aim,
          "from benchmarks.learning import both_steps; plain, private = both_steps()")
      for kind, step, aim in (("without privacy", "plain", 0.05), ("private", "private", 0.075))),
    Row("lengths of a million rows", "lengths(x, 'L2').sum()", 0.07,
        "from hockeystick.learn.clipping import lengths; x = np.full((10**6, 100), .1)"),
)  # fmt: skip

ROWS = (
    *FEW_STEPS,
    *ATOMS,
    *CURVES_AND_TOOLS,
    *(
        Row(f"with replacement, {n}", f"({COPIES} * {n}).epsilon(1e-6)", 0.1)
        for n in (1, 10, 100, 1000)
    ),
    Row("with replacement, all drawn, zeroed out",
        "(hs.Gaussian(5).on(hs.WithReplacement(100, 100)) * 25)"
        ".epsilon(1e-6, relation=hs.ZERO_OUT)", 2.0),
    Row("with replacement, all drawn, one replaced",
        "(hs.Gaussian(5).on(hs.WithReplacement(100, 100)) * 100).epsilon(1e-6)", 2.0),
    Row("random allocation, 10 epochs", f"({EPOCH} * 10).epsilon(1e-6)", 0.2),
    Row("fixed size, one replaced",  # another δ each time: answers are remembered
        f"({FIXED} * 1000).epsilon(next(each))", 0.03, "each = iter((1e-5, 1e-6))"),
    Row("fixed size, one zeroed out",
        f"({FIXED} * 1000).epsilon(next(each), relation=hs.ZERO_OUT)", 0.03,
        "each = iter((1e-5, 1e-6))"),
    Row("fixed size, 20 steps, one zeroed out",
        "(hs.Gaussian(1).on(hs.WithoutReplacement(50, 1000)) * 20)"
        ".epsilon(1e-6, relation=hs.ZERO_OUT)", 0.5),
    Row("Laplace on Poisson samples, one replaced",
        "(hs.Laplace(1).on(hs.Poisson(.05)) * 1000).epsilon(1e-6, relation=hs.REPLACE_ONE)", 0.03),
    Row("Laplace on fixed size, one zeroed out",
        "(hs.Laplace(1).on(hs.WithoutReplacement(50, 1000)) * 1000)"
        ".epsilon(1e-6, relation=hs.ZERO_OUT)", 0.03),
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
    Row("coins in three dimensions",  # another ε each time: answers are remembered
        "hs.bernoulli.amplify(epsilon=next(each), order=3, c=0.1, dimension=3, samples=5)", 0.1,
        "each = iter((0.99, 1.0))"),
)  # fmt: skip


def cpu_seconds() -> float:
    """Of this process, and of those that it started and waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def measured(question: str, before: str) -> dict[str, Any]:
    """In this process: both ends or the number, and what it took."""
    import numpy as np

    import hockeystick as hs
    from benchmarks.worker import peak_mb

    taken, known = [], {"hs": hs, "np": np}
    exec(before, known)  # the rows above, nobody else's
    for _ in range(2):
        start = cpu_seconds()
        answer = eval(question, known)
        taken.append(cpu_seconds() - start)
    upper, lower = getattr(answer, "upper", answer), getattr(answer, "lower", answer)
    return {
        "upper": float(upper), "lower": float(lower), "first": taken[0], "warm": taken[1],
        "peak": peak_mb(),
    }  # fmt: skip


def run(row: Row, limit: float) -> dict[str, Any]:
    """In a process of its own; what went wrong, if it did."""
    call = [sys.executable, "-m", "benchmarks.rows", "--one", row.question, row.before]
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
    table = Table("question", *heads, title="Each kind of question")
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


def wide() -> Console:
    """The screen; what goes to a file is as wide as its tables."""
    screen = Console()
    return screen if screen.is_terminal else Console(width=WIDTH)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(measured(*sys.argv[2:4])))
    else:
        show(wide(), sys.argv[1:])
