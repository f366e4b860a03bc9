"""No two models get the same noise unawares, and no model carries what its noise came from."""

from __future__ import annotations

import pickle
import warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator, RandomState, default_rng
from sklearn.base import clone
from sklearn.ensemble import BaggingClassifier
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer
from sklearn.linear_model import RANSACRegressor
from sklearn.model_selection import cross_val_score, cross_validate

import hockeystick as hs
from hockeystick.learn import LinearRegression, Logistic, LogisticRegression, Plan, private_sgd
from hockeystick.learn.estimator import TuningWarning
from hockeystick.random.generators import generator

X = np.random.default_rng(0).uniform(-1, 1, (200, 3))
Y = np.where(X[:, 0] > 0, "yes", "no")


@pytest.mark.parametrize("kind", [LogisticRegression, LinearRegression])
@pytest.mark.parametrize(
    "state",
    [default_rng(0), default_rng, np.random.PCG64(0), RandomState(0), np.random.SeedSequence(0)],
    ids=["Generator", "function", "PCG64", "RandomState", "SeedSequence"],
)
def test_estimators_refuse_generators(kind: Any, state: Any) -> None:
    with pytest.raises(hs.ParameterError, match=r"random_state must be None.*copies generators"):
        kind(epochs=1, random_state=state).fit(X, Y if kind is LogisticRegression else X[:, 0])


def test_a_secure_generator_is_refused_too_and_not_copied() -> None:
    pytest.importorskip("randomgen")
    model = LogisticRegression(epochs=1, random_state=generator())
    with pytest.raises(hs.ParameterError, match="random_state must be None"):
        model.fit(X, Y)
    for copy in (clone, pickle.dumps):
        with pytest.raises(hs.ParameterError, match="cannot be copied or pickled"):
            copy(model)


def fitted_noise(seed: None = None) -> bytes:
    """A model of nobody is nothing but noise."""
    model = LogisticRegression(epochs=1, classes=["no", "yes"], random_state=seed)
    found: bytes = model.fit(X[:0], Y[:0]).coef_.tobytes()
    return found


def test_models_in_forked_processes_have_noise_of_their_own() -> None:
    pytest.importorskip("randomgen")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # fork, where there are threads
        with ProcessPoolExecutor(2, mp_context=get_context("fork")) as pool:
            found = list(pool.map(fitted_noise, [None] * 4))
    assert len({*found, fitted_noise()}) == 5


@pytest.mark.filterwarnings("ignore::hockeystick.learn.estimator.TuningWarning")
def test_the_folds_of_a_cross_validation_have_noise_of_their_own() -> None:
    pytest.importorskip("randomgen")
    model = LogisticRegression(epochs=1, classes=["no", "yes"])
    same = np.tile(X[:50], (2, 1)), np.tile(Y[:50], 2)
    found = cross_validate(model, *same, cv=2, return_estimator=True)["estimator"]
    assert (found[0].coef_ != found[1].coef_).all()


def objects(root: object) -> list[object]:
    """All that a value holds, at any depth."""
    found: list[object] = []
    todo = [root]
    while todo:
        each = todo.pop()
        if any(each is other for other in found):
            continue
        found.append(each)
        if isinstance(each, dict):
            todo += [*each.keys(), *each.values()]
        elif isinstance(each, list | tuple | set | frozenset):
            todo += [*each]
        else:
            todo += [*getattr(each, "__dict__", {}).values()]
    return found


@pytest.mark.parametrize("kind", [LogisticRegression, LinearRegression])
def test_a_fitted_model_holds_nothing_of_its_generator(
    kind: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("randomgen")
    key = int.from_bytes(b"the key of this run is 32 bytes.", "little")
    monkeypatch.setattr("secrets.randbits", lambda bits: key)
    model = kind(epochs=1).fit(X, Y if kind is LogisticRegression else X[:, 0])
    text = pickle.dumps(model)
    for part in (key.to_bytes(32, "little"), key.to_bytes(32, "big"), b"ChaCha", b"randomgen"):
        assert part not in text
        assert part[:16] not in text
    for each in objects(model):
        assert not isinstance(each, Generator | RandomState | np.random.BitGenerator)
    assert model.get_params()["random_state"] is None


def test_a_run_holds_nothing_of_its_generator() -> None:
    plan = Plan(hs.Gaussian(1.0), hs.Poisson(0.1), steps=3, clip=1.0, batch_size=6)
    run = private_sgd(Logistic(), X, (X[:, 0] > 0).astype(float), plan, rng=default_rng(0))
    for each in objects(run):
        assert not isinstance(each, Generator | np.random.BitGenerator)


def warned(call: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(each.message) for each in caught if each.category is TuningWarning]


def test_bagging_sets_seeds_and_is_said_to() -> None:
    """None becomes an integer of 31 bits in every model of the ensemble."""
    bag = BaggingClassifier(LogisticRegression(epochs=1), 2)
    texts = warned(lambda: bag.fit(X, Y))
    assert texts
    for text in texts:
        assert "ensembles set" in text
        assert "protects nobody" in text
    for model in bag.estimators_:
        assert isinstance(model.random_state, int)
        assert "protects nobody" in str(model.privacy_)


def test_a_search_without_a_seed_says_nothing_of_seeds() -> None:
    texts = warned(lambda: cross_val_score(LogisticRegression(epochs=1), X, Y, cv=2))
    assert len(texts) == 1
    assert not any("protects nobody" in text for text in texts)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_an_imputation_fits_many_times_and_warns() -> None:
    holes = X.copy()
    holes[::7, 0] = holes[3::7, 1] = np.nan
    imputer = IterativeImputer(LinearRegression(epochs=1), max_iter=2)
    texts = warned(lambda: imputer.fit(holes))
    assert len(texts) == 1  # for two rounds of three columns
    assert "imputation" in texts[0]


def test_an_estimator_that_sets_a_generator_is_refused() -> None:
    with pytest.raises(hs.ParameterError, match=r"random_state must be None.*got RandomState"):
        RANSACRegressor(LinearRegression(epochs=1), min_samples=50).fit(X, X[:, 0])


def test_a_single_fit_warns_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LogisticRegression(epochs=1, random_state=0).fit(X, Y)
    assert model.coef_.any()
