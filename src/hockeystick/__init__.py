"""hockeystick: exactly what a differentially private computation costs.

>>> import hockeystick as hs
>>> step = hs.Gaussian(1.1).on(hs.Poisson(0.01))
>>> round((step * 10_000).epsilon(delta=1e-5), 6)
5.192583
"""

from hockeystick.accountant import Accountant
from hockeystick.bound import Bound, Bounds
from hockeystick.calibrate import calibrate
from hockeystick.compare import compare
from hockeystick.composition import Composition
from hockeystick.errors import (
    BudgetExceeded,
    HockeystickError,
    NumericalError,
    ParameterError,
    RelationError,
)
from hockeystick.expression import parse
from hockeystick.mechanism import Mechanism
from hockeystick.mechanisms.declared import (
    ApproximateDP,
    PureDP,
    TruncatedConcentratedDP,
    ZeroConcentratedDP,
)
from hockeystick.mechanisms.discrete_gaussian import DiscreteGaussian
from hockeystick.mechanisms.discrete_laplace import DiscreteLaplace
from hockeystick.mechanisms.exponential import ExponentialMechanism
from hockeystick.mechanisms.gaussian import Gaussian
from hockeystick.mechanisms.laplace import Laplace
from hockeystick.mechanisms.profile import ProfileDP
from hockeystick.mechanisms.randomized_response import RandomizedResponse
from hockeystick.mechanisms.renyi import RenyiDP
from hockeystick.relation import ADD_REMOVE, REPLACE_ONE, ZERO_OUT, Relation
from hockeystick.samplers.every_record import EveryRecord
from hockeystick.samplers.poisson import Poisson
from hockeystick.samplers.random_allocation import RandomAllocation
from hockeystick.samplers.sampler import Sampler
from hockeystick.samplers.shuffled import Shuffled
from hockeystick.samplers.truncated_poisson import TruncatedPoisson
from hockeystick.samplers.with_replacement import WithReplacement
from hockeystick.samplers.without_replacement import WithoutReplacement

__version__ = "0.1.0"

__all__ = [
    "ADD_REMOVE",
    "REPLACE_ONE",
    "ZERO_OUT",
    "Accountant",
    "ApproximateDP",
    "Bound",
    "Bounds",
    "BudgetExceeded",
    "Composition",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "EveryRecord",
    "ExponentialMechanism",
    "Gaussian",
    "HockeystickError",
    "Laplace",
    "Mechanism",
    "NumericalError",
    "ParameterError",
    "Poisson",
    "ProfileDP",
    "PureDP",
    "RandomAllocation",
    "RandomizedResponse",
    "Relation",
    "RelationError",
    "RenyiDP",
    "Sampler",
    "Shuffled",
    "TruncatedConcentratedDP",
    "TruncatedPoisson",
    "WithReplacement",
    "WithoutReplacement",
    "ZeroConcentratedDP",
    "calibrate",
    "compare",
    "parse",
]
