"""Text and controls: what the page takes apart and puts together means the same to the library."""

from __future__ import annotations

import pytest

from hockeystick import parse
from tests.page.browser.page import Page

pytestmark = pytest.mark.slow
AGAIN = """
const [texts, done] = arguments;
import("/base/expression.js").then(({parts, text}) =>
  done(texts.map((each) => { const found = parts(each); return found && text(found); })));
"""
SIMPLE = [
    "Gaussian(1.1).on(Poisson(0.01)) * 1000",
    "Gaussian( 2 , sensitivity = 3 )*4",
    "Laplace(2) + Gaussian(1e+2) * 3 + PureDP(0.5)",
    "Gaussian(1).on(WithoutReplacement(256, 60_000)) * 1_000",
    "RepeatAndSelect(Laplace(2) * 3 + Gaussian(4), 10.0)",
    "ZeroConcentratedDP(rho=0.1)",
]
BEYOND = ["", "Gaussian(", "(Gaussian(1) + Laplace(2)) * 3", "Gaussian(1).group(2)", "1 + 2"]


def test_what_is_taken_apart_means_the_same_together(page: Page) -> None:
    page.open("Gaussian(3)")
    page.until(lambda: page.text("#epsilon"))
    again = page.driver.execute_async_script(AGAIN, SIMPLE)
    assert [parse(each) for each in again] == [parse(each) for each in SIMPLE]
    assert page.driver.execute_async_script(AGAIN, BEYOND) == [None] * len(BEYOND)


def test_a_link_brings_no_elements(page: Page) -> None:
    """Whatever is in it is text."""
    page.open("<img src=x onerror=alert(1)>", delta="<b>1</b>", target="<script>")
    page.until(lambda: page.text("#delta-error") or page.text("#expression-error"))
    assert page.all("#runs img, #runs b, .error *") == []
    assert page.find("#expression").get_property("value").startswith("<img")
