"""From a table and its schema to a private model, and how good it is beside a non-private one."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from hockeystick.checks import Between
from hockeystick.learn.model import Model
from hockeystick.learn.privacy import DeltaWarning, Privacy
from hockeystick.learn.schema import Column, Schema
from hockeystick.learn.table import Table
from hockeystick.numerics.types import Array
from hockeystick.random.generators import Randomness, generator

NOT_PRIVATE = (
    "NOT PRIVATE, for the analyst only and not to be published: counts of private records, and "
    "scores on them, which no epsilon covers"
)


@dataclass(frozen=True)
class Scores:
    """How good the model is on records that were held out; nothing of it is private.

    private, without_privacy: accuracy, or R² for regression, of the model and of scikit-learn's own
    one; None where there are too few records, only one class of them, or they are not in memory.
    records: how many were trained on, and how many held out.
    """

    measure: str
    private: float | None
    without_privacy: float | None
    records: tuple[int, int]


@dataclass(frozen=True)
class Trained:
    """A private model and its privacy; scores only where they were asked for."""

    model: Model
    privacy: Privacy
    scores: Scores | None


@dataclass(frozen=True)
class Training:
    """All that is decided before any privacy is spent: which records, and the estimator.

    scored: whether scores were asked for, which are not private.
    """

    target: str
    schema: Schema
    features: Array
    targets: Array
    held_out: NDArray[np.bool_]
    estimator: Any
    scored: bool

    @property
    def declared(self) -> Column:
        """What is declared of the target."""
        return self.schema.columns[self.target]

    @property
    def privacy(self) -> Privacy:
        """What `run` will guarantee."""
        privacy: Privacy = self.estimator.privacy(self._inside)
        return privacy

    @property
    def advice(self) -> str | None:
        """A warning about delta, if there is one."""
        advice: str | None = self.estimator.advice(self._inside)
        return advice

    def run(self) -> Trained:
        """Train on the records that are not held out."""
        estimator = self.estimator
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeltaWarning)  # it is `advice`
            self._fit()
        model = Model(
            self.target,
            self.schema,
            np.atleast_2d(estimator.coef_),
            np.atleast_1d(estimator.intercept_),
            self.declared.classes and tuple(estimator.classes_.tolist()),
            estimator.privacy_.to_dict(),
        )
        return Trained(model, estimator.privacy_, self._scores() if self.scored else None)

    def _fit(self) -> None:
        self.estimator.fit(self.features[~self.held_out], self.targets[~self.held_out])

    @property
    def _inside(self) -> int:
        return int(np.count_nonzero(~self.held_out))

    def _scores(self) -> Scores:
        classified = self.declared.classes is not None
        inside, outside = (
            (self.features[rows], self.targets[rows]) for rows in (~self.held_out, self.held_out)
        )
        plain = _plain_model(classified, *inside)
        return Scores(
            "accuracy" if classified else "R²",
            score(self.estimator, *outside),
            None if plain is None else score(plain, *outside),
            (len(inside[1]), len(outside[1])),
        )


def prepare(
    table: Table,
    target: str,
    schema: Schema,
    *,
    test_fraction: float = 0.0,
    rng: Randomness = None,
    **options: Any,
) -> Training:
    """Encode the records by what is declared, and hold each of them out by a coin of its own.

    A target that is declared by categories is classified; one declared by bounds, regressed.
    `options` are those of `LogisticRegression` and `LinearRegression`.
    """
    declared = schema.columns[target]
    x, y = table.features(schema, target), table.targets(target, declared)
    source = generator(rng)
    # A seed of its own for the run, so that its statement says that there was a seed.
    seed = int(source.integers(2**32)) if isinstance(rng, int) else None
    held_out = hold_out(len(y), test_fraction, source)
    estimator = estimator_for(declared, random_state=seed, **options)
    return Training(target, schema, x, y, held_out, estimator, test_fraction > 0)


def hold_out(records: int, fraction: float, source: Generator) -> NDArray[np.bool_]:
    """Whether each record is held out, by an independent coin.

    Whether a record is trained on does not depend on the others, nor on how many there are: data
    sets that differ in one record are trained on sets that differ in one record at most. To hold
    out round(n·fraction) of them would replace a record where one is added.

    Parameters
    ----------
    fraction: in [0, 1), the probability of every coin.

    >>> hold_out(4, 0.0, generator(0)).tolist()
    [False, False, False, False]
    """
    return source.random(records) < Between("[0, 1)")("test_fraction", fraction)


def estimator_for(declared: Any, **options: Any) -> Any:
    from hockeystick import learn

    if declared.classes is not None:
        return learn.LogisticRegression(classes=list(declared.classes), **options)
    return learn.LinearRegression(target_bounds=(declared.lower, declared.upper), **options)


def _plain_model(classified: bool, x: Array, y: Array) -> Any:
    """Scikit-learn's own model; None where it refuses to learn."""
    from sklearn import linear_model

    if len(np.unique(y)) < 1 + classified:
        return None
    kind = linear_model.LogisticRegression(C=1e4, max_iter=10_000)
    return (kind if classified else linear_model.LinearRegression()).fit(x, y)


def score(model: Any, x: Array, y: Array) -> float | None:
    """Accuracy, or R², which says nothing of a single record; None of nobody."""
    if len(y) < 1 + (y.dtype.kind == "f"):
        return None
    return float(model.score(x, y))
