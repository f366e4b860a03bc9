"""The programs of docs/adapters.md print what the page says."""

from __future__ import annotations

import contextlib
import io
import math
import re
from pathlib import Path

import pytest

from tests.adapters.hosts import host

PAGE = (Path(__file__).parents[2] / "docs" / "adapters.md").read_text("utf-8")
PROGRAMS = {
    title: (program, output)
    for title, program, output in re.findall(
        r"^## ([^\n]+)\n(?:(?!^## ).)*?^```python\n(.*?)^```\n\n```text\n(.*?)^```$",
        PAGE,
        re.DOTALL | re.MULTILINE,
    )
}
LIBRARIES = {
    "dp_accounting": ("dp_accounting", "dp-accounting"),
    "Opacus": ("opacus", "opacus"),
    "JAX Privacy": ("jax_privacy", "jax-privacy"),
    "Flower": ("flwr", "flower"),
    "PipelineDP": ("pipeline_dp", "pipelinedp"),
    "Loops": ("hockeystick", "test"),
}


def same(word: str, other: str) -> bool:
    """Equal, or numbers that agree to eight digits."""
    try:
        return math.isclose(float(word), float(other), rel_tol=1e-8)
    except ValueError:
        return word == other


def test_every_adapter_has_a_program() -> None:
    assert PROGRAMS.keys() == LIBRARIES.keys()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("title", LIBRARIES)
def test_a_program_prints_what_the_page_says(title: str) -> None:
    host(*LIBRARIES[title])
    program, output = PROGRAMS[title]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(program, title, "exec"), {"__name__": "program"})
    words, said = printed.getvalue().split(), output.split()
    assert len(words) == len(said), words
    assert all(same(word, other) for word, other in zip(words, said, strict=True)), words
