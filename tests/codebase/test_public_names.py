"""The public names: what type checkers see is what there is, and a module never hides a name."""

from __future__ import annotations

import pkgutil
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import hockeystick as hs
from hockeystick import mechanisms, samplers
from tools import stub


def test_type_checkers_see_the_names_that_there_are() -> None:
    assert stub.PLACE.read_text(encoding="utf-8") == stub.stub(), "run: python -m tools.stub"
    for name in hs.__all__:
        assert getattr(hs, name) is not None


@pytest.mark.parametrize("package", [mechanisms, samplers])
def test_each_file_is_named_after_the_class_in_it(package: ModuleType) -> None:
    """So that a new file is a new name, and no list is edited."""
    files = [file.name for file in pkgutil.iter_modules(package.__path__) if not file.ispkg]
    homes = {name: home for name, home in hs.HOMES.items() if home.startswith(package.__name__)}
    assert sorted(homes.values()) == [f"{package.__name__}.{file}" for file in sorted(files)]
    for name, home in homes.items():
        kind = getattr(import_module(home), name)
        assert kind.__module__ == home
        assert kind is getattr(hs, name)


@pytest.mark.slow
def test_names_have_types(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import hockeystick as hs\n"
        "reveal_type(hs.Gaussian(1.0))\n"
        "reveal_type(hs.PureDP(epsilon=1.0).epsilon(1e-5))\n"
        "reveal_type(hs.Poisson(0.1).rate)\n"
        "reveal_type(hs.bernoulli.amplify)\n"
        "hs.Poisson()\n"
        "hs.DiscreteGaussian(1.0, sensitivity='one')\n"
        "hs.Gausian(1.0)\n"
    )
    options = ["--strict", "--follow-imports=silent", str(program)]
    mypy = subprocess.run(
        [sys.executable, "-m", "mypy", *options], capture_output=True, text=True, check=False
    )
    assert mypy.returncode == 1, mypy.stdout + mypy.stderr
    said = {int(line): text for line, text in re.findall(r"program.py:(\d+): (.*)", mypy.stdout)}
    assert '"hockeystick.mechanisms.gaussian.Gaussian"' in said[2]
    assert '"hockeystick.bound.Bound"' in said[3]
    assert 'float"' in said[4]
    assert "def (" in said[5]
    assert 'Missing positional argument "rate"' in said[6]
    assert 'expected "int"' in said[7]
    assert "Gausian" in said[8]
    assert len(said) == 7


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
