"""Estimators charge a ledger before they train, and train nothing that does not fit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

import hockeystick as hs
from hockeystick.learn import LogisticRegression

X = np.random.default_rng(0).uniform(-1, 1, (200, 2))


def test_a_fit_is_charged_before_it_trains(tmp_path: Path) -> None:
    ledger = hs.Ledger(str(tmp_path / "budget.db"), create=True)
    ledger.open("census", epsilon="1.5", delta="1e-5", unit="one person", relation=hs.ZERO_OUT)
    account = ledger.account("census", by="ana", purpose="a model")
    model = LogisticRegression(
        epsilon=1.0, delta=1e-5, classes=[False, True], epochs=1, batch_size=50, ledger=account
    )
    again = clone(model)
    model.fit(X, X[:, 0] > 0)
    (entry,) = ledger.show("census").spendings
    assert entry.content["expression"] == repr(model.privacy_.mechanism)
    with pytest.raises(hs.BudgetExceeded):
        again.fit(X, X[:, 0] > 0)
    other = clone(model).set_params(relation="add-remove", population=200)
    with pytest.raises(hs.RelationError, match="about zero-out, and this run about add-remove"):
        other.fit(X, X[:, 0] > 0)
    assert ledger.verify().entries == 2
    assert not hasattr(again, "coef_")
    assert not hasattr(other, "coef_")
