"""The page that shows every figure."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hockeystick.figures import names
from tools import gallery

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "gallery.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", names())
def test_every_figure_is_shown_with_its_command(name: str) -> None:
    assert f"(figures/{name}.png)" in PAGE
    assert f"\nhockeystick figure {name} -o {name}.png\n" in PAGE
    picture = (DOCS / "figures" / f"{name}.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert 10_000 < len(picture) < 150_000


def test_nothing_is_shown_that_is_not_there() -> None:
    shown = re.findall(r"\(figures/(.*?)\.png\)", PAGE)
    assert sorted(shown) == sorted(names())
    assert {path.stem for path in (DOCS / "figures").glob("*")} == set(names())


def test_links_within_the_page_lead_to_a_heading() -> None:
    headings = re.findall(r"^## (.*)$", PAGE, re.MULTILINE)
    targets = {re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in headings}
    links = re.findall(r"\(#(.*?)\)", PAGE)
    assert len(links) == len(headings)
    assert set(links) == targets


@pytest.mark.slow
@pytest.mark.parametrize("name", gallery.GAMMAS)
def test_the_tables_are_those_of_the_data(name: str) -> None:
    assert gallery.table(name) in PAGE


@pytest.mark.slow
def test_what_is_to_be_read_with_care() -> None:
    assert gallery.gaps() in PAGE
    assert f"(a slope of {gallery.slope():.2f})" in PAGE


def test_a_page_without_a_place_is_refused() -> None:
    with pytest.raises(LookupError, match="wang-4"):
        gallery.with_table("nothing", "wang-4")
