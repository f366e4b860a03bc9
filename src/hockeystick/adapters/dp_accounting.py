"""dp_accounting: an accountant of its kind whose answers are exact, and its events translated.

`from_event` and `to_event` translate between its events and mechanisms.

>>> import dp_accounting
>>> event = dp_accounting.PoissonSampledDpEvent(0.01, dp_accounting.GaussianDpEvent(1.1))
>>> round(Accountant().compose(event, 10_000).get_epsilon(1e-5), 6)
5.192583
"""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np
from dp_accounting import dp_event
from dp_accounting.privacy_accountant import NeighboringRelation, PrivacyAccountant

from hockeystick.accountant import Accountant as Spending
from hockeystick.adapters.dp_events import Untranslated, from_event, to_event
from hockeystick.errors import HockeystickError, ParameterError
from hockeystick.evidence import known
from hockeystick.mechanism import Mechanism
from hockeystick.relation import ADD_REMOVE, REPLACE_ONE, ZERO_OUT

__all__ = ["Accountant", "from_event", "to_event"]

RELATIONS = {
    NeighboringRelation.ADD_OR_REMOVE_ONE: ADD_REMOVE,
    NeighboringRelation.REPLACE_ONE: REPLACE_ONE,
    NeighboringRelation.REPLACE_SPECIAL: ZERO_OUT,
}
"""The library's relations and ours: the special record contributes nothing."""


class Accountant(PrivacyAccountant):
    """A `PrivacyAccountant` whose answers are those of this library: exact where it is.

    Answers are `Bound`s, floats that also know their lower end.

    Parameters
    ----------
    neighboring_relation: the library's `NeighboringRelation`, or a `Relation` of ours.
    """

    def __init__(self, neighboring_relation: Any = ADD_REMOVE) -> None:
        theirs = {ours: theirs for theirs, ours in RELATIONS.items()}
        chosen = theirs.get(neighboring_relation, neighboring_relation)
        if chosen not in RELATIONS:
            raise ParameterError(
                "neighboring_relation must be a NeighboringRelation or a Relation, got "
                f"{neighboring_relation!r}"
            )
        super().__init__(chosen)
        self._spending = Spending(RELATIONS[chosen])
        self._non_private = False

    def __deepcopy__(self, memo: Any) -> Accountant:
        """Another that has spent the same: as libraries copy it that want a fresh one."""
        copied = Accountant(self.neighboring_relation)
        copied._ledger = copy.deepcopy(self._ledger, memo)
        copied._spending.spend(self.spent)
        copied._non_private = self._non_private
        return copied

    @property
    def spent(self) -> Mechanism:
        """All that was composed, as one mechanism."""
        return self._spending.spent

    def _maybe_compose(self, event: Any, count: int, do_compose: bool) -> Any:
        relation = RELATIONS[self.neighboring_relation]
        try:
            mechanism = from_event(event, relation)
            for part in mechanism.parts:
                known(part, relation, 2)  # an error where nothing is known under the relation
        except Untranslated as error:
            return self.CompositionErrorDetails(error.event, error.why)
        except HockeystickError as error:
            return self.CompositionErrorDetails(event, str(error))
        if do_compose:
            self._non_private |= _reveals(event)
            self._spending.spend(mechanism, count)
        return None

    def get_epsilon(self, target_delta: float) -> float:
        """The smallest ε; infinity after a non-private event, even at δ = 1."""
        return math.inf if self._non_private else self._spending.epsilon(target_delta)

    def get_delta(self, target_epsilon: float) -> float:
        """The smallest δ; 1 after a non-private event, even at ε = ∞."""
        return 1.0 if self._non_private else self._spending.delta(target_epsilon)

    def get_true_positive_rates(self, false_positive_rates: Any, deltas: Any = None) -> Any:
        """The most an attacker can reach at each rate of false positives, rounded up.

        A number for a number, else an array. `deltas`, of the library's own search, is not used.
        """
        asked = np.asarray(false_positive_rates, dtype=float)
        if self._non_private:
            rates = np.ones(asked.shape)
        else:
            missed = self._spending.tradeoff(asked.ravel()).lower.reshape(asked.shape)
            rates = np.minimum(np.nextafter(1 - missed, 2.0), 1.0)
        return float(rates) if asked.ndim == 0 else rates


def _reveals(event: Any) -> bool:
    """Whether a non-private event is anywhere in it."""
    if type(event) is dp_event.NonPrivateDpEvent:
        return True
    inner = [*getattr(event, "events", ()), *filter(None, [getattr(event, "event", None)])]
    return any(map(_reveals, inner))
