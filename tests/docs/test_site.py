"""The documentation site: every page and every public name is in it, and links lead somewhere."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import hockeystick as hs
from tests.support.pages import DOCS
from tools import reference, site

ROOT = DOCS.parent
NAV = re.findall(r"^ +- (?:[^:\n]*: )?(\S+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.M)


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return reference.pages()


def listed(page: str) -> list[str]:
    return re.findall(r"^::: (\S+)$", page, re.MULTILINE)


def test_every_page_is_in_the_navigation_once(pages: dict[str, str]) -> None:
    written = {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")}
    besides = {name.lower() for name in site.BESIDES}
    made = {f"reference/{name}.md" for name in pages}
    assert sorted(NAV) == sorted(written | besides | made)


def test_every_public_name_is_on_one_page_of_the_reference(pages: dict[str, str]) -> None:
    top = [name for page in reference.TOP for name in listed(pages[page])]
    names = [path.rpartition(".")[2] for path in top]
    assert sorted(names) == sorted(set(hs.__all__) - set(hs.MODULES))
    for path, name in zip(top, names, strict=True):
        assert path == f"{hs.HOMES[name]}.{name}"
    for module in hs.MODULES:
        public = getattr(getattr(hs, module), "__all__", ["Audit", "lower_bound"])
        assert [path.rpartition(".")[2] for path in listed(pages[module])] == list(public)
        assert all(f"`{name}`" in pages["index"] for name in public)


def test_an_example_is_fenced_and_loses_its_flags() -> None:
    text = "Says\nso.\n\n    K(s) = 1\n\n>>> f(1)  # doctest: +ELLIPSIS\n1.0...\n\nMore."
    assert reference.markdown(text) == (
        "Says\nso.\n\n    K(s) = 1\n\n```pycon\n>>> f(1)\n1.0...\n```\n\nMore."
    )


def test_parameters_are_a_list() -> None:
    text = "Parameters\n----------\na, b: two of them,\n    both > 0.\nc: one."
    assert reference.markdown(text) == (
        "**Parameters**\n\n- `a`, `b`: two of them, both > 0.\n- `c`: one."
    )


@pytest.mark.parametrize("module", [reference, site], ids=["reference", "site"])
def test_the_examples_of_the_tools(module: object) -> None:
    failed, attempted = doctest.testmod(module)  # type: ignore[arg-type]
    assert attempted
    assert not failed


def targets(page: Path) -> list[str]:
    """The files that a page links to."""
    return re.findall(r"\]\((?!\w+:|#)([^)#\s]+)", page.read_text("utf-8"))


@pytest.mark.parametrize(
    "page", [*ROOT.glob("*.md"), *DOCS.rglob("*.md")], ids=lambda page: str(page.relative_to(ROOT))
)
def test_links_lead_to_files(page: Path) -> None:
    assert not [link for link in targets(page) if not (page.parent / link).exists()]
