"""The scikit-learn estimators: scikit-learn's own checks, privacy, accuracy, refusals."""

from __future__ import annotations

import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn import linear_model
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import BaggingClassifier, StackingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import RFE
from sklearn.model_selection import (
    GridSearchCV,
    cross_val_predict,
    cross_val_score,
    permutation_test_score,
    train_test_split,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import hockeystick as hs
from hockeystick.learn import BoundedScaler, LinearRegression, LogisticRegression
from hockeystick.learn.estimator import TuningWarning
from hockeystick.learn.privacy import ScaleWarning
from hockeystick.numerics.types import Array

Split = list[Array]
"""Features to train and to test with, targets likewise."""
Kind = Callable[..., Any]

X = np.random.default_rng(0).uniform(-1, 1, (200, 3))
Y = np.where(X[:, 0] > 0, "yes", "no")

# Noise forbids none of them: the checks that compare two fits set random_state.
FORBIDDEN: dict[str, str] = {}


@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [LogisticRegression(), LinearRegression(), BoundedScaler()],
    expected_failed_checks=lambda estimator: FORBIDDEN,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore::hockeystick.learn.privacy.ScaleWarning")
def test_scikit_learns_own_checks(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


@pytest.fixture(scope="module")
def tumours() -> Split:
    data = load_breast_cancer()
    upper = np.array(
        [30, 40, 200, 3000, 0.2, 0.4, 0.5, 0.25, 0.4, 0.1, 3, 5, 25, 600, 0.04, 0.15, 0.4, 0.06,
         0.08, 0.03, 40, 50, 300, 5000, 0.25, 1.2, 1.5, 0.3, 0.7, 0.25]
    )  # fmt: skip
    x = BoundedScaler(np.zeros(30), upper).fit_transform(data.data)
    y = data.target
    return list(train_test_split(x, y, test_size=0.3, random_state=0, stratify=y))


@pytest.mark.parametrize(
    ("options", "mechanism", "relation"),
    [
        ({"epochs": 20}, hs.Gaussian(1.0).on(hs.Poisson(0.25)) * 80, hs.ZERO_OUT),
        (
            {"population": 400, "epochs": 20},
            hs.Gaussian(1.0).on(hs.Poisson(0.125)) * 160,
            hs.ADD_REMOVE,
        ),
        pytest.param(
            {"sampler": "without-replacement", "epochs": 40},
            hs.Gaussian(1.0).on(hs.WithoutReplacement(50, 200)) * 160,
            hs.REPLACE_ONE,
            marks=pytest.mark.slow,
        ),
        ({"sampler": "full"}, hs.Gaussian(1.0) * 2, hs.ZERO_OUT),
        ({"sampler": "full", "relation": "replace-one"}, hs.Gaussian(1.0) * 2, hs.REPLACE_ONE),
        ({"delta": 0.0}, hs.Laplace(1.0).on(hs.Poisson(0.25)) * 8, hs.ZERO_OUT),
        ({"delta": 0.0, "sampler": "full"}, hs.Laplace(1.0) * 2, hs.ZERO_OUT),
        ({"batch_size": 1000}, hs.Gaussian(1.0) * 2, hs.ZERO_OUT),
    ],
)
def test_the_mechanism_is_the_hand_written_one(
    options: dict[str, Any], mechanism: hs.Mechanism, relation: hs.Relation
) -> None:
    """The same sampler and steps, with just enough noise: a millionth less is too little."""
    given = {"batch_size": 50, "epochs": 2, "epsilon": 2.0, "random_state": 0} | options
    privacy = LogisticRegression(**given).fit(X, Y).privacy_
    [ran] = privacy.mechanism.parts
    noise: Any = getattr(ran, "base", ran)
    found = noise.noise_multiplier
    [(step, count)] = mechanism.parts.items()
    base: Any = getattr(step, "base", step)
    sampler = getattr(step, "sampler", hs.EveryRecord())
    assert privacy.mechanism == type(base)(found).on(sampler) * count
    assert privacy.relation is relation
    delta = given.get("delta", 1e-5)
    assert privacy.epsilon == privacy.mechanism.epsilon(delta, relation=relation) <= 2.0
    less = type(base)(found * (1 - 1e-6)).on(sampler) * count
    assert less.epsilon(delta, relation=relation) > 2.0


def test_the_statement_says_what_is_public() -> None:
    secret = LogisticRegression(population=500, classes=["no", "yes"], epochs=1).fit(X, Y)
    assert "Taken as public" not in str(secret.privacy_)
    assert "200" not in str(secret.privacy_)
    open_ = LogisticRegression(epochs=1).fit(X, Y)
    assert "the number of records, 200; the set of labels" in str(open_.privacy_)
    assert "protects nobody" not in str(open_.privacy_)
    seeded = LogisticRegression(epochs=1, random_state=1).fit(X, Y)
    assert "protects nobody" in str(seeded.privacy_)
    again = pickle.loads(pickle.dumps(seeded))
    assert str(again.privacy_) == str(seeded.privacy_)


@pytest.mark.parametrize("sampler", ["poisson", "full"])
def test_generous_budgets_come_near_the_non_private_model(tumours: Split, sampler: str) -> None:
    x, x_test, y, y_test = tumours
    plain = linear_model.LogisticRegression(C=1e3, max_iter=5000).fit(x, y).score(x_test, y_test)
    options: dict[str, Any] = {
        "sampler": sampler,
        "batch_size": 64,
        "epochs": 200 if sampler == "full" else 40,
    }
    clf = LogisticRegression(epsilon=20.0, random_state=0, **options).fit(x, y)
    assert plain > 0.93
    assert clf.score(x_test, y_test) > plain - 0.03


def test_small_budgets_still_learn(tumours: Split) -> None:
    x, x_test, y, y_test = tumours
    options: dict[str, Any] = {"epsilon": 1.0, "batch_size": 64}
    scores = [
        LogisticRegression(random_state=seed, **options).fit(x, y).score(x_test, y_test)
        for seed in range(3)
    ]
    assert 0.85 < np.mean(scores) < 0.98


def test_three_classes() -> None:
    data = load_iris()
    x = BoundedScaler([4, 2, 1, 0], [8, 5, 7, 3]).fit_transform(data.data)
    names = data.target_names[data.target]
    clf = LogisticRegression(epsilon=50.0, sampler="full", epochs=300, clip=2.0, random_state=0)
    clf.fit(x, names)
    assert clf.coef_.shape == (3, 4)
    assert clf.score(x, names) > 0.9
    proba = clf.predict_proba(x)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_array_equal(clf.classes_[proba.argmax(axis=1)], clf.predict(x))
    np.testing.assert_allclose(np.exp(clf.predict_log_proba(x)), proba, rtol=1e-12)


def test_two_classes_agree_on_themselves() -> None:
    clf = LogisticRegression(epsilon=10.0, random_state=0).fit(X, Y)
    proba, score = clf.predict_proba(X)[:, 1], clf.decision_function(X)
    np.testing.assert_allclose(proba, 1 / (1 + np.exp(-score)), rtol=1e-12)
    np.testing.assert_array_equal(clf.predict(X) == "yes", score > 0)
    assert clf.score(X, Y) > 0.9
    flat = LogisticRegression(epsilon=10.0, random_state=0, fit_intercept=False).fit(X, Y)
    assert flat.intercept_ == 0


def test_regression_comes_near_least_squares() -> None:
    data = load_diabetes(scaled=False)
    lower = [15, 1, 15, 60, 90, 40, 20, 2, 3, 50]
    upper = [80, 2, 45, 135, 305, 245, 100, 10, 6.5, 130]
    x = BoundedScaler(lower, upper).fit_transform(data.data)
    plain = linear_model.LinearRegression().fit(x, data.target).score(x, data.target)
    model = LinearRegression(
        epsilon=100.0, sampler="full", epochs=500, target_bounds=(25, 346), random_state=0
    ).fit(x, data.target)
    assert plain > 0.5
    assert model.score(x, data.target) > plain - 0.05
    zero = x * 0
    np.testing.assert_allclose(model.predict(zero), model.intercept_)


def test_targets_beyond_their_bounds_are_clipped() -> None:
    x = np.zeros((300, 1))
    model = LinearRegression(epsilon=1e4, sampler="full", epochs=100, target_bounds=(0, 10))
    assert model.fit(x, np.full(300, 1e9)).intercept_ == pytest.approx(10, abs=0.2)
    tight = (10**30, 10**30 + 1)
    bad: list[Any] = [
        (3, 3),
        3,
        ("a", "b"),
        (1, 2, 3),
        (0, float("nan")),
        "ab",
        (0, 10**400),
        tight,
    ]
    for bounds in bad:
        with pytest.raises(hs.ParameterError, match="target_bounds must be two finite"):
            LinearRegression(target_bounds=bounds).fit(X, X[:, 0])


def test_pipelines_and_searches_work_and_warn() -> None:
    model = make_pipeline(BoundedScaler(), LogisticRegression(epochs=1, random_state=0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.fit(X, Y).predict(X).shape == (200,)
    grid = {"logisticregression__learning_rate": [0.5, 2.0]}
    with pytest.warns(TuningWarning, match="costs its whole epsilon"):
        search = GridSearchCV(model, grid, cv=2).fit(X, Y)
    assert search.best_params_["logisticregression__learning_rate"] in (0.5, 2.0)


@pytest.mark.parametrize(
    "many",
    [
        lambda model: cross_val_score(model, X, Y, cv=2),
        lambda model: cross_val_predict(model, X, Y, cv=2),
        lambda model: permutation_test_score(model, X, Y, cv=2, n_permutations=2),
        lambda model: BaggingClassifier(model, 2).fit(X, Y),
        lambda model: CalibratedClassifierCV(model, cv=2).fit(X, Y),
        lambda model: StackingClassifier([("a", model)], cv=2).fit(X, Y),
        lambda model: OneVsRestClassifier(model).fit(X, np.arange(200) % 3),
        lambda model: RFE(model, n_features_to_select=1).fit(X, Y),
        lambda model: MultiOutputClassifier(model).fit(X, np.column_stack([Y, Y[::-1]])),
    ],
)
def test_whoever_trains_many_models_is_warned(many: Callable[[Any], object]) -> None:
    model = LogisticRegression(epochs=1, random_state=0)
    with pytest.warns(TuningWarning, match="tuning_cost"):
        many(model)


@pytest.mark.parametrize("kind", [LogisticRegression, LinearRegression])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilon": 0.0}, "epsilon must be in"),
        ({"epsilon": float("nan")}, "epsilon must be"),
        ({"delta": -1e-5}, "delta must be"),
        ({"delta": 1.0}, r"delta must be in \[0, 1\)"),
        ({"delta": 0.0, "noise": "gaussian"}, "noise must be laplace for delta = 0"),
        ({"noise": "cauchy"}, "noise must be gaussian, laplace or None"),
        ({"clip": 0.0}, "clip must be"),
        ({"clip": -1.0}, "clip must be"),
        ({"sampler": "shuffled"}, "sampler must be one of poisson, without-replacement, full"),
        ({"sampler": "without-replacement", "batch_size": 201}, "batch_size must be at most"),
        ({"batch_size": 0}, "batch_size must be"),
        ({"epochs": 0}, "epochs must be"),
        ({"momentum": 1.0}, "momentum must be"),
        ({"population": 0}, "population must be"),
        ({"sampler": "without-replacement", "population": 300, "batch_size": 9}, "population must"),
        ({"relation": "neighbours"}, "relation must be"),
        ({"relation": "add-remove"}, "population must be declared"),
        ({"random_state": "seed"}, "random_state must be None"),
        ({"random_state": -1}, "random_state must be None.* got -1"),
        ({"random_state": True}, "random_state must be None"),
        ({"population": 10**400}, "population must be an integer in"),
        ({"batch_size": 10**400}, "batch_size must be an integer in"),
        ({"epochs": 1e300}, "epochs must be of at most"),
        ({"epochs": 1e308}, "epochs must be of at most"),
    ],
)
def test_refusals(kind: Kind, options: dict[str, Any], message: str) -> None:
    y = Y if kind is LogisticRegression else X[:, 1]
    with pytest.raises(hs.ParameterError, match=message):
        kind(**options).fit(X, y)


def test_labels_are_checked_and_not_shown() -> None:
    with pytest.raises(hs.ParameterError, match="at least two classes, got one class") as caught:
        LogisticRegression().fit(X, np.full(200, "secret"))
    assert "secret" not in str(caught.value)
    with pytest.raises(hs.ParameterError, match="declared classes only") as caught:
        LogisticRegression(classes=["yes", "no"]).fit(X, np.append(Y[1:], "secret"))
    assert "secret" not in str(caught.value)
    bad: list[Any] = [["yes"], "ab", [["yes", "no"]], 3, ["yes", None]]
    for classes in bad:
        with pytest.raises(hs.ParameterError, match="classes must be at least two"):
            LogisticRegression(classes=classes).fit(X, Y)
    # Of declared classes one may be empty: an error would tell that it is.
    one = LogisticRegression(classes=["yes", "no"], epochs=1).fit(X, np.full(200, "yes"))
    assert one.classes_.tolist() == ["no", "yes"]


@pytest.mark.parametrize("kind", [LogisticRegression, LinearRegression, BoundedScaler])
def test_features_are_checked_and_not_shown(kind: Kind) -> None:
    texts = X.astype(object)
    texts[3, 1] = "secret"
    hole = X.copy()
    hole[3, 1] = np.nan
    y = Y if kind is LogisticRegression else X[:, 1]
    for bad in (texts, hole):
        with pytest.raises(ValueError, match=r"NaN|could not convert") as caught:
            kind().fit(bad, y)
        assert "secret" not in str(caught.value)
        fitted = kind().fit(X, y)
        with pytest.raises(ValueError, match=r"NaN|could not convert") as caught:
            (fitted.transform if kind is BoundedScaler else fitted.predict)(bad)
        assert "secret" not in str(caught.value)
    with pytest.raises(NotFittedError):
        (kind().transform if kind is BoundedScaler else kind().predict)(X)


def test_the_scaler_knows_only_its_bounds() -> None:
    scaler = BoundedScaler([0, -5, 1], [10, 5, 3])
    np.testing.assert_array_equal(
        scaler.fit(X).transform([[0, 0, 3], [20, 2.5, -9]]), [[-1, 0, 1], [1, 0.5, -1]]
    )
    with pytest.raises(hs.ParameterError, match="one for each of 3 features"):
        BoundedScaler([0, 1], 2).fit(X)
    with pytest.raises(hs.ParameterError, match="each lower below its upper"):
        BoundedScaler(1, 1).fit(X)


@pytest.mark.slow
def test_the_core_does_not_import_learning() -> None:
    code = (
        "import sys, hockeystick; import hockeystick as hs; hs.Gaussian;"
        "assert not [m for m in sys.modules if m.startswith(('hockeystick.learn', 'sklearn'))];"
        "import hockeystick.learn as learn; learn.private_sgd; learn.tuning_cost;"
        "assert 'sklearn' not in sys.modules; learn.LogisticRegression;"
        "assert 'sklearn' in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


SECRET = 0.31337
BAD = {
    "row": np.full(200, SECRET),
    "number": SECRET,
    "three dimensions": np.full((200, 3, 1), SECRET),
    "complex": np.full((200, 3), SECRET * 1j),
    "dicts": [{"a": SECRET}] * 200,
    "cells of dicts": [[{"a": SECRET}]] * 200,
    "texts": [[f"{SECRET} kg"]] * 200,
    "ragged": [[SECRET]] * 199 + [[SECRET, SECRET]],
    "missing": None,
    "no columns": np.zeros((200, 0)),
    "infinite": np.full((200, 3), np.inf),
    "sets": {SECRET},
}


@pytest.mark.parametrize("kind", [LogisticRegression, LinearRegression, BoundedScaler])
@pytest.mark.parametrize("name", BAD)
def test_no_message_shows_a_feature(kind: Kind, name: str) -> None:
    y = Y if kind is LogisticRegression else X[:, 1]
    fitted = kind(**({} if kind is BoundedScaler else {"epochs": 1})).fit(X, y)
    use = fitted.transform if kind is BoundedScaler else fitted.predict
    for call in (partial(kind().fit, BAD[name], y), partial(use, BAD[name])):
        with pytest.raises(hs.ParameterError, match=r"^X and y must") as caught:
            call()
        assert "31337" not in str(caught.value)


@pytest.mark.parametrize("kind", [LogisticRegression, LinearRegression])
@pytest.mark.parametrize(
    "y",
    [
        np.full(200, SECRET * 1j),
        np.full((200, 2), SECRET),
        np.full(199, SECRET),
        SECRET,
        None,
        [{"a": SECRET}] * 200,
        np.array([SECRET, "31337", None, 7] * 50, dtype=object),
        np.array(["31337 kg", b"31337"] * 100, dtype=object),
        [[SECRET]] * 199 + [[SECRET, SECRET]],
    ],
    ids=range(9),
)
def test_no_message_shows_a_target(kind: Kind, y: Any) -> None:
    with pytest.raises(hs.ParameterError, match=r"\by\b") as caught:
        kind().fit(X, y)
    assert "31337" not in str(caught.value)


def test_targets_of_a_regression_are_numbers() -> None:
    for y in (np.array(["31337"] * 200), np.full(200, "2020-01-01", dtype="datetime64[D]")):
        with pytest.raises(hs.ParameterError, match="y must be finite numbers") as caught:
            LinearRegression().fit(X, y)
        assert "31337" not in str(caught.value)


@pytest.mark.parametrize("population", [None, 100])
def test_nobody_at_all_trains_a_model_of_noise(population: int | None) -> None:
    """An error would tell that there is nobody."""
    given: dict[str, Any] = {"epochs": 3, "population": population, "random_state": 0}
    for labels in (["no", "yes"], ["a", "b", "c"]):
        clf = LogisticRegression(classes=labels, **given).fit(X[:0], np.array(labels)[:0])
        assert clf.coef_.any()
        assert clf.privacy_.epsilon <= 1
        assert clf.predict(X[:2]).shape == (2,)
    model = LinearRegression(target_bounds=(0, 1), **given).fit(X[:0], X[:0, 0])
    assert model.coef_.any()
    if population:
        assert "public" not in str(model.privacy_)
    with pytest.raises(hs.ParameterError, match="minimum of 1"):
        LogisticRegression(**given).fit(X[:0], Y[:0])


def test_bounds_of_the_scaler_are_numbers() -> None:
    with pytest.raises(hs.ParameterError, match="lower and upper must be numbers, got 'low' and"):
        BoundedScaler("low", "high").fit(X)
    for lower, upper in ((0, 10**400), (float("nan"), 1), (0, 5e-324), (-np.inf, 0)):
        with pytest.raises(hs.ParameterError, match="lower and upper must be"):
            BoundedScaler(lower, upper).fit(X)
    widest = BoundedScaler(-1.7e308, 1.7e308).fit(X)
    np.testing.assert_array_equal(widest.transform([[1.7e308, -1.7e308, 0]]), [[1, -1, 0]])
    narrow = BoundedScaler(0, 1e-300).fit(X)
    np.testing.assert_array_equal(narrow.transform([[1e300, -1e300, 5e-301]]), [[1, -1, 0]])


def test_records_far_longer_than_the_clip_are_a_warning() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 2)) * [1.0, 1000.0]
    y = (x[:, 0] > 0).astype(int)
    model = LogisticRegression(epsilon=1, delta=1e-5, classes=[0, 1], random_state=0)
    with pytest.warns(ScaleWarning, match="more than 10 times as long as the clip"):
        model.fit(x, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ScaleWarning)
        model.fit(x / [1.0, 1000.0], y)
