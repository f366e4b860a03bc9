"""Is this a release? `python -m tools.release_check` builds it and tries the wheel on every Python.

The sdist is built, and the wheel from the sdist, by `python -m build`; `twine check --strict` reads
the metadata; then the wheel is installed with its extra `all` into a clean environment of each
Python that is found (3.11, 3.12, 3.13), and has to answer there.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PYTHONS = ("3.11", "3.12", "3.13")
TRIAL = """
import hockeystick as hs
assert hs.__version__ == {version!r}, hs.__version__
for name in hs.__all__:
    getattr(hs, name)
answer = (hs.Gaussian(1.0).on(hs.Poisson(0.001)) * 600_000).epsilon(delta=1e-8)
assert 5.91223894435728 <= answer <= 5.91223894437, answer  # benchmarks/truths.json
assert hs.Laplace(2.0).release(0) != 0
from hockeystick.learn import LogisticRegression
from hockeystick.figures import compute, draw
draw(compute("imola-2"), "imola-2.png")
"""


def version() -> str:
    """The one in the source; the changelog, the citation and the package must agree."""
    source = (ROOT / "src" / "hockeystick" / "__init__.py").read_text(encoding="utf-8")
    return str(re.findall(r'^__version__ = "(.*)"$', source, re.MULTILINE)[0])


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """What the command prints; it must succeed, and sees no path of this checkout."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=cwd, env=env, check=False, text=True, capture_output=True)
    if done.returncode:
        raise SystemExit(f"failed: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def environment(folder: Path, python: str | Path = sys.executable) -> Path:
    """A clean one; its Python."""
    run(python, "-m", "venv", folder)
    return folder / "bin" / "python"


def build(folder: Path) -> tuple[Path, Path]:
    """The sdist and the wheel, with metadata that an index takes."""
    python = environment(folder / "build")
    run(python, "-m", "pip", "install", "-q", "build", "twine")
    run(python, "-m", "build", "--outdir", folder / "dist", ROOT)
    (sdist,) = (folder / "dist").glob("*.tar.gz")
    (wheel,) = (folder / "dist").glob("*.whl")
    run(python, "-m", "twine", "check", "--strict", sdist, wheel)
    return sdist, wheel


def look(sdist: Path, wheel: Path) -> None:
    """The wheel holds the package and its types alone, the sdist all that the tests need."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = (name for name in names if name.endswith("/METADATA"))
        readme = archive.read(metadata).decode()
    assert "hockeystick/py.typed" in names
    assert {name.split("/")[0].split("-")[0] for name in names} == {"hockeystick"}
    assert not re.search(r"\]\((?!\w+:)", readme), "a link that leads nowhere on an index"
    with tarfile.open(sdist) as files:
        held = {name.partition("/")[2] for name in files.getnames()}
    wanted = {"conftest.py", "pyproject.toml", "mkdocs.yml", "tests/conftest.py", "docs/index.md"}
    assert wanted <= held, wanted - held


def pythons() -> Iterator[tuple[str, str]]:
    """Those that there are, on the path or by pyenv."""
    for each in PYTHONS:
        kept = sorted(Path.home().glob(f".pyenv/versions/{each}.*/bin/python"))
        found = str(kept[-1]) if kept else shutil.which(f"python{each}")
        if found:
            yield each, found


def attempt(python: str, wheel: Path, folder: Path) -> None:
    """Install and ask."""
    inside = environment(folder, python)
    run(inside, "-m", "pip", "install", "-q", f"hockeystick[all] @ {wheel.as_uri()}")
    run(inside, "-c", TRIAL.format(version=version()), cwd=folder)
    printed = run(folder / "bin" / "hockeystick", "--version", cwd=folder)
    assert printed == f"hockeystick, version {version()}\n", printed


def main() -> None:
    """All of it, in a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sdist, wheel = build(folder)
        look(sdist, wheel)
        print(f"{wheel.name} and {sdist.name} are well formed")
        tried = []
        for each, python in pythons():
            attempt(python, wheel, folder / f"python{each}")
            print(f"the wheel answers on Python {each}")
            tried.append(each)
    missing = [each for each in PYTHONS if each not in tried]
    print(f"not tried, because not found: {', '.join(missing)}" if missing else "all Pythons tried")
    if not tried:
        raise SystemExit("no Python was found to try the wheel on")


if __name__ == "__main__":
    main()
