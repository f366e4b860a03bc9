"""Many processes, processes that die, disks that are full: nothing is overspent or lost."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import hockeystick as hs

RACE = """
import os, sys, time
import hockeystick as hs
url, writers = sys.argv[1], int(sys.argv[2])
hs.Ledger(url).left("census", "PureDP(1/40)")  # all is imported before the first fork
read, write = os.pipe()
for _ in range(writers):
    if os.fork() == 0:
        os.close(write)
        os.read(read, 1)  # until the parent closes the pipe: all at once
        passed = 0
        for _ in range(3):
            try:
                hs.Ledger(url).spend("census", "PureDP(1/40)", by="ana", purpose="a table")
                passed += 1
            except hs.BudgetExceeded:
                pass
        os._exit(passed)
os.close(write)
print(sum(os.waitstatus_to_exitcode(os.wait()[1]) for _ in range(writers)))
"""

KILLED = """
import os, random, signal, sys, time
import hockeystick as hs
url, kills = sys.argv[1], int(sys.argv[2])
hs.Ledger(url).left("census", "PureDP(1/1000000)")
draw = random.Random(7)
told = set()
for _ in range(kills):
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        ledger = hs.Ledger(url)
        while True:
            entry = ledger.spend("census", "PureDP(1/1000000)", by="ana", purpose="a table")
            os.write(write, b"%d\\n" % entry.number)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        lines = [pipe.readline() for _ in range(draw.randrange(4))]
        time.sleep(draw.uniform(0, 0.005))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        lines += pipe.readlines()
    told |= {int(line) for line in lines if line.endswith(b"\\n")}
there = {entry.number for entry in hs.Ledger(url).entries()}
assert told <= there, told - there
print(len(told), hs.Ledger(url).verify().entries - 1)
"""

FULL = """
import resource, signal, sys
import hockeystick as hs
url = sys.argv[1]
ledger = hs.Ledger(url)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))
done = 0
try:
    while True:
        ledger.spend("census", "PureDP(1/1000000)", by="ana", purpose="a table")
        done += 1
except hs.LedgerError as error:
    print(done, error)
"""

READ_ONLY = """
import os, sys
import hockeystick as hs
hs.Ledger(sys.argv[1]).left("census", "PureDP(0.1)")  # all is imported as long as it can be read
if os.getuid() == 0:
    os.setuid(65534)
ledger = hs.Ledger(sys.argv[1])
print(ledger.show("census").used, ledger.verify().entries)
try:
    ledger.spend("census", "PureDP(0.1)", by="ana", purpose="a table")
except hs.LedgerError as error:
    print(error)
"""


def run(script: str, *arguments: object) -> str:
    """What a Python process of its own prints."""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def opened(url: str, epsilon: int = 1) -> hs.Ledger:
    ledger = hs.Ledger(url, create=True)
    ledger.open("census", epsilon=epsilon, unit="one person")
    return ledger


@pytest.mark.slow
def test_sixteen_processes_at_the_limit(url: str) -> None:
    ledger = opened(url)
    assert run(RACE, url, 16) == "40\n"
    assert ledger.verify().entries == 41
    assert ledger.show("census").used == 1.0


@pytest.mark.slow
def test_two_hundred_processes_are_killed_and_nothing_is_lost(url: str) -> None:
    opened(url)
    told, there = map(int, run(KILLED, url, 200).split())
    assert 200 < told <= there <= told + 200


@pytest.mark.slow
def test_a_full_disk_is_said_and_leaves_the_ledger_whole(tmp_path: Path) -> None:
    path = str(tmp_path / "budget.db")
    ledger = opened(path)
    done, message = run(FULL, path).split(" ", 1)
    assert "nothing was written" in message
    assert int(done) >= 1
    assert ledger.verify().entries == 1 + int(done)
    ledger.spend("census", "PureDP(0.1)", by="ana", purpose="a table")


@pytest.mark.slow
def test_who_may_only_read_can_show_and_verify() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "budget.db"
        opened(str(path)).spend("census", "PureDP(0.5)", by="ana", purpose="a table")
        path.chmod(0o444)
        Path(folder).chmod(0o555)
        out = run(READ_ONLY, path).splitlines()
        Path(folder).chmod(0o700)
        assert out[0] == "0.5 2"
        assert "nothing was written" in out[1]
        assert hs.Ledger(str(path)).verify().entries == 2


def test_the_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "budget.db"
    opened(str(path))
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(hs.LedgerError, match="is there already; nothing was changed"):
        hs.Ledger(str(path), create=True)
    with pytest.raises(hs.LedgerError, match="there is no ledger"):
        hs.Ledger(str(tmp_path / "other.db"))
    assert os.listdir(tmp_path) == ["budget.db"]
    (tmp_path / "text.db").write_text("no database, but long enough to be looked at" * 100)
    with pytest.raises(hs.LedgerError, match="is not a ledger"):
        hs.Ledger(str(tmp_path / "text.db"))


def test_a_reader_of_the_database_needs_no_other_rights(database: str) -> None:
    import psycopg

    ledger = opened(database)
    ledger.spend("census", "PureDP(0.5)", by="ana", purpose="a table")
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS reader")
        connection.execute("CREATE ROLE reader LOGIN")
        connection.execute("GRANT SELECT ON hockeystick_entries TO reader")
    try:
        reader = hs.Ledger(re.sub("//.*?@", "//reader@", database))
        assert reader.verify().entries == 2
        assert reader.show("census").used == 0.5
        with pytest.raises(hs.LedgerError, match=r"permission denied.*nothing was written"):
            reader.spend("census", "PureDP(0.1)", by="ana", purpose="a table")
    finally:
        with psycopg.connect(database, autocommit=True) as connection:
            connection.execute("DROP OWNED BY reader")
            connection.execute("DROP ROLE reader")
    assert ledger.verify().entries == 2
