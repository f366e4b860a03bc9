"""Budget: the (ε, δ) that a run must stay within, and how many steps that allows."""

from __future__ import annotations

from hockeystick.checks import checked, declared, non_negative, probability
from hockeystick.mechanism import Mechanism, compose
from hockeystick.numerics.roots import last_whole
from hockeystick.relation import Relation


@declared
class Budget:
    """No more than (ε, δ), for all that is spent together.

    Parameters
    ----------
    epsilon: in [0, inf]. delta: in [0, 1].

    >>> from hockeystick import ADD_REMOVE, Composition, Gaussian
    >>> Budget(2.0, 1e-5).steps(Composition(), Gaussian(5.0), 100, ADD_REMOVE)
    6
    """

    epsilon: float = checked(non_negative)
    delta: float = checked(probability)

    def covers(self, mechanism: Mechanism, relation: Relation) -> bool:
        """Whether the upper end of what it costs is within the budget."""
        return mechanism.epsilon(self.delta, relation=relation) <= self.epsilon

    def steps(self, spent: Mechanism, step: Mechanism, most: int, relation: Relation) -> int:
        """The largest count up to `most` such that spent + step × count is within the budget.

        It is known before the first step and depends on no data, so it is part of the plan. It is
        0 where nothing fits, even if what is spent is over the budget already.
        """

        def fits(count: int) -> bool:
            return self.covers(compose([(spent, 1), (step, count)]), relation)

        # All of it first: that is the usual case.
        return most if most == 0 or fits(most) else last_whole(fits, 0, most)[0]
