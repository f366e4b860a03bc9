"""The events of dp_accounting as mechanisms, and mechanisms as its events."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from dp_accounting import dp_event

from hockeystick.adapters.dp_matrix_events import correlated_event, from_tree
from hockeystick.checks import Whole, checked, declared, non_negative, probability, whole
from hockeystick.errors import ParameterError
from hockeystick.evidence import Evidence
from hockeystick.loss.atoms import AtomicLoss
from hockeystick.mechanism import Composition, Mechanism, compose
from hockeystick.mechanisms.correlated import Correlated
from hockeystick.mechanisms.discrete_laplace import DiscreteLaplace
from hockeystick.mechanisms.exponential_mechanism import ExponentialMechanism
from hockeystick.mechanisms.gaussian import Gaussian
from hockeystick.mechanisms.laplace import Laplace
from hockeystick.mechanisms.mixture_of_gaussians import MixtureOfGaussians
from hockeystick.mechanisms.permute_and_flip import PermuteAndFlip
from hockeystick.mechanisms.pure_dp import PureDP
from hockeystick.mechanisms.randomized_response import RandomizedResponse
from hockeystick.mechanisms.repeat_and_select import RepeatAndSelect
from hockeystick.mechanisms.zero_concentrated_dp import ZeroConcentratedDP
from hockeystick.relation import ADD_REMOVE, ZERO_OUT, Relation
from hockeystick.samplers.poisson import Poisson
from hockeystick.samplers.sampler import Sampled, Sampler
from hockeystick.samplers.truncated_poisson import TruncatedPoisson
from hockeystick.samplers.with_replacement import WithReplacement
from hockeystick.samplers.without_replacement import WithoutReplacement

NOTHING_HIDDEN = PureDP(math.inf)
"""What a non-private event is."""


class Untranslated(ParameterError):
    """An event that no mechanism says, or not under the relation asked for."""

    def __init__(self, event: Any, why: str) -> None:
        super().__init__(f"{why}; got {event}")
        self.event, self.why = event, why


@declared
class ResponseOrUniform(Mechanism):
    """Randomized response of a record that, zeroed out, gives a uniform answer.

    That is what the library's special record does: (1 − p + p/k, p/k, …) against (1/k, 1/k, …).
    """

    lie: float = checked(probability)
    answers: int = checked(Whole(2))

    def evidence(self, relation: Relation, steps: int = 1) -> Evidence:
        if relation is not ZERO_OUT:
            raise ParameterError(f"relation must be ZERO_OUT for {self!r}, got {relation!r}")
        k = self.answers
        losses = [math.log(self.lie), math.log1p((k - 1) * (1 - self.lie))]
        log_q = [math.log1p(-1 / k), -math.log(k)]
        return Evidence((AtomicLoss(losses, log_q, spacing=losses[1] - losses[0]),))


# from events --------------------------------------------------------------------------------------


def from_event(event: Any, relation: Relation | None = None) -> Mechanism:
    """The mechanism that an event describes; `Untranslated` where there is none.

    `relation` matters for events that mean something under some relations only: a tree when a
    record's contribution becomes zero, randomized response when it does or is replaced.

    >>> from_event(dp_event.SelfComposedDpEvent(dp_event.GaussianDpEvent(2.0), 3))
    Gaussian(2.0) * 3
    """
    name = type(event).__name__
    translate = _EVENTS.get(name)
    if translate is None or type(event) is not getattr(dp_event, name, None):
        raise Untranslated(event, "unsupported event")
    try:
        return translate(event, relation)
    except Untranslated:
        raise
    except ParameterError as error:
        raise Untranslated(event, str(error)) from error


def _composed(event: Any, relation: Relation | None) -> Mechanism:
    return compose((from_event(part, relation), 1) for part in event.events)


def _self_composed(event: Any, relation: Relation | None) -> Mechanism:
    return compose([(from_event(event.event, relation), whole("count", event.count, 0))])


def _discrete_laplace(event: Any, _: Relation | None) -> Mechanism:
    """P[x] ∝ e^{−a|x|}: the multiplier is 1/(a·s), rounded down; a = 0 is no law at all."""
    rate = non_negative("noise_parameter", event.noise_parameter)
    sensitivity = whole("sensitivity", event.sensitivity, 1)
    if rate == 0:
        return NOTHING_HIDDEN
    noise = min(1 / (rate * sensitivity), sys.float_info.max)
    if noise and Fraction(noise) * Fraction(rate) * sensitivity > 1:
        noise = math.nextafter(noise, 0.0)
    return DiscreteLaplace(noise, sensitivity)


def _response(event: Any, relation: Relation | None) -> Mechanism:
    """The truth with probability 1 − p + p/k, which is e^ε times that of any other answer."""
    if relation is ADD_REMOVE:
        raise Untranslated(event, "neighboring_relation must be `REPLACE_ONE` or `REPLACE_SPECIAL`")
    lie = probability("noise_parameter", event.noise_parameter)
    answers = whole("num_buckets", event.num_buckets, 1)
    if answers == 1:
        return Composition()
    if relation is ZERO_OUT and 0 < lie < 1:
        return ResponseOrUniform(lie, answers)
    odds = answers * (1 - lie) / lie if lie else math.inf
    return RandomizedResponse(math.log1p(odds), answers)


def _tree(event: Any, relation: Relation | None) -> Mechanism:
    """Each record is in one leaf."""
    if relation is not ZERO_OUT:
        raise Untranslated(event, "neighboring_relation must be `REPLACE_SPECIAL`, ZERO_OUT")
    return from_tree(event)


def _truncated(event: Any, _: Relation | None) -> Mechanism:
    if event.dataset_size == 0:
        return Composition()
    limits = event.sampling_probability, event.truncated_batch_size, event.dataset_size
    return Gaussian(event.noise_multiplier).on(TruncatedPoisson(*limits))


def _fixed_size(kind: type[Any]) -> Callable[[Any, Relation | None], Mechanism]:
    def translate(event: Any, relation: Relation | None) -> Mechanism:
        sampler: Sampler = kind(event.sample_size, event.source_dataset_size)
        return from_event(event.event, relation).on(sampler)

    return translate


_EVENTS: dict[str, Callable[[Any, Relation | None], Mechanism]] = {
    "NoOpDpEvent": lambda e, _: Composition(),
    "NonPrivateDpEvent": lambda e, _: NOTHING_HIDDEN,
    "GaussianDpEvent": lambda e, _: Gaussian(e.noise_multiplier),
    "LaplaceDpEvent": lambda e, _: Laplace(e.noise_multiplier),
    "DiscreteLaplaceDpEvent": _discrete_laplace,
    "RandomizedResponseDpEvent": _response,
    "ExponentialMechanismDpEvent": lambda e, _: ExponentialMechanism(e.epsilon),
    "PermuteAndFlipDpEvent": lambda e, _: PermuteAndFlip(e.epsilon),
    "ZCDpEvent": lambda e, _: ZeroConcentratedDP(e.rho, e.xi),
    "MixtureOfGaussiansDpEvent": lambda e, _: MixtureOfGaussians(
        e.standard_deviation, e.sensitivities, e.sampling_probs
    ),
    "RepeatAndSelectDpEvent": lambda e, r: RepeatAndSelect(from_event(e.event, r), e.mean, e.shape),
    "PoissonSampledDpEvent": lambda e, r: from_event(e.event, r).on(
        Poisson(e.sampling_probability)
    ),
    "SampledWithReplacementDpEvent": _fixed_size(WithReplacement),
    "SampledWithoutReplacementDpEvent": _fixed_size(WithoutReplacement),
    "TruncatedSubsampledGaussianDpEvent": _truncated,
    "SingleEpochTreeAggregationDpEvent": _tree,
    "SelfComposedDpEvent": _self_composed,
    "ComposedDpEvent": _composed,
}
"""By the name of the class: a version of the library has some of them, and no subclass counts."""


# to events ----------------------------------------------------------------------------------------


def to_event(mechanism: Mechanism) -> Any:
    """The event that describes a mechanism; a `ParameterError` where the library has none.

    >>> to_event(Gaussian(1.1).on(Poisson(0.01)) * 100)
    SelfComposedDpEvent(event=PoissonSampledDpEvent(sampling_probability=0.01, ...), count=100)
    """
    if isinstance(mechanism, Composition):
        parts = [_repeated(to_event(part), count) for part, count in mechanism.parts.items()]
        if len(parts) == 1:
            return parts[0]
        return dp_event.ComposedDpEvent(parts) if parts else dp_event.NoOpDpEvent()
    write = _WRITERS.get(type(mechanism))
    made = None if write is None else write(mechanism)
    if made is None:
        raise ParameterError(f"dp_accounting has no event for {mechanism!r}")
    return made


def _repeated(event: Any, count: int) -> Any:
    return event if count == 1 else dp_event.SelfComposedDpEvent(event, count)


def _noise(name: str) -> Callable[[Any], Any]:
    """Noise on a query that a replaced record moves twice as far, as the library has it."""

    def write(mechanism: Any) -> Any:
        if mechanism.replace_sensitivity != 2:
            return None
        return getattr(dp_event, name)(mechanism.noise_multiplier)

    return write


def _named(name: str, *fields: str) -> Callable[[Any], Any]:
    """An event whose fields are those of the mechanism, if the library knows it."""

    def write(mechanism: Any) -> Any:
        kind = getattr(dp_event, name, None)
        return kind and kind(*(getattr(mechanism, field) for field in fields))

    return write


def _discrete(m: Any) -> Any:
    return dp_event.DiscreteLaplaceDpEvent(1 / m.scale, m.sensitivity) if m.scale else None


def _response_event(m: Any) -> Any:
    lie = m.categories / (math.expm1(min(m.epsilon_, 700.0)) + m.categories)
    return dp_event.RandomizedResponseDpEvent(lie, m.categories)


def _selected(m: RepeatAndSelect) -> Any:
    return dp_event.RepeatAndSelectDpEvent(to_event(m.mechanism), m.mean, m.shape)


def _sampled(m: Sampled) -> Any:
    sampler, base = m.sampler, m.base
    if type(sampler) is Poisson:
        return dp_event.PoissonSampledDpEvent(sampler.rate, to_event(base))
    if type(sampler) is TruncatedPoisson and type(base) is Gaussian:
        of_base = to_event(base).noise_multiplier
        return dp_event.TruncatedSubsampledGaussianDpEvent(
            sampler.population, sampler.rate, sampler.limit, of_base
        )
    for kind, name in ((WithReplacement, "With"), (WithoutReplacement, "Without")):
        if type(sampler) is kind:
            event = getattr(dp_event, f"Sampled{name}ReplacementDpEvent")
            return event(sampler.population, sampler.size, to_event(base))
    return None


_WRITERS: dict[type[Mechanism], Callable[[Any], Any]] = {
    Gaussian: _noise("GaussianDpEvent"),
    Laplace: _noise("LaplaceDpEvent"),
    DiscreteLaplace: _discrete,
    RandomizedResponse: _response_event,
    ExponentialMechanism: _named("ExponentialMechanismDpEvent", "epsilon_"),
    PermuteAndFlip: _named("PermuteAndFlipDpEvent", "epsilon_"),
    ZeroConcentratedDP: _named("ZCDpEvent", "rho", "xi"),
    MixtureOfGaussians: _named(
        "MixtureOfGaussiansDpEvent", "noise_multiplier", "sensitivities", "probabilities"
    ),
    RepeatAndSelect: _selected,
    Correlated: correlated_event,
    Sampled: _sampled,
}
