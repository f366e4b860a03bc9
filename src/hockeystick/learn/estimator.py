"""What the scikit-learn estimators share: parameters, the plan they make, the run, the warning."""

from __future__ import annotations

import math
import warnings
from abc import abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from hockeystick.checks import LARGEST_WHOLE, Between, finite_positive, whole
from hockeystick.errors import ParameterError, RelationError
from hockeystick.learn.correlated import noise_in_turns
from hockeystick.learn.discretion import without_values
from hockeystick.learn.objective import Objective
from hockeystick.learn.plan import Plan, noise_for
from hockeystick.learn.privacy import DeltaWarning, Privacy, ScaleWarning, weak_delta
from hockeystick.learn.record_costs import RecordCosts, Trajectory, record_costs
from hockeystick.learn.scale.recognise import source_or_none
from hockeystick.learn.scale.source import Source
from hockeystick.learn.search import TuningWarning as TuningWarning
from hockeystick.learn.search import one_of_several
from hockeystick.learn.seed import check_seed
from hockeystick.learn.sgd import SEEDED, private_sgd
from hockeystick.mechanisms.bases.additive_noise import AdditiveNoise
from hockeystick.mechanisms.gaussian import Gaussian
from hockeystick.mechanisms.laplace import Laplace
from hockeystick.numerics.types import Array
from hockeystick.registry import kind_of
from hockeystick.relation import ADD_REMOVE, REPLACE_ONE, ZERO_OUT, Relation
from hockeystick.samplers.every_record import EveryRecord
from hockeystick.samplers.poisson import Poisson
from hockeystick.samplers.sampler import Sampler
from hockeystick.samplers.without_replacement import WithoutReplacement

FIXED = ("without-replacement", "cyclic")
"""Samplers for which the number of records is public."""
BELOW_ONE = Between("[0, 1)")
SAMPLERS = ("poisson", "without-replacement", "full", "cyclic")
NOISES: dict[str, type[AdditiveNoise]] = {"gaussian": Gaussian, "laplace": Laplace}

TOO_LONG = 10
"""Clips are chosen for gradients of about their length; one ten times as long is a mistake."""
SOME = 1000
"""Records are enough to see how long they are."""


@dataclass(eq=False, repr=False)
class PrivateEstimator(BaseEstimator):  # type: ignore[misc]
    """A linear model trained by `private_sgd`; see the subclasses.

    A dataclass keeps the parameters as they were given, which is scikit-learn's rule.
    """

    epsilon: float = 1.0
    delta: float = 1e-5
    clip: float = 1.0
    sampler: str = "poisson"
    batch_size: int = 512
    epochs: float = 20
    noise: str | None = None
    learning_rate: float = 1.0
    momentum: float = 0.0
    regularisation: float = 0.0
    fit_intercept: bool = True
    population: int | None = None
    relation: Relation | str | None = None
    random_state: Any = None
    verbose: bool = False
    ledger: Any = None
    keep_trajectory: bool = False

    coef_: Array = field(init=False)
    intercept_: Array = field(init=False)
    privacy_: Privacy = field(init=False)
    n_iter_: int = field(init=False)

    def plan(self, records: int) -> Plan:
        """What `fit` runs on so many records: calibrated to (epsilon, delta), exactly.

        It depends on the parameters and, unless `population` is declared, on the number of records.
        """
        relation = _relation(self.relation, self.sampler, self.population is not None)
        size = self._population(records)
        if self.sampler == "cyclic":
            return self._in_turns(size, relation)
        sampler, batch = self._sampler(size)
        steps = self._steps(size, batch)
        epsilon, delta = finite_positive("epsilon", self.epsilon), BELOW_ONE("delta", self.delta)
        kind = self._noise(delta)
        noise = noise_for(kind, sampler, steps, epsilon=epsilon, delta=delta, relation=relation)
        return Plan(
            noise, sampler, steps, self.clip, batch, self.learning_rate,
            self.momentum, self.regularisation, relation=relation,
        )  # fmt: skip

    def _in_turns(self, size: int, relation: Relation) -> Plan:
        """Batches that take turns, the same in every epoch, with correlated noise."""
        period = math.ceil(size / whole("batch_size", self.batch_size, 1))
        noise = noise_in_turns(
            str(self.noise or "banded"), period, whole("epochs", self.epochs, 1),
            epsilon=finite_positive("epsilon", self.epsilon),
            delta=Between("(0, 1)")("delta", self.delta), relation=relation,
        )  # fmt: skip
        return Plan.correlated(
            noise, self.clip, size / period, learning_rate=self.learning_rate,
            momentum=self.momentum, regularisation=self.regularisation, relation=relation,
        )  # fmt: skip

    def privacy(self, records: int) -> Privacy:
        """What `fit` guarantees on so many records: known before it spends anything."""
        plan, public = self.plan(records), self._public()
        if plan.relation is not ADD_REMOVE:
            public = (f"the number of records, {records}", *public)
        seeded = check_seed(self.random_state) is not None
        return Privacy(plan, self.delta, public, (SEEDED,) if seeded else ())

    def advice(self, records: int) -> str | None:
        """A warning if delta is not below one over the number of records, as far as it is public.

        Under add-remove that is the declared population.
        """
        relation = _relation(self.relation, self.sampler, self.population is not None)
        secret = relation is ADD_REMOVE
        return weak_delta(self.delta, self._population(records) if secret else records)

    def _public(self) -> tuple[str, ...]:
        """What the guarantee takes as known to everybody, besides the number of records."""
        return ()

    def _population(self, records: int) -> int:
        if self.population is None:
            return max(records, 1)  # nobody at all is a data set, too
        declared = whole("population", self.population, 1)
        if self.sampler in FIXED and declared != records:
            raise ParameterError(
                "population must be the number of records, or None, when a fixed number of them "
                f"is drawn, got {declared} for {records} records"
            )
        return declared

    def _sampler(self, size: int) -> tuple[Sampler, int]:
        """The sampler, and the public number that sums over a batch are divided by."""
        batch = whole("batch_size", self.batch_size, 1)
        if self.sampler == "poisson":
            return Poisson(min(1.0, batch / size)), min(batch, size)
        if self.sampler == "without-replacement":
            if batch > size:
                raise ParameterError(
                    f"batch_size must be at most the number of records, {size}, when they are "
                    f"drawn without replacement, got {batch}"
                )
            return WithoutReplacement(batch, size), batch
        if self.sampler == "full":
            return EveryRecord(), size
        raise ParameterError(f"sampler must be one of {', '.join(SAMPLERS)}, got {self.sampler!r}")

    def _steps(self, size: int, batch: int) -> int:
        steps = finite_positive("epochs", self.epochs) * size / batch
        if steps > LARGEST_WHOLE:
            raise ParameterError(
                f"epochs must be of at most 2^62 steps, got {self.epochs!r} with {batch} of {size} "
                "in a batch"
            )
        return max(1, math.ceil(steps - 1e-9))

    def _noise(self, delta: float) -> type[AdditiveNoise]:
        name = str(self.noise or ("gaussian" if delta else "laplace"))
        kind = NOISES.get(name) or kind_of(name)
        if kind is None or not issubclass(kind, AdditiveNoise):
            raise ParameterError(
                "noise must be gaussian, laplace or None, or the name of another class that adds "
                f"noise to a vector, got {self.noise!r}"
            )
        if delta == 0 and not kind.pure:
            raise ParameterError(f"noise must be laplace for delta = 0, got {name!r}")
        return kind

    def _train(self, objective: Objective, x: Array | Source, y: Array | None) -> Array:
        """Run the plan; the parameters, a row for each feature and one for the intercept."""
        count = x.count if isinstance(x, Source) else len(x)
        seed, privacy = check_seed(self.random_state), self.privacy(count)
        search = one_of_several(seed)
        advice = self.advice(count)
        if advice:
            warnings.warn(advice, DeltaWarning, stacklevel=4)
        warn_of_scale(x.some(SOME) if isinstance(x, Source) else x, privacy.plan.clip)
        if self.fit_intercept:
            x = x.with_intercept() if isinstance(x, Source) else _with_ones(x)
        if self.ledger is not None:  # all steps, before the first
            self.ledger.spend(privacy.mechanism, privacy.plan.relation)
        path = Trajectory() if self.keep_trajectory else None
        told: Any = {"delta": self.delta} if path is None else {"callback": path, "every": 1}
        run = private_sgd(objective, x, y, privacy.plan, rng=seed, progress=self.verbose, **told)
        self._objective, self.trajectory_ = objective, path
        self.privacy_ = replace(privacy, notes=(*search, *run.notes))
        self.n_iter_ = run.plan.steps
        if self.fit_intercept:
            return run.parameters
        return np.vstack([run.parameters, np.zeros((1, run.parameters.shape[1]))])

    def record_costs(self, X: Any, y: Any, *, delta: float | None = None) -> RecordCosts:
        """What `fit` cost each of its records, which must be given again; NOT PRIVATE.

        See `learn.record_costs`. delta: in (0, 1); the estimator's own by default. The estimator
        must have been made with `keep_trajectory=True`.
        """
        x = self._features(X)
        if self.trajectory_ is None:
            raise ParameterError(
                "record_costs needs a model that was made with keep_trajectory=True"
            )
        if self.fit_intercept:
            x = _with_ones(x)
        at = self.delta if delta is None else delta
        plan, path = self.privacy_.plan, self.trajectory_
        return record_costs(self._objective, x, self._encoded(y), plan, path, delta=at)

    @abstractmethod
    def _encoded(self, y: Any) -> Array:
        """The targets as the objective takes them, of a fitted model."""

    def _source(self, x: Any, y: Any) -> Source | None:
        """Data that stay where they are; None of what scikit-learn checks in memory."""
        source = source_or_none(x, y)
        if source is None:
            return None
        self.n_features_in_ = source.width
        if source.names is not None:
            self.feature_names_in_ = np.array(source.names, dtype=object)
        return source

    def _checked_data(self, x: Any, y: Any, **options: Any) -> tuple[Array, Array]:
        """The data as scikit-learn checks it, with no value of it in any message."""
        with without_values():
            x, y = validate_data(self, x, y, dtype=np.float64, **options)
        return x, y

    def _features(self, x: Any) -> Array:
        check_is_fitted(self)
        with without_values():
            return np.asarray(validate_data(self, x, dtype=np.float64, reset=False))


def _with_ones(x: Array) -> Array:
    return np.column_stack([x, np.ones(len(x))])


def _relation(given: Relation | str | None, sampler: str, declared: bool) -> Relation:
    """Natural for the sampler: n is public unless a population was declared in its place."""
    if given is None:
        if sampler == "without-replacement":
            return REPLACE_ONE
        if sampler == "cyclic":
            return ZERO_OUT
        return ADD_REMOVE if declared else ZERO_OUT
    name = given.value if isinstance(given, Relation) else given
    relation = Relation.read(name, "add-remove, zero-out, replace-one or None")
    if relation is ADD_REMOVE and not declared:
        raise ParameterError(
            "relation add-remove keeps the number of records secret, so a public population must "
            "be declared for the sampling rate: population=..., or take zero-out"
        )
    if relation is ADD_REMOVE and sampler in FIXED:
        raise RelationError(
            "relation must be replace-one or zero-out where a fixed number of records is drawn, or "
            "all in turns: the number that they are drawn from is public, got add-remove"
        )
    return relation


def warn_of_scale(features: Array, clip: float) -> None:
    """Warn if most records are many times longer than the clip: their gradients are, too.

    The warning tells of the private data, as errors do: it is for the analyst.
    """
    lengths = np.sqrt(np.einsum("ij,ij->i", features[:SOME], features[:SOME]))
    if len(lengths) and float(np.median(lengths)) > TOO_LONG * clip:
        warnings.warn(
            f"most records are more than {TOO_LONG} times as long as the clip, {clip:g}: what is "
            "left of their gradients points along the largest feature. Scale the features to "
            "declared bounds first, as BoundedScaler does. (This tells of the data: it is for the "
            "analyst, and not private.)",
            ScaleWarning,
            stacklevel=5,
        )
