"""JAX Privacy: exact accounting in its plans and in its calibration.

Its execution plans take an accountant of dp_accounting, and so this one:

    from hockeystick.adapters.jax_privacy import Accountant
    plan = BandMFExecutionPlanConfig(..., accountant=Accountant())

Its training accountants take a configuration:

    DpsgdTrainingAccountant(dp_accountant_config=AccountantConfig())
"""

from __future__ import annotations

from jax_privacy.accounting import DpAccountantConfig

from hockeystick.adapters.dp_accounting import Accountant
from hockeystick.relation import ADD_REMOVE, Relation

__all__ = ["Accountant", "AccountantConfig"]


class AccountantConfig(DpAccountantConfig):
    """Which accountant `jax_privacy` is to make.

    >>> AccountantConfig().create_accountant().get_epsilon(1e-6)
    Bound(0.0, lower=0.0, method='closed form', delta=1e-06, relation=ADD_REMOVE)
    """

    def __init__(self, *, relation: Relation = ADD_REMOVE) -> None:
        self.relation = relation

    def create_accountant(self) -> Accountant:
        return Accountant(self.relation)
