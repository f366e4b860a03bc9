"""The explorer: ask by controls or by text, look at curves, suppose, calibrate, compare."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from hockeystick import calibrate, parse
from hockeystick.cli.main import main
from tests.page.browser.page import RUN, Page

pytestmark = pytest.mark.slow


def printed(expression: str, *options: str, delta: str = "1e-5") -> str:
    """The digits of ε that the command prints."""
    result = CliRunner().invoke(main, ["epsilon", expression, "--delta", delta, *options])
    return result.output.split()[2]


@pytest.mark.parametrize("width", [390, 1440])
def test_the_first_look_has_the_librarys_digits_and_fits(page: Page, width: int) -> None:
    page.open(width=width)
    page.shows("#epsilon", printed(RUN))
    assert page.text("#ends").endswith("1.515361916664")
    assert "contour" in page.text("#facts")
    page.until(lambda: page.all(".bars .bar"))
    page.until(lambda: page.all(".beliefs li"))
    assert page.run("return document.documentElement.scrollWidth") <= width
    beyond = page.run(
        "return [...document.querySelectorAll('button, input, select, textarea, .u-wrap, li')]"
        ".filter(e => e.getClientRects().length)"
        ".filter(e => e.getBoundingClientRect().right > innerWidth + 1)"
        ".map(e => e.outerHTML.slice(0, 80))"
    )
    assert beyond == []


def test_controls_and_text_stay_in_step(page: Page) -> None:
    page.open(RUN, kind="renyi")
    page.shows("#epsilon", printed(RUN))
    page.type("#mechanism-noise_multiplier", "1.3")
    page.shows("#epsilon", printed(RUN.replace("1.1", "1.3")))
    assert page.find("#expression").get_property("value") == RUN.replace("1.1", "1.3")
    page.choose("#mechanism", "Laplace")
    page.choose("#sampler", "")
    page.type("#steps", "3")
    page.shows("#epsilon", printed("Laplace(1.3) * 3"))
    page.type("#expression", "Laplace(2).on(Poisson(0.5)) * 7")
    page.shows("#epsilon", printed("Laplace(2).on(Poisson(0.5)) * 7"))
    fields = {"#mechanism": "Laplace", "#mechanism-noise_multiplier": "2", "#sampler-rate": "0.5"}
    for css, value in {**fields, "#steps": "7"}.items():
        assert page.find(css).get_property("value") == value
    page.choose("#relation", "replace-one")
    expected = printed("Laplace(2).on(Poisson(0.5)) * 7", "--relation", "replace-one")
    page.shows("#epsilon", expected)
    page.type("#delta", "1e-3")
    page.shows(
        "#epsilon",
        printed("Laplace(2).on(Poisson(0.5)) * 7", "--relation", "replace-one", delta="1e-3"),
    )


def test_what_controls_cannot_show_is_answered_as_text(page: Page) -> None:
    page.open("Gaussian(2) * 3 + Laplace(4)", kind="renyi")
    page.shows("#epsilon", printed("Gaussian(2) * 3 + Laplace(4)"))
    assert "part 1 of 2" in page.text("#expression-hint")
    page.click("#expression-hint button")
    page.until(lambda: page.find("#mechanism").get_property("value") == "Laplace")
    page.type("#mechanism-noise_multiplier", "5")
    page.shows("#epsilon", printed("Gaussian(2) * 3 + Laplace(5)"))


@pytest.mark.parametrize(
    ("kind", "axes"),
    [
        ("profile", ["δ (probability)", "ε ("]),
        ("tradeoff", ["type II error (", "type I error ("]),
        ("steps", ["ε (", "steps ("]),
        ("renyi", ["Rényi divergence (", "order α ("]),
    ],
)
def test_each_curve_is_drawn_with_named_axes(page: Page, kind: str, axes: list[str]) -> None:
    page.open("Gaussian(3) * 5", "Laplace(4) * 5")
    page.click(f"[data-kind={kind}]")
    page.until(lambda: all(axis in page.label("#plot [role=img]") for axis in axes))
    page.until(lambda: len(page.all("#plot .legend li")) == 2)
    inked = page.run(
        "const c = document.querySelector('#plot canvas');"
        "const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
        "let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n"
    )
    assert inked > 2000


def test_four_runs_side_by_side(page: Page) -> None:
    page.open("Gaussian(3)")
    for noise in ("4", "5", "6"):
        page.until(lambda: page.find("#add-run").is_enabled())
        page.click("#add-run")
        page.type("#mechanism-noise_multiplier", noise)
    page.shows("#run-3 .cost", f"ε {printed('Gaussian(6)')}")
    page.until(lambda: "D: Gaussian(6.0)" in page.label("#plot [role=img]"))
    page.until(lambda: len(page.all("#plot .legend li")) == 4)
    assert not page.find("#add-run").is_enabled()
    signs = page.run(
        "return [...document.querySelectorAll('#plot .legend .swatch line')]"
        ".map(e => [getComputedStyle(e).stroke, e.getAttribute('stroke-dasharray')])"
    )
    colours, dashes = zip(*signs, strict=True)
    assert len(set(colours)) == len(set(dashes)) == 4
    page.click("#remove-1")
    page.until(lambda: len(page.all("#plot .legend li")) == 3)
    page.shows("#run-1 .cost", f"ε {printed('Gaussian(5)')}")


def test_what_if_leaves_the_run_alone_until_it_is_kept(page: Page) -> None:
    page.open(RUN)
    page.shows("#epsilon", printed(RUN))
    page.slide("#slider-noise", 1)
    page.shows("#what-if-answer strong", f"ε {printed(RUN.replace('1.1', '2.2'))}")
    page.until(lambda: len(page.all("#plot .legend li")) == 2)
    assert page.text("#epsilon") == printed(RUN)
    page.slide("#slider-rate", -1)
    page.slide("#slider-steps", 1)
    changed = "Gaussian(2.2).on(Poisson(0.005)) * 2000"
    page.shows("#what-if-answer strong", f"ε {printed(changed)}")
    page.click("#what-if-keep")
    page.shows("#epsilon", printed(changed))
    assert page.find("#expression").get_property("value") == changed
    page.slide("#slider-noise", -1)
    page.until(lambda: page.text("#what-if-answer"))
    page.click("#what-if-back")
    page.shows("#what-if-answer", "")
    assert page.text("#epsilon") == printed(changed)
    page.open("Gaussian(2)", whatIf={"noise": 1.25, "rate": 1, "steps": 1})
    page.shows("#what-if-answer strong", f"ε {printed('Gaussian(2.5)')}")  # noise is no count


def test_calibrate_to_a_target(page: Page) -> None:
    page.open(RUN, kind="renyi")
    page.shows("#epsilon", printed(RUN))
    page.type("#target", "2")
    page.click("#calibrate-form button")
    found = float(page.until(lambda: page.all("#calibrated") and page.text("#calibrated")))
    sought = calibrate(lambda x: parse(RUN.replace("1.1", repr(x))), epsilon=2, delta=1e-5)
    assert sought == parse(RUN.replace("1.1", repr(found)))
    page.click("#calibrate-use")
    page.until(lambda: page.text("#epsilon").startswith(("1.99999", "2")))
    assert float(page.text("#epsilon")) <= 2


def test_the_attacker_and_every_bound(page: Page) -> None:
    page.open("PureDP(1)", delta="0")
    page.until(lambda: len(page.all(".beliefs li")) == 3)
    said = [each.text for each in page.all(".beliefs .to")]
    assert said == ["at most 2.673 %", "at most 23.2 %", "at most 73.11 %"]  # e·p/(e·p + 1 − p)
    assert "73.11" in page.text("#attacker-answer .plain:last-child")
    page.open(RUN)
    page.until(lambda: len(page.all(".bars .bar")) == 8)
    bars = {each.text.split("\n")[0]: each for each in page.all(".bars .bar")}
    lengths = {name: bar.find_element("css selector", ".length") for name, bar in bars.items()}
    widths = {name: length.rect["width"] for name, length in lengths.items()}
    assert widths["naive composition"] > widths["RDP exact curve"] > widths["exact"]
    assert "best" in bars["exact"].get_attribute("class")
    assert "not-valid" in bars["lower bound"].get_attribute("class")
