"""`pytest` runs what a change needs within minutes; `pytest --deep` runs the slow tests too."""

from __future__ import annotations

import os
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

# One process for each core: threads of linear algebra would wait for each other, a dot product of
# 20 000 numbers for milliseconds. It is read when numpy is loaded, in workers and commands too.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Commands in processes of their own take half a second more where nothing compiled is kept.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
ADAPTERS = Path(__file__).parent / "src" / "hockeystick" / "adapters"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--deep", action="store_true", help="run the tests marked slow as well")
    parser.addoption(
        "--oracle-cases", type=int, default=250, help="random cases that proven ends are held to"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--deep"):
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    if slow:
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if not item.get_closest_marker("slow")]


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """The examples of an adapter need its library; where that is not there, `tests/adapters` is
    skipped and says so."""
    if collection_path.parent != ADAPTERS or collection_path.suffix != ".py":
        return None
    imported = re.findall(r"^(?:from|import) (\w+)", collection_path.read_text("utf-8"), re.M)
    return any(find_spec(name) is None for name in imported) or None
