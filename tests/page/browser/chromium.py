"""Chromium, where it is installed: `apt install chromium-driver` and `pip install selenium`."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

REQUIRED = "HOCKEYSTICK_BROWSER_REQUIRED"
"""Where this variable is set, as it is in CI, a missing browser is a failure, not a skip."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
"""The same under the names that it has."""
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
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    driver = shutil.which("chromedriver")
    if browser is None or driver is None:
        raise LookupError("there is no Chromium with its driver: apt install chromium-driver")
    try:
        from selenium import webdriver
    except ModuleNotFoundError:
        raise LookupError("selenium is not installed: pip install -e '.[test]'") from None
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for switch in SWITCHES:
        options.add_argument(switch)
    options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options, webdriver.ChromeService(driver))
