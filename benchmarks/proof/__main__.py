"""Proven ends against what every route says: random cases of a seed, and every violation.

python -m benchmarks.proof --cases 1000 --seed 1 --jobs 2
python -m benchmarks.proof --cases 1000 --seed 1 --start 1000   # the next thousand
python -m benchmarks.proof --kind laplace_few                   # one kind alone
python -m benchmarks.proof --hard                               # the ends of what is asked
python -m benchmarks.proof --speed                              # the table of typical answers
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import numpy as np

from benchmarks.proof.hard import HARD
from benchmarks.proof.judge import Verdict, judged
from benchmarks.proof.kinds import KINDS
from benchmarks.proof.speed import speed
from hockeystick.progress import bar

EVERY = 1000
"""Cases between two lines of counts: what a run that was broken off is taken up from."""


def main() -> int:
    """Print every violation, what was not proven, and the counts."""
    asked = options()
    if asked.speed:
        speed()
        return 0
    counts: Counter[str] = Counter()
    times: dict[str, list[float]] = {}
    began = time.monotonic()
    last = asked.start
    numbers = range(asked.start, asked.start + asked.cases)
    try:
        with bar("cases", lasting=False) as show, verdicts(asked, numbers) as found:
            for verdict in found:
                last = verdict.number + 1
                tell(verdict, asked.quiet)
                add(counts, verdict)
                times.setdefault(verdict.kind, []).append(verdict.seconds)
                show(counts["cases"], asked.cases)
                if counts["cases"] % EVERY == 0:
                    print(f"# up to case {last}: {summary(counts, began)}", flush=True)
    except KeyboardInterrupt:
        print(f"# interrupted: go on with --start {last}")
    if asked.kinds:
        for kind, each in sorted(times.items(), key=lambda item: -sum(item[1])):
            middle, mean = np.median(each), np.mean(each)
            print(f"# {kind}: {len(each)} cases, median {middle:.3f} s, mean {mean:.3f} s")
    print(summary(counts, began))
    return 1 if counts["violations"] else 0


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.proof",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0, help="the number of the first case")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--seconds", type=float, default=20.0, help="of CPU for a case")
    parser.add_argument("--kind", choices=[kind.__name__ for kind in KINDS | HARD])
    parser.add_argument("--hard", action="store_true", help="little noise, extreme rates, δ near 1")
    parser.add_argument("--quiet", action="store_true", help="violations only")
    parser.add_argument("--kinds", action="store_true", help="the time that each kind took")
    parser.add_argument("--speed", action="store_true", help="the table of typical answers")
    return parser.parse_args()


@contextmanager
def verdicts(asked: argparse.Namespace, numbers: range) -> Iterator[Iterator[Verdict]]:
    """In the order of their numbers, by as many processes."""
    one = partial(judged, asked.seed, seconds=asked.seconds, kind=asked.kind, hard=asked.hard)
    if asked.jobs == 1:
        yield map(one, numbers)
        return
    with multiprocessing.get_context("spawn").Pool(asked.jobs) as pool:
        yield pool.imap(one, numbers, chunksize=10)


def add(counts: Counter[str], verdict: Verdict) -> None:
    counts["cases"] += 1
    counts["answers"] += verdict.judged
    counts["violations"] += len(verdict.said)
    counts["given up"] += verdict.given_up
    counts["not proven"] += not verdict.proven and not verdict.given_up


def tell(verdict: Verdict, quiet: bool) -> None:
    for line in verdict.said:
        print(f"VIOLATION {line}", flush=True)
    if quiet:
        return
    if verdict.given_up:
        print(f"given up: case {verdict.number}, {verdict.kind}", flush=True)
    elif verdict.missing:
        print(f"not proven: {verdict.missing}", flush=True)


def summary(counts: Counter[str], began: float) -> str:
    """Counts in one line."""
    names = ("cases", "answers", "violations", "not proven", "given up")
    said = ", ".join(f"{counts[name]} {name}" for name in names)
    return f"{said}, {time.monotonic() - began:.0f} seconds"


if __name__ == "__main__":
    raise SystemExit(main())
