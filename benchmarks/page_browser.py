"""``python -m benchmarks.page_browser``: how long a person waits, measured in the browser itself.

Chromium without a window opens the page of a server on the same machine. By its own clock (the
Performance API): until something is painted, until the first ε stands there, and from a change of
the noise until its ε is on the screen, the 30 ms of rest after a key included.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.page import percentile, server

LOADS, CHANGES = 5, 20
SWITCHES = ("--headless=new", "--no-sandbox", "--disable-gpu")
PATIENCE = 20.0
"""Seconds that an answer may take."""
REST = 2.0
"""Seconds between two changes: a person looks, and the curves are drawn meanwhile."""


def browser() -> Any:
    """Debian's Chromium; selenium is imported here, since only this needs it."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for switch in SWITCHES:
        options.add_argument(switch)
    return webdriver.Chrome(options, webdriver.ChromeService("/usr/bin/chromedriver"))


def until(true: Callable[[], Any]) -> Any:
    """What it is once it is so."""
    ends = time.monotonic() + PATIENCE
    while not (found := true()):
        if time.monotonic() > ends:
            raise TimeoutError(f"not within {PATIENCE} s")
        time.sleep(0.005)
    return found


def first_paint(driver: Any, url: str) -> float:
    """Milliseconds from the request of the page to the first paint with content."""
    script = "return performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"
    driver.get("about:blank")
    driver.get(url)
    return float(until(lambda: driver.execute_script(script)))


def first_answer(driver: Any, url: str) -> float:
    """Milliseconds from the request of the page until its first ε stands there."""
    script = "return document.querySelector('#epsilon').textContent.trim() && performance.now()"
    driver.get("about:blank")
    driver.get(url)
    return float(until(lambda: driver.execute_script(script)))


def changes(driver: Any, count: int) -> list[float]:
    """Milliseconds of each change of the noise to a value that was not asked before."""
    taken = "return performance.getEntriesByName('change to answer').map((each) => each.duration)"
    change = (
        "const field = document.querySelector('#mechanism-noise_multiplier');"
        "field.value = arguments[0]; field.dispatchEvent(new Event('input', {bubbles: true}))"
    )

    def answered() -> int:
        return len(driver.execute_script(taken))

    for place in range(count):
        before = answered()
        driver.execute_script(change, f"{1 + (place + 1) / 64}")
        while answered() == before:
            time.sleep(0.005)
        time.sleep(REST)
    return [float(each) for each in driver.execute_script(taken)]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--changes", type=int, default=CHANGES)
    count = parser.parse_args().changes
    driver = browser()
    table = Table("milliseconds until", "median", "90 %", "slowest", title="In the browser")
    try:
        with server() as port:
            url = f"http://127.0.0.1:{port}/"
            rows = {
                "the first paint": [first_paint(driver, url) for _ in range(LOADS)],
                "the first ε": [first_answer(driver, url) for _ in range(LOADS)],
                "a change is answered": changes(driver, count),
            }
    finally:
        driver.quit()
    for words, taken in rows.items():
        shown = [statistics.median(taken), percentile(taken, 0.9), max(taken)]
        table.add_row(words, *(f"{each:.0f}" for each in shown))
    Console().print(table)


if __name__ == "__main__":
    main()
