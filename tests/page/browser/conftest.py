"""A server with a ledger, and a browser that looks at it; a story that ends in an error fails."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hockeystick import ADD_REMOVE, Ledger
from tests.page.browser.chromium import chromium
from tests.page.browser.page import Page


@contextmanager
def served(*arguments: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The address of a server, and its process."""
    command = [sys.executable, "-m", "hockeystick.cli", "serve", "--no-open", "--port", "0"]
    with subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split()[-1], process
        finally:
            process.terminate()
            process.wait(20)


@pytest.fixture(scope="session")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two budgets, of which one has two spendings."""
    path = tmp_path_factory.mktemp("ledger") / "budget.db"
    books = Ledger(f"sqlite:///{path}", create=True)
    books.open("census", epsilon="3", delta="1e-6", unit="one person", relation=ADD_REMOVE)
    books.open("survey", epsilon="1", unit="one household")
    books.spend("census", "Gaussian(2.0).on(Poisson(0.01)) * 500", by="ana", purpose="a model")
    books.spend("census", "Laplace(20)", by="ben", purpose="a table")
    return path


@pytest.fixture(scope="session")
def downloads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("downloads")


@pytest.fixture(scope="session")
def browser(downloads: Path) -> Iterator[Any]:
    driver = chromium(downloads)
    yield driver
    driver.quit()


@pytest.fixture(scope="session")
def address(browser: Any, ledger: Path) -> Iterator[str]:
    """Of a server that has the ledger; only where there is a browser to look at it."""
    with served(str(ledger)) as (url, _):
        yield url


@pytest.fixture
def page(browser: Any, address: str, downloads: Path) -> Iterator[Page]:
    looked = Page(browser, address, downloads)
    browser.get("about:blank")
    browser.get_log("browser")  # what another page had to say
    yield looked
    assert looked.errors() == []
