"""Run the jobs one after another, each in a fresh process with a time limit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.tools import Tool
from benchmarks.truths import Verdict, judge
from benchmarks.workloads import Workload

ROOT = Path(__file__).resolve().parents[1]
IMPORT_REPEATS = 3
OVER = "over limit"
SINGLE = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "VECLIB_MAXIMUM")


@dataclass(frozen=True)
class Run:
    """What came of one tool on one workload."""

    tool: str
    workload: str
    status: str  # ok, unsupported, error, over limit
    note: str = ""
    upper: tuple[float, ...] = ()
    lower: tuple[float, ...] | None = None
    verdict: Verdict | None = None
    cpu: float | None = None  # seconds
    warm: bool = False  # best of repeats; otherwise the first call
    peak_mb: float | None = None
    grown_mb: float | None = None  # over what the imports took

    @property
    def ok(self) -> bool:
        return self.status == "ok"


def environment() -> dict[str, str]:
    """One thread for the linear algebra: CPU time is then comparable."""
    return {**os.environ, **{f"{name}_NUM_THREADS": "1" for name in SINGLE}}


def execute(arguments: list[str], limit: float) -> tuple[list[dict[str, Any]], str]:
    """The JSON lines that a Python process printed, and why it stopped early ('' if it did not)."""
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment(),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        try:
            out, err = process.communicate(timeout=limit)
            why = "" if process.returncode == 0 else (err.strip().splitlines() or ["killed"])[-1]
        except subprocess.TimeoutExpired:
            process.kill()
            out, _ = process.communicate()
            why = OVER
    return [json.loads(line) for line in out.splitlines()], why


def run(tool: Tool, workload: Workload, limit: float) -> Run:
    """One job. The last line wins: a cut during the repeats keeps the first call's answer."""
    if workload.question == "import":
        return run_import(tool, workload, limit)
    job = ["-m", "benchmarks.worker", tool.name, workload.name, str(limit)]
    lines, why = execute(job, limit)
    if not lines:
        return failure(tool, workload, why, limit)
    return from_line(tool, workload, lines[-1])


def failure(tool: Tool, workload: Workload, why: str, limit: float) -> Run:
    """A process that said nothing: cut off, or crashed."""
    if why == OVER:
        return Run(tool.name, workload.name, OVER, f"{limit:g} s")
    return Run(tool.name, workload.name, "error", why)


def from_line(tool: Tool, workload: Workload, line: dict[str, Any]) -> Run:
    if line["status"] != "ok":
        return Run(tool.name, workload.name, line["status"], line["note"])
    upper = tuple(line["upper"])
    lower = tuple(line["lower"]) if line["lower"] is not None else None
    return Run(
        tool.name, workload.name, "ok", "", upper, lower, judge(workload, upper, lower),
        line["cpu"], line["warm"], line["peak_mb"], line["grown_mb"],
    )  # fmt: skip


def run_import(tool: Tool, workload: Workload, limit: float) -> Run:
    """All the CPU time of a process that only imports, the interpreter's own start included."""
    code = (
        f"import {', '.join(tool.needs)}, resource, time\n"
        "cpu = time.process_time()\n"
        "print('[%r, %d]' % (cpu, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))"
    )
    found: list[Any] = []
    for _ in range(IMPORT_REPEATS):
        lines, why = execute(["-c", code], limit)
        if why or not lines:
            return failure(tool, workload, why, limit)
        found.append(lines[-1])
    unit = 1e6 if sys.platform == "darwin" else 1e3
    cpu, peak = min(f[0] for f in found), max(f[1] for f in found) / unit
    return Run(tool.name, workload.name, "ok", cpu=cpu, warm=True, peak_mb=peak)
