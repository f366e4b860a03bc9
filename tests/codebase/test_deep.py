"""`--deep` of the root's conftest.py: what runs with it and without."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "ran"),
    [
        ([], "1 passed, 1 deselected"),
        (["--deep"], "2 passed"),
        (["--deep", "-m", "slow"], "1 passed, 1 deselected"),
        (["-m", "slow"], "2 deselected"),
    ],
    ids=["plain", "deep", "slow alone", "not without --deep"],
)
def test_slow_tests_run_when_asked_for(options: list[str], ran: str, tmp_path: Path) -> None:
    shutil.copy(ROOT / "conftest.py", tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = slow\n")
    (tmp_path / "test_two.py").write_text(
        "import pytest\n\ndef test_a(): pass\n\n@pytest.mark.slow\ndef test_b(): pass\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 5), done.stdout + done.stderr  # 5: nothing was left to run
    assert ran in done.stdout
