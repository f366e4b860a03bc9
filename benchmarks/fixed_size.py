"""Fixed-size batches: both ends, the pair of single steps, and what they take.

python -m benchmarks.fixed_size
python -m benchmarks.fixed_size memory
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time

import hockeystick as hs

STEPS, DELTA = 600_000, 1e-8
FIXED = hs.WithoutReplacement(60, 60_000)
ROWS = [
    ("randomized response, truth 0.9", hs.RandomizedResponse.truthful(0.9), None),
    ("Laplace b = 0.5, replace sensitivity 1", hs.Laplace(0.5, replace_sensitivity=1.0), None),
    ("Gaussian σ = 1, replace sensitivity 1", hs.Gaussian(1.0, replace_sensitivity=1.0), None),
    ("Gaussian σ = 5, replace sensitivity 1", hs.Gaussian(5.0, replace_sensitivity=1.0), None),
    ("Gaussian σ = 1", hs.Gaussian(1.0), None),
    ("Gaussian σ = 5", hs.Gaussian(5.0), None),
    ("Gaussian σ = 2, zero out", hs.Gaussian(2.0), hs.ZERO_OUT),
    ("Gaussian σ = 2, replace sensitivity 1.9", hs.Gaussian(2.0, replace_sensitivity=1.9), None),
    ("Gaussian σ = 1, replace sensitivity 1.8", hs.Gaussian(1.0, replace_sensitivity=1.8), None),
]
COUNTS = (2, 40, 10_000, 600_000, 10_000_000)
MEGABYTE = 1024 if sys.platform == "linux" else 1024**2
"""Units of the largest resident size in one: kilobytes on Linux, bytes elsewhere."""


def main() -> None:
    """A row for each step; the time is that of the first question, with nothing kept."""
    print("| step | lower | upper | above | pair of single steps | CPU s |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, base, relation in ROWS:
        run = base.on(FIXED) * STEPS
        begin = time.process_time()
        answer = run.epsilon(DELTA, relation=relation)
        spent = time.process_time() - begin
        pair = run.epsilon(DELTA, relation=relation, method="contour")
        above = 100 * (answer / answer.lower - 1)
        ends = f"{answer.lower:.4f} | {answer.upper:.4f} | {above:.1f} %"
        print(f"| {name} | {ends} | {pair:.4f} | {spent:.2f} |")


def fresh(row: int, steps: int) -> tuple[float, float]:
    """CPU seconds of one answer, and the peak memory in MB of the process that gave it."""
    command = [sys.executable, "-m", "benchmarks.fixed_size", str(row), str(steps)]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    spent, peak = done.stdout.split()
    return float(spent), float(peak)


def one(row: int, steps: int) -> None:
    """What `fresh` reads."""
    _, base, relation = ROWS[row]
    begin = time.process_time()
    (base.on(FIXED) * steps).epsilon(DELTA, relation=relation)
    spent = time.process_time() - begin
    print(spent, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MEGABYTE)


def memory() -> None:
    """CPU s and peak MB of a fresh process for each number of steps."""
    print("| step |", " | ".join(f"{steps:,} steps" for steps in COUNTS), "|")
    print("| --- |", " | ".join("---" for _ in COUNTS), "|")
    for row, (name, *_) in enumerate(ROWS):
        found = [fresh(row, steps) for steps in COUNTS]
        print(f"| {name} |", " | ".join(f"{s:.2f} s, {mb:.0f} MB" for s, mb in found), "|")


if __name__ == "__main__":
    match sys.argv[1:]:
        case []:
            main()
        case ["memory"]:
            memory()
        case [row, steps]:
            one(int(row), int(steps))
