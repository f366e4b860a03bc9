"""Accountant: the mutable one, which adds up what was spent and answers for the total."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from copy import copy
from pathlib import Path
from threading import RLock
from typing import Any

from hockeystick import account_text
from hockeystick.account_questions import AccountQuestions
from hockeystick.ahead import Ahead
from hockeystick.budget import Budget
from hockeystick.checks import shown, steps_in_all, whole
from hockeystick.errors import ParameterError, SavingError
from hockeystick.locking import locked
from hockeystick.mechanism import Mechanism, compose
from hockeystick.relation import Relation
from hockeystick.saving import write_whole
from hockeystick.text import parse


class Accountant(AccountQuestions):
    """Keeps the mechanisms that ran, with counts; every query is about all of them together.

    Spending costs the same at the millionth step as at the first, and memory grows with the number
    of different mechanisms only. An error leaves the accountant as it was; more than 2^62 steps in
    all are one. Threads may share an accountant: no spending is lost between them.

    In a file nothing is lost either: `save` refuses to replace a file that holds anything but what
    this accountant read from it or wrote to it. Processes that spend from one file take turns with
    `with Accountant.open(path) as accountant:`, which locks the file, reads it, and saves what was
    spent at the end.

    Parameters
    ----------
    relation: the neighbours that all answers are about; None takes the samplers' natural one.
    budget: the most that all spending together may cost, (epsilon, delta); delta may be a
        `SmallDelta`, which is known by its logarithm. What would go over it
        raises `BudgetExceeded` before anything is spent: the upper ends decide, so nothing is ever
        over. A file keeps the budget too.

    >>> from hockeystick import Gaussian, Poisson
    >>> accountant = Accountant()
    >>> for _ in range(100):
    ...     accountant.spend(Gaussian(1.1).on(Poisson(0.01)))
    >>> accountant.spent
    Gaussian(1.1).on(Poisson(0.01)) * 100
    """

    def __init__(
        self,
        relation: Relation | None = None,
        *,
        budget: tuple[float, float] | None = None,
    ) -> None:
        if relation is not None and not isinstance(relation, Relation):
            raise ParameterError(f"relation must be a Relation or None, got {shown(relation)}")
        self._relation = relation
        self._counts: dict[Mechanism, int] = {}
        self._steps = 0
        self._files: dict[str, str] = {}
        """The digest of each file as this accountant last read or wrote it."""
        self._held: set[str] = set()
        """Files that `open` has locked for it."""
        self._budget = None if budget is None else Budget.read(budget, relation)
        self._lock = RLock()
        self._ahead = Ahead()

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            kept = {n: value for n, value in vars(self).items() if n not in ("_lock", "_ahead")}
            own = {"_files": dict(self._files), "_budget": copy(self._budget)}
            return kept | own | {"_counts": self._now(), "_held": set()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._lock, self._ahead = RLock(), Ahead()

    def spend(self, mechanism: Mechanism, count: int = 1) -> None:
        """Add `mechanism`, run `count` times (an integer in [0, 2^62]), if the budget allows it.

        >>> accountant = Accountant()
        >>> accountant.spend("Gaussian(1)")
        Traceback (most recent call last):
        ...
        hockeystick.errors.ParameterError: mechanism must be a Mechanism, got 'Gaussian(1)'
        """
        if not isinstance(mechanism, Mechanism):
            raise ParameterError(f"mechanism must be a Mechanism, got {shown(mechanism)}")
        times = whole("count", count, 0)
        if not times:
            return
        parts = mechanism.parts
        more = times * sum(parts.values())
        with self._lock:
            counts = {m: self._counts.get(m, 0) + n * times for m, n in parts.items()}
            steps = steps_in_all(self._steps + more)
            if self._budget is not None:
                self._budget.check(self._counts, self._counts | counts)
            self._steps = steps
            self._counts |= counts

    def steps_left(self, mechanism: Mechanism) -> float:
        """How often `mechanism` may still run within the budget: an integer, or infinity.

        >>> from hockeystick import Laplace
        >>> accountant = Accountant(budget=(1.0, 0.0))
        >>> accountant.spend(Laplace(4.0))
        >>> accountant.steps_left(Laplace(8.0))
        6
        """
        if not isinstance(mechanism, Mechanism):
            raise ParameterError(f"mechanism must be a Mechanism, got {shown(mechanism)}")
        with self._lock:
            if self._budget is None:
                raise ParameterError("steps_left needs an accountant that was given a budget=")
            return self._budget.left(self._counts, mechanism)

    @property
    def spent(self) -> Mechanism:
        """Everything so far, as one mechanism."""
        return compose(self._now().items())

    def _now(self) -> dict[Mechanism, int]:
        with self._lock:
            return dict(self._counts)

    @property
    def relation(self) -> Relation | None:
        """The neighbours that all answers are about; None: the samplers' natural one."""
        return self._relation

    @property
    def budget(self) -> tuple[float, float] | None:
        """The most that may be spent, (epsilon, delta); None: nothing was said."""
        return None if self._budget is None else self._budget.pair

    # text -------------------------------------------------------------------------------------

    def to_json(self) -> str:
        """The state as JSON text; an error if a mechanism has no text form.

        >>> print(Accountant().to_json())
        {
          "format": "hockeystick accountant",
          "version": 1,
          "relation": null,
          "spent": []
        }
        """
        return account_text.written(self._relation, self._now(), self.budget)

    @classmethod
    def from_json(cls, text: str) -> Accountant:
        """The accountant that `to_json` wrote; every part is checked again.

        >>> Accountant.from_json(Accountant().to_json()).spent
        Composition()
        """
        relation, spent, budget = account_text.read(text)
        self = cls(relation)
        for place, mechanism, count in account_text.entries(spent):
            try:
                self.spend(parse(mechanism), count)
            except ParameterError as error:
                raise ParameterError(f"{place}: {error}") from error
        if budget is not None:  # only now: what was spent was spent
            self._budget = Budget.read(budget, relation)
        return self

    # files ------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write `to_json()` to a file, whole or not at all: the old file stays until the new is.

        A file that is there must be as this accountant last read or wrote it, else somebody else's
        spending would be lost: a `SavingError`. `overwrite` replaces whatever is there.
        """
        place = os.path.realpath(path)
        with nullcontext() if place in self._held else locked(place), self._lock:
            if not overwrite:
                self._check_unchanged(place)
            write_whole(place, self.to_json())
            self._files[place] = _digest(Path(place).read_bytes())

    def _check_unchanged(self, place: str) -> None:
        try:
            now = _digest(Path(place).read_bytes())
        except FileNotFoundError:
            return
        if self._files.get(place) == now:
            return
        why = "changed since this accountant read it" if place in self._files else "there already"
        raise SavingError(
            f"{place} was {why}, and what it says was spent would be lost; spend in "
            "`with Accountant.open(path) as accountant:`, or give overwrite=True to lose it"
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Accountant:
        """The accountant that `save` wrote."""
        data = Path(path).read_bytes()
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            raise ParameterError(f"{os.fspath(path)} is not UTF-8 text: {error}") from None
        self = cls.from_json(text)
        self._files[os.path.realpath(path)] = _digest(data)
        return self

    @classmethod
    @contextmanager
    def open(
        cls,
        path: str | os.PathLike[str],
        relation: Relation | None = None,
        *,
        budget: tuple[float, float] | None = None,
    ) -> Iterator[Accountant]:
        """The accountant of a file, for this process alone; at the end, it is saved there.

        Others who open or save the file wait up to a minute for their turn. What was spent is saved
        when an error ends the block, too. A file that is not there is begun, with `relation` and
        `budget`; one that is there must have the same ones, where they are given.

        >>> import tempfile
        >>> from hockeystick import Gaussian
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     for _ in range(2):
        ...         with Accountant.open(f"{folder}/spent.json") as accountant:
        ...             accountant.spend(Gaussian(2.0))
        ...     Accountant.load(f"{folder}/spent.json").spent
        Gaussian(2.0) * 2
        """
        place = os.path.realpath(path)
        with locked(place):
            there = os.path.exists(place)
            self = cls.load(place) if there else cls(relation, budget=budget)
            if relation not in (None, self._relation):
                raise ParameterError(
                    f"relation must be that of {place}, {self._relation!r}, got {shown(relation)}"
                )
            if budget is not None and tuple(budget) != self.budget:
                raise ParameterError(
                    f"budget must be that of {place}, {self.budget!r}, got {shown(budget)}"
                )
            self._held.add(place)
            try:
                yield self
            finally:
                self.save(place)
                self._held.discard(place)

    def __repr__(self) -> str:
        budget = "" if self.budget is None else f" budget={self.budget!r}"
        return f"<Accountant relation={self._relation!r}{budget} spent={self.spent!r}>"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
