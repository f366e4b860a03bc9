"""Checkpoints of a stream: secret, and no noise is handed out twice."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.errors import ParameterError, SavingError
from hockeystick.release.stream import Stream

STRATEGY = hs.matrix.banded(steps=6, bands=3)
KILLED = """
import os, signal, sys
import hockeystick as hs
from hockeystick.release.stream import Stream

stream = Stream(hs.matrix.banded(steps=6, bands=3), 1.0, 4, checkpoint=sys.argv[1])
for step in range(3):
    print(*(float(entry).hex() for entry in next(stream)), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_run_goes_on_after_the_last_step_and_repeats_none(tmp_path: Path) -> None:
    path = tmp_path / "noise.json"
    run = subprocess.run(
        [sys.executable, "-c", KILLED, str(path)], capture_output=True, text=True, check=False
    )
    assert run.returncode == -signal.SIGKILL
    before = [[float.fromhex(word) for word in line.split()] for line in run.stdout.splitlines()]
    assert len(before) == 3
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    stream = Stream(STRATEGY, 1.0, 4, checkpoint=path)
    assert stream.handed == 3
    after = list(stream)
    assert len(after) == 3
    every = np.concatenate([np.array(before), np.stack(after)])
    assert len(np.unique(every)) == 24
    # All of it is the noise of one stream: the fresh noise that it is made of comes from the key.
    fresh = STRATEGY.dense() @ every / stream.grid
    again = Stream(STRATEGY, 1.0, 4, rng=hs_generator(path))
    assert np.abs(STRATEGY.dense() @ np.stack(list(again)) / again.grid - fresh).max() < 1e-3


def hs_generator(path: Path) -> np.random.Generator:
    from hockeystick.random.generators import KeyedGenerator

    return KeyedGenerator(int(json.loads(path.read_text())["key"], 16))


def test_a_seeded_stream_goes_on_as_if_it_had_not_stopped(tmp_path: Path) -> None:
    for strategy in (STRATEGY, hs.matrix.tree(6), hs.matrix.square_root(6)):
        path = tmp_path / f"{strategy.name}.json"
        whole = list(Stream(strategy, 1.0, 3, rng=7))
        first = Stream(strategy, 1.0, 3, rng=7, checkpoint=path)
        parts = [next(first), next(first)]
        parts += list(Stream(strategy, 1.0, 3, rng=7, checkpoint=path))
        assert (np.stack(parts) == np.stack(whole)).all()
        assert list(Stream(strategy, 1.0, 3, rng=7, checkpoint=path)) == []


def test_two_streams_of_one_file_do_not_share_noise(tmp_path: Path) -> None:
    path = tmp_path / "noise.json"
    one, other = (Stream(STRATEGY, 1.0, 4, checkpoint=path) for _ in range(2))
    next(one)
    with pytest.raises(SavingError, match="used by somebody else"):
        next(other)


def test_a_step_is_written_before_it_is_handed_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "noise.json"
    stream = Stream(STRATEGY, 1.0, 4, checkpoint=path)
    written = []
    original = np.ldexp

    def spied(*arguments: object) -> object:
        written.append(json.loads(path.read_text())["handed"])
        return original(*arguments)  # type: ignore[call-overload]

    monkeypatch.setattr(np, "ldexp", spied)
    next(stream)
    assert written[-1] == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"noise_multiplier": 2.0}, "of another stream"),
        ({"dimension": 5}, "of another stream"),
        ({"rng": 3}, "rng must be what it was"),
    ],
)
def test_a_file_of_another_stream_is_refused(
    tmp_path: Path, change: dict[str, float], message: str
) -> None:
    path = tmp_path / "noise.json"
    options = {"noise_multiplier": 1.0, "dimension": 4}
    next(Stream(STRATEGY, **options, checkpoint=path))  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=message):
        Stream(STRATEGY, **(options | change), checkpoint=path)  # type: ignore[arg-type]


@pytest.mark.skipif(os.name == "nt", reason="modes are not of this kind there")
def test_a_file_that_others_may_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "noise.json"
    next(Stream(STRATEGY, 1.0, 4, checkpoint=path))
    path.chmod(0o640)
    with pytest.raises(ParameterError, match="mode 640"):
        Stream(STRATEGY, 1.0, 4, checkpoint=path)


def test_noise_that_cannot_be_made_again_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "noise.json"
    next(Stream(STRATEGY, 1.0, 4, checkpoint=path))
    content = json.loads(path.read_text())
    content["key"] = hex(int(content["key"], 16) ^ 1)
    path.write_text(json.dumps(content))
    with pytest.raises(ParameterError, match="cannot be made again"):
        Stream(STRATEGY, 1.0, 4, checkpoint=path)
    path.write_text(json.dumps(content | {"handed": 99}))
    with pytest.raises(ParameterError, match="is damaged"):
        Stream(STRATEGY, 1.0, 4, checkpoint=path)


def test_a_generator_of_ones_own_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="could repeat its noise"):
        Stream(STRATEGY, 1.0, 4, rng=np.random.default_rng(0), checkpoint=tmp_path / "noise.json")
