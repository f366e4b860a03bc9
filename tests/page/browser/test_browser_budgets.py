"""Budgets: what is spent and left, a proposal, the check, the statement; nothing is written."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from hockeystick import Ledger
from tests.page.browser.page import Page

pytestmark = pytest.mark.slow


def test_a_budget_is_read_and_never_written(page: Page, ledger: Path) -> None:
    before = hashlib.sha256(ledger.read_bytes()).hexdigest()
    books = Ledger(f"sqlite:///{ledger}")
    page.open(tab="budgets", budget="census")
    page.until(
        lambda: page.all("#verify-answer .verdict") and page.all("#proposal-answer .verdict")
    )
    used = books.used("census")
    assert float(page.text("#spent").split()[0]) == pytest.approx(100 * used, rel=1e-3)
    assert float(page.text("#left").split()[0]) == pytest.approx(100 - 100 * used, rel=1e-3)
    assert "renyi filter" in page.text("#filter")
    assert page.text("#verify-answer .verdict") == "Unbroken"
    rows = [each.text for each in page.all("#entries tbody tr")]
    assert len(rows) == 2
    assert "ben" in rows[0]
    assert "a table" in rows[0]
    assert page.all("#budget-plot canvas")
    page.shows("#proposal-answer .verdict", "Would fit")
    page.type("#proposal", "Laplace(0.1)")
    page.shows("#proposal-answer .verdict", "Would not fit")
    page.type("#proposal", "Laplace(")
    page.until(lambda: page.text("#proposal-error"))
    page.click("[data-budget=survey]")
    page.until(lambda: page.text("#budget-summary h2") == "survey")
    assert "0 %" in page.text("#spent")
    assert hashlib.sha256(ledger.read_bytes()).hexdigest() == before


def test_the_statement_is_printed_alone(page: Page) -> None:
    page.open(tab="budgets", budget="census")
    page.until(lambda: "Privacy statement: census" in page.text("#statement-text"))
    page.command("Emulation.setEmulatedMedia", media="print")
    shown = page.run(
        "return [...document.querySelectorAll('.card')].filter(e => e.offsetHeight).map(e => e.id)"
    )
    page.command("Emulation.setEmulatedMedia", media="")
    assert shown == ["statement"]
