"""Correlated noise over a whole run: matrix mechanisms, tree aggregation, DP-FTRL."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from hockeystick.bound import Bound
from hockeystick.checks import (
    Between,
    call_text,
    checked,
    declared,
    finite_non_negative,
    finite_positive,
    non_negative,
    shown,
    whole,
)
from hockeystick.errors import ParameterError
from hockeystick.evidence import Evidence
from hockeystick.matrix.monte_carlo import as_bound, simulated_delta
from hockeystick.matrix.participation.cyclic_poisson import CyclicPoisson
from hockeystick.matrix.participation.pattern import Pattern
from hockeystick.matrix.sensitivity.ends import is_exact
from hockeystick.matrix.strategy import Strategy
from hockeystick.mechanism import AnySampler, Mechanism
from hockeystick.numerics.digits import at_most
from hockeystick.questions import relation_of
from hockeystick.relation import Relation

if TYPE_CHECKING:
    from hockeystick.random.generators import Randomness
    from hockeystick.release.stream import Stream

AS_WRITTEN = (
    "It holds for a run that keeps to these steps, its matrix and participation fixed in advance."
)


def _strategy(name: str, value: Any) -> Strategy:
    if not isinstance(value, Strategy):
        raise ParameterError(
            f"{name} must be a Strategy such as matrix.square_root(100), got {shown(value)}"
        )
    return value


def _participation(name: str, value: Any) -> Pattern | AnySampler:
    if isinstance(value, Pattern) or _rate(value) is not None:
        return value  # type: ignore[no-any-return]
    raise ParameterError(
        f"{name} must be Once(), MinSeparated(every=...), Cyclic(period=...), EveryStep(), "
        f"CyclicPoisson(rate, period), BallsInBins(bins) or Poisson(rate), got {shown(value)}"
    )


def _rate(value: Any) -> float | None:
    """The rate of a Poisson sampler."""
    return getattr(value, "poisson_rate", None) if isinstance(value, AnySampler) else None


@declared
class Correlated(Mechanism):
    """A run of many steps whose noise is correlated: C·G + Z, C being `matrix`, is released.

    Row i of G is the sum of the clipped contributions to step i; Z has independent normal entries
    of deviation σ = `noise_multiplier` × the largest norm of ONE contribution. G + C⁻¹·Z, prefix
    sums and what is trained with them are post-processing. One value is the whole run, which counts
    as one event; `* 3` is three independent runs. Where a record's steps are known, the pair is
    N(s, σ²) against N(0, σ²), s the sensitivity ‖C·H‖ of all its contributions together (Denisov
    et al. 2022), also where contributions depend on what was released before. Where they are
    secret, see the pattern: C >= 0 and contributions that are all alike are the worst, and for C of
    any sign |C| is above it.

    Parameters
    ----------
    matrix: a strategy, `hs.matrix.banded(steps=2000, bands=64)` say.
    noise_multiplier: in [0, inf]; 0 reveals everything, inf nothing. Not divided by the
        sensitivity: that is what is accounted for here.
    participation: when a record takes part: `Once()`, `MinSeparated(every=, at_most=)`,
        `Cyclic(period=, times=)`, `EveryStep()`; in secret `CyclicPoisson(rate, period)`,
        `Poisson(rate)`, `BallsInBins(bins)`.
    replace_sensitivity: how far one contribution and the one in its place may be apart, in units of
        the largest norm of one; in (0, 2]. Where the record in its place may have other steps,
        `Once` and `MinSeparated`, it does not make the bound smaller.

    >>> import hockeystick as hs
    >>> root = hs.matrix.square_root(2000)
    >>> run = Correlated(root, 8.0, hs.MinSeparated(every=100, at_most=5))
    >>> round(run.sensitivity, 6), run.sensitivity.method
    (6.392357, 'exact: the sum of Toeplitz columns')
    >>> round(run.epsilon(delta=1e-6) - hs.Gaussian(8.0 / run.sensitivity).epsilon(delta=1e-6), 9)
    0.0
    """

    source = "Denisov et al. 2022"

    matrix: Strategy = checked(_strategy)
    noise_multiplier: float = checked(non_negative)
    participation: Pattern | AnySampler = checked(_participation)
    replace_sensitivity: float = checked(Between("(0, 2]"), default=2.0)

    @cached_property
    def pattern(self) -> Pattern:
        """The participation; of a Poisson sampler, that of one group."""
        rate = _rate(self.participation)
        if rate is not None:
            return CyclicPoisson(rate, 1)
        assert isinstance(self.participation, Pattern)
        return self.participation

    @cached_property
    def sensitivity(self) -> Bound:
        """‖C·H‖ of all contributions of a record, in norms of one; where its steps are secret, as
        if they were known. `method` begins with "exact", or with "upper" where it is a bound."""
        return self.pattern.sensitivity(self.matrix)

    @property
    def natural_relation(self) -> Relation | None:
        return self.pattern.natural_relation

    def evidence(self, relation: Relation, steps: int = 1) -> Evidence:
        return self.pattern.evidence(
            self.matrix, self.noise_multiplier, relation, self.replace_sensitivity
        )

    def theorem(self, relation: Relation) -> str:
        return "; ".join(dict.fromkeys([self.source, self.pattern.theorem(relation)]))

    def group(self, size: int) -> Mechanism:
        """The same run; `size` records that take part in the same steps move it so much further."""
        if self.pattern.secret:
            return super().group(size)
        noise = self.noise_multiplier / whole("size", size, 1)
        return type(self)(self.matrix, noise, self.participation, self.replace_sensitivity)

    # running it -----------------------------------------------------------------------------------

    def error(self, kind: str) -> float:
        """The deviation of the noise in prefix sums, in norms of one contribution.

        kind: "max" of the worst of them, "mean" the root mean square over all.
        """
        return self.noise_multiplier * self.matrix.error(kind)  # type: ignore[arg-type]

    def stream(
        self,
        dimension: int,
        *,
        clip: float = 1.0,
        rng: Randomness = None,
        checkpoint: Any = None,
    ) -> Stream:
        """The noise of every step, one after the other: see `hockeystick.release.stream`.

        dimension: of a contribution; clip: the largest norm of one, in the query's own units.
        """
        from hockeystick.release.stream import Stream

        return Stream(
            self.matrix,
            self.noise_multiplier,
            dimension,
            clip=clip,
            nearest=min(1.0, self.replace_sensitivity),
            secret=self.pattern.secret,
            rng=rng,
            checkpoint=checkpoint,
        )

    def simulated_delta(
        self,
        epsilon: float,
        *,
        samples: int = 100_000,
        fails: float = 1e-9,
        rng: Randomness = None,
    ) -> Bound:
        """δ(ε) of secret steps by simulation, when one record is added, removed or zeroed out.

        Both ends hold but with probability `fails`, over the coins of the simulation: confidence is
        not δ, nothing is certified, and no other answer uses it. A seed must not be searched.
        For `BallsInBins`, and `Poisson` in runs of up to 12 steps. The lower end is that of |C|.

        samples: an integer >= 1; fails: in (0, 1).

        >>> import hockeystick as hs
        >>> run = Correlated(hs.matrix.square_root(64), 3.0, hs.BallsInBins(16))
        >>> answer = run.simulated_delta(1.0, samples=20_000, rng=0)
        >>> answer.lower < 0.1536 < answer.upper < run.delta(1.0), answer.method
        (True, 'Monte Carlo, fails with probability 1e-09')
        """
        from hockeystick.random.generators import generator

        epsilon, samples = finite_non_negative("epsilon", epsilon), whole("samples", samples, 1)
        fails = Between("(0, 1)")("fails", fails)
        pair = self.pattern.means(self.matrix, finite_positive("noise", self.noise_multiplier))
        if pair is None:
            raise ParameterError(
                "participation must be BallsInBins, or Poisson with a rate in (0, 1) and at most "
                f"12 steps, to be simulated, got {self.participation!r}"
            )
        low, high = simulated_delta(pair, epsilon, samples, fails, generator(rng))
        return as_bound((low if self.matrix.nonnegative else 0.0, high), fails)

    # words ----------------------------------------------------------------------------------------

    def statement(self, *, delta: float | None = None, relation: Relation | None = None) -> str:
        """What the run protects, in words.

        >>> import hockeystick as hs
        >>> print(Correlated(hs.matrix.tree(1600), 8.83, hs.Once()).statement(delta=1e-6))
        Correlated(matrix.tree(1600), noise_multiplier=8.83, participation=Once()): one run of ...
        (1.64866, 1e-06)-differentially private when one record is added or removed (add-remove).
        It holds for a run that keeps to these steps, its matrix and participation fixed in advance.
        """
        from hockeystick.report import statement as words

        moved = self.sensitivity
        exactly = "exactly" if is_exact(moved) else "at most"
        known = ", if that were known," if self.pattern.secret else ""
        how = (
            f"one run of {self.matrix.steps} steps; a record {self.pattern.words}, and all its "
            f"contributions together move it{known} by {exactly} {at_most(moved.upper, 6)} norms "
            "of one."
        )
        neighbours = relation_of(self, relation)
        holds = f"{AS_WRITTEN} {self.pattern.condition(neighbours)}".rstrip()
        return words.statement(self, how, holds, delta, neighbours)

    def __repr__(self) -> str:
        options: dict[str, object] = {
            "noise_multiplier": self.noise_multiplier,
            "participation": self.participation,
        }
        if self.replace_sensitivity != 2:
            options["replace_sensitivity"] = self.replace_sensitivity
        return call_text("Correlated", self.matrix, **options)
