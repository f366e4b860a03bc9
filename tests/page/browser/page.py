"""The page as a person meets it: opened at a link, read, typed into, resized."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

PATIENCE = 20.0
"""Seconds that anything may take on a loaded machine; an answer itself takes 10 at most."""
RUN = "Gaussian(1.1).on(Poisson(0.01)) * 1000"
EXPECTED = ("status of 422", "status of 504")
"""What the browser itself writes to the console when the library refuses an input, or a curve that
the story does not wait for takes too long on a loaded machine."""


STILL = """
const [element, done] = arguments;
element.scrollIntoView({block: "center"});
const top = element.getBoundingClientRect().top;
setTimeout(() => done(element.getBoundingClientRect().top === top), 80);
"""
"""Whether an element is in sight and does not move: answers that come in push others away."""


class Page:
    """One tab of the browser."""

    def __init__(self, driver: Any, url: str, downloads: Path) -> None:
        self.driver, self.url, self.downloads = driver, url, downloads

    def open(self, *expressions: str, width: int = 1440, dark: bool = False, **state: Any) -> None:
        """The page at a link; without an expression, as it starts."""
        self.resize(width)
        theme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.command("Emulation.setEmulatedMedia", features=[theme])
        self.driver.get("about:blank")
        if expressions:
            state["runs"] = [{"expression": each, "relation": None} for each in expressions]
        self.driver.get(f"{self.url}#s={quote(json.dumps(state))}" if state else self.url)

    def resize(self, width: int) -> None:
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        self.command("Emulation.setDeviceMetricsOverride", **size)

    def command(self, name: str, **arguments: Any) -> Any:
        """A command of the DevTools protocol."""
        return self.driver.execute_cdp_cmd(name, arguments)

    def run(self, script: str, *arguments: Any) -> Any:
        """What a script in the page returns."""
        return self.driver.execute_script(script, *arguments)

    def find(self, css: str) -> Any:
        """The first such element, once there is one."""
        return self.until(lambda: self.all(css))[0]

    def all(self, css: str) -> list[Any]:
        found: list[Any] = self.driver.find_elements("css selector", css)
        return found

    def text(self, css: str) -> str:
        """What is written there, whether or not it is scrolled to."""
        script = "return document.querySelector(arguments[0])?.textContent ?? ''"
        return str(self.run(script, css)).strip()

    def click(self, css: str) -> None:
        element = self.find(css)
        self.until(lambda: self.driver.execute_async_script(STILL, element))
        element.click()

    def label(self, css: str) -> str:
        """What an element is to those who do not see it."""
        return str(self.run("return document.querySelector(arguments[0])?.ariaLabel ?? ''", css))

    def type(self, css: str, text: str) -> None:
        """Replace what is in a field, letter by letter."""
        self.click(css)
        self.find(css).send_keys("\ue009a\ue000", text)  # Control-A

    def choose(self, css: str, value: str) -> None:
        self.run(
            "const [select, value] = arguments; select.value = value;"
            "select.dispatchEvent(new Event('change', {bubbles: true}))",
            self.find(css),
            value,
        )

    def slide(self, css: str, value: float) -> None:
        """Hold a slider at a place."""
        self.run(
            "const [slider, value] = arguments; slider.value = value;"
            "slider.dispatchEvent(new Event('input', {bubbles: true}))",
            self.find(css),
            value,
        )

    def until(self, true: Callable[[], Any], patience: float = PATIENCE) -> Any:
        """Wait until it is so; what it is then."""
        ends = time.monotonic() + patience
        while not (found := true()):
            assert time.monotonic() < ends, f"not within {patience} s; {self.text('#answer')}"
            time.sleep(0.04)
        return found

    def shows(self, css: str, text: str) -> None:
        """Wait until an element has that text."""
        ends = time.monotonic() + PATIENCE
        while (seen := self.text(css)) != text:
            assert time.monotonic() < ends, f"{css} is {seen!r}, not {text!r}"
            time.sleep(0.04)

    def saved(self, name: str) -> bytes:
        """The bytes of a file that the page saved, which is taken away."""
        file = self.downloads / name
        self.until(lambda: file.exists() and file.stat().st_size > 0)
        content = file.read_bytes()
        file.unlink()
        return content

    def copied(self) -> str:
        """What is in the clipboard."""
        self.command("Browser.grantPermissions", permissions=["clipboardReadWrite"])
        return str(
            self.driver.execute_async_script(
                "navigator.clipboard.readText().then(arguments[0], arguments[0])"
            )
        )

    def errors(self) -> list[str]:
        """What went wrong in the console since it was last asked, but for what is expected."""
        lines = [entry["message"] for entry in self.driver.get_log("browser")]
        return [line for line in lines if not any(each in line for each in EXPECTED)]
