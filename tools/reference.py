"""The pages of the reference: every public name, on one page each, and docstrings as Markdown.

`tools/site.py` puts them into the site; the text of each name comes from its docstring.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from types import ModuleType

import numpy as np

import hockeystick

PACKAGES = (*hockeystick.MODULES, "figures", "random")
"""Modules with public names of their own, which are imported from them."""
NOT_CALLED = Exception, Enum, np.ndarray
"""Classes that users meet but do not make."""
WIDTH = 90
"""The longest call on one line."""
TOP = {
    "mechanisms": "Mechanisms: what is released. All of them answer the questions of `Mechanism`.",
    "samplers": "Samplers: which records a step sees, for `.on(sampler)` and `.draw(population)`.",
    "questions": "The questions, the answers, and what goes with them.",
    "errors": "Errors. All of them are a `HockeystickError`.",
}
"""Pages of the names that `hockeystick` itself exports, and what is on them."""


def pages() -> dict[str, str]:
    """Markdown by the name of the page, the overview among them."""
    made = {name: _page(name.capitalize(), about, _top(name)) for name, about in TOP.items()}
    for name in PACKAGES:
        module = import_module(f"hockeystick.{name}")
        made[name] = _page(f"hockeystick.{name}", _about(module), _public(module))
    overview = ["# Reference", "", "Every public name, from its docstring."]
    for name, page in made.items():
        names = re.findall(r"^::: (?:\w+\.)*(\w+)$", page, re.MULTILINE)
        title = name if name in TOP else f"hockeystick.{name}"
        links = ", ".join(f"[`{each}`]({name}.md#{anchor(page, each)})" for each in names)
        overview += ["", f"## [{title}]({name}.md)", "", links]
    return {"index": "\n".join(overview) + "\n"} | made


def anchor(page: str, name: str) -> str:
    """The id of a name's heading: where it is defined."""
    (found,) = re.findall(rf"^::: ((?:\w+\.)*{name})$", page, re.MULTILINE)
    return str(found)


def _page(title: str, about: str, names: list[str]) -> str:
    return "\n\n".join([f"# {title}", about, *(f"::: {name}" for name in names)]) + "\n"


def _about(module: ModuleType) -> str:
    """Its docstring, which may go on below the list of names."""
    return markdown(module.__doc__ or "")


def _top(page: str) -> list[str]:
    """The names of a page, each where it is defined."""
    return [f"{home}.{name}" for name, home in hockeystick.HOMES.items() if _is_on(page, home)]


def _is_on(page: str, home: str) -> bool:
    first = home.split(".")[1]
    return first == page or (page == "questions" and first not in TOP)


def _public(module: ModuleType) -> list[str]:
    """What `__all__` lists, else what is defined in the module itself."""
    names = getattr(module, "__all__", None) or [
        name
        for name, value in vars(module).items()
        if getattr(value, "__module__", "") == module.__name__ and not name.startswith("_")
    ]
    return [_home(module, name) for name in names]


def _home(module: ModuleType, name: str) -> str:
    value = getattr(module, name)
    if isinstance(value, ModuleType):
        return value.__name__
    home = str(getattr(value, "__module__", None) or "")
    return f"{home if home.startswith('hockeystick') else module.__name__}.{name}"


def call(path: str) -> str:
    """How a class is made, from its runtime signature; "" where that says nothing.

    >>> print(call("hockeystick.samplers.poisson.Poisson"))
    Poisson(rate)
    """
    home, _, name = path.rpartition(".")
    kind = getattr(import_module(home), name)
    if issubclass(kind, NOT_CALLED) or inspect.isabstract(kind):
        return ""
    try:
        given = inspect.signature(kind)
    except ValueError:  # a class of C, as a dictionary is
        return ""
    plain = [each.replace(annotation=inspect.Parameter.empty) for each in given.parameters.values()]
    if not plain or [each.kind.name for each in plain] == ["VAR_POSITIONAL", "VAR_KEYWORD"]:
        return ""
    line = f"{name}{inspect.Signature(plain)}"
    return line if len(line) <= WIDTH else line.replace("(", "(\n    ").replace(", ", ",\n    ")


def markdown(docstring: str) -> str:
    """A docstring as Markdown: examples are fenced, parameters are a list.

    >>> markdown("Parameters\\n----------\\nx, y: numbers.")
    '**Parameters**\\n\\n- `x`, `y`: numbers.'
    """
    return "\n\n".join(_blocks(docstring.strip()))


def _blocks(text: str) -> Iterator[str]:
    """The text without its blank lines; a headline and what follows it are one block."""
    for block in re.split(r"\n\s*\n", text):
        headline = re.match(r"(\w+)\n-{3,}\n", block)
        if block.lstrip().startswith(">>> "):
            yield f"```pycon\n{_unflagged(_dedented(block))}\n```"
        elif headline:
            yield f"**{headline[1]}**"
            yield "\n".join(map(_item, _unfolded(block[headline.end() :])))
        else:
            yield block


def _dedented(block: str) -> str:
    indent = len(block) - len(block.lstrip(" "))
    return "\n".join(line[indent:] for line in block.splitlines())


def _unflagged(example: str) -> str:
    return re.sub(r"\s+# doctest: .*", "", example)


def _unfolded(lines: str) -> list[str]:
    """One line for each parameter; what goes on in the next line is indented there."""
    return re.sub(r"\n\s+", " ", lines).splitlines()


def _item(line: str) -> str:
    names, colon, said = line.partition(": ")
    if not colon:
        return f"- {line}"
    return f"- {', '.join(f'`{name.strip()}`' for name in names.split(','))}: {said}"
