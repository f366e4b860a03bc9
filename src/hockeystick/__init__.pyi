"""Written by `python -m tools.stub`, for type checkers: what `__init__.py` finds."""

from hockeystick import audit as audit
from hockeystick import bernoulli as bernoulli
from hockeystick import classical as classical
from hockeystick import learn as learn
from hockeystick import matrix as matrix
from hockeystick.accountant import Accountant as Accountant
from hockeystick.bound import Bound as Bound
from hockeystick.bound import Bounds as Bounds
from hockeystick.calibration import calibrate as calibrate
from hockeystick.comparison import compare as compare
from hockeystick.errors import BudgetExceeded as BudgetExceeded
from hockeystick.errors import HockeystickError as HockeystickError
from hockeystick.errors import LedgerError as LedgerError
from hockeystick.errors import NumericalError as NumericalError
from hockeystick.errors import ParameterError as ParameterError
from hockeystick.errors import RelationError as RelationError
from hockeystick.errors import SavingError as SavingError
from hockeystick.ledger.ledger import Ledger as Ledger
from hockeystick.matrix.participation.balls_in_bins import BallsInBins as BallsInBins
from hockeystick.matrix.participation.cyclic import Cyclic as Cyclic
from hockeystick.matrix.participation.cyclic_poisson import CyclicPoisson as CyclicPoisson
from hockeystick.matrix.participation.every_step import EveryStep as EveryStep
from hockeystick.matrix.participation.min_separated import MinSeparated as MinSeparated
from hockeystick.matrix.participation.once import Once as Once
from hockeystick.matrix.participation.pattern import Pattern as Pattern
from hockeystick.mechanism import Composition as Composition
from hockeystick.mechanism import Mechanism as Mechanism
from hockeystick.mechanisms.approximate_dp import ApproximateDP as ApproximateDP
from hockeystick.mechanisms.beta_posterior import BetaPosterior as BetaPosterior
from hockeystick.mechanisms.correlated import Correlated as Correlated
from hockeystick.mechanisms.dirichlet_posterior import DirichletPosterior as DirichletPosterior
from hockeystick.mechanisms.discrete_gaussian import DiscreteGaussian as DiscreteGaussian
from hockeystick.mechanisms.discrete_laplace import DiscreteLaplace as DiscreteLaplace
from hockeystick.mechanisms.exponential_family import ExponentialFamily as ExponentialFamily
from hockeystick.mechanisms.exponential_mechanism import ExponentialMechanism as ExponentialMechanism
from hockeystick.mechanisms.gamma_posterior import GammaPosterior as GammaPosterior
from hockeystick.mechanisms.gaussian import Gaussian as Gaussian
from hockeystick.mechanisms.gaussian_pair import GaussianPair as GaussianPair
from hockeystick.mechanisms.laplace import Laplace as Laplace
from hockeystick.mechanisms.mixture_of_gaussians import MixtureOfGaussians as MixtureOfGaussians
from hockeystick.mechanisms.permute_and_flip import PermuteAndFlip as PermuteAndFlip
from hockeystick.mechanisms.profile_dp import ProfileDP as ProfileDP
from hockeystick.mechanisms.pure_dp import PureDP as PureDP
from hockeystick.mechanisms.randomized_response import RandomizedResponse as RandomizedResponse
from hockeystick.mechanisms.renyi_dp import RenyiDP as RenyiDP
from hockeystick.mechanisms.repeat_and_select import RepeatAndSelect as RepeatAndSelect
from hockeystick.mechanisms.shuffled_reports import ShuffledReports as ShuffledReports
from hockeystick.mechanisms.truncated_concentrated_dp import TruncatedConcentratedDP as TruncatedConcentratedDP
from hockeystick.mechanisms.zero_concentrated_dp import ZeroConcentratedDP as ZeroConcentratedDP
from hockeystick.plotting.plot import plot as plot
from hockeystick.relation import ADD_REMOVE as ADD_REMOVE
from hockeystick.relation import REPLACE_ONE as REPLACE_ONE
from hockeystick.relation import Relation as Relation
from hockeystick.relation import ZERO_OUT as ZERO_OUT
from hockeystick.samplers.every_record import EveryRecord as EveryRecord
from hockeystick.samplers.poisson import Poisson as Poisson
from hockeystick.samplers.random_allocation import RandomAllocation as RandomAllocation
from hockeystick.samplers.sampler import Sampler as Sampler
from hockeystick.samplers.sampling import Sampling as Sampling
from hockeystick.samplers.shuffled import Shuffled as Shuffled
from hockeystick.samplers.truncated_poisson import TruncatedPoisson as TruncatedPoisson
from hockeystick.samplers.with_replacement import WithReplacement as WithReplacement
from hockeystick.samplers.without_replacement import WithoutReplacement as WithoutReplacement
from hockeystick.sensitivity import Sensitivity as Sensitivity
from hockeystick.small_delta import SmallDelta as SmallDelta
from hockeystick.sweeping import sweep as sweep
from hockeystick.text import parse as parse

__version__: str
HOMES: dict[str, str]
MECHANISMS: dict[str, str]
SAMPLERS: dict[str, str]
PATTERNS: dict[str, str]
MODULES: tuple[str, ...]

__all__ = [
    "ADD_REMOVE",
    "Accountant",
    "ApproximateDP",
    "BallsInBins",
    "BetaPosterior",
    "Bound",
    "Bounds",
    "BudgetExceeded",
    "Composition",
    "Correlated",
    "Cyclic",
    "CyclicPoisson",
    "DirichletPosterior",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "EveryRecord",
    "EveryStep",
    "ExponentialFamily",
    "ExponentialMechanism",
    "GammaPosterior",
    "Gaussian",
    "GaussianPair",
    "HockeystickError",
    "Laplace",
    "Ledger",
    "LedgerError",
    "Mechanism",
    "MinSeparated",
    "MixtureOfGaussians",
    "NumericalError",
    "Once",
    "ParameterError",
    "Pattern",
    "PermuteAndFlip",
    "Poisson",
    "ProfileDP",
    "PureDP",
    "REPLACE_ONE",
    "RandomAllocation",
    "RandomizedResponse",
    "Relation",
    "RelationError",
    "RenyiDP",
    "RepeatAndSelect",
    "Sampler",
    "Sampling",
    "SavingError",
    "Sensitivity",
    "Shuffled",
    "ShuffledReports",
    "SmallDelta",
    "TruncatedConcentratedDP",
    "TruncatedPoisson",
    "WithReplacement",
    "WithoutReplacement",
    "ZERO_OUT",
    "ZeroConcentratedDP",
    "audit",
    "bernoulli",
    "calibrate",
    "classical",
    "compare",
    "learn",
    "matrix",
    "parse",
    "plot",
    "sweep",
]
