"""Private learning that accounts for itself: what runs is what is accounted.

>>> import hockeystick as hs
>>> from hockeystick import learn
>>> plan = learn.Plan(hs.Gaussian(1.1), hs.Poisson(0.01), steps=100, clip=1.0, batch_size=512)
>>> plan.mechanism
Gaussian(1.1).on(Poisson(0.01)) * 100

The estimators need the extra `learn`, scikit-learn; they are imported when first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hockeystick.learn import scenarios
from hockeystick.learn.budget import Budget
from hockeystick.learn.canaries import audited
from hockeystick.learn.linear import Logistic, Softmax, Squares
from hockeystick.learn.objective import Custom, Objective
from hockeystick.learn.plan import Plan
from hockeystick.learn.privacy import Privacy
from hockeystick.learn.record_costs import RecordCosts, Trajectory, record_costs
from hockeystick.learn.records import Records
from hockeystick.learn.scale.arrays import from_arrays
from hockeystick.learn.scale.dask_collections import from_dask
from hockeystick.learn.scale.parquet import from_parquet
from hockeystick.learn.scale.source import Source
from hockeystick.learn.sgd import Run, private_sgd
from hockeystick.learn.tuning import draw_trials, tuned, tuning_cost
from hockeystick.learn.watch import Progress
from hockeystick.random.generators import MissingExtra

if TYPE_CHECKING:
    from hockeystick.learn.bounded_scaler import BoundedScaler
    from hockeystick.learn.linear_regression import LinearRegression
    from hockeystick.learn.logistic_regression import LogisticRegression

ESTIMATORS = {
    "BoundedScaler": "bounded_scaler",
    "LinearRegression": "linear_regression",
    "LogisticRegression": "logistic_regression",
}

__all__ = [
    "BoundedScaler",
    "Budget",
    "Custom",
    "LinearRegression",
    "Logistic",
    "LogisticRegression",
    "Objective",
    "Plan",
    "Privacy",
    "Progress",
    "RecordCosts",
    "Records",
    "Run",
    "Softmax",
    "Source",
    "Squares",
    "Trajectory",
    "audited",
    "draw_trials",
    "from_arrays",
    "from_dask",
    "from_parquet",
    "private_sgd",
    "record_costs",
    "scenarios",
    "tuned",
    "tuning_cost",
]


def __getattr__(name: str) -> Any:
    if name not in ESTIMATORS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = import_module(f"{__name__}.{ESTIMATORS[name]}")
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "sklearn":
            raise
        raise MissingExtra(
            f"{name} needs scikit-learn: pip install 'hockeystick[learn]'"
        ) from error
    return getattr(module, name)
