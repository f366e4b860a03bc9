"""The two questions that routes answer: ε(δ) and δ(ε)."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from hockeystick.bound import Interval
from hockeystick.errors import NumericalError
from hockeystick.loss.sum import ComposedLoss
from hockeystick.numerics.rounding import added
from hockeystick.routes import renyi
from hockeystick.routes.adding import evident
from hockeystick.routes.base import Route
from hockeystick.routes.contour.lifted import answer as lifted
from hockeystick.routes.contour.lifted.law import law_of
from hockeystick.routes.contour.saddle import find_saddle, log_chernoff

CONTRADICTION = 1e-6
"""How far, relatively, a lower end may be above an upper one before it is an error."""
LEAST_FLOAT = 5e-324
CLEARLY, CLEAR_NATS = 1.3, 5.0
"""By how much a guess of ε, or of log δ, must be larger for its pair to be left out."""
ABOVE, NATS_ABOVE = 1.03, 0.5
"""By how much it must be above an upper end for that to count as smaller: guesses of many steps are
mostly wrong by 1 to 2 %; and how near both ends of such an answer must be, for all that."""
RARE = 1e-3
"""Part of δ in losses so rare that guesses are better without them."""


class Question(ABC):
    """What is asked of a composed loss, with the number that is given."""

    margin: ClassVar[float]
    """How far, absolutely, a lower end may be above an upper one before it is an error."""

    @abstractmethod
    def by(self, route: Route, loss: ComposedLoss) -> Interval:
        """What a route answers."""

    @abstractmethod
    def from_curve(self, curve: renyi.Curve) -> Interval:
        """What a Rényi curve says."""

    @abstractmethod
    def extreme(self, loss: ComposedLoss) -> Interval | None:
        """The answer where no route is needed; else None."""

    @abstractmethod
    def always(self, loss: ComposedLoss) -> Interval:
        """An answer that no loss refuses, and that says little."""

    @abstractmethod
    def log_delta(self, loss: ComposedLoss) -> float:
        """About the logarithm of the δ that the answer is about."""

    @abstractmethod
    def lower_end(
        self, below: ComposedLoss, hidden: float, ask: Callable[[Self, ComposedLoss], Interval]
    ) -> float:
        """From a loss that is below but for P-mass `hidden` at infinity."""

    @abstractmethod
    def widened(self, ask: Callable[[Self], Interval], slip: float) -> Interval:
        """The answer if sums of losses may be off by `slip` either way."""

    @abstractmethod
    def rival(self, answer: Interval) -> tuple[float, float, Question | None]:
        """The ε and δ at which another direction must cost no more than this answer's lower end;
        and a question that decides whether it does, if that is not this question itself."""

    @abstractmethod
    def guess(self, loss: ComposedLoss) -> float:
        """About the answer, or its logarithm, by the saddle point."""

    @abstractmethod
    def is_clearly_larger(self, guess: float, other: float) -> bool:
        """Whether one guess is so much larger than another that it need not be looked at."""

    @abstractmethod
    def is_above(self, guess: float, upper: float) -> bool:
        """Whether an answer is, by a guess of it, above an upper end."""

    @abstractmethod
    def is_near(self, lower: float, upper: float) -> bool:
        """Whether both ends are so near that no other answer could be much better."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """What is asked for, and what is given, for a certificate."""

    def agreed(self, lower: float, upper: float) -> float:
        """The lower end; an error where two routes contradict each other."""
        if lower > upper * (1 + CONTRADICTION) + self.margin:
            raise NumericalError(f"one route says at least {lower!r}, another at most {upper!r}")
        return min(lower, upper)

    def combined(self, answers: Sequence[Interval]) -> Interval:
        """What several answers say together."""
        best = min(answers, key=lambda answer: answer.upper)
        lower = max(answer.lower for answer in answers)
        return Interval(self.agreed(lower, best.upper), best.upper, best.method)


@dataclass(frozen=True)
class EpsilonAt(Question):
    """The smallest ε for a given δ."""

    delta: float
    margin = CONTRADICTION

    def to_json(self) -> dict[str, Any]:
        return {"asked": "epsilon", "delta": self.delta}

    def by(self, route: Route, loss: ComposedLoss) -> Interval:
        return route.epsilon(loss, self.delta)

    def from_curve(self, curve: renyi.Curve) -> Interval:
        return renyi.epsilon(curve, self.delta)

    def extreme(self, loss: ComposedLoss) -> Interval | None:
        """For a δ of at most the mass at infinity, and where no finite loss is positive."""
        if loss.infinite > self.delta:
            least = math.inf if loss.least_infinite > self.delta else 0.0
            return Interval(least, math.inf, "closed form")
        low, high = loss.highest
        if self.delta <= loss.least_infinite or high <= 0:
            return Interval(max(0.0, low), max(0.0, high), "closed form")
        return None

    def always(self, loss: ComposedLoss) -> Interval:
        return Interval(0.0, max(0.0, loss.top), "closed form")

    def log_delta(self, loss: ComposedLoss) -> float:
        return math.log(max(self.delta - loss.infinite, 1e-300))

    def lower_end(
        self, below: ComposedLoss, hidden: float, ask: Callable[[Self, ComposedLoss], Interval]
    ) -> float:
        return ask(type(self)(self.delta + hidden), below).lower

    def widened(self, ask: Callable[[Self], Interval], slip: float) -> Interval:
        lower, upper, method = ask(self)
        return Interval(max(0.0, lower - slip), upper + slip, method)

    def guess(self, loss: ComposedLoss) -> float:
        law = law_of(loss)
        if law is not None:
            with suppress(NumericalError):
                if law.is_wide:
                    return evident.guess(loss, self.delta)
                return lifted.guess(law, loss.steps, self.delta)
        cut = loss.truncated(RARE * self.delta)
        return find_saddle(cut, None, math.log(max(self.delta, 1e-300))).epsilon

    def is_clearly_larger(self, guess: float, other: float) -> bool:
        return other > 0 and guess > CLEARLY * other

    def is_above(self, guess: float, upper: float) -> bool:
        return guess > ABOVE * upper

    def is_near(self, lower: float, upper: float) -> bool:
        return upper <= ABOVE * lower

    def rival(self, answer: Interval) -> tuple[float, float, Question]:
        return answer.lower, self.delta, DeltaAt(answer.lower)


@dataclass(frozen=True)
class DeltaAt(Question):
    """The smallest δ for a given ε."""

    epsilon: float
    margin = 0.0

    def to_json(self) -> dict[str, Any]:
        return {"asked": "delta", "epsilon": self.epsilon}

    def by(self, route: Route, loss: ComposedLoss) -> Interval:
        answer = route.delta(loss, self.epsilon)  # 0 is `extreme`: here it was rounded to it
        return answer if answer.upper else answer._replace(upper=LEAST_FLOAT)

    def from_curve(self, curve: renyi.Curve) -> Interval:
        return renyi.delta(curve, self.epsilon)

    def extreme(self, loss: ComposedLoss) -> Interval | None:
        """Where all is given away, and from the largest finite loss on."""
        if loss.infinite == 1 or loss.is_at_most(self.epsilon):
            return Interval(loss.least_infinite, loss.infinite, "closed form")
        return None

    def always(self, loss: ComposedLoss) -> Interval:
        bound = math.exp(min(log_chernoff(loss, self.epsilon), 0.0)) + LEAST_FLOAT
        return Interval(*added(0.0, bound, (loss.least_infinite, loss.infinite)), "renyi")

    def log_delta(self, loss: ComposedLoss) -> float:
        return min(log_chernoff(loss, self.epsilon), -1.0)

    def lower_end(
        self, below: ComposedLoss, hidden: float, ask: Callable[[Self, ComposedLoss], Interval]
    ) -> float:
        return ask(self, below).lower - hidden

    def widened(self, ask: Callable[[Self], Interval], slip: float) -> Interval:
        _, upper, method = ask(type(self)(max(0.0, self.epsilon - slip)))
        return Interval(ask(type(self)(self.epsilon + slip)).lower, upper, method)

    def guess(self, loss: ComposedLoss) -> float:
        rough = find_saddle(loss, self.epsilon, None).log_delta
        return find_saddle(loss.truncated(RARE * math.exp(rough)), self.epsilon, None).log_delta

    def is_clearly_larger(self, guess: float, other: float) -> bool:
        return math.isfinite(other) and guess > other + CLEAR_NATS

    def is_above(self, guess: float, upper: float) -> bool:
        return upper > 0 and guess > math.log(upper) + NATS_ABOVE

    def is_near(self, lower: float, upper: float) -> bool:
        return upper <= math.exp(NATS_ABOVE) * lower

    def rival(self, answer: Interval) -> tuple[float, float, None]:
        return self.epsilon, answer.lower, None
