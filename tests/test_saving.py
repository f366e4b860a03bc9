"""Files are written whole or not at all, with the rights they had, and are then on the disk."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from hockeystick.errors import ParameterError
from hockeystick.saving import check_writable, read_object, whole, write_whole
from tests.support.command import PLAIN


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("rights", [0o600, 0o640, 0o644, 0o660, 0o700])
def test_a_file_keeps_its_mode(tmp_path: Path, rights: int) -> None:
    path = tmp_path / "run.json"
    path.write_text("old")
    path.chmod(rights)
    write_whole(path, "new")
    assert path.read_text() == "new\n"
    assert mode(path) == rights


@pytest.mark.parametrize(("umask", "rights"), [(0o022, 0o644), (0o077, 0o600)])
def test_a_new_file_has_the_mode_of_the_umask(tmp_path: Path, umask: int, rights: int) -> None:
    before = os.umask(umask)
    try:
        write_whole(tmp_path / "run.json", "new")
    finally:
        os.umask(before)
    assert mode(tmp_path / "run.json") == rights


def test_the_draft_of_a_private_file_is_never_readable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.json"
    path.write_text("old")
    path.chmod(0o600)
    seen: list[int] = []
    sync = os.fsync

    def look(number: int) -> None:
        seen.extend(mode(draft) for draft in tmp_path.glob(".*.json"))
        sync(number)

    monkeypatch.setattr(os, "fsync", look)
    write_whole(path, "new")
    assert seen == [0o600]


def test_the_file_and_then_its_folder_are_synced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[tuple[bool, bool]] = []

    def sync(number: int) -> None:
        folder = stat.S_ISDIR(os.fstat(number).st_mode)
        synced.append((folder, (tmp_path / "run.json").exists()))

    monkeypatch.setattr(os, "fsync", sync)
    write_whole(tmp_path / "run.json", "new")
    assert synced == [(False, False), (True, True)]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    path, real = tmp_path / "link.json", tmp_path / "there" / "real.json"
    path.symlink_to(real)
    for text in ("one", "two"):
        write_whole(path, text)
        assert path.is_symlink()
        assert real.read_text() == f"{text}\n"


def test_what_is_no_file_is_never_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("pipe", "folder"):
        for write in (check_writable, lambda path: write_whole(path, "new")):
            with pytest.raises(OSError, match="not a regular file"):
                write(tmp_path / name)
    assert sorted(os.listdir(tmp_path)) == ["folder", "pipe"]


def test_what_cannot_be_written_is_known_before(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    check_writable(path)
    assert not list(tmp_path.iterdir())
    path.write_text("old")
    check_writable(path)
    assert path.read_text() == "old"
    for bad in (tmp_path / "no" / "folder.json", path / "inside.json"):
        for write in (check_writable, lambda path: write_whole(path, "new")):
            with pytest.raises(OSError, match=r"No such file|Not a directory"):
                write(bad)
    assert [each.name for each in tmp_path.iterdir()] == ["run.json"]


def test_a_write_protected_file_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.json"
    path.write_text("old")
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # for root it never is
    for write in (check_writable, lambda path: write_whole(path, "new")):
        with pytest.raises(PermissionError):
            write(path)
    assert path.read_text() == "old"


def test_a_failure_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.json"
    path.write_text("old")

    def full(number: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(path, "new")
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["run.json"]


def write_half(path: Path) -> None:
    with whole(path) as draft:
        assert draft.suffix == path.suffix
        draft.write_text("half")
        raise KeyboardInterrupt


@pytest.mark.parametrize("before", [["out.csv"], []])
def test_what_is_not_complete_leaves_all_as_it_was(tmp_path: Path, before: list[str]) -> None:
    path = tmp_path / "out.csv"
    for _ in before:
        path.write_text("old")
    with pytest.raises(KeyboardInterrupt):
        write_half(path)
    assert os.listdir(tmp_path) == before
    assert [(tmp_path / name).read_text() for name in before] == ["old"] * len(before)


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
        "b,epsilon,lower,upper,method,delta,relation",
        "1,1,1,1,closed form,0,add-remove",
        "2,0.5,0.5,0.5,closed form,0,add-remove",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "\x00", "[" * 100_000, '{"a":' * 100_000, '{"a": ' + "9" * 5000 + "}"]
)
def test_what_is_no_object_is_said_so(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(ParameterError, match=r"x\.json is not a thing"):
        read_object(path, "thing", 1)


def test_an_object_of_its_kind(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    write_whole(path, '{"format": "thing", "version": 1, "n": 7}')
    assert read_object(path, "thing", 1)["n"] == 7
    with pytest.raises(ParameterError, match="not of version 2"):
        read_object(path, "thing", 2)
