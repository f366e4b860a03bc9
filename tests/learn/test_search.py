"""A model that a search chose says so, and the search warns once."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score

from hockeystick.learn import LogisticRegression
from hockeystick.learn.search import TuningWarning

RNG = np.random.default_rng(5)
X = RNG.normal(size=(90, 2))
Y = (X[:, 0] > 0).astype(int)
QUICK: dict[str, Any] = {"batch_size": 30, "epochs": 2, "epsilon": 1.0, "delta": 1e-5}
SAYS = "One of several models that {} trained on the same records."


def caught(work: Any) -> tuple[Any, int]:
    """What the work gives, and how often it warned of tuning."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        result = work()
    return result, sum(each.category is TuningWarning for each in seen)


def test_a_grid_search_warns_once_and_its_best_model_says_so() -> None:
    search = GridSearchCV(LogisticRegression(**QUICK), {"learning_rate": [0.5, 1.0]}, cv=3)
    found, times = caught(lambda: search.fit(X, Y))
    assert times == 1
    privacy = found.best_estimator_.privacy_
    statement = str(privacy)
    assert SAYS.format("GridSearchCV") in statement
    assert "none of that is covered here" in statement
    assert "tuning_cost" in statement
    assert any("GridSearchCV" in note for note in privacy.to_dict()["notes"])
    assert "GridSearchCV" in privacy._repr_html_()


def test_another_search_warns_again() -> None:
    search = GridSearchCV(LogisticRegression(**QUICK), {"learning_rate": [1.0]}, cv=2)
    assert caught(lambda: search.fit(X, Y))[1] == 1
    assert caught(lambda: GridSearchCV(search.estimator, {"clip": [1.0]}, cv=2).fit(X, Y))[1] == 1


def test_a_cross_validation_warns_once() -> None:
    scores, times = caught(lambda: cross_val_score(LogisticRegression(**QUICK), X, Y, cv=3))
    assert (len(scores), times) == (3, 1)


def test_every_model_of_an_ensemble_says_so() -> None:
    ensemble = BaggingClassifier(LogisticRegression(**QUICK), n_estimators=3, random_state=0)
    found, _ = caught(lambda: ensemble.fit(X, Y))
    for model in found.estimators_:
        assert SAYS.format("BaggingClassifier") in str(model.privacy_)


def test_a_model_alone_says_nothing_of_a_search() -> None:
    found, times = caught(lambda: LogisticRegression(**QUICK).fit(X, Y))
    assert times == 0
    assert "One of several" not in str(found.privacy_)
