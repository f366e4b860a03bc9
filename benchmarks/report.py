"""The tables, and the same as JSON."""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from benchmarks.figures import Figure
from benchmarks.runner import Run
from benchmarks.tools import OURS, TOOLS
from benchmarks.truths import Verdict, truths
from benchmarks.workloads import WORKLOADS, Workload


def show_workload(console: Console, workload: Workload, runs: list[Run]) -> None:
    """One row for each tool that was run."""
    true = truths(workload)
    shown = f"   truth {float(true[-1]):.12g}" if true else ""
    points = f" (last of {len(true)} checkpoints)" if len(true) > 1 else ""
    at = f" delta={workload.delta:g}" if workload.delta else ""
    title = f"[bold]{workload.name}[/]  {escape(workload.title)}{at}{shown}{points}"
    table = Table(title=title, title_justify="left", title_style="")
    table.add_column("tool")
    for head in (
        workload.unit,
        "upper/truth - 1",
        "lower",
        "encloses",
        "CPU ms",
        "x ours",
        "peak MB",
        "+MB",
    ):
        table.add_column(head, justify="right")
    ours = next((r.cpu for r in runs if r.tool == OURS), None)
    for run in runs:
        table.add_row(run.tool, *(cells(run, ours) if run.ok else missing(run)))
    console.print(table)


def cells(run: Run, ours: float | None) -> list[str | Text]:
    upper = f"{run.upper[-1]:.12g}" if run.upper else "-"
    lower = f"{run.lower[-1]:.12g}" if run.lower else "-"
    ratio = f"{run.cpu / ours:.3g}" if ours and run.cpu is not None else "-"
    grown = f"{run.grown_mb:.0f}" if run.grown_mb is not None else "-"
    return [
        upper, excess(run.verdict), lower, enclosed(run.verdict), milliseconds(run), ratio,
        f"{run.peak_mb or 0:.0f}", grown,
    ]  # fmt: skip


def milliseconds(run: Run) -> str:
    """A first call, where there was no time to repeat it, carries a mark."""
    return f"{1e3 * (run.cpu or 0):.4g}" + ("" if run.warm else " (first call)")


def missing(run: Run) -> list[str | Text]:
    return [Text(run.status, "yellow"), Text(run.note[:60], "dim"), *[""] * 6]


def excess(verdict: Verdict | None) -> str | Text:
    if verdict is None:
        return "-"
    if verdict.below:
        return Text(f"{verdict.excess:.1e} BELOW", "bold red")
    return "inf" if math.isinf(verdict.excess) else f"{verdict.excess:.1e}"


def enclosed(verdict: Verdict | None) -> str | Text:
    if verdict is None or verdict.encloses is None:
        return "-"
    return Text("yes", "green") if verdict.encloses else Text("NO", "bold red")


def show_figures(console: Console, figures: list[Figure]) -> None:
    table = Table(title="[bold]Figures to reach[/]", title_justify="left", title_style="")
    for head in ("figure", "workload", "measured", "wanted", ""):
        table.add_column(head)
    marks = {True: Text("pass", "green"), False: Text("FAIL", "bold red"), None: Text("-", "dim")}
    for f in figures:
        table.add_row(f.name, f.workload, f.measured, f.wanted, marks[f.met])
    console.print(table)
    met = sum(f.met is True for f in figures)
    console.print(f"{met} of {sum(f.met is not None for f in figures)} figures reached")


def show_tools(console: Console, absent: Iterable[str], present: Iterable[str]) -> None:
    for name in present:
        console.print(f"{name} {TOOLS[name].version()}", highlight=False)
    for name in absent:
        console.print(f"{name}: not installed", style="yellow", highlight=False)


def write(path: Path, runs: list[Run], figures: list[Figure], absent: list[str]) -> None:
    """Everything that was measured, with what it was measured on."""
    found = {
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "tools": {n: "not installed" if n in absent else TOOLS[n].version() for n in TOOLS},
        "workloads": {w: WORKLOADS[w].title for w in dict.fromkeys(r.workload for r in runs)},
        "runs": [asdict(run) for run in runs],
        "figures": [asdict(figure) for figure in figures],
    }
    path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
