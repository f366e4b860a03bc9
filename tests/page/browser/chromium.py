"""Chromium, where it is installed: `apt install chromium-driver` and `pip install selenium`."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

REQUIRED = "HOCKEYSTICK_BROWSER_REQUIRED"
"""Where this variable is set, as it is in CI, a missing browser is a failure, not a skip."""
SWITCHES = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")


def chromium(downloads: Path) -> Any:
    """A browser of its own, which saves files in that folder; its tests are skipped without one."""
    try:
        return _started(downloads)
    except LookupError as error:
        if os.environ.get(REQUIRED):
            raise
        pytest.skip(f"no browser for the tests of the page: {error}")


def _started(downloads: Path) -> Any:
    programs = {name: shutil.which(name) for name in ("chromium", "chromedriver")}
    for name, place in programs.items():
        if place is None:
            raise LookupError(f"{name} is not installed: apt install chromium-driver")
    try:
        from selenium import webdriver
    except ModuleNotFoundError:
        raise LookupError("selenium is not installed: pip install -e '.[test]'") from None
    options = webdriver.ChromeOptions()
    options.binary_location = str(programs["chromium"])
    for switch in SWITCHES:
        options.add_argument(switch)
    options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options, webdriver.ChromeService(programs["chromedriver"]))
