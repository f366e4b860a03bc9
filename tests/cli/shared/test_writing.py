"""Files of the commands are whole or as they were."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hockeystick.cli.shared.writing import whole
from tests.support.command import PLAIN


def write(path: Path, text: str) -> None:
    with whole(str(path)) as draft:
        assert Path(draft).suffix == path.suffix
        Path(draft).write_text(text)


def write_half(path: Path) -> None:
    with whole(str(path)) as draft:
        Path(draft).write_text("half")
        raise KeyboardInterrupt


def test_what_is_complete_takes_the_place_of_the_old(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    write(path, "old")
    path.chmod(0o600)
    write(path, "new")
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o600
    assert os.listdir(tmp_path) == ["out.csv"]


@pytest.mark.parametrize("before", [["out.csv"], []])
def test_what_is_not_leaves_all_as_it_was(tmp_path: Path, before: list[str]) -> None:
    path = tmp_path / "out.csv"
    for _ in before:
        path.write_text("old")
    with pytest.raises(KeyboardInterrupt):
        write_half(path)
    assert os.listdir(tmp_path) == before
    assert [(tmp_path / name).read_text() for name in before] == ["old"] * len(before)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link.csv").symlink_to(tmp_path / "out.csv")
    write(tmp_path / "link.csv", "new")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "out.csv").read_text() == "new"


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="needs /dev/stdout")
def test_a_pipe_is_written_to() -> None:
    words = ("sweep", "Laplace({b})", "--b", "1,2", "--delta", "0", "--workers", "1")
    done = subprocess.run(
        [sys.executable, "-m", "hockeystick.cli", *words, "-o", "/dev/stdout"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | PLAIN,
    )
    assert done.stdout.splitlines() == [
        "b,epsilon,lower,upper,method", "1,1.0,1.0,1.0,closed form", "2,0.5,0.5,0.5,closed form"
    ]  # fmt: skip
