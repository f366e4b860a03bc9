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
from hockeystick.mechanism import Mechanism
from hockeystick.mechanisms.bases.additive_noise import AdditiveNoise
from hockeystick.relation import ADD_REMOVE, Relation
from hockeystick.samplers.sampler import Sampled, Sampler
from hockeystick.sensitivity import Norm

NORMS: dict[Norm, tuple[Norm, ...]] = {"L1": ("L1",), "L2": ("L2", "L1")}
"""The norms in which a clip bounds the noise's own: ‖g‖₂ <= ‖g‖₁."""


def _noise(name: str, value: Any) -> AdditiveNoise:
    if not isinstance(value, AdditiveNoise):
        raise ParameterError(
            f"{name} must be Gaussian(...), Laplace(...) or another mechanism that adds noise to a "
            f"vector, got {value!r}"
        )
    return value


def _sampler(name: str, value: Any) -> Sampler:
    if not isinstance(value, Sampler):
        raise ParameterError(f"{name} must be a Sampler, got {value!r}")
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
    sampler: draws the batches, and accounts for them. One that draws a whole epoch at a time
        (RandomAllocation, Shuffled) takes as many gradient steps as it draws batches.
    steps: how often the sampler draws, an integer >= 0.
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

    noise: AdditiveNoise = checked(_noise)
    sampler: Sampler = checked(_sampler)
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
        vars(self).update(
            norm=_norm(self.noise, self.norm),
            noise=_clipped(self.noise, self.clip),
            relation=_relation(self.sampler, self.relation),
        )

    @cached_property
    def step(self) -> Mechanism:
        """What one step, or one epoch that is drawn as a whole, costs."""
        return self.noise.on(self.sampler)

    @property
    def mechanism(self) -> Mechanism:
        """What the whole run costs."""
        return self.step * self.steps

    def shortened(self, steps: int) -> Plan:
        """The same plan with other steps."""
        return replace(self, steps=steps)


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


def _norm(noise: AdditiveNoise, norm: Norm | None) -> Norm:
    allowed = NORMS[noise.norm]
    if norm is not None and norm not in allowed:
        raise ParameterError(
            f"norm must be {' or '.join(allowed)} for {type(noise).__name__} noise, got {norm!r}"
        )
    return norm or noise.norm


def _clipped(noise: AdditiveNoise, clip: float) -> AdditiveNoise:
    """The noise for gradients of at most `clip`, in any direction."""
    if noise.replace_sensitivity < 2:
        raise ParameterError(
            "replace_sensitivity must be at least 2, as clipped gradients may point in opposite "
            f"directions, got {noise.replace_sensitivity!r}"
        )
    if noise.sensitivity not in (1.0, clip):
        raise ParameterError(
            f"the noise's sensitivity must be the clip, {clip!r}, or left out, got "
            f"{noise.sensitivity!r}"
        )
    return replace(noise, sensitivity=clip)


def _relation(sampler: Sampler, relation: Relation | None) -> Relation:
    chosen = relation or sampler.natural_relation or ADD_REMOVE
    if not isinstance(chosen, Relation):
        raise ParameterError(f"relation must be a Relation or None, got {relation!r}")
    if chosen is ADD_REMOVE and hasattr(sampler, "population"):
        raise RelationError(
            f"{sampler!r} draws from a declared number of records, so one more or one less cannot "
            "run at all: the number is public; choose REPLACE_ONE or ZERO_OUT"
        )
    return chosen
