"""``python -m benchmarks.walk``: how far a reader walks through the source to follow one answer.

Six questions are asked, and the calls of functions in ``src/hockeystick`` are written down:

functions
    how many different ones are called. A function is one that has a name: lambdas, comprehensions
    and generator expressions belong to the function that they stand in, and what a decorator
    generates (the ``__init__`` of a dataclass) stands in no file.
files
    how many files they stand in.
depth
    the most of them that are under way at one time. Functions of other packages in between
    (click, scikit-learn, numpy) are not counted.
changes
    how often a call stands in another file than the call before it; the first is a change too.

A question is asked warm: in a process of its own, after one like it with other numbers. So modules
are imported, and what does not depend on the numbers is remembered, but nothing of the answer is.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

Numbers = tuple[int, int, int, int]
"""Functions, files, depth and changes, as the module says."""
Ask = Callable[[float], object]


class Function(NamedTuple):
    """Where a function stands, and its name with those of the classes around it."""

    file: str
    line: int
    name: str


@dataclass
class Walk:
    """The calls under one folder; a profiler for `sys.setprofile`."""

    root: str
    calls: Counter[Function] = field(default_factory=Counter)
    deepest: dict[Function, int] = field(default_factory=dict)
    entered: Counter[Function] = field(default_factory=Counter)
    """Calls that stand in another file than the call before."""
    depth: int = 0
    last: str = ""

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        inside = code.co_filename.startswith(self.root) and not code.co_name.startswith("<")
        if inside and event == "call":
            self._enter(Function(code.co_filename, code.co_firstlineno, code.co_qualname))
        elif inside and event == "return":
            self.depth -= 1

    def _enter(self, function: Function) -> None:
        self.depth += 1
        self.calls[function] += 1
        self.deepest[function] = max(self.depth, self.deepest.get(function, 0))
        self.entered[function] += function.file != self.last
        self.last = function.file

    @property
    def numbers(self) -> Numbers:
        files = {function.file for function in self.calls}
        depth = max(self.deepest.values(), default=0)
        return len(self.calls), len(files), depth, self.entered.total()

    def lines(self) -> list[str]:
        """Each function in the order of first calls: how deep it was at most, its calls, and how
        many of them changed the file."""
        return [
            f"{self.deepest[f]:3} {count:6} {self.entered[f]:6}  "
            f"{f.file.removeprefix(self.root)}:{f.line} {f.name}"
            for f, count in self.calls.items()
        ]


def walk(ask: Callable[[], object], root: Path) -> Walk:
    """What is called under a folder while `ask()` runs."""
    steps = Walk(f"{root}/")
    sys.setprofile(steps)
    try:
        ask()
    finally:
        sys.setprofile(None)
    return steps


@dataclass(frozen=True)
class Question:
    """What `prepare()` returns is asked of two numbers: `warm`, and then `asked`: the walk."""

    prepare: Callable[[], Ask]
    warm: float
    asked: float
    first_edition: Numbers
    goal: Numbers


def poisson() -> Ask:
    import hockeystick as hs

    return lambda noise: (hs.Gaussian(noise).on(hs.Poisson(0.01)) * 10_000).epsilon(1e-5)


def fixed_size() -> Ask:
    import hockeystick as hs

    def ask(noise: float) -> float:
        step = hs.Gaussian(noise).on(hs.WithoutReplacement(600, 60_000))
        return (step * 10_000).epsilon(1e-5)

    return ask


def response() -> Ask:
    import hockeystick as hs

    return lambda epsilon: (hs.RandomizedResponse(epsilon) * 100).epsilon(1e-5)


def command() -> Ask:
    from click.testing import CliRunner

    from hockeystick.cli.main import main

    def ask(noise: float) -> None:
        expression = f"Gaussian({noise}).on(Poisson(0.01)) * 10000"
        outcome = CliRunner().invoke(main, ["epsilon", expression, "--delta", "1e-5"])
        if outcome.exit_code:
            raise RuntimeError(outcome.output)

    return ask


def fit() -> Ask:
    import numpy as np

    from hockeystick.learn import LogisticRegression

    warnings.simplefilter("ignore")  # a seed protects nobody; here it makes the walk repeatable
    x = np.random.default_rng(0).uniform(-1, 1, (2000, 3))
    return lambda epsilon: LogisticRegression(epsilon, random_state=0).fit(x, x[:, 0] > 0)


def amplify() -> Ask:
    import hockeystick as hs

    return lambda c: hs.bernoulli.amplify(epsilon=2.0, order=4, c=c)


QUESTIONS = {
    "Poisson ε": Question(poisson, 1.2, 1.1, (110, 16, 21, 171), (60, 10, 14, 60)),
    "fixed size ε": Question(fixed_size, 1.1, 1.0, (158, 21, 24, 1467), (158, 21, 24, 733)),
    "randomized response × 100": Question(response, 1.1, 1.0, (83, 13, 17, 126), (83, 13, 17, 126)),
    "the command": Question(command, 1.2, 1.1, (140, 21, 23, 188), (140, 21, 23, 188)),
    "LogisticRegression.fit": Question(fit, 1.1, 1.0, (188, 36, 27, 5538), (188, 36, 27, 2769)),
    "bernoulli.amplify": Question(amplify, 0.2, 0.1, (61, 13, 11, 229), (61, 13, 11, 229)),
}
"""The first edition is the commit 6325429. Asked here, it walks exactly as its numbers say, except
in fit: 186/36/27/5531."""


def measure(name: str) -> tuple[Numbers, list[str]]:
    """The numbers of a question, and its functions; to be called in a fresh process."""
    import hockeystick

    question = QUESTIONS[name]
    ask = question.prepare()
    ask(question.warm)
    steps = walk(lambda: ask(question.asked), Path(str(hockeystick.__file__)).parent)
    return steps.numbers, steps.lines()


def measured(names: list[str], workers: int = 2) -> dict[str, tuple[Numbers, list[str]]]:
    """Each question in a process of its own."""
    fresh = ProcessPoolExecutor(workers, get_context("spawn"), max_tasks_per_child=1)
    with fresh as pool:
        return dict(zip(names, pool.map(measure, names), strict=True))


def table(numbers: dict[str, Numbers]) -> Table:
    made = Table(title="functions / files / depth / changes of file")
    made.add_column("question")
    for title in ("first edition", "now", "goal"):
        made.add_column(title, justify="right")
    for name, now in numbers.items():
        goal = QUESTIONS[name].goal
        cells = [f"[{'green' if n <= g else 'red'}]{n}[/]" for n, g in zip(now, goal, strict=True)]
        made.add_row(name, text(QUESTIONS[name].first_edition), "/".join(cells), text(goal))
    return made


def text(numbers: Numbers) -> str:
    return "/".join(map(str, numbers))


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.walk",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--only", default="", help="questions whose name contains this")
    parser.add_argument("--functions", action="store_true", help="list the functions")
    options = parser.parse_args()
    names = [name for name in QUESTIONS if options.only.lower() in name.lower()]
    results = measured(names)
    console = Console(highlight=False)
    console.print(table({name: numbers for name, (numbers, _) in results.items()}))
    if options.functions:
        for name, (_, lines) in results.items():
            title = f"\n{name}: depth, calls, changes of file, function"
            console.print(title, *lines, sep="\n", markup=False, soft_wrap=True)


if __name__ == "__main__":
    main()
