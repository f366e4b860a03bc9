"""PipelineDP: a budget accountant that finds the least noise for the whole pipeline.

from hockeystick.adapters.pipelinedp import BudgetAccountant
accountant = BudgetAccountant(total_epsilon=1, total_delta=1e-6)
"""

from __future__ import annotations

import math
from typing import Any

from pipeline_dp.aggregate_params import MechanismType
from pipeline_dp.budget_accounting import PLDBudgetAccountant

from hockeystick.errors import HockeystickError, ParameterError
from hockeystick.mechanism import Mechanism, compose
from hockeystick.mechanisms.approximate_dp import ApproximateDP
from hockeystick.mechanisms.gaussian import Gaussian
from hockeystick.mechanisms.laplace import Laplace
from hockeystick.numerics.roots import last_true

HALVINGS = 50
"""Of the search for the noise: to the last digits."""
MOST_NOISE = 2.0**60
ROUNDING = 1e-9


class Overspent(HockeystickError):
    """The noise that was set does not keep the budget."""


class BudgetAccountant(PLDBudgetAccountant):
    """`PLDBudgetAccountant`, with exact composition of the noise that is added.

    A mechanism of sensitivity Δ and weight w gets noise of standard deviation Δ·base/w: so
    noise/sensitivity is base/w, whatever Δ. (The class that this one extends counts Δ again when it
    composes, and finds too little noise where Δ > 1.)

    >>> accountant = BudgetAccountant(total_epsilon=1, total_delta=1e-6)
    >>> budget = accountant.request_budget(MechanismType.GAUSSIAN, sensitivity=5)
    >>> accountant.compute_budgets()
    >>> round(budget.noise_standard_deviation / 5, 6), round(accountant.spent.epsilon(1e-6), 6)
    (4.224679, 1.0)
    """

    @property
    def spent(self) -> Mechanism:
        """The noise of all mechanisms, as one; after `compute_budgets`."""
        if self.base_noise_std is None:
            raise ParameterError("the noise is known only after compute_budgets()")
        return self._with(self.base_noise_std)

    def compute_budgets(self) -> None:
        super().compute_budgets()
        if not self._mechanisms:
            return
        delta = self._total_delta - self._get_thresholding_delta()
        epsilon = self.spent.epsilon(delta)
        if epsilon > self._total_epsilon * (1 + ROUNDING):
            raise Overspent(f"the budget is {self._total_epsilon!r}, the noise spends {epsilon!r}")

    def _find_minimum_base_noise_std(self) -> float:
        delta = self._total_delta - self._get_thresholding_delta()

        def too_little(base: float) -> bool:
            return bool(self._with(base).epsilon(delta) > self._total_epsilon)

        high = 1.0
        while too_little(high):
            high *= 2
            if high > MOST_NOISE:
                raise ParameterError("total_epsilon and total_delta leave no budget for noise")
        return last_true(too_little, 0.0, high, HALVINGS)[1]

    def _with(self, base: float) -> Mechanism:
        return compose((self._step(m, base), m.mechanism_spec.count) for m in self._mechanisms)

    def _step(self, mechanism: Any, base: float) -> Mechanism:
        """What a mechanism is when the base of the noise has this standard deviation."""
        kind, noise = mechanism.mechanism_spec.mechanism_type, base / mechanism.weight
        if kind in (MechanismType.GAUSSIAN, MechanismType.GAUSSIAN_THRESHOLDING):
            return Gaussian(noise)
        if kind in (MechanismType.LAPLACE, MechanismType.LAPLACE_THRESHOLDING):
            return Laplace(noise / math.sqrt(2))
        epsilon = math.sqrt(2) / (mechanism.sensitivity * noise) if noise else math.inf
        return ApproximateDP(epsilon, min(1.0, epsilon / self._total_epsilon * self._total_delta))
