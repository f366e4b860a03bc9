"""What a person takes along: the link, Python, a command, pictures and data."""

from __future__ import annotations

import csv
import io
import json
import shlex
import struct
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from hockeystick import parse
from hockeystick.cli.main import main
from tests.page.browser.page import RUN, Page

pytestmark = pytest.mark.slow
SVG = "{http://www.w3.org/2000/svg}"


def test_the_address_holds_the_whole_state(page: Page) -> None:
    page.open("Gaussian(3)")
    page.until(lambda: page.text("#epsilon"))
    page.click("#add-run")
    page.type("#expression", "Laplace(4)")
    page.type("#delta", "1e-7")
    page.click("[data-kind=renyi]")
    page.slide("#slider-noise", 1)
    page.until(lambda: page.text("#what-if-answer"))
    before = page.text("#what-if-answer"), page.text("#epsilon")
    page.click("#copy-link")
    page.until(lambda: "Copied" in page.text("#toast"))
    link = page.copied()
    state = json.loads(unquote(link.split("#s=")[1]))
    assert [run["expression"] for run in state["runs"]] == ["Gaussian(3)", "Laplace(4)"]
    page.driver.get("about:blank")
    page.driver.get(link)
    page.shows("#what-if-answer", before[0])
    assert page.text("#epsilon") == before[1]
    assert page.find("#delta").get_property("value") == "1e-7"
    assert page.find("[data-kind=renyi]").get_attribute("aria-checked") == "true"
    assert len(page.all("#runs li")) == 2


def test_back_and_forward(page: Page) -> None:
    page.open("Gaussian(3)")
    first = page.until(lambda: page.text("#epsilon"))
    page.type("#mechanism-noise_multiplier", "45")
    page.until(lambda: page.text("#epsilon").startswith("0."))
    second = page.text("#epsilon")
    page.click("[data-kind=steps]")
    page.driver.back()
    page.driver.back()
    page.shows("#epsilon", first)
    assert page.find("#mechanism-noise_multiplier").get_property("value") == "3"
    page.driver.forward()
    page.shows("#epsilon", second)


def test_a_broken_link_is_the_page_as_it_starts(page: Page) -> None:
    page.open()
    for broken in ("%7Bnot", quoted({"runs": "none", "kind": 3}), quoted(None)):
        page.driver.get("about:blank")
        page.driver.get(f"{page.url}#s={broken}")
        page.shows("#epsilon", "1.515361916665")
        assert not page.errors()


def quoted(state: object) -> str:
    return json.dumps(state).replace(" ", "")


def test_copied_python_and_command_say_the_same(page: Page, tmp_path: Path) -> None:
    page.open(RUN, kind="steps")
    page.until(lambda: "hockeystick epsilon" in page.text("#command"))
    page.until(lambda: "sure afterwards" in page.text("#attacker-answer"))  # nothing moves any more
    page.click("#copy-python")
    page.until(lambda: "Python" in page.text("#toast"))
    ran = subprocess.run(
        [sys.executable, "-c", page.copied()],
        cwd=tmp_path,
        env={"PYTHONPATH": ":".join(sys.path), "MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert float(ran.stdout) == parse(RUN).epsilon(1e-5)
    assert (tmp_path / "steps.png").exists()
    page.click("#copy-command")
    page.until(lambda: "command" in page.text("#toast"))
    program, *arguments = shlex.split(page.copied().splitlines()[0])
    assert program == "hockeystick"
    assert CliRunner().invoke(main, arguments).output.split()[2] == page.text("#epsilon")


def test_csv_has_the_numbers_of_the_library(page: Page) -> None:
    page.open(RUN)
    page.until(lambda: page.all("#plot .legend li"))
    page.click("#save-curves [data-save=csv]")
    head, *rows = csv.reader(io.StringIO(page.saved("hockeystick-profile.csv").decode()))
    assert head[0] == "run"
    assert len(rows) > 20
    for run, epsilon, delta, other in rows[:: len(rows) // 4]:
        bound = parse(run).delta(float(epsilon))
        assert float(delta) == pytest.approx(bound.upper, rel=1e-9)
        assert float(other) == pytest.approx(bound.lower, rel=1e-9)


def test_svg_is_drawn_from_the_data(page: Page) -> None:
    page.open("Gaussian(3)", "PureDP(1)", kind="tradeoff")
    page.until(lambda: len(page.all("#plot .legend li")) == 2)
    page.click("#save-curves [data-save=svg]")
    drawn = ElementTree.fromstring(page.saved("hockeystick-tradeoff.svg"))
    texts = [str(each.text) for each in drawn.iter(f"{SVG}text")]
    for words in ("perfect privacy", "no privacy", "type I error", "type II error", "PureDP(1"):
        assert any(words in text for text in texts), words
    lines = [each for each in drawn.iter(f"{SVG}path") if each.get("stroke-width") == "2.25"]
    assert sum("L" in str(each.get("d")) for each in lines) == 2


def test_png_has_its_pixels(page: Page) -> None:
    page.open("Gaussian(3) * 5")
    page.until(lambda: page.all("#plot .legend li") and page.all(".bars .bar"))
    for plot, name in (("curves", "profile"), ("compare", "compare")):
        page.click(f"#save-{plot} [data-save=png]")
        content = page.saved(f"hockeystick-{name}.png")
        assert content[:8] == b"\x89PNG\r\n\x1a\n"
        assert struct.unpack(">I", content[16:20]) == (1600,)
        assert len(content) > 10_000
