"""Folders of Parquet files."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng

import hockeystick as hs
from hockeystick.learn import LinearRegression, LogisticRegression, from_arrays, from_parquet

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

N, D = 2000, 4
X = default_rng(0).uniform(-1, 1, size=(N, D))
LABELS = np.where(X[:, 0] + 0.2 * default_rng(1).normal(size=N) > 0, "yes", "no")
PERSONS = np.array([f"p{i}" for i in default_rng(2).integers(0, 600, N)])
WEIGHTS = default_rng(3).random(N)
NAMES = [f"x{j}" for j in range(D)]


def folder(place: Path, cuts: list[int], **extra: Any) -> Path:
    """The records in several files, cut at some rows."""
    place.mkdir()
    for k, rows in enumerate(np.split(np.arange(N), cuts)):
        columns = {name: X[rows, j] for j, name in enumerate(NAMES)}
        columns |= {"label": LABELS[rows], **{name: each[rows] for name, each in extra.items()}}
        pq.write_table(pa.table(columns), place / f"{k:03}.parquet", row_group_size=97)
    return place


def fitted(x: Any, y: Any = None, **options: Any) -> list[float]:
    given: Any = {"epsilon": 2.0, "batch_size": 200, "epochs": 2, "random_state": 3, **options}
    found = LogisticRegression(**given).fit(x, y)
    return [*found.coef_.ravel().tolist(), *found.intercept_.tolist()]


@pytest.mark.slow
def test_the_model_is_that_of_the_arrays(tmp_path: Path) -> None:
    expected = fitted(from_arrays(X, LABELS))
    one, many = folder(tmp_path / "one", []), folder(tmp_path / "many", [1, 300, 301, 1500])
    assert fitted(str(one), "label") == fitted(many, "label") == expected
    assert fitted(from_parquet(many, "label", part=64)) == expected
    assert fitted(from_parquet(one / "000.parquet", "label"), classes=["no", "yes"]) == expected


@pytest.mark.slow
def test_it_predicts_and_says_so(tmp_path: Path) -> None:
    place = folder(tmp_path / "data", [700])
    model = LogisticRegression(epsilon=5.0, batch_size=200, random_state=0).fit(place, "label")
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.feature_names_in_.tolist() == NAMES
    assert model.n_features_in_ == D
    with pytest.warns(UserWarning, match="feature names"):
        assert (model.predict(X) == LABELS).mean() > 0.85
    assert model.privacy_.epsilon <= 5


def test_persons_and_weights(tmp_path: Path) -> None:
    expected = from_arrays(X, LABELS, weights=WEIGHTS, groups=PERSONS)
    place = folder(tmp_path / "data", [500, 900], person=PERSONS, weight=WEIGHTS)
    found = from_parquet(place, "label", group="person", weight="weight", part=150)
    assert found.count == expected.count == len(np.unique(PERSONS))
    assert fitted(found) == fitted(expected)
    model = LogisticRegression(batch_size=50, epochs=1, random_state=0).fit(found)
    assert "Protected are persons" in model.privacy_.statement()


@pytest.mark.slow
def test_regression(tmp_path: Path) -> None:
    target = 5 + 3 * X[:, 1]
    place = folder(tmp_path / "data", [500], y=target)
    source = from_parquet(place, "y", features=NAMES)
    options: Any = {"epsilon": 5.0, "target_bounds": (0, 10), "random_state": 1, "batch_size": 200}
    found = LinearRegression(**options).fit(source)
    same = LinearRegression(**options).fit(from_arrays(X, target))
    assert found.coef_.tolist() == same.coef_.tolist()
    assert found.coef_[1] == pytest.approx(3, abs=0.5)


def test_the_copy_is_deleted_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    place, scratch = folder(tmp_path / "data", []), tmp_path / "scratch"
    scratch.mkdir()
    source = from_parquet(place, "label", scratch=scratch)
    (copy,) = scratch.iterdir()
    assert copy.stat().st_mode & 0o077 == 0
    assert len(pickle.dumps(source.parts)) < 2000  # a name goes to a worker, not the records
    del source
    assert not list(scratch.iterdir())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"target": "nothing"}, "the column 'nothing' is not among those"),
        ({"features": ["x0", "z"]}, "the column 'z' is not among those"),
        ({"features": []}, "no column is left"),
        ({"target": "x0"}, "the column 'label' must be numbers"),
        ({"folder": "nowhere"}, "must be a folder of *.parquet files"),
    ],
)
def test_refusals(tmp_path: Path, options: Any, words: str) -> None:
    given: Any = {"folder": folder(tmp_path / "data", []), "target": "label", **options}
    with pytest.raises(hs.ParameterError) as caught:
        from_parquet(**given)
    assert words in str(caught.value)


def test_a_folder_needs_the_name_of_its_target(tmp_path: Path) -> None:
    with pytest.raises(hs.ParameterError, match="name of a column"):
        LogisticRegression().fit(tmp_path, LABELS)


@pytest.mark.parametrize("name", ["label", "person"])
def test_a_missing_label_or_person_is_refused(tmp_path: Path, name: str) -> None:
    """It is no label of its own, and nobody's record."""
    columns: dict[str, Any] = {"x": [0.1, 0.2], "label": ["a", "b"], "person": ["p", "q"]}
    pq.write_table(pa.table({**columns, name: ["a", None]}), tmp_path / "0.parquet")
    with pytest.raises(hs.ParameterError, match=f"'{name}' must not be missing"):
        from_parquet(tmp_path, "label", group="person")


def test_a_missing_number_is_refused_when_all_are_read(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": [0.1, None], "label": ["a", "b"]}), tmp_path / "0.parquet")
    with pytest.raises(hs.ParameterError, match="must be finite"):
        LogisticRegression(classes=["a", "b"], delta=0.1).fit(tmp_path, "label")
