"""Ledger: budgets that people spend from together."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

import hockeystick
from hockeystick.checks import shown
from hockeystick.errors import ParameterError
from hockeystick.ledger import filters, given
from hockeystick.ledger.account import Account
from hockeystick.ledger.amounts import Cost, written
from hockeystick.ledger.entry import OPEN, SPEND, WHOLE, Entry, now
from hockeystick.ledger.filters import Filter, Spending
from hockeystick.ledger.given import Number
from hockeystick.ledger.state import State
from hockeystick.ledger.stores.address import store_at
from hockeystick.ledger.transaction import append, charged, repeated, sums
from hockeystick.ledger.verify import Verified, verify
from hockeystick.mechanism import Mechanism
from hockeystick.relation import ADD_REMOVE, Relation

MODES = ("adaptive", "planned")


class Ledger:
    """Budgets in a database, which many people and processes may spend from.

    A spending is charged before the release is made, in one transaction that checks the budget and
    appends to the ledger: the budget is never exceeded, whoever else spends at the same time.
    Entries are never changed; each holds the hash of the one before.

    Spendings may depend on earlier answers: the budget's filter is one that allows it. An exact
    total is valid only for what was declared in advance: `mode="planned"`.

    url: sqlite:///budget.db, a path, or postgresql://user@host/database (extra `postgres`).
    create: make the ledger, which must not be there.

    >>> import tempfile, os
    >>> ledger = Ledger(os.path.join(tempfile.mkdtemp(), "budget.db"), create=True)
    >>> ledger.open("census", epsilon=1, unit="one person").number
    1
    >>> with ledger.spend("census", "PureDP(1/11)", by="ana", purpose="a count"):
    ...     pass  # the release is made here
    >>> ledger.left("census", "PureDP(1/11)")
    10
    """

    def __init__(self, url: str, *, create: bool = False) -> None:
        self._store = store_at(url)
        self._rules: dict[str, tuple[Filter, Entry]] = {}
        """By budget: they are never changed."""
        if create:
            self._store.create()
        else:
            with self._store.reading() as connection:
                connection.head()

    def __repr__(self) -> str:
        return f"<Ledger {self.name}>"

    @property
    def name(self) -> str:
        """Where it lies, without a password."""
        return self._store.name

    # writing ----------------------------------------------------------------------------------

    def open(
        self,
        budget: str,
        *,
        epsilon: Number,
        delta: Number = 0,
        unit: str,
        relation: Relation = ADD_REMOVE,
        mode: str = "adaptive",
        filter: str = "auto",
        plan: str | Mechanism | None = None,
        partition: str | None = None,
    ) -> Entry:
        """Open a budget.

        epsilon, delta: what all spending together may cost; text such as "1/3" is taken exactly.
        unit: whom it protects ("one person").
        relation: what changes between neighbouring data sets.
        mode: "adaptive", where a spending may depend on earlier answers, or "planned".
        filter: of an adaptive budget: "gdp" for Gaussian noise alone, "renyi", "basic"; "auto" is
            renyi, and basic where delta is 0.
        plan: of a planned budget: all that will be spent.
        partition: a key that is fixed without looking at the data and says of each record which
            part it belongs to ("region"); what is spent on different parts does not add up.
        """
        given.check_name("budget", budget)
        asked = given.amount("epsilon", epsilon), given.amount("delta", delta)
        if not asked[0] >= 0 or not 0 <= asked[1] < 1:
            raise ParameterError(
                "epsilon must be at least 0 and delta in [0, 1), got "
                f"{float(asked[0])!r} and {float(asked[1])!r}"
            )
        if mode not in MODES:
            raise ParameterError(f"mode must be one of {', '.join(MODES)}, got {shown(mode)}")
        if (mode == "planned") != (plan is not None):
            raise ParameterError("a planned budget, and no other, needs a plan")
        if partition is not None:
            given.check_partition(partition, relation, mode)
        rule = (
            filters.chosen(filter, *asked)
            if plan is None
            else filters.planned(*asked, given.read(plan)[1], relation)
        )
        content = {
            "epsilon": written(asked[0]),
            "delta": written(asked[1]),
            "unit": given.check_text("unit", unit),
            "relation": str(relation),
            "mode": mode,
            "rule": rule.to_json(),
            "partition": partition,
            "total": [written(Fraction(0)) for _ in rule.limits],
            "time": now(),
            "version": hockeystick.__version__,
        }
        with self._store.writing() as connection:
            if connection.opened(budget) is not None:
                raise ParameterError(f"budget must be a new name, got {budget!r}")
            return append(connection, OPEN, budget, content)

    def spend(
        self,
        budget: str,
        mechanism: str | Mechanism,
        *,
        by: str,
        purpose: str,
        key: str | None = None,
        part: str = WHOLE,
        delta: Number | None = None,
    ) -> Entry:
        """Charge a mechanism, or raise `BudgetExceeded` and charge nothing.

        key: makes a repetition harmless: the same key again is the same spending, charged once.
        part: of a partitioned budget: the part of the data that is looked at; empty: all.
        delta: of a budget with the filter "basic": how much of its delta this spending may take.
        """
        texts = {"by": given.check_text("by", by), "purpose": given.check_text("purpose", purpose)}
        if key is not None:
            given.check_text("key", key)
        expression, value = given.read(mechanism)
        rule, opened = self._rule(budget)
        if part and opened.content["partition"] is None:
            raise ParameterError(f"part must be empty: {budget} is not partitioned, got {part!r}")
        if part:
            given.check_text("part", part)
        share = given.share(delta)
        cost = _cost(rule, Spending(expression, value, self.relation(budget), share))
        content = {
            "expression": expression,
            "cost": [written(each) for each in cost],
            "part": part,
            "key": key,
            "delta": None if share is None else written(share),
            "time": now(),
            "version": hockeystick.__version__,
            **texts,
        }
        with self._store.writing() as connection:
            if key is not None and (there := connection.keyed(budget, key)) is not None:
                return repeated(there, content)
            total = charged(connection, budget, rule, part, cost, expression)
            content["total"] = [written(each) for each in total]
            return append(connection, SPEND, budget, content)

    def account(
        self, budget: str, *, by: str, purpose: str, key: str | None = None, part: str = WHOLE
    ) -> Account:
        """Access to a budget, for what charges itself: `ledger=` of an estimator, releases."""
        self._rule(budget)
        return Account(self, budget, by, purpose, key, part)

    # reading ----------------------------------------------------------------------------------

    def left(
        self,
        budget: str,
        mechanism: str | Mechanism,
        *,
        part: str = WHOLE,
        delta: Number | None = None,
    ) -> float:
        """How often a mechanism would still pass: an integer, or infinity."""
        rule, _ = self._rule(budget)
        cost = _cost(
            rule, Spending(*given.read(mechanism), self.relation(budget), given.share(delta))
        )
        with self._store.reading() as connection:
            return min(rule.times(reached, cost) for reached in sums(connection, budget, part))

    def show(self, budget: str) -> State:
        """What was spent and what is left, at this moment."""
        rule, opened = self._rule(budget)
        with self._store.reading() as connection:
            reached = sums(connection, budget, WHOLE)
            entries = [Entry.read(row.body) for row in connection.all(budget)]
        return State(opened, rule, max(reached, key=rule.used), entries)

    def relation(self, budget: str) -> Relation:
        """What changes between the neighbouring data sets that a budget is about."""
        return Relation.read(self._rule(budget)[1].content["relation"], "a name")

    def used(self, budget: str) -> float:
        """The part of a budget that is spent, as its filter counts."""
        rule, _ = self._rule(budget)
        with self._store.reading() as connection:
            return max(map(rule.used, sums(connection, budget, WHOLE)))

    def budgets(self) -> list[str]:
        """The names of all budgets, in the order in which they were opened."""
        with self._store.reading() as connection:
            return [entry.budget for entry in connection.budgets()]

    def entries(self, budget: str | None = None) -> Iterator[Entry]:
        """Every entry, or those of one budget, the oldest first."""
        with self._store.reading() as connection:
            for row in connection.all(budget):
                yield Entry.read(row.body)

    def head(self) -> str:
        """The hash of the last entry: whoever keeps it can tell later that none was taken away."""
        with self._store.reading() as connection:
            return connection.head()[1]

    def verify(self, head: str | None = None) -> Verified:
        """Check every entry again; a `LedgerError` names the first that is not as it was written.

        head: a hash that was the last one at some time; it must still be in the chain.
        """
        with self._store.reading() as connection:
            return verify(connection.all(), head)

    def _rule(self, budget: str) -> tuple[Filter, Entry]:
        if given.check_name("budget", budget) not in self._rules:
            with self._store.reading() as connection:
                opened = connection.opened(budget)
                names = [] if opened else [entry.budget for entry in connection.budgets()]
            if opened is None:
                known = ", ".join(names) or "none"
                raise ParameterError(f"budget must be an opened one ({known}), got {budget!r}")
            self._rules[budget] = filters.read(opened.content["rule"]), opened
        return self._rules[budget]


@lru_cache(maxsize=4096)
def _cost(rule: Filter, spending: Spending) -> Cost:
    return rule.cost(spending)
