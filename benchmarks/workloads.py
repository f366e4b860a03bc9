"""What is asked of every tool. A workload is a value; the tools put it in their own terms."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

Question = Literal["epsilon", "noise", "curve", "import"]

CHECKPOINTS = (1, 2, 10, 30, 100, 300, 1000, 3000, 10_000)
"""The step counts at which a curve is compared with the truth."""


@dataclass(frozen=True)
class Step:
    """``count`` releases with noise for sensitivity 1, each on a Poisson sample of ``rate``.

    Of a randomized response ``noise`` is epsilon and ``detail`` the categories, of approximate DP
    they are epsilon and delta.
    """

    kind: Literal["gaussian", "laplace", "discrete gaussian", "response", "approximate"]
    noise: float
    rate: float = 1.0
    count: int = 1
    detail: float = 0.0


@dataclass(frozen=True)
class Workload:
    """One question, under the add/remove relation."""

    name: str
    title: str
    steps: tuple[Step, ...] = ()
    delta: float = 0.0
    question: Question = "epsilon"
    epsilon: float = 0.0  # the budget, where the question is the noise

    @property
    def hard(self) -> bool:
        return self.name.startswith("H")

    @property
    def unit(self) -> str:
        return {"noise": "sigma", "import": "-"}.get(self.question, "epsilon")

    def nudged(self, k: int) -> Workload:
        """The same work with the input moved by ``k`` parts in ten million.

        Repeats are timed on nudged inputs, so that no tool answers from memory.
        """
        factor = 1 + 1e-7 * k
        steps = tuple(replace(step, noise=step.noise * factor) for step in self.steps)
        return replace(self, steps=steps, epsilon=self.epsilon * factor)


def sampled(noise: float, rate: float, count: int) -> tuple[Step, ...]:
    return (Step("gaussian", noise, rate, count),)


def _poisson_gaussian() -> list[Workload]:
    tiny = (1e-12, 1e-15, 1e-20, 1e-30)
    return [
        Workload("W1a", "sigma=1 q=0.001 T=600000", sampled(1, 0.001, 600_000), 1e-8),
        Workload("W1b", "sigma=5 q=0.001 T=600000", sampled(5, 0.001, 600_000), 1e-8),
        Workload("W2", "sigma=1.1 q=256/60000 T=14063", sampled(1.1, 256 / 60_000, 14_063), 1e-5),
        Workload("W3", "sigma=0.5 q=0.01 T=1000", sampled(0.5, 0.01, 1000), 1e-5),
        *(
            Workload(f"W4/{d:.0e}", "sigma=1 q=0.01 T=1000", sampled(1, 0.01, 1000), d)
            for d in tiny
        ),
    ]


def _closed_form_and_laplace() -> list[Workload]:
    often = 0.001, 600_000
    return [
        Workload("W5/1", "plain Gaussian sigma=1 T=1", sampled(1, 1, 1), 1e-5),
        Workload("W5/400", "plain Gaussian sigma=20 T=400", sampled(20, 1, 400), 1e-5),
        Workload("W6a", "Laplace b=2 q=0.001 T=600000", (Step("laplace", 2, *often),), 1e-8),
        Workload("W6b", "Laplace b=0.5 q=0.001 T=600000", (Step("laplace", 0.5, *often),), 1e-8),
        Workload("W6c", "plain Laplace b=1 T=1", (Step("laplace", 1),), 0.1),
    ]


def _many_calibrate_curve() -> list[Workload]:
    many = tuple(Step("gaussian", 1 + 0.001 * i, 0.005, 10) for i in range(1000))
    return [
        Workload("W7", "1000 sampled Gaussians sigma=1..1.999 q=0.005, 10 each", many, 1e-6),
        Workload(
            "W8", "smallest sigma for epsilon=2, q=0.01 T=10000",
            sampled(1, 0.01, 10_000), 1e-5, "noise", 2.0,
        ),
        Workload(
            "W10", "epsilon after each of 1..10000 steps, sigma=1 q=0.01",
            sampled(1, 0.01, CHECKPOINTS[-1]), 1e-5, "curve",
        ),
    ]  # fmt: skip


def _atoms() -> list[Workload]:
    responses = Step("response", 1, 0.01, 100, 2), Step("response", 0.5, 0.02, 140, 2)
    return [
        Workload("W11a", "plain Laplace b=12 T=150", (Step("laplace", 12, 1, 150),), 1e-7),
        Workload("W11b", "plain Laplace b=1 T=3", (Step("laplace", 1, 1, 3),), 1e-20),
        Workload("W11c", "plain Laplace b=1 T=20", (Step("laplace", 1, 1, 20),), 1e-5),
        Workload("W11d", "Laplace b=1 q=0.01 T=2", (Step("laplace", 1, 0.01, 2),), 1e-6),
        Workload(
            "W11e", "smallest b for epsilon=2, plain Laplace T=50",
            (Step("laplace", 1, 1, 50),), 1e-7, "noise", 2.0,
        ),
        Workload(
            "W12a", "randomized response of 4, q=0.1 T=100",
            (Step("response", 1, 0.1, 100, 4),), 1e-6,
        ),
        Workload("W12b", "randomized responses q=0.01 T=100 and q=0.02 T=140", responses, 1e-6),
        Workload(
            "W12c", "approximate DP (0.5, 1e-10) q=0.01 T=200",
            (Step("approximate", 0.5, 0.01, 200, 1e-10),), 1e-6,
        ),
        Workload(
            "W12d", "discrete Gaussian sigma=3 q=0.1 T=2",
            (Step("discrete gaussian", 3, 0.1, 2),), 1e-6,
        ),
    ]  # fmt: skip


def _hard() -> list[Workload]:
    few = (2, 5, 10, 20, 50)
    return [
        Workload("H1", "sigma=0.05 q=0.01 T=100", sampled(0.05, 0.01, 100), 1e-5),
        Workload("H2", "plain Gaussian sigma=0.03", sampled(0.03, 1, 1), 1e-5),
        Workload("H3", "plain Laplace b=0.001", (Step("laplace", 0.001),), 1e-6),
        *(Workload(f"H4/{n}", f"sigma=1 q=1e-4 T={n}", sampled(1, 1e-4, n), 1e-5) for n in few),
        Workload("H5", "sigma=0.8 q=0.001 T=1000", sampled(0.8, 0.001, 1000), 1e-6),
        *(
            Workload(f"H6/{n}", f"sigma=1 q=0.01 T={n}", sampled(1, 0.01, n), 1e-5)
            for n in (10, 100, 400)
        ),
    ]


WORKLOADS: dict[str, Workload] = {
    w.name: w
    for w in (
        *_poisson_gaussian(),
        *_closed_form_and_laplace(),
        *_many_calibrate_curve(),
        *_atoms(),
        *_hard(),
        Workload("import", "import in a fresh process", question="import"),
    )
}


def select(names: list[str]) -> list[Workload]:
    """Workloads by name or family: ``W4`` is all four deltas, ``W1`` is W1a and W1b but not W10."""
    if not names:
        return list(WORKLOADS.values())
    for name in names:
        if not any(_matches(name, known) for known in WORKLOADS):
            raise ValueError(f"no workload is called {name!r}; there are {', '.join(WORKLOADS)}")
    return [w for w in WORKLOADS.values() if any(_matches(name, w.name) for name in names)]


def _matches(wanted: str, name: str) -> bool:
    return re.fullmatch(re.escape(wanted) + r"([a-z]?(/.*)?)", name) is not None
