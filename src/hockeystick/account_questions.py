"""What an accountant can be asked: every question is about all that was spent, together."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from hockeystick import curves
from hockeystick.ahead import Ahead
from hockeystick.bound import Bound, Bounds
from hockeystick.checks import counted, finite_non_negative, numbers, whole
from hockeystick.mechanism import Mechanism, compose
from hockeystick.numerics.types import Array
from hockeystick.questions import relation_of
from hockeystick.relation import Relation
from hockeystick.small_delta import SmallDelta, given


class AccountQuestions(ABC):
    """The questions of an accountant, in terms of what was spent and the neighbours meant."""

    _ahead: Ahead

    @property
    @abstractmethod
    def spent(self) -> Mechanism:
        """Everything so far, as one mechanism."""

    @property
    @abstractmethod
    def relation(self) -> Relation | None:
        """The neighbours that all answers are about; None: the samplers' natural one."""

    @property
    @abstractmethod
    def budget(self) -> tuple[float, float] | None:
        """The most that may be spent, (epsilon, delta), if that was said."""

    @abstractmethod
    def _now(self) -> dict[Mechanism, int]:
        """What was spent, and how often."""

    def epsilon(
        self,
        delta: float | None = None,
        *,
        log_delta: float | None = None,
        method: str = "auto",
        certify: bool = False,
    ) -> Bound:
        """The smallest ε for which everything spent is (ε, δ)-DP; δ, or its logarithm.

        A loop that asks after each of its steps is answered in blocks.
        """
        at = given(delta, log_delta)
        if not certify and not isinstance(at, SmallDelta):
            return self._ahead.epsilon(self._now(), at, self.relation, method)
        how: Any = {"relation": self.relation, "method": method, "certify": certify}
        return self.spent.epsilon(at, **how)

    def delta(self, epsilon: float, *, method: str = "auto", certify: bool = False) -> Bound:
        """The smallest δ for which everything spent is (ε, δ)-DP."""
        how: Any = {"relation": self.relation, "method": method, "certify": certify}
        return self.spent.delta(epsilon, **how)

    def log_delta(self, epsilon: float, *, method: str = "auto") -> Bound:
        """The natural logarithm of `delta(epsilon)`, also where no float holds δ."""
        return self.spent.log_delta(epsilon, relation=self.relation, method=method)

    def rdp(self, order: Any, *, certify: bool = False) -> Any:
        """Rényi divergence at any real order in [0, inf]; a number for a number, else an array."""
        return self.spent.rdp(order, relation=self.relation, certify=certify)

    def cgf(self, lambdas: Any) -> Any:
        """K(λ) = λ·D_{1+λ}, the cumulant generating function of the loss, rounded up.

        Of everything spent, the larger of the two directions, at any λ in [0, inf) and with no list
        of orders kept: the analytical moments accountant of Wang, Balle and Kasiviswanathan (2019,
        Algorithms 1 and 4). `classical.get_epsilon` and `get_delta` turn it into ε and δ their way.
        The ends of the curve are `rdp(1)`, the mean loss, and `rdp(math.inf)`, the largest.

        lambdas: a number or an array; a number for a number, else an array.

        >>> from hockeystick import Gaussian
        >>> from hockeystick import Accountant
        >>> accountant = Accountant()
        >>> accountant.spend(Gaussian(2.0), 8)
        >>> round(accountant.cgf(3.5), 9)  # 8·λ·(λ + 1)/(2·2²)
        15.75
        """
        wanted = numbers("lambda", lambdas)
        for value in wanted.ravel().tolist():
            finite_non_negative("lambda", value)
        orders = 1 + wanted
        orders = np.where(orders - 1 < wanted, np.nextafter(orders, np.inf), orders)  # D increases
        divergences = np.where(wanted > 0, np.asarray(self.rdp(orders)), 0.0)
        values = wanted * divergences * (1 + 2.0**-52)
        return float(values) if np.ndim(lambdas) == 0 else values

    def profile(self, epsilons: Sequence[float] | Array, *, method: str = "auto") -> Bounds:
        """The curve δ(ε) at each given ε."""
        return self.spent.profile(epsilons, relation=self.relation, method=method)

    def tradeoff(self, alphas: Sequence[float] | Array, *, method: str = "auto") -> Bounds:
        """The smallest type II error of any test at each type I error (f-DP)."""
        return self.spent.tradeoff(alphas, relation=self.relation, method=method)

    def epsilons(
        self,
        delta: float | None = None,
        counts: Iterable[int] | None = None,
        *,
        log_delta: float | None = None,
        mechanism: Mechanism | None = None,
        method: str = "auto",
    ) -> Bounds:
        """ε if everything spent were run each number of times; with `mechanism`, if that were spent
        each number of times more: the curve ahead of a training loop.

        >>> from hockeystick import Accountant, Laplace
        >>> accountant = Accountant()
        >>> accountant.spend(Laplace(1.0), 2)
        >>> accountant.epsilons(0, [0, 1, 2]).tolist()
        [0.0, 2.0, 4.0]
        >>> accountant.epsilons(0, [0, 1, 2], mechanism=Laplace(4.0)).tolist()
        [2.0, 2.25, 2.5]
        """
        spent, delta = self.spent, given(delta, log_delta)
        how: Any = {"relation": self.relation, "method": method}
        if mechanism is None:
            return spent.epsilons(delta, counts, **how)
        wanted = [whole("count", count, 0) for count in counted(counts)]
        before = spent.parts.get(mechanism, 0)
        if not spent.parts.keys() - {mechanism}:
            return mechanism.epsilons(delta, [before + count for count in wanted], **how)
        found = curves.each_epsilon(mechanism, delta, wanted, self.relation, method, spent)
        about: Any = {"delta": delta, "counts": np.array(wanted)}
        relation = relation_of(compose([(spent, 1), (mechanism, 1)]), self.relation)
        return curves.as_bounds(*found).about(mechanism, relation, **about)

    # words ------------------------------------------------------------------------------------

    def explain(self, delta: float, *, method: str = "auto") -> str:
        """What all that was spent guarantees, in plain language; see `Mechanism.explain`."""
        return self.spent.explain(delta, relation=self.relation, method=method)

    def statement(self, *, delta: float | None = None) -> str:
        """What all that was spent protects, in a few lines; see `Mechanism.statement`.

        delta: in [0, 1]; None takes that of the budget, if there is one.

        >>> from hockeystick import Accountant, Laplace
        >>> accountant = Accountant(budget=(1.0, 0.0))
        >>> accountant.spend(Laplace(4.0))
        >>> print(accountant.statement())
        Laplace(4.0)
        (0.25, 0)-differentially private when one record is added or removed (add-remove).
        The budget is (1, 0).
        It holds for a program that does what is written here; noise that is computed in ...
        """
        from hockeystick.report.statement import of_any

        chosen = self.budget[1] if delta is None and self.budget else delta
        return of_any(self.spent, chosen, self.relation, budget=self.budget)

    def plot(self, kind: str = "profile", **options: Any) -> Any:
        """A curve of all that was spent, as axes of matplotlib: see `hockeystick.plot`."""
        return self.spent.plot(kind, relation=self.relation, **options)

    def _repr_html_(self) -> str:
        from hockeystick.report.html import of_account

        return of_account(self.spent, self.relation, self.budget)
