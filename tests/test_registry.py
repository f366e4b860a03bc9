"""Classes of other packages: one package is really installed, and others are broken in each way."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import hockeystick as hs
from hockeystick import registry
from hockeystick.errors import ParameterError

PROJECT = Path(__file__).parent / "plugin"
RUN = "UniformNoise(2000).on(TwoCoins(0.5)) * 3"
DELTA = 1 - (1 - 0.25 / 2000) ** 3
"""Each of the three steps gives the record away with probability 1/4 · 1/2000, or tells nothing."""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package in it, built and installed without the network."""
    pytest.importorskip("hatchling", reason="the extra `test` builds the package with it")
    folder = tmp_path_factory.mktemp("installed")
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--target"]
    pip = [sys.executable, "-m", "pip", "install", *options, str(folder), str(PROJECT)]
    subprocess.run(pip, check=True, capture_output=True)
    return folder


def started(folder: Path, *arguments: str, cwd: Path | None = None) -> str:
    """What Python prints with the package installed."""
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": path},
        cwd=cwd,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def printed(folder: Path, code: str) -> Any:
    """What the code, which prints JSON, says."""
    return json.loads(started(folder, "-c", textwrap.dedent(code)))


@pytest.mark.slow
def test_the_text_form_of_an_announced_class(installed: Path) -> None:
    found = printed(
        installed,
        f"""
        import json
        import hockeystick as hs

        run = hs.parse({RUN!r})
        accountant = hs.Accountant()
        accountant.spend(run)
        again = hs.Accountant.from_json(accountant.to_json())
        rows = hs.sweep("UniformNoise({{width}}) * 3", width=[1000, 4000], epsilon=0.5)
        print(json.dumps({{
            "text": repr(run),
            "same": hs.parse(repr(run)) == run and again.spent == run,
            "delta": run.delta(epsilon=1.0),
            "lower": run.delta(epsilon=1.0).lower,
            "swept": [row["delta"] for row in rows],
        }}))
        """,
    )
    assert found["text"] == "UniformNoise(2000.0).on(TwoCoins(0.5)) * 3"
    assert found["same"] is True
    assert found["delta"] == pytest.approx(DELTA, rel=1e-9, abs=0)
    assert found["lower"] == pytest.approx(DELTA, rel=1e-9, abs=0)
    truths = [1 - (1 - 1 / width) ** 3 for width in (1000, 4000)]
    assert found["swept"] == pytest.approx(truths, rel=1e-9, abs=0)


@pytest.mark.slow
def test_the_command_knows_an_announced_class(installed: Path) -> None:
    out = started(installed, "-m", "hockeystick.cli", "delta", RUN, "--epsilon", "1", "--json")
    assert json.loads(out)["delta"] == pytest.approx(DELTA, rel=1e-9, abs=0)


@pytest.mark.slow
def test_announced_noise_trains(installed: Path, tmp_path: Path) -> None:
    found = printed(
        installed,
        """
        import json
        import numpy as np
        import hockeystick as hs
        from hockeystick import learn

        x = np.linspace(-1, 1, 50)[:, None]
        sampled = hs.parse("UniformNoise(100).on(TwoCoins(0.5))")
        plan = learn.Plan(sampled.base, sampled.sampler, steps=4, clip=2.0, batch_size=12)
        run = learn.private_sgd(learn.Squares(), x, x[:, 0], plan, rng=0, delta=0.1)
        model = learn.LogisticRegression(
            epsilon=1.0, delta=0.005, noise="UniformNoise", sampler="full", epochs=2, random_state=0
        ).fit(x, x[:, 0] > 0)
        print(json.dumps({
            "norm": plan.norm,
            "noise": repr(plan.noise),
            "spent": repr(run.accountant.spent),
            "delta": plan.mechanism.delta(epsilon=0.0),
            "model": repr(model.privacy_.mechanism),
        }))
        """,
    )
    assert found["norm"] == "L1"
    assert found["noise"] == "UniformNoise(100.0, sensitivity=2.0)"
    assert found["spent"] == "UniformNoise(100.0, sensitivity=2.0).on(TwoCoins(0.5)) * 4"
    assert found["delta"] == pytest.approx(1 - (1 - 0.0025) ** 4, rel=1e-9, abs=0)
    text = re.fullmatch(r"UniformNoise\(([\d.]+)\) \* 2", found["model"])
    assert text is not None
    width = float(text[1])
    assert 1 - (1 - 1 / width) ** 2 == pytest.approx(0.005, rel=1e-6, abs=0)


@pytest.mark.slow
def test_the_command_trains_with_announced_noise(installed: Path, tmp_path: Path) -> None:
    rows = [f"{i / 50},{'yes' if i > 20 else 'no'}" for i in range(50)]
    (tmp_path / "data.csv").write_text("\n".join(["a,b", *rows, ""]))
    options = ["--epsilon", "1", "--delta", "0.01", "--noise", "UniformNoise", "--json"]
    declared = ["--target", "b", "--bounds", "a=0:1", "--categories", "b=yes,no"]
    out = started(
        installed, "-m", "hockeystick.cli", "train", "data.csv", *declared, *options, cwd=tmp_path
    )
    assert "UniformNoise(" in json.loads(out)["privacy"]["mechanism"]


# packages that are not as they should be --------------------------------------------------------

MODULE = """
from dataclasses import dataclass
import hockeystick as hs
from hockeystick.mechanisms.gaussian import Gaussian as Own

class Fine(Own): ...
class Other(Own): ...
class Gaussian(Own): ...
number = 3
"""


@pytest.fixture
def announce(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Installs a package by hand: its entry points, one in a line, and the module `strange`."""
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "strange.py").write_text(MODULE)

    def write(lines: str, package: str = "strange") -> None:
        folder = tmp_path / f"{package}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (folder / "entry_points.txt").write_text(lines)
        forget()

    def forget() -> None:
        registry._entries.cache_clear()
        sys.modules.pop("strange", None)

    yield write
    monkeypatch.undo()
    forget()


IN_MECHANISMS = "[hockeystick.mechanisms]\n"


def test_a_class_is_loaded_when_its_name_is_met(announce: Any) -> None:
    announce(IN_MECHANISMS + "Fine = strange:Fine\nAbsent = nowhere:Absent\n")
    assert repr(hs.parse("Gaussian(1)")) == "Gaussian(1.0)"
    assert "strange" not in sys.modules
    assert repr(hs.parse("Fine(2).on(Poisson(0.5))")) == "Fine(2.0).on(Poisson(0.5))"
    with pytest.raises(
        ParameterError, match=r"'Fin' .*did you mean Fine\? known are Absent, ApproximateDP"
    ):
        hs.parse("Fin(2)")


@pytest.mark.parametrize(
    ("line", "name", "message"),
    [
        ("Absent = nowhere:Absent", "Absent", r"cannot be loaded: ModuleNotFoundError: .*nowhere"),
        ("Absent = strange:Absent", "Absent", r"cannot be loaded: AttributeError: .*Absent"),
        ("number = strange:number", "number", r"is not a Mechanism, got 3"),
        ("Poisson2 = hockeystick:Poisson", "Poisson2", r"is not a Mechanism, got <class"),
        ("Base = hockeystick:Mechanism", "Base", r"is not a Mechanism, got <class"),
        ("Alias = strange:Fine", "Alias", r"must have the name of its class, Fine"),
    ],
)
def test_a_broken_package_is_named_and_breaks_nothing_else(
    announce: Any, line: str, name: str, message: str
) -> None:
    announce(f"{IN_MECHANISMS}{line}\nFine = strange:Fine\n")
    with pytest.raises(ParameterError, match=message) as caught:
        hs.parse(f"{name}(1)")
    assert f"entry point {line} in hockeystick.mechanisms of the package strange" in str(
        caught.value
    )
    assert hs.parse("Gaussian(1)").epsilon(1e-5) == hs.Gaussian(1.0).epsilon(1e-5)
    assert type(hs.parse("Fine(1)")).__module__ == "strange"


def test_no_package_may_take_a_name_of_our_own(announce: Any) -> None:
    announce(IN_MECHANISMS + "Gaussian = strange:Gaussian\nFine = strange:Fine\n")
    assert type(hs.parse("Gaussian(1)")) is hs.Gaussian
    with pytest.raises(ParameterError, match=r"Gaussian = strange:Gaussian .* hockeystick's own"):
        hs.parse("Fine(1)")
    from strange import Gaussian  # type: ignore[import-not-found]

    accountant = hs.Accountant()
    accountant.spend(Gaussian(1.0))
    with pytest.raises(ParameterError, match=r"Gaussian\(1.0\) is another one"):
        accountant.to_json()


def test_two_packages_may_not_share_a_name(announce: Any) -> None:
    announce(IN_MECHANISMS + "Fine = strange:Fine\n")
    announce(IN_MECHANISMS + "Fine = strange:Other\n", "stranger")
    with pytest.raises(ParameterError, match="has the name of entry point Fine = strange:"):
        hs.parse("Fine(1)")
    assert hs.parse("Gaussian(1)") == hs.Gaussian(1.0)


def test_a_sampler_is_announced_as_one(announce: Any) -> None:
    announce("[hockeystick.samplers]\nFine = strange:Fine\n")
    with pytest.raises(ParameterError, match=r"hockeystick.samplers .* is not a Sampler"):
        hs.parse("Gaussian(1).on(Fine(1))")


def test_names_that_only_a_repr_writes_are_not_listed() -> None:
    assert "AllocationBlock" in registry.own_kinds()
    assert "AllocationBlock" not in registry.names()
    assert set(registry.names()) <= set(hs.__all__)


def test_dir_lists_each_public_name_once_and_no_other() -> None:
    listed = [name for name in dir(hs) if not name.startswith("__")]
    assert listed == sorted(hs.__all__)
