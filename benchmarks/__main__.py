"""``python -m benchmarks``: run, show, and keep the results."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks import report, rows
from benchmarks.figures import figures
from benchmarks.runner import Run, run
from benchmarks.tools import OURS, TOOLS, Tool
from benchmarks.workloads import Workload, select


def names(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", type=names, default=[], help="workloads or families: W1a,W4,H4")
    parser.add_argument("--tools", type=names, default=[], help=f"some of: {', '.join(TOOLS)}")
    parser.add_argument(
        "--limit", type=float, default=15.0, help="seconds for one job (default 15)"
    )
    parser.add_argument(
        "--minutes", type=float, default=5.0, help="for all peers together (default 5)"
    )
    default = Path(__file__).with_name("results.json")
    parser.add_argument("-o", "--output", type=Path, default=default, help="where the JSON goes")
    return parser.parse_args()


def choose(wanted: list[str]) -> tuple[list[Tool], list[str]]:
    """The tools that can run, and the names of those that are not installed."""
    for name in wanted:
        if name not in TOOLS:
            raise ValueError(f"no tool is called {name!r}; there are {', '.join(TOOLS)}")
    asked = [tool for tool in TOOLS.values() if not wanted or tool.name in wanted]
    return [t for t in asked if t.installed()], [t.name for t in asked if not t.installed()]


def measure(
    console: Console, tools: list[Tool], workloads: list[Workload], limit: float, minutes: float
) -> list[Run]:
    """Workload by workload, so that the tools meet the same state of the machine; peers only until
    the minutes are over."""
    spent = 0.0
    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
    )  # fmt: skip
    runs: list[Run] = []
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task("", total=len(tools) * len(workloads))
        for workload in workloads:
            for tool in tools:
                progress.update(bar, description=f"{workload.name} {tool.name}")
                progress.advance(bar)
                if tool.name != OURS and spent > 60 * minutes:
                    runs.append(Run(tool.name, workload.name, "no time left"))
                    continue
                start = time.monotonic()
                runs.append(run(tool, workload, limit))
                spent += (time.monotonic() - start) * (tool.name != OURS)
            mine = [r for r in runs if r.workload == workload.name]
            report.show_workload(console, workload, mine)
    return runs


def main() -> None:
    options = arguments()
    console = rows.wide()
    try:
        workloads, (tools, absent) = select(options.only), choose(options.tools)
    except ValueError as mistake:
        raise SystemExit(str(mistake)) from None
    report.show_tools(console, absent, [tool.name for tool in tools])
    runs = measure(console, tools, workloads, options.limit, options.minutes)
    reached = figures(runs)
    if reached:
        report.show_figures(console, reached)
    report.write(options.output, runs, reached, absent)
    if not options.only:
        rows.show(console, [])
    console.print(f"written to {options.output}", highlight=False)


if __name__ == "__main__":
    main()
