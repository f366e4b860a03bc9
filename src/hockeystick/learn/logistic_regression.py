"""Private logistic regression as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from hockeystick.errors import ParameterError
from hockeystick.learn.discretion import without_values
from hockeystick.learn.estimator import PrivateEstimator
from hockeystick.learn.linear import Logistic, Softmax
from hockeystick.learn.objective import Objective
from hockeystick.learn.scale.source import Source
from hockeystick.learn.scale.targets import Codes
from hockeystick.numerics.types import Array


@dataclass(eq=False, repr=False)
class LogisticRegression(ClassifierMixin, PrivateEstimator):  # type: ignore[misc]
    """(ε, δ)-differentially private logistic regression, binary or multinomial.

    Gradients of single records are clipped, summed over a sampled batch, and noise is added that
    hs.calibrate solves for: the least with which all steps together meet (epsilon, delta). Features
    are best scaled to [−1, 1] by *declared* bounds (`BoundedScaler`); statistics of the data, as
    StandardScaler takes them, are releases that are not accounted for.

    Parameters
    ----------
    epsilon: in (0, inf). delta: in [0, 1); 0 takes Laplace noise and is pure ε-DP.
    clip: the longest gradient of a record, in L2 for Gaussian noise and L1 for Laplace.
    sampler: "poisson", "without-replacement" (one record replaced), "full", or "cyclic": the same
        batches in turn, epoch after epoch, with correlated noise.
    batch_size: expected, or exact; at most all records. epochs: passes over the data, in (0, inf).
    noise: "gaussian", "laplace", the name of another class that adds noise to a vector, or None to
        choose by delta. Where batches take turns: "banded" (if None), "buffered", "square-root",
        "tree" or "independent"; epochs are then whole.
    learning_rate, momentum, regularisation: see `Plan`.
    classes: the labels, declared; then there may even be no record. None takes them from y, which
        makes their set public.
    population: a public number that stands for the number of records in the sampling rate. None
        takes the number of records itself, which makes it public.
    relation: "add-remove", "zero-out" or "replace-one"; None: replace-one without replacement, else
        zero-out, or add-remove where a population is declared.
    random_state: None is secure; an integer is for experiments and protects nobody. A generator
        is refused, as scikit-learn copies it.
    verbose: whether to show a progress bar on standard error.
    keep_trajectory: whether to keep the parameters of every step, which are released anyway: for
        `record_costs`.

    Attributes: coef_, intercept_, classes_, n_iter_ (steps), and privacy_, a `Privacy`: the
    mechanism that ran, its bound and a statement to print.

    >>> x = np.linspace(-1, 1, 1000)[:, None]
    >>> clf = LogisticRegression(epsilon=1.0, delta=1e-5, random_state=0).fit(x, x[:, 0] > 0.2)
    >>> clf.predict([[-0.5], [0.9]]).tolist()
    [False, True]
    >>> clf.privacy_.epsilon <= 1
    True
    """

    classes: Sequence[Any] | None = None

    def fit(self, X: Any, y: Any = None) -> Self:
        """Train on a row of X and a label of y for each record.

        Data larger than memory: as `private_sgd` takes them, X a `Source` for instance.
        """
        declared = self._declared()
        source = self._source(X, y)
        if source is not None:
            self.classes_ = _classes(source.labels()) if declared is None else declared
            return self._fitted(source.with_targets(Codes(self.classes_)), None)
        x, y = self._checked_data(X, y, ensure_min_samples=1 if declared is None else 0)
        with without_values():
            y = column_or_1d(y, warn=True)
            if declared is None:  # it warns by how many different labels there are
                check_classification_targets(y)
            self.classes_, codes = _codes(y, declared)
        return self._fitted(x, codes)

    def _fitted(self, x: Array | Source, codes: Array | None) -> Self:
        binary = len(self.classes_) == 2
        objective: Objective = Logistic() if binary else Softmax(len(self.classes_))
        parameters = self._train(objective, x, codes)
        self.coef_, self.intercept_ = parameters[:-1].T, parameters[-1]
        return self

    def _encoded(self, y: Any) -> Array:
        with without_values():
            return _codes(column_or_1d(y), self.classes_)[1]

    def _public(self) -> tuple[str, ...]:
        return () if self.classes is not None else ("the set of labels, as the data has it",)

    def _declared(self) -> Array | None:
        """The declared classes, sorted."""
        if self.classes is None:
            return None
        try:
            given = np.asarray(self.classes)
            classes = np.unique(given)
        except (TypeError, ValueError):  # labels of several kinds, or rows of them
            given = classes = np.empty(0)
        if given.ndim != 1 or len(classes) < 2:
            raise ParameterError(
                f"classes must be at least two labels of one kind in a list, got {self.classes!r}"
            )
        return classes

    def decision_function(self, X: Any) -> Array:
        """Xθ: a column for each class, or one number for each row if there are two."""
        scores = self._features(X) @ self.coef_.T + self.intercept_
        return np.asarray(scores[:, 0] if scores.shape[1] == 1 else scores)

    def predict(self, X: Any) -> Array:
        """The likeliest class of each row."""
        scores = self.decision_function(X)
        best = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[best])

    def predict_proba(self, X: Any) -> Array:
        """The probability of each class, a row for each row."""
        from scipy.special import expit, softmax

        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.column_stack([expit(-scores), expit(scores)])
        return np.asarray(softmax(scores, axis=1))

    def predict_log_proba(self, X: Any) -> Array:
        """The logarithms of `predict_proba`."""
        return np.asarray(np.log(self.predict_proba(X)))


def _codes(y: Array, declared: Array | None) -> tuple[Array, Array]:
    """The classes, sorted, and the place of each label among them."""
    if declared is None:
        classes, codes = np.unique(y, return_inverse=True)
        return _classes(classes), codes
    if not np.isin(y, declared).all():
        raise ParameterError("y must hold declared classes only; one label (not shown) is not")
    return declared, np.searchsorted(declared, y)


def _classes(found: Array) -> Array:
    if len(found) < 2:
        raise ParameterError("y must have labels of at least two classes, got one class")
    return found
