"""From a table and its schema to a private model, and how good it is beside a non-private one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hockeystick.domain import probability
from hockeystick.errors import ParameterError
from hockeystick.learn.model import Model
from hockeystick.learn.privacy import Privacy
from hockeystick.learn.schema import Category, Column, Schema
from hockeystick.learn.table import Table
from hockeystick.randomness import Randomness, generator
from hockeystick.series import Array

ANALYST = (
    "The scores are computed on private records, and the model without privacy protects nobody: "
    "they are for the analyst only, not to be published."
)


@dataclass(frozen=True)
class Trained:
    """A private model, its privacy, and two scores on held-out records that no ε covers.

    score: accuracy, or R² for regression; score_without_privacy: of scikit-learn's own model, None
    where all records to train on are of one class, which that model refuses.
    """

    model: Model
    privacy: Privacy
    measure: str
    score: float
    score_without_privacy: float | None
    records: tuple[int, int]


def train(
    table: Table,
    target: str,
    schema: Schema,
    *,
    test_fraction: float = 0.2,
    rng: Randomness = None,
    **options: Any,
) -> Trained:
    """Hold some records out, train on the rest, and compare.

    A target that is declared by categories is classified; one declared by bounds, regressed.
    `options` are those of `LogisticRegression` and `LinearRegression`.
    """
    declared = schema.columns[target]
    x, y = table.features(schema, target), table.targets(target, declared)
    source = generator(rng)
    inside, outside = _split(len(y), test_fraction, source)
    # A seed of its own for the run, so that its statement says that there was a seed.
    seed = int(source.integers(2**32)) if isinstance(rng, int) else rng
    estimator = _estimator(declared, random_state=seed, **options)
    estimator.fit(x[inside], y[inside])
    model = Model(
        target,
        schema,
        np.atleast_2d(estimator.coef_),
        np.atleast_1d(estimator.intercept_),
        tuple(estimator.classes_.tolist()) if isinstance(declared, Category) else None,
        estimator.privacy_.to_dict(),
    )
    return Trained(
        model,
        estimator.privacy_,
        "accuracy" if isinstance(declared, Category) else "R²",
        float(estimator.score(x[outside], y[outside])),
        _score_without_privacy(declared, (x[inside], y[inside]), (x[outside], y[outside])),
        (len(inside), len(outside)),
    )


def _estimator(declared: Any, **options: Any) -> Any:
    from hockeystick import learn

    if isinstance(declared, Category):
        return learn.LogisticRegression(classes=list(declared.categories), **options)
    return learn.LinearRegression(target_bounds=(declared.lower, declared.upper), **options)


def _score_without_privacy(
    declared: Column, inside: tuple[Array, Array], outside: tuple[Array, Array]
) -> float | None:
    from sklearn import linear_model

    if not isinstance(declared, Category):
        plain = linear_model.LinearRegression()
    elif len(np.unique(inside[1])) < 2:
        return None
    else:
        plain = linear_model.LogisticRegression(C=1e4, max_iter=10_000)
    return float(plain.fit(*inside).score(*outside))


def _split(records: int, fraction: float, source: np.random.Generator) -> tuple[Array, Array]:
    """Which records to train on and which to hold out; two of each at least."""
    held = round(records * probability("test_fraction", fraction))
    if held < 2 or records - held < 2:
        raise ParameterError(
            f"test_fraction must leave at least two records on either side, got {fraction!r} of "
            f"{records}"
        )
    order = source.permutation(records)
    return np.sort(order[held:]), np.sort(order[:held])
