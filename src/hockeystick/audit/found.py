"""Found: what counts say of a claim, and of a family of which one member is believed to have run.

(ε, δ)-DP is one point of a trade-off curve, and few events come near to it: a bound on ε that
assumes nothing needs the rare events of a tail, which few runs show. Where the family of the noise
is believed, every event tells of the whole curve, and a common one is enough.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from hockeystick.checks import probability
from hockeystick.errors import ParameterError
from hockeystick.mechanism import Mechanism
from hockeystick.mechanisms.pure_dp import PureDP
from hockeystick.numerics.edge import LEAST, EdgeSearch
from hockeystick.relation import Relation

Family = Callable[[float], Mechanism]
"""From a positive number to a mechanism whose privacy loss is monotone in it, either way."""

TOLERANCE = 1e-6
"""How near the edge the most private member is, relative to its parameter."""


class Found(ABC):
    """Counts of an audit at its confidence."""

    delta: float

    def contradicts(self, claim: Mechanism, *, relation: Relation | None = None) -> bool:
        """Whether the counts refute a claim, by its whole curve and not at one δ."""
        return self.excess(claim, relation) > 0

    @abstractmethod
    def excess(self, claim: Mechanism, relation: Relation | None = None) -> float:
        """How far the counts are beyond what the claim allows, in logarithms; positive refutes."""

    def epsilon_assuming(
        self,
        family: Family,
        *,
        delta: float | None = None,
        relation: Relation | None = None,
    ) -> float:
        """A lower bound on ε for whoever believes that a member of the family ran.

        The ε of the most private member that the counts refute: all that are more private are
        refuted with it. It holds at the audit's confidence *if* the outputs are those of some
        member, or of what a member dominates; where that is not so it means nothing.

        Parameters
        ----------
        family: a class such as `Gaussian`, or a function from a positive number to a mechanism, as
            `calibrate` takes it: `lambda s: Gaussian(s).on(Poisson(0.01)) * 100`.
        delta: in [0, 1]; the audit's own by default.

        >>> from hockeystick import Gaussian
        >>> from hockeystick.audit import Audit
        >>> audit = Audit(1.9, 1e-5, 0.99, "at least", 2.0, False, 900, 100, 1000)
        >>> round(audit.epsilon_assuming(Gaussian), 2), round(Gaussian(0.4).epsilon(1e-5), 2)
        (11..., 13...)
        """
        delta = self.delta if delta is None else probability("delta", delta)
        if not self.contradicts(PureDP(0.0)):
            return 0.0
        search = EdgeSearch(lambda x: -self.excess(family(x), relation) or LEAST, _allowed(family))
        if search.start() is None:
            family(1)  # says what is wrong with it
        ends = search.bracket()
        if ends is None and min(search.asked.values()) > 0:
            return 0.0
        if ends is None:
            raise ParameterError(
                "family must have a member that the counts allow, but all from "
                f"{family(min(search.asked))!r} to {family(max(search.asked))!r} are refuted: what "
                "ran is none of them"
            )
        refuted, _ = search.refined(ends, TOLERANCE)
        return family(refuted).epsilon(delta, relation=relation).lower


def _allowed(family: Family) -> Callable[[float], bool]:
    def allowed(x: float) -> bool:
        try:
            family(x)
        except (ParameterError, OverflowError):
            return False
        return True

    return allowed
