"""For everyone: by keyboard, dark and light, wrong input said beside the field, a server gone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.page.browser.conftest import served
from tests.page.browser.page import RUN, Page

pytestmark = pytest.mark.slow
TAB, ENTER, RIGHT, SHIFT_TAB = "\ue004", "\ue007", "\ue014", "\ue008\ue004\ue000"


def focused(page: Page) -> str:
    return str(page.run("return document.activeElement.id"))


def press(page: Page, keys: str) -> None:
    page.driver.switch_to.active_element.send_keys(keys)


def test_by_keyboard_alone(page: Page) -> None:
    page.open(RUN)
    page.until(lambda: page.text("#epsilon"))
    page.run("document.activeElement.blur()")
    page.find("body").send_keys(TAB)
    assert focused(page) == "skip"
    press(page, ENTER)
    assert focused(page) == "answer-title"
    assert page.find("#expression").get_property("value") == RUN  # the address was left alone
    page.run("document.querySelector('#tab-explorer').focus()")
    press(page, RIGHT)
    assert focused(page) == "tab-samplers"
    assert page.find("#panel-samplers").is_displayed()
    page.run("document.querySelector('#tab-samplers').focus()")
    press(page, "\ue012")
    seen = []
    for _ in range(60):
        press(page, TAB)
        name, outlined = page.run(
            "const e = document.activeElement, s = getComputedStyle(e);"
            "return [e.id, s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2]"
        )
        seen.append(name)
        assert outlined, f"{seen[-1]} has no visible focus"
        if seen[-1] == "copy-command":
            break
    reached = ["delta", "expression", "mechanism", "sampler", "steps", "relation", "slider-noise"]
    assert [
        each for each in [*reached, "target", "copy-python", "copy-command"] if each not in seen
    ] == []


def test_every_control_has_a_name(page: Page) -> None:
    for tab in ("explorer", "budgets"):
        page.open(RUN, tab=tab)
        page.until(lambda: page.text("#epsilon") or page.all("#proposal"))
        nodes = page.command("Accessibility.getFullAXTree")["nodes"]
        controls = {"button", "textbox", "combobox", "slider", "tab", "radio", "link"}
        unnamed = [
            node
            for node in nodes
            if node.get("role", {}).get("value") in controls
            and not node.get("ignored")
            and not node.get("name", {}).get("value")
        ]
        assert unnamed == []


@pytest.mark.parametrize("dark", [False, True])
def test_texts_stand_out_from_the_ground(page: Page, dark: bool) -> None:
    page.open(RUN, dark=dark)
    page.until(lambda: page.all(".bars .bar"))
    low = page.run(CONTRASTS)
    assert low == []
    ground = page.run("return getComputedStyle(document.body).backgroundColor")
    page.click("#theme")
    assert page.run("return getComputedStyle(document.body).backgroundColor") != ground
    page.run("localStorage.clear()")


CONTRASTS = """
const channel = (v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
const parse = (text) => text.match(/[\\d.]+/g).map(Number);
const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
const ground = (e) => {
  for (; e; e = e.parentElement) {
    const [r, g, b, a = 1] = parse(getComputedStyle(e).backgroundColor);
    if (a > 0.5) return [r, g, b];
  }
  return [255, 255, 255];
};
const low = [];
for (const e of document.querySelectorAll('body *')) {
  const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
  const left = e.closest(':disabled, svg, select, .toast, .skip');
  if (!own || left || !e.getClientRects().length) continue;
  const [a, b] = [light(parse(getComputedStyle(e).color)), light(ground(e))].sort((x, y) => y - x);
  if ((a + 0.05) / (b + 0.05) < 4.5) low.push(e.outerHTML.slice(0, 100));
}
return low;
"""


@pytest.mark.parametrize(
    ("field", "wrong", "message"),
    [
        ("mechanism-noise_multiplier", "-1", "noise_multiplier must be in [0, inf], got -1"),
        ("sampler-rate", "2", "rate must be in"),
        ("delta", "7", "delta must be in [0, 1], got 7"),
        ("expression", "Gausian(1)", "Gausian"),
        ("steps", "1.5", "1.5"),
    ],
)
def test_the_librarys_message_is_beside_the_field(
    page: Page, field: str, wrong: str, message: str
) -> None:
    page.open(RUN)
    page.until(lambda: page.text("#epsilon"))
    page.type(f"#{field}", wrong)
    page.until(lambda: page.text("#epsilon") == "–")
    place = field if page.text(f"#{field}-error") else "expression"
    assert message in page.text(f"#{place}-error")
    assert page.find(f"#{place}").get_attribute("aria-invalid") == "true"
    if field != "steps":
        assert place == field
    page.driver.back()
    page.shows("#epsilon", "1.515361916665")
    assert page.text(f"#{place}-error") == ""


def test_a_question_that_takes_too_long_is_said(page: Page) -> None:
    page.open("Gaussian(1)")
    page.until(lambda: page.text("#epsilon"))
    page.run(
        "const wait = AbortSignal.timeout; AbortSignal.timeout = (ms) => wait(ms / 5);"
        "const real = window.fetch; window.fetch = (url, o) => String(url).includes('epsilon')"
        " ? new Promise((_, no) => o.signal.addEventListener('abort', () => no(o.signal.reason)))"
        " : real(url, o)"
    )
    page.type("#mechanism-noise_multiplier", "2.5")
    page.until(lambda: "busy" in page.find("#answer").get_attribute("class"))
    page.until(lambda: "Still computing: 1 s" in page.text("#waiting"))
    assert page.find("#answer").get_attribute("aria-busy") == "true"
    page.until(lambda: "no answer within 10 s" in page.text("#expression-error"))


def test_a_server_without_a_ledger_that_goes_and_comes_back(browser: Any, tmp_path: Path) -> None:
    with served() as (url, process):
        alone = Page(browser, url, tmp_path)
        alone.open("Gaussian(1)", tab="budgets")
        alone.until(lambda: alone.text("#epsilon"))
        assert not alone.find("#tab-budgets").is_displayed()
        assert alone.find("#panel-explorer").is_displayed()
        assert alone.errors() == []
        process.terminate()
        process.wait(20)
        alone.type("#mechanism-noise_multiplier", "2")
        alone.until(lambda: alone.find("#gone").is_displayed())
        assert "hockeystick serve" in alone.text("#gone")
        with served("--port", url.rstrip("/").rpartition(":")[2]):
            alone.until(lambda: not alone.find("#gone").is_displayed())
            alone.until(lambda: alone.text("#epsilon").startswith("1.99"))
    browser.get_log("browser")  # that nobody answered is what was looked for
