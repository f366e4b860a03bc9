"""Fixed-size batches: both ends, the pair of single steps, and what they take.

python -m benchmarks.fixed_size
"""

from __future__ import annotations

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
]


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


if __name__ == "__main__":
    main()
