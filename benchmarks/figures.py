"""The figures to reach: what the library promises of itself, checked against one set of runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from benchmarks.runner import Run
from benchmarks.tools import BASELINE, OURS

LAPLACE = r"W6[ab]"
CALIBRATED = "W8|W11e"
"""Where the noise is asked for."""
SMOOTH = r"W1[ab]|W2|W3|W4/.*|W5/.*"


@dataclass(frozen=True)
class Figure:
    """One promise for one workload. ``met`` is None where it could not be measured."""

    name: str
    workload: str
    measured: str
    wanted: str
    met: bool | None


class Results:
    """Runs by tool and workload."""

    def __init__(self, runs: Iterable[Run]) -> None:
        self._runs = {(r.tool, r.workload): r for r in runs}

    def ours(self, pattern: str) -> list[Run]:
        mine = (r for (tool, _), r in self._runs.items() if tool == OURS)
        return [r for r in mine if re.fullmatch(pattern, r.workload)]

    def baseline_cpu(self, workload: str) -> float | None:
        run = self._runs.get((BASELINE, workload))
        return run.cpu if run else None


def figures(runs: Iterable[Run]) -> list[Figure]:
    results = Results(runs)
    return [figure for family in FAMILIES for figure in family(results)]


def enclosure(results: Results) -> Iterator[Figure]:
    for run in results.ours(rf"(?!{CALIBRATED})(W[1-7].*|W10|H.*)"):
        holds = run.verdict.encloses if run.verdict else False
        yield Figure(
            "encloses the truth", run.workload, _status(run, str(holds)), "True", bool(holds)
        )


def tightness(results: Results) -> Iterator[Figure]:
    for pattern, most in ((SMOOTH, 1e-10), (rf"{LAPLACE}|W6c", 1e-8)):
        for run in results.ours(pattern):
            excess = run.verdict.excess if run.verdict else None
            met = excess is not None and abs(excess) <= most
            text = _status(run, f"{excess:.1e}" if excess is not None else "-")
            yield Figure("relative excess", run.workload, text, f"≤ {most:g}", met)


def calibration(results: Results) -> Iterator[Figure]:
    for run in results.ours(CALIBRATED):
        safe, name = run.verdict is not None and not run.verdict.below, run.workload
        yield Figure("calibrated on the private side", name, _status(run, str(safe)), "True", safe)


def speedup(results: Results) -> Iterator[Figure]:
    for run in results.ours(r"W1[ab]|W2|W3"):
        theirs = results.baseline_cpu(run.workload)
        name = f"CPU of {BASELINE} / ours"
        if theirs is None or run.cpu is None:
            yield Figure(name, run.workload, "not measured", "≥ 100", None)
        else:
            ratio = theirs / run.cpu
            yield Figure(name, run.workload, f"{ratio:.0f}", "≥ 100", ratio >= 100)


def seconds(pattern: str, most: float) -> Callable[[Results], Iterator[Figure]]:
    def family(results: Results) -> Iterator[Figure]:
        for run in results.ours(pattern):
            text = _status(run, f"{run.cpu:.4g} s" if run.cpu is not None else "-")
            met = run.cpu is not None and run.cpu <= most
            yield Figure("CPU", run.workload, text, f"≤ {most:g} s", met)

    return family


def memory(results: Results) -> Iterator[Figure]:
    """One line for all: the workload with the highest peak."""
    peaks = [(r.peak_mb, r.workload) for r in results.ours(".*") if r.peak_mb is not None]
    if peaks:
        most, where = max(peaks)
        yield Figure("peak memory, the largest", where, f"{most:.0f} MB", "≤ 200 MB", most <= 200)


def _status(run: Run, text: str) -> str:
    return text if run.ok else run.status


FAMILIES: tuple[Callable[[Results], Iterator[Figure]], ...] = (
    enclosure,
    tightness,
    calibration,
    speedup,
    seconds("W7", 1.0),
    seconds("W8", 0.060),
    seconds("W10", 1.0),
    seconds("H.*", 1.0),
    seconds("import", 0.5),
    memory,
)
