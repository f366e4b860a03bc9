"""JAX Privacy: exact accounting in its plans and in its calibration.

Its execution plans take an accountant of dp_accounting, and so this one:

    from hockeystick.adapters.jax_privacy import Accountant
    plan = BandMFExecutionPlanConfig(..., accountant=Accountant())

Its training accountants take a configuration:

    DpsgdTrainingAccountant(dp_accountant_config=AccountantConfig())

Its banded strategies are ours by `from_banded`, and ours are its by `to_banded`:

    Correlated(from_banded(strategy), noise_multiplier=2.0, participation=CyclicPoisson(0.1, 16))
"""

from __future__ import annotations

from typing import Any

from jax_privacy.accounting import DpAccountantConfig
from jax_privacy.matrix_factorization.banded import ColumnNormalizedBanded

from hockeystick.adapters.band_matrices import from_bands, to_bands
from hockeystick.adapters.dp_accounting import Accountant
from hockeystick.matrix.dense import Dense
from hockeystick.matrix.strategy import Strategy
from hockeystick.relation import ADD_REMOVE, Relation

__all__ = ["Accountant", "AccountantConfig", "from_banded", "to_banded"]


def from_banded(strategy: Any) -> Dense:
    """The matrix of a `ColumnNormalizedBanded`."""
    return from_bands(strategy.params)


def to_banded(strategy: Strategy) -> Any:
    """The `ColumnNormalizedBanded` of a lower triangular matrix with columns of norm 1."""
    return ColumnNormalizedBanded(params=to_bands(strategy))


class AccountantConfig(DpAccountantConfig):
    """Which accountant `jax_privacy` is to make.

    >>> AccountantConfig().create_accountant().get_epsilon(1e-6)
    Bound(0.0, lower=0.0, method='closed form', delta=1e-06, relation=ADD_REMOVE)
    """

    def __init__(self, *, relation: Relation = ADD_REMOVE) -> None:
        self.relation = relation

    def create_accountant(self) -> Accountant:
        return Accountant(self.relation)
