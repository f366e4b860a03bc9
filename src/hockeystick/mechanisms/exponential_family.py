"""Mechanisms whose output has a law of an exponential family, known by log-partition function."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Self

import numpy as np

from hockeystick.checks import call_text, declare, declared, finite_non_negative, non_negative
from hockeystick.errors import ParameterError
from hockeystick.evidence import Evidence
from hockeystick.loss.families.assumptions import Assumptions, Bound
from hockeystick.loss.families.divergence import LogPartition, Pairs, Vectors
from hockeystick.mechanism import Mechanism
from hockeystick.numerics.types import Array
from hockeystick.relation import REPLACE_ONE, Relation


@declared
class ExponentialFamily(Mechanism):
    """Output with density h(θ)·e^{ηᵀT(θ) − A(η)}: η₁ with the record, η₂ without.

    The Rényi divergence of the pair is

        D_α = [A(αη₁ + (1−α)η₂) − αA(η₁) − (1−α)A(η₂)]/(α − 1),

    infinite where αη₁ + (1−α)η₂ is outside the natural parameter space (Wang, Balle and
    Kasiviswanathan 2019, Appendix F, where log A stands for A). That the given neighbours are the
    worst is for the caller to know; several may be given, of which the worst counts at each order.
    For Gaussian, beta, gamma and Dirichlet laws see `GaussianPair`, `BetaPosterior`,
    `GammaPosterior` and `DirichletPosterior`, which are exact and know their worst neighbours.

    The difference loses digits where the divergence is small. The answer is an upper end all the
    same: it allows for a relative error of `relative_error` in each A, and near order 1 takes the
    best of the larger orders. With `covariance` it is good to 1e-12 however small it is.

    Parameters
    ----------
    log_partition: A, of a vector; +inf outside the natural parameter space.
    first, second: η₁ and η₂; a number or a vector each, or as many of them, one in a row, as
        there are pairs of neighbours.
    inside: whether a vector is in the natural parameter space, where A itself does not say so.
    covariance: the covariance matrix of T at a vector, the Hessian of A.

    >>> import math
    >>> counts = ExponentialFamily(lambda eta: math.exp(eta[0]), math.log(3), math.log(2))
    >>> round(counts.rdp(2.5), 9)  # Poisson counts of mean 3 and 2
    0.674234614
    """

    text_constructors = ("bounded",)

    curve: Pairs | Assumptions

    def __init__(
        self,
        log_partition: LogPartition,
        first: Any,
        second: Any,
        *,
        inside: Callable[[Array], bool] | None = None,
        covariance: Callable[[Array], Any] | None = None,
        relative_error: float = 1e-14,
    ) -> None:
        functions = {"log_partition": log_partition, "inside": inside, "covariance": covariance}
        for name, value in functions.items():
            if not callable(value) and (value is not None or name == "log_partition"):
                raise ParameterError(f"{name} must be a function, got {value!r}")
        one, other = _vectors("first", first), _vectors("second", second)
        if len(one) != len(other) or len(one[0]) != len(other[0]):
            raise ParameterError(
                f"first and second must have the same shape, got {len(one)} × {len(one[0])} and "
                f"{len(other)} × {len(other[0])}"
            )
        error = finite_non_negative("relative_error", relative_error)
        declare(self, curve=Pairs(log_partition, one, other, inside, covariance, error))

    @classmethod
    def bounded(
        cls,
        difference: float,
        *,
        smoothness: Bound = float("inf"),
        lipschitz: Bound = float("inf"),
        radius: float = float("inf"),
    ) -> Self:
        """Any family of which these bounds are known, η(X) being the parameter for the data X:

        (A) ‖η(X) − η(X')‖ <= `difference` = Δ for all neighbours X and X',
        (B) A(η) <= A(η(X)) + B·‖η − η(X)‖, B = `lipschitz`,
        (C) A(η) <= A(η(X)) + ⟨∇A(η(X)), η − η(X)⟩ + L/2·‖η − η(X)‖², L = `smoothness`,

        (B) and (C) wherever ‖η − η(X)‖ <= `radius`. Then D_α <= min(αLΔ²/2, 2BΔ) at orders up to
        1 + radius/Δ (Wang, Balle and Kasiviswanathan 2019, Proposition 33, with (C) halved as its
        proof has it). B and L may be functions of the distance ‖η − η(X)‖ up to which they hold:
        then D_α <= min(((α−1)·L((α−1)Δ) + L(Δ))·Δ²/2, (B((α−1)Δ) + B(Δ))·Δ) (Remark 34).

        >>> ExponentialFamily.bounded(1.0, smoothness=0.25).rdp(4.0)  # Gaussian noise of variance 4
        Bound(0.5, lower=0.0, method='renyi', order=4.0, relation=ADD_REMOVE)
        """
        made = cls.__new__(cls)
        curve = Assumptions(
            finite_non_negative("difference", difference),
            _bound("smoothness", smoothness),
            _bound("lipschitz", lipschitz),
            non_negative("radius", radius),
        )
        declare(made, curve=curve)
        return made

    def evidence(self, relation: Relation, steps: int = 1) -> Evidence:
        return Evidence(curve=partial(self._divergences, relation))

    def _divergences(self, relation: Relation, orders: Array) -> tuple[Array, Array]:
        one, other = self.curve.renyi(orders)
        if relation is not REPLACE_ONE:
            return one, other
        return np.maximum(one, other), np.maximum(one, other)

    def __repr__(self) -> str:
        curve = self.curve
        if isinstance(curve, Pairs):
            return call_text("ExponentialFamily", curve.log_partition, curve.first, curve.second)
        options = {
            name: value
            for name, value in vars(curve).items()
            if name != "difference" and value != float("inf")
        }
        return call_text("ExponentialFamily.bounded", curve.difference, **options)


def _vectors(name: str, value: Any) -> Vectors:
    try:
        rows = np.atleast_2d(np.asarray(value, dtype=float))
    except (TypeError, ValueError):
        raise ParameterError(f"{name} must be numbers, got {value!r}") from None
    if rows.ndim > 2 or rows.size == 0 or not np.isfinite(rows).all():
        raise ParameterError(f"{name} must be finite numbers, one vector in a row, got {value!r}")
    return tuple(tuple(row) for row in rows.tolist())


def _bound(name: str, value: Bound) -> Bound:
    return value if callable(value) else non_negative(name, value)
