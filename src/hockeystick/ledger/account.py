"""One person's access to a budget: what is run through it is charged first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from hockeystick.errors import RelationError
from hockeystick.ledger.entry import WHOLE, Entry
from hockeystick.mechanism import Mechanism
from hockeystick.relation import Relation

if TYPE_CHECKING:
    from hockeystick.ledger.ledger import Ledger


@dataclass(frozen=True)
class Account:
    """A budget of a ledger, with what every entry needs; made by `Ledger.account`.

    Estimators of `hockeystick.learn` and every `release` take it as `ledger=`: they charge all that
    they will run before they begin, and run nothing if it does not fit.

    >>> import os, tempfile
    >>> import hockeystick as hs
    >>> ledger = hs.Ledger(os.path.join(tempfile.mkdtemp(), "budget.db"), create=True)
    >>> entry = ledger.open("survey", epsilon=1, unit="one person")
    >>> survey = ledger.account("survey", by="ana", purpose="how many answered")
    >>> isinstance(hs.Laplace(16).release(1234, ledger=survey), float)
    True
    >>> ledger.used("survey")
    0.0625
    """

    ledger: Ledger
    budget: str
    by: str
    purpose: str
    key: str | None = None
    part: str = WHOLE

    def __deepcopy__(self, _: object) -> Self:
        """Itself: a copy of an estimator spends from the same budget."""
        return self

    def spend(self, mechanism: Mechanism, relation: Relation | None = None) -> Entry:
        """Charge a mechanism; an error if it was calibrated for other neighbours."""
        said = self.ledger.relation(self.budget)
        if relation not in (None, said):
            raise RelationError(
                f"the budget {self.budget} is about {said}, and this run about {relation}"
            )
        return self.ledger.spend(
            self.budget, mechanism, by=self.by, purpose=self.purpose, key=self.key, part=self.part
        )
