"""The public names: what type checkers see is what there is, and a module never hides a name."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import hockeystick as hs


def names_for_type_checkers() -> dict[str, str]:
    tree = ast.parse(Path(hs.__file__).read_text(encoding="utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    return {
        alias.name: node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def test_type_checkers_see_the_names_that_there_are() -> None:
    seen = names_for_type_checkers()
    values = {name for name in hs.__all__ if not isinstance(getattr(hs, name), ModuleType)}
    assert set(seen) - (set(hs.__all__) - values) == values
    for name in values:
        assert getattr(hs, name) is getattr(import_module(seen[name]), name)


def test_no_module_hides_a_public_name() -> None:
    here = Path(hs.__file__).parent
    modules = {path.stem for path in here.iterdir()}
    assert not {name for name in hs.__all__ if not isinstance(getattr(hs, name), ModuleType)} & (
        modules
    )


def test_importing_the_package_imports_no_numpy() -> None:
    code = "import sys, hockeystick; print('numpy' in sys.modules, hockeystick.Gaussian.__name__)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.split() == ["False", "Gaussian"]


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(hs, "Gausian")
    assert set(hs.__all__) <= set(dir(hs))
