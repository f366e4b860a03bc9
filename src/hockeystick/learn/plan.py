"""Plan: a whole training run, fixed before it starts; it is what runs and what is accounted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from hockeystick.calibration import Target
from hockeystick.checks import finite_non_negative, finite_positive, whole
from hockeystick.errors import ParameterError, RelationError
from hockeystick.mechanism import Mechanism
from hockeystick.mechanisms.bases.additive_noise import AdditiveNoise
from hockeystick.mechanisms.gaussian import Gaussian
from hockeystick.mechanisms.laplace import Laplace
from hockeystick.relation import ADD_REMOVE, Relation
from hockeystick.samplers.sampler import Sampled, Sampler
from hockeystick.sensitivity import Norm

NORMS: dict[Norm, tuple[Norm, ...]] = {"L1": ("L1",), "L2": ("L2", "L1")}
"""The norms in which a clip bounds the noise's own: ‖g‖₂ <= ‖g‖₁."""


@dataclass(frozen=True)
class Plan:
    """Noisy stochastic gradient descent, decided in advance.

    In each step the sampler draws a batch U, and with v ~ noise of scale multiplier × clip

        θ ← θ − η·( (Σ_{i∈U} clip(∇f_i(θ)) + v) / batch_size + λ·θ ),

    with Nesterov's look-ahead if there is momentum: the gradient is taken at θ + μ·u, then
    u ← μ·u − η·gradient and θ ← θ + u. The divisor is a constant that is declared here, never a
    count of the data, which would be one more release. An empty batch is a step like any other.

    Parameters
    ----------
    noise: `Gaussian(noise_multiplier)` or `Laplace(noise_multiplier)`; the plan sets its
        sensitivity to the clip.
    sampler: draws the batches, and accounts for them. One that draws a whole epoch at a time
        (RandomAllocation, Shuffled) takes as many gradient steps as it draws batches.
    steps: how often the sampler draws, an integer >= 0.
    clip: the longest gradient of a record, in (0, inf).
    batch_size: the public divisor, in (0, inf): the expected size of a batch.
    learning_rate: η in (0, inf). momentum: μ in [0, 1). regularisation: λ in [0, inf), of λ‖θ‖²/2.
    norm: of the clip, "L2" or "L1" for Gaussian noise, "L1" for Laplace; the noise's own if not
        given.
    relation: which data sets are neighbours; the sampler's natural relation if not given.

    >>> from hockeystick import Gaussian, Poisson
    >>> plan = Plan(Gaussian(1.1), Poisson(0.01), steps=1000, clip=1.0, batch_size=512)
    >>> plan.mechanism, plan.relation, plan.norm
    (Gaussian(1.1).on(Poisson(0.01)) * 1000, ADD_REMOVE, 'L2')
    """

    noise: AdditiveNoise
    sampler: Sampler
    steps: int
    clip: float
    batch_size: float
    learning_rate: float = 0.5
    momentum: float = 0.0
    regularisation: float = 0.0
    # Both are resolved when the plan is made, so that a plan has no None.
    norm: Norm = None  # type: ignore[assignment]
    relation: Relation = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if not isinstance(self.sampler, Sampler):
            raise ParameterError(f"sampler must be a Sampler, got {self.sampler!r}")
        self._set("steps", whole("steps", self.steps, 0))
        for name in ("clip", "batch_size", "learning_rate"):
            self._set(name, finite_positive(name, getattr(self, name)))
        for name in ("momentum", "regularisation"):
            self._set(name, finite_non_negative(name, getattr(self, name)))
        if self.momentum >= 1:
            raise ParameterError(f"momentum must be in [0, 1), got {self.momentum!r}")
        self._set("norm", _norm(self.noise, self.norm))
        self._set("noise", _clipped(self.noise, self.clip))
        self._set("relation", _relation(self.sampler, self.relation))

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

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

    def run(multiplier: float) -> Mechanism:
        return kind(multiplier).on(sampler) * steps

    target = Target(run, epsilon, delta, relation)
    start = 1.0  # too little noise, so that the search goes up at once and not to tiny δ first
    while start > 1e-9 and target.excess(start) <= 0:
        start /= 2
    return noise_of(target.just_met(start))


def _norm(noise: AdditiveNoise, norm: Norm | None) -> Norm:
    if not isinstance(noise, Gaussian | Laplace):
        raise ParameterError(f"noise must be Gaussian(...) or Laplace(...), got {noise!r}")
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
