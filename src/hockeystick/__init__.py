"""hockeystick: exactly what a differentially private computation costs.

>>> import hockeystick as hs
>>> step = hs.Gaussian(1.1).on(hs.Poisson(0.01))
>>> round((step * 10_000).epsilon(delta=1e-5), 6)
5.192583
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hockeystick.accountant import Accountant as Accountant
    from hockeystick.bound import Bound as Bound
    from hockeystick.bound import Bounds as Bounds
    from hockeystick.calibration import calibrate as calibrate
    from hockeystick.comparison import compare as compare
    from hockeystick.errors import BudgetExceeded as BudgetExceeded
    from hockeystick.errors import HockeystickError as HockeystickError
    from hockeystick.errors import NumericalError as NumericalError
    from hockeystick.errors import ParameterError as ParameterError
    from hockeystick.errors import RelationError as RelationError
    from hockeystick.errors import SavingError as SavingError
    from hockeystick.mechanism import Composition as Composition
    from hockeystick.mechanism import Mechanism as Mechanism
    from hockeystick.mechanisms.approximate_dp import ApproximateDP as ApproximateDP
    from hockeystick.mechanisms.beta_posterior import BetaPosterior as BetaPosterior
    from hockeystick.mechanisms.dirichlet_posterior import DirichletPosterior as DirichletPosterior
    from hockeystick.mechanisms.discrete_gaussian import DiscreteGaussian as DiscreteGaussian
    from hockeystick.mechanisms.discrete_laplace import DiscreteLaplace as DiscreteLaplace
    from hockeystick.mechanisms.exponential_family import ExponentialFamily as ExponentialFamily
    from hockeystick.mechanisms.exponential_mechanism import (
        ExponentialMechanism as ExponentialMechanism,
    )
    from hockeystick.mechanisms.gamma_posterior import GammaPosterior as GammaPosterior
    from hockeystick.mechanisms.gaussian import Gaussian as Gaussian
    from hockeystick.mechanisms.gaussian_pair import GaussianPair as GaussianPair
    from hockeystick.mechanisms.laplace import Laplace as Laplace
    from hockeystick.mechanisms.permute_and_flip import PermuteAndFlip as PermuteAndFlip
    from hockeystick.mechanisms.profile_dp import ProfileDP as ProfileDP
    from hockeystick.mechanisms.pure_dp import PureDP as PureDP
    from hockeystick.mechanisms.randomized_response import RandomizedResponse as RandomizedResponse
    from hockeystick.mechanisms.renyi_dp import RenyiDP as RenyiDP
    from hockeystick.mechanisms.truncated_concentrated_dp import (
        TruncatedConcentratedDP as TruncatedConcentratedDP,
    )
    from hockeystick.mechanisms.zero_concentrated_dp import ZeroConcentratedDP as ZeroConcentratedDP
    from hockeystick.relation import ADD_REMOVE as ADD_REMOVE
    from hockeystick.relation import REPLACE_ONE as REPLACE_ONE
    from hockeystick.relation import ZERO_OUT as ZERO_OUT
    from hockeystick.relation import Relation as Relation
    from hockeystick.samplers.every_record import EveryRecord as EveryRecord
    from hockeystick.samplers.poisson import Poisson as Poisson
    from hockeystick.samplers.random_allocation import RandomAllocation as RandomAllocation
    from hockeystick.samplers.sampler import Sampler as Sampler
    from hockeystick.samplers.shuffled import Shuffled as Shuffled
    from hockeystick.samplers.truncated_poisson import TruncatedPoisson as TruncatedPoisson
    from hockeystick.samplers.with_replacement import WithReplacement as WithReplacement
    from hockeystick.samplers.without_replacement import WithoutReplacement as WithoutReplacement
    from hockeystick.sensitivity import Sensitivity as Sensitivity
    from hockeystick.sweeping import sweep as sweep
    from hockeystick.text import parse as parse

__version__ = "0.1.0"

# Each name is imported when it is first used, so that a command that needs few of them starts fast.
_HOMES = {
    "accountant": ("Accountant",),
    "bound": ("Bound", "Bounds"),
    "calibration": ("calibrate",),
    "comparison": ("compare",),
    "errors": (
        "BudgetExceeded",
        "HockeystickError",
        "NumericalError",
        "ParameterError",
        "RelationError",
        "SavingError",
    ),
    "text": ("parse",),
    "mechanism": ("Composition", "Mechanism"),
    "mechanisms.beta_posterior": ("BetaPosterior",),
    "mechanisms.approximate_dp": ("ApproximateDP",),
    "mechanisms.pure_dp": ("PureDP",),
    "mechanisms.truncated_concentrated_dp": ("TruncatedConcentratedDP",),
    "mechanisms.zero_concentrated_dp": ("ZeroConcentratedDP",),
    "mechanisms.dirichlet_posterior": ("DirichletPosterior",),
    "mechanisms.discrete_gaussian": ("DiscreteGaussian",),
    "mechanisms.discrete_laplace": ("DiscreteLaplace",),
    "mechanisms.exponential_mechanism": ("ExponentialMechanism",),
    "mechanisms.exponential_family": ("ExponentialFamily",),
    "mechanisms.gamma_posterior": ("GammaPosterior",),
    "mechanisms.gaussian": ("Gaussian",),
    "mechanisms.gaussian_pair": ("GaussianPair",),
    "mechanisms.laplace": ("Laplace",),
    "mechanisms.permute_and_flip": ("PermuteAndFlip",),
    "mechanisms.profile_dp": ("ProfileDP",),
    "mechanisms.randomized_response": ("RandomizedResponse",),
    "mechanisms.renyi_dp": ("RenyiDP",),
    "relation": ("ADD_REMOVE", "REPLACE_ONE", "ZERO_OUT", "Relation"),
    "samplers.every_record": ("EveryRecord",),
    "samplers.poisson": ("Poisson",),
    "samplers.random_allocation": ("RandomAllocation",),
    "samplers.sampler": ("Sampler",),
    "samplers.shuffled": ("Shuffled",),
    "samplers.truncated_poisson": ("TruncatedPoisson",),
    "samplers.with_replacement": ("WithReplacement",),
    "samplers.without_replacement": ("WithoutReplacement",),
    "sensitivity": ("Sensitivity",),
    "sweeping": ("sweep",),
}
_MODULES = ("audit", "bernoulli", "classical", "learn")
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted([*_HOME, *_MODULES])


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(import_module(f"hockeystick.{_HOME[name]}"), name)
    elif name in _MODULES:
        value = import_module(f"hockeystick.{name}")
    else:
        raise AttributeError(f"module 'hockeystick' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__]
