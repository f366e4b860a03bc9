"""A small ledger to look at."""

from __future__ import annotations

from pathlib import Path

import hockeystick as hs


def a_ledger(folder: Path) -> str:
    """The path of a ledger with two budgets, of which the first has three spendings."""
    path = str(folder / "budget.db")
    ledger = hs.Ledger(path, create=True)
    ledger.open("census", epsilon=3, delta="1e-6", unit="one person")
    ledger.open("pure", epsilon=1, unit="one household")
    for purpose in ("a table", "a map", "a mean"):
        ledger.spend("census", "Gaussian(20)", by="ana", purpose=purpose)
    return path
