"""An example of every law of a loss in the library: the laws of losses are tried on all of them."""

from __future__ import annotations

import importlib
import inspect
import math
import pkgutil
from collections.abc import Callable, Iterator

import numpy as np

import hockeystick.bernoulli.loss
import hockeystick.loss
import hockeystick.mechanisms
from hockeystick.loss.atoms import EVERYTHING, NOTHING, AtomicLoss
from hockeystick.loss.base import Loss, Reversed
from hockeystick.loss.blurred import BlurredLoss
from hockeystick.loss.families.log_gamma import GammaLoss
from hockeystick.loss.families.logit_beta import BetaLoss
from hockeystick.loss.families.positive import PositiveLosses
from hockeystick.loss.families.quadratic import QuadraticLoss
from hockeystick.loss.gaussian import GaussianLoss
from hockeystick.loss.gaussian_mixture import GaussianMixture
from hockeystick.loss.labelled import LabelledLoss
from hockeystick.loss.mixed import Mixed, mixed
from hockeystick.loss.mixture import MixtureLoss
from hockeystick.loss.opposite_integers import OppositeGaussian
from hockeystick.loss.segment import SegmentLoss
from hockeystick.loss.several import SeveralLosses
from hockeystick.loss.strip import StripMixed
from hockeystick.loss.two_sided.endless import EndlessLoss
from hockeystick.loss.two_sided.function import FunctionCurve
from hockeystick.loss.two_sided.loss import MixedTwoSided, TwoSidedLoss
from hockeystick.loss.two_sided.on_sample import amplified_loss, joint
from hockeystick.mechanisms.discrete_gaussian import DiscreteGaussianLoss
from hockeystick.numerics.types import Array

Build = Callable[[], Loss]
TAKEN_APART: set[type[Loss]] = {SeveralLosses}
"""Sums of losses, of which only the parts have laws: tests/loss/test_several.py."""


def every_class() -> list[type[Loss]]:
    """Every law of a loss that can be made, found by looking."""
    for package in (hockeystick.loss, hockeystick.mechanisms):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    base: type[Loss] = Loss  # type: ignore[type-abstract]
    return sorted(set(_concrete(base)) - TAKEN_APART, key=lambda kind: kind.__name__)


def _concrete(kind: type[Loss]) -> Iterator[type[Loss]]:
    for child in kind.__subclasses__():
        if child.__module__.startswith("hockeystick.") and not inspect.isabstract(child):
            yield child
        yield from _concrete(child)


def answer(p: float, infinite: float = 0.0) -> AtomicLoss:
    """Two answers, the truth with probability p, and at times the record itself."""
    epsilon, finite = math.log(p / (1 - p)), 1 - infinite
    log_q = [math.log(finite * p), math.log(finite * (1 - p))]
    return AtomicLoss([-epsilon, epsilon], log_q, infinite=infinite, void=infinite, symmetric=True)


LAPLACE = SegmentLoss(1.0, height=0.25, edge=0.5)
OPPOSITE = MixtureLoss(
    GaussianMixture((0.7, 0.3), (0.0, 1.0)), GaussianMixture((0.7, 0.3), (0.0, -1.0)), mirrored=True
)
DRAWN_TWICE = MixtureLoss(
    GaussianMixture((0.5, 0.3, 0.2), (0.0, 0.7, 1.4)), GaussianMixture((1.0,), (0.0,))
)
GAMMA, BETA = GammaLoss(6.0, 1.0), BetaLoss(6.0, -1.0, total=13.5)
LOG_NORMAL = QuadraticLoss(0.5, 0.2)


def fixed_size(loss: Loss) -> Loss:
    """A record drawn with probability 0.2, or another in its place."""
    return amplified_loss(joint([0.2], [loss], [loss], 0.2))


def nothing_beyond(powers: Array) -> Array:
    """A logarithm."""
    return np.full(powers.shape, -np.inf)


EXAMPLES: dict[type[Loss], list[Build]] = {
    AtomicLoss: [
        lambda: answer(0.7),
        lambda: answer(0.6, 0.01),
        lambda: AtomicLoss(
            np.log([0.5, 1.0, 3.0]), np.log([0.4, 0.3, 0.1]), infinite=0.2, void=0.2
        ),
    ],
    BetaLoss: [lambda: BETA, lambda: BetaLoss(6.0, 1.0, total=13.0), lambda: BETA.truncated(1e-4)],
    BlurredLoss: [
        lambda: BlurredLoss(0.7, answer(0.7)),
        lambda: BlurredLoss(0.7, LAPLACE),
        lambda: BlurredLoss(0.7, answer(0.6, 0.01)).truncated(1e-4),
    ],
    DiscreteGaussianLoss: [lambda: DiscreteGaussianLoss(1.5, 2)],
    OppositeGaussian: [lambda: OppositeGaussian(1.5, 2, 0.1)],
    EndlessLoss: [lambda: EndlessLoss(answer(0.7), nothing_beyond, nothing_beyond)],
    GammaLoss: [lambda: GAMMA, lambda: GAMMA.reverse(), lambda: GAMMA.truncated(1e-4)],
    GaussianLoss: [
        lambda: GaussianLoss(0.3),
        lambda: GaussianLoss(1.5),
        lambda: GaussianLoss(1.5).truncated(1e-4),
    ],
    LabelledLoss: [
        lambda: LabelledLoss((0.3, LAPLACE), (0.7, GaussianLoss(0.5))),
        lambda: LabelledLoss((0.8, NOTHING), (0.15, GaussianLoss(0.8)), (0.05, GaussianLoss(1.6))),
        lambda: LabelledLoss((0.39, DRAWN_TWICE), (0.6, answer(0.7)), (0.01, EVERYTHING)),
    ],
    Mixed: [
        lambda: mixed(GaussianLoss(1.0), 0.1),
        lambda: mixed(LAPLACE, 0.6),
        lambda: mixed(GaussianLoss(1.0).truncated(1e-4), 0.3),
        lambda: mixed(answer(0.6, 0.01), 0.3),
    ],
    MixedTwoSided: [lambda: mixed(fixed_size(GaussianLoss(1.0)), 0.3)],
    MixtureLoss: [
        lambda: OPPOSITE,
        lambda: DRAWN_TWICE,
        lambda: DRAWN_TWICE.truncated(1e-4),
        lambda: DRAWN_TWICE.reverse(),
    ],
    QuadraticLoss: [
        lambda: LOG_NORMAL,
        lambda: QuadraticLoss(0.5, -0.3),
        lambda: LOG_NORMAL.truncated(1e-4),
    ],
    Reversed: [
        lambda: mixed(GaussianLoss(1.0), 0.1).reverse(),
        lambda: mixed(LAPLACE, 0.3).reverse(),
        lambda: GaussianLoss(1.5).truncated(1e-4).reverse(),
    ],
    SegmentLoss: [
        lambda: LAPLACE,
        lambda: SegmentLoss(1.5, height=-0.5 / math.expm1(-1.5), edge=0.0),
    ],
    StripMixed: [lambda: mixed(GAMMA, 0.3), lambda: mixed(LOG_NORMAL, 0.3)],
    TwoSidedLoss: [
        lambda: fixed_size(GaussianLoss(1.0)),
        lambda: fixed_size(LAPLACE),
        lambda: amplified_loss(
            joint([0.2], [GaussianLoss(1.0)], [GaussianLoss(1.5)], 0.2),
            joint([0.2], [GaussianLoss(1.0)], [GaussianLoss(1.0)], 0.2),
        ),
        lambda: TwoSidedLoss(PositiveLosses(GammaLoss(7.0, -1.0))),
        lambda: TwoSidedLoss(FunctionCurve(lambda epsilon: math.exp(-3 * epsilon) / 7)),
    ],
}
"""At least one of each class; more where it has several forms, as with and without a ceiling."""
