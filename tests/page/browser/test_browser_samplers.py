"""Which sampler did you really use? The same run under four, next to each other."""

from __future__ import annotations

import pytest

from hockeystick import ZERO_OUT, parse
from tests.page.browser.page import Page

pytestmark = pytest.mark.slow
RUN = "Laplace(2).on(Poisson(0.25)) * 4"


def test_four_samplers_next_to_each_other(page: Page) -> None:
    page.open(RUN, tab="samplers")
    page.until(lambda: len(page.all(".sampled .cost strong")) == 4)
    shown = {
        each.get_attribute("data-sampler"): each.find_element("css selector", ".cost strong").text
        for each in page.all(".sampled li")
    }
    same = {
        "Poisson": RUN,
        "WithoutReplacement": "Laplace(2).on(WithoutReplacement(1, 4)) * 4",
        "Shuffled": "Laplace(2).on(Shuffled(1))",
        "RandomAllocation": "Laplace(2).on(RandomAllocation(4))",
    }
    for sampler, text in same.items():
        bound = parse(text).epsilon(1e-5, relation=ZERO_OUT)
        assert 0 <= float(shown[sampler]) - bound <= 1e-11 * bound
    assert page.text(".sampled .yours h2").startswith("Poisson sampling")
    page.click("#samplers-plot")
    page.until(lambda: len(page.all("#runs li")) == 4)
    page.until(lambda: page.all("#plot .legend li"))


def test_a_run_without_a_sampler_is_told_what_to_write(page: Page) -> None:
    page.open("Laplace(2)", tab="samplers")
    page.until(lambda: page.all("#samplers-answer .error"))
    assert "mechanism.on(sampler) * count" in page.text("#samplers-answer .error")
