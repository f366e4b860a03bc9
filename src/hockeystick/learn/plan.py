"""Plan: a whole training run, fixed before it starts; it is what runs and what is accounted."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any

from hockeystick.calibration import calibrate
from hockeystick.checks import (
    Between,
    Whole,
    checked,
    declared,
    finite_non_negative,
    finite_positive,
)
from hockeystick.errors import ParameterError, RelationError
from hockeystick.evidence import known
from hockeystick.mechanism import Mechanism
from hockeystick.mechanisms.bases.additive_noise import AdditiveNoise
from hockeystick.mechanisms.correlated import Correlated
from hockeystick.relation import ADD_REMOVE, Relation
from hockeystick.samplers.sampler import Sampled, Sampler
from hockeystick.sensitivity import Norm

NORMS: dict[Norm, tuple[Norm, ...]] = {"L1": ("L1",), "L2": ("L2", "L1")}
"""The norms in which a clip bounds the noise's own: ‖g‖₂ <= ‖g‖₁."""


def _noise(name: str, value: Any) -> AdditiveNoise | Correlated:
    if not isinstance(value, AdditiveNoise | Correlated):
        raise ParameterError(
            f"{name} must be Gaussian(...), Laplace(...), Correlated(...) or another mechanism "
            f"that adds noise to a vector, got {value!r}"
        )
    return value


@declared
class Plan:
    """Noisy stochastic gradient descent, decided in advance.

    In each step the sampler draws a batch U, and with v ~ noise of scale multiplier × clip

        θ ← θ − η·( (Σ_{i∈U} clip(∇f_i(θ)) + v) / batch_size + λ·θ ),

    with Nesterov's look-ahead if there is momentum: the gradient is taken at θ + μ·u, then
    u ← μ·u − η·gradient and θ ← θ + u. The divisor is a constant that is declared here, never a
    count of the data, which would be one more release. An empty batch is a step like any other.

    Parameters
    ----------
    noise: `Gaussian(noise_multiplier)`, `Laplace(noise_multiplier)` or any other mechanism that
        adds noise to a vector; the plan sets its sensitivity to the clip.
        `Correlated(matrix, ...)` is the noise of a whole run, which is spent as one event.
    sampler: draws the batches, and accounts for them. One that draws a whole epoch at a time
        (RandomAllocation, Shuffled) takes as many gradient steps as it draws batches. Of
        correlated noise: its participation.
    steps: how often the sampler draws, an integer >= 0. Of correlated noise: those of its matrix.
    clip: the longest gradient of a record, in (0, inf).
    batch_size: the public divisor, in (0, inf): the expected size of a batch.
    learning_rate: η in (0, inf). momentum: μ in [0, 1). regularisation: λ in [0, inf), of λ‖θ‖²/2.
    norm: of the clip, the noise's own if not given: "L2" for Gaussian noise, where "L1" may be
        given, "L1" for Laplace.
    relation: which data sets are neighbours; the sampler's natural relation if not given.

    >>> from hockeystick import Gaussian, Poisson
    >>> plan = Plan(Gaussian(1.1), Poisson(0.01), steps=1000, clip=1.0, batch_size=512)
    >>> plan.mechanism, plan.relation, plan.norm
    (Gaussian(1.1).on(Poisson(0.01)) * 1000, ADD_REMOVE, 'L2')
    """

    noise: AdditiveNoise | Correlated = checked(_noise)
    sampler: Any
    steps: int = checked(Whole(0))
    clip: float = checked(finite_positive)
    batch_size: float = checked(finite_positive)
    learning_rate: float = checked(finite_positive, default=0.5)
    momentum: float = checked(Between("[0, 1)"), default=0.0)
    regularisation: float = checked(finite_non_negative, default=0.0)
    # Both are resolved when the plan is made, so that a plan has no None.
    norm: Norm = None  # type: ignore[assignment]
    relation: Relation = None  # type: ignore[assignment]

    def check_together(self) -> None:
        noise = self.noise
        if isinstance(noise, Correlated):
            _check_correlated(noise, self.sampler, self.steps)
            natural = noise.natural_relation
        else:
            noise, natural = _clipped(noise, self.clip), _natural(self.sampler)
        vars(self).update(
            norm=_norm(noise, self.norm),
            noise=noise,
            relation=_relation(self.sampler, self.relation, natural),
        )
        if isinstance(noise, Correlated):
            known(noise, self.relation, 1)  # an error where the relation has no guarantee

    @classmethod
    def correlated(cls, noise: Correlated, clip: float, batch_size: float, **options: Any) -> Plan:
        """The plan of a run whose noise is correlated: its participation and its steps.

        >>> from hockeystick import Correlated, Cyclic, matrix
        >>> noise = Correlated(matrix.tree(8), noise_multiplier=4.0, participation=Cyclic(4))
        >>> Plan.correlated(noise, clip=1.0, batch_size=100).steps
        8
        """
        given = _noise("noise", noise)
        if not isinstance(given, Correlated):
            raise ParameterError(f"noise must be Correlated(...), got {given!r}")
        return cls(given, given.participation, given.matrix.steps, clip, batch_size, **options)

    @cached_property
    def step(self) -> Mechanism:
        """What one event costs: a step, an epoch that is drawn as a whole, or a correlated run."""
        if isinstance(self.noise, Correlated):
            return self.noise
        return self.noise.on(self.sampler)

    @property
    def mechanism(self) -> Mechanism:
        """What the whole run costs."""
        return self.step * self.events(self.steps)

    def events(self, steps: int) -> int:
        """How often `step` is spent for the first so many steps: correlated noise once, ahead."""
        return min(steps, 1) if isinstance(self.noise, Correlated) else steps

    def shortened(self, steps: int) -> Plan:
        """The same plan with other steps."""
        return replace(self, steps=steps)

    def with_noise(self, noise: Correlated) -> Plan:
        """The same plan with the noise of a matrix mechanism, and its participation."""
        return replace(self, noise=noise, sampler=noise.participation)


def _check_correlated(noise: Correlated, participation: Any, steps: int) -> None:
    """What runs is what is accounted: all steps of the matrix, by its own participation."""
    if participation != noise.participation:
        raise ParameterError(
            "sampler must be the participation that the noise is accounted for, "
            f"{noise.participation!r}, got {participation!r}"
        )
    _check_opposite(noise)
    if steps != noise.matrix.steps:
        raise ParameterError(
            f"steps must be those of the matrix, {noise.matrix.steps}, got {steps!r}"
        )


def noise_of(mechanism: Mechanism) -> AdditiveNoise:
    """The noise of a mechanism that is one step, on a sample or not, some times over.

    >>> from hockeystick import Laplace, Poisson
    >>> noise_of(Laplace(2.0).on(Poisson(0.1)) * 10)
    Laplace(2.0)
    """
    [step] = mechanism.parts
    base = step.base if isinstance(step, Sampled) else step
    assert isinstance(base, AdditiveNoise)
    return base


@lru_cache(maxsize=256)  # a search fits the same plan many times
def noise_for(
    kind: type[AdditiveNoise],
    sampler: Sampler,
    steps: int,
    *,
    epsilon: float,
    delta: float,
    relation: Relation,
) -> AdditiveNoise:
    """The least noise with which all steps together meet (ε, δ), asked either way.

    >>> from hockeystick import ADD_REMOVE, Gaussian, Poisson
    >>> noise_for(Gaussian, Poisson(0.01), 1000, epsilon=1, delta=1e-5, relation=ADD_REMOVE)
    Gaussian(1.4146...)
    """
    run = calibrate(
        lambda multiplier: kind(multiplier).on(sampler) * steps,
        epsilon=epsilon, delta=delta, relation=relation,
    )  # fmt: skip
    return noise_of(run)


def _norm(noise: AdditiveNoise | Correlated, norm: Norm | None) -> Norm:
    own: Norm = "L2" if isinstance(noise, Correlated) else noise.norm
    allowed = NORMS[own]
    if norm is not None and norm not in allowed:
        raise ParameterError(
            f"norm must be {' or '.join(allowed)} for {type(noise).__name__} noise, got {norm!r}"
        )
    return norm or own


def _clipped(noise: AdditiveNoise, clip: float) -> AdditiveNoise:
    """The noise for gradients of at most `clip`, in any direction."""
    _check_opposite(noise)
    if noise.sensitivity not in (1.0, clip):
        raise ParameterError(
            f"the noise's sensitivity must be the clip, {clip!r}, or left out, got "
            f"{noise.sensitivity!r}"
        )
    return replace(noise, sensitivity=clip)


def _check_opposite(noise: AdditiveNoise | Correlated) -> None:
    if noise.replace_sensitivity < 2:
        raise ParameterError(
            "replace_sensitivity must be at least 2, as clipped gradients may point in opposite "
            f"directions, got {noise.replace_sensitivity!r}"
        )


def _natural(sampler: Any) -> Relation | None:
    if not isinstance(sampler, Sampler):
        raise ParameterError(f"sampler must be a Sampler, got {sampler!r}")
    return sampler.natural_relation


def _relation(sampler: Any, relation: Relation | None, natural: Relation | None) -> Relation:
    chosen = relation or natural or ADD_REMOVE
    if not isinstance(chosen, Relation):
        raise ParameterError(f"relation must be a Relation or None, got {relation!r}")
    if chosen is ADD_REMOVE and hasattr(sampler, "population"):
        raise RelationError(
            f"{sampler!r} draws from a declared number of records, so one more or one less cannot "
            "run at all: the number is public; choose REPLACE_ONE or ZERO_OUT"
        )
    return chosen
