"""Amplification by Bernoulli sampling of a private parameter (Imola and Chaudhuri).

A parameter θ in [c, 1−c]^d is private; only coins with probabilities θ are released. `amplify` says
what the coins cost, `release` draws them, `Mechanism.bernoulli` is a mechanism again.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hockeystick.bernoulli.amplify import WorstPair, amplify, worst_pair
from hockeystick.bernoulli.closed_forms import (
    asymptote,
    contraction,
    largest_loss,
    majority_bound,
    symmetric_divergence,
)
from hockeystick.bernoulli.profile import amplify_delta
from hockeystick.bernoulli.regime import Regime, regime
from hockeystick.bernoulli.release import release
from hockeystick.bernoulli.search import Found, search

if TYPE_CHECKING:
    from hockeystick.bernoulli.sampled import BernoulliSampled

__all__ = [
    "BernoulliSampled",
    "Found",
    "Regime",
    "WorstPair",
    "amplify",
    "amplify_delta",
    "asymptote",
    "contraction",
    "largest_loss",
    "majority_bound",
    "regime",
    "release",
    "search",
    "symmetric_divergence",
    "worst_pair",
]


def __getattr__(name: str) -> Any:
    if name == "BernoulliSampled":  # its losses need scipy, the bounds above do not
        return import_module(f"{__name__}.sampled").BernoulliSampled
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
