"""Measure one tool on one workload, in a process of its own.

``python -m benchmarks.worker TOOL WORKLOAD SECONDS`` prints JSON lines: one after the first call,
one after the repeats. The caller keeps the last, so a tool that is cut off while repeating still
has its first answer on record.
"""

from __future__ import annotations

import contextlib
import io
import json
import resource
import sys
import time
import warnings
from pathlib import Path
from typing import Any

from benchmarks.tools import TOOLS, Answer, Tool, Unsupported
from benchmarks.workloads import WORKLOADS, Workload

ENOUGH_CPU = 1.5  # seconds of repeats: a slow call is repeated once
MOST_REPEATS = 100


def peak_mb() -> float:
    """The most memory this process has held; what `resource` says starts at its parent's."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1000
    unit = 1e6 if sys.platform == "darwin" else 1e3  # bytes there, kilobytes elsewhere
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def timed(tool: Tool, workload: Workload) -> tuple[Answer, float]:
    """The answer and its CPU seconds; whatever the tool prints or warns of is dropped."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.process_time()
        answer = tool.answer(workload)
        return answer, time.process_time() - start


def best_repeat(tool: Tool, workload: Workload, seconds: float) -> float | None:
    """The fastest of several calls on nudged inputs; None when there is no time for even one."""
    deadline = time.monotonic() + seconds
    taken: list[float] = []
    longest = 0.0
    while len(taken) < MOST_REPEATS:
        if sum(taken) >= ENOUGH_CPU or time.monotonic() + longest > deadline:
            break
        start = time.monotonic()
        taken.append(timed(tool, workload.nudged(len(taken) + 1))[1])
        longest = max(longest, time.monotonic() - start)
    return min(taken, default=None)


def report(line: dict[str, Any]) -> None:
    print(json.dumps(line), flush=True)


def measure(tool: Tool, workload: Workload, limit: float) -> None:
    begun = time.monotonic()
    with contextlib.redirect_stdout(io.StringIO()):
        tool.load()
    before = peak_mb()
    answer, first = timed(tool, workload)
    record = {
        "status": "ok", "upper": answer.upper, "lower": answer.lower, "cpu": first, "warm": False,
        "peak_mb": peak_mb(), "grown_mb": peak_mb() - before,
    }  # fmt: skip
    report(record)
    left = limit - (time.monotonic() - begun)
    if left > 1.5 * first:
        best = best_repeat(tool, workload, left - 1)
        if best is not None:
            report(record | {"cpu": best, "warm": True})


def main() -> None:
    tool, workload, limit = TOOLS[sys.argv[1]], WORKLOADS[sys.argv[2]], float(sys.argv[3])
    try:
        measure(tool, workload, limit)
    except Unsupported as reason:
        report({"status": "unsupported", "note": str(reason)})
    except Exception as error:  # a peer's failure is a finding, whatever its type
        report({"status": "error", "note": f"{type(error).__name__}: {error}"[:200]})


if __name__ == "__main__":
    main()
