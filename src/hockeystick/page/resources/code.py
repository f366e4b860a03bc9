"""`/api/code`: what the page shows, as Python and as a command."""

from __future__ import annotations

import re
import shlex

from hockeystick import MECHANISMS, SAMPLERS
from hockeystick.page.resource import Json, Resource, Run, read_delta, read_runs
from hockeystick.page.resources.curves import KINDS
from hockeystick.page.schema import ASKED_NUMBER, RUNS, TEXT, record

_NAME = re.compile(r"\b([A-Z]\w*)(?=[.(])", re.ASCII)
_INF = re.compile(r"\binf\b")
_PLAIN = re.compile(r"[\w\s.,()+*/=-]*", re.ASCII)
"""What means itself between double quotes, in every shell."""


def code(asked: Json) -> Json:
    """Both texts, which ask for the same numbers.

    >>> asked = {"runs": [{"expression": "Laplace(2)"}], "delta": 0, "kind": "epsilon"}
    >>> code(asked)["command"]
    'hockeystick epsilon "Laplace(2.0)" --delta 0.0'
    >>> print(code(asked)["python"])
    import hockeystick as hs
    <BLANKLINE>
    run = hs.Laplace(2.0)
    print(run.epsilon(delta=0.0))
    """
    runs, delta, kind = read_runs(asked["runs"]), read_delta(asked), asked["kind"]
    written, commands = (_curves if kind in KINDS else _answers)(runs, delta, kind)
    text = "\n".join(written)
    heads = ["import math", ""] if "math." in text else []
    return {
        "python": "\n".join([*heads, "import hockeystick as hs", "", text]),
        "command": "\n".join(commands),
    }


PYTHON = {
    "epsilon": "print({run}.epsilon(delta={delta!r}{relation}))",
    "attacker": "print({run}.explain(delta={delta!r}{relation}))",
    "compare": "print(hs.compare({run}, delta={delta!r}{relation}))",
}
COMMANDS = {"epsilon": "epsilon", "attacker": "explain", "compare": "compare"}


def _answers(runs: list[Run], delta: float, kind: str) -> tuple[list[str], list[str]]:
    """A number, a table or a text for each run."""
    asked = [
        PYTHON[kind].format(run=name, delta=delta, relation=_keyword(run))
        for name, run in zip(_names(runs), runs, strict=True)
    ]
    commands = [
        f"hockeystick {COMMANDS[kind]} {_quoted(run)} --delta {delta!r}{_option(run)}"
        for run in runs
    ]
    return [*_assigned(runs), *asked], commands


def _curves(runs: list[Run], delta: float, kind: str) -> tuple[list[str], list[str]]:
    """One picture of all runs, or one of each where they are about different neighbours."""
    named = list(zip(_names(runs), runs, strict=True))
    together = len({run.relation for run in runs}) == 1
    pictures = [named] if together else [[each] for each in named]
    written, commands = _assigned(runs), []
    for number, some in enumerate(pictures, 1):
        first = some[0][1]
        name, file = KINDS[kind], f"{kind}.png" if together else f"{kind}-{number}.png"
        listed = ", ".join(each for each, _ in some)
        written.append(f"axes = hs.plot({listed}, kind={name!r}, delta={delta!r}{_keyword(first)})")
        written.append(f"axes.figure.savefig({file!r})")
        texts = " ".join(_quoted(run) for _, run in some)
        options = f"--kind {name} --delta {delta!r}{_option(first)} -o {file}"
        commands.append(f"hockeystick plot {texts} {options}")
    return written, commands


def _names(runs: list[Run]) -> list[str]:
    return ["run"] if len(runs) == 1 else [f"run_{place}" for place in range(1, len(runs) + 1)]


def _assigned(runs: list[Run]) -> list[str]:
    names = zip(_names(runs), runs, strict=True)
    return [f"{name} = {in_python(repr(run.mechanism))}" for name, run in names]


def in_python(text: str) -> str:
    """The text form of a mechanism as Python, where hockeystick is imported as hs.

    >>> in_python("Gaussian(1.1).on(Poisson(0.01)) * 100")
    'hs.Gaussian(1.1).on(hs.Poisson(0.01)) * 100'
    """
    if not set(_NAME.findall(text)) <= MECHANISMS.keys() | SAMPLERS.keys():
        return f"hs.parse({text!r})"  # classes of other packages, and those without a name of hs
    return _INF.sub("math.inf", _NAME.sub(r"hs.\1", text))


def _quoted(run: Run) -> str:
    text = repr(run.mechanism)
    return f'"{text}"' if _PLAIN.fullmatch(text) else shlex.quote(text)


def _keyword(run: Run) -> str:
    return "" if run.relation is None else f", relation=hs.{run.relation!r}"


def _option(run: Run) -> str:
    return "" if run.relation is None else f" --relation {run.relation}"


RESOURCE = Resource(
    "code",
    "What is shown, as Python and as a command.",
    code,
    record(python=TEXT, command=TEXT),
    record(
        runs=RUNS,
        delta=ASKED_NUMBER,
        kind={"type": "string", "enum": [*PYTHON, *KINDS]},
    ),
)
