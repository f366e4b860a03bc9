"""Accountant: the mutable one, which adds up what was spent and answers for the total."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from threading import RLock
from typing import Any

import numpy as np

from hockeystick import account_text
from hockeystick.bound import Bound, Bounds
from hockeystick.checks import finite_non_negative, numbers, shown, steps_in_all, whole
from hockeystick.errors import ParameterError, SavingError
from hockeystick.locking import locked
from hockeystick.mechanism import Mechanism, compose
from hockeystick.numerics.types import Array
from hockeystick.relation import Relation
from hockeystick.saving import write_whole
from hockeystick.text import parse


class Accountant:
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

    >>> from hockeystick import Gaussian, Poisson
    >>> accountant = Accountant()
    >>> for _ in range(100):
    ...     accountant.spend(Gaussian(1.1).on(Poisson(0.01)))
    >>> accountant.spent
    Gaussian(1.1).on(Poisson(0.01)) * 100
    """

    def __init__(self, relation: Relation | None = None) -> None:
        if relation is not None and not isinstance(relation, Relation):
            raise ParameterError(f"relation must be a Relation or None, got {shown(relation)}")
        self._relation = relation
        self._counts: dict[Mechanism, int] = {}
        self._steps = 0
        self._files: dict[str, str] = {}
        """The digest of each file as this accountant last read or wrote it."""
        self._held: set[str] = set()
        """Files that `open` has locked for it."""
        self._lock = RLock()

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            kept = {name: value for name, value in vars(self).items() if name != "_lock"}
            return kept | {"_counts": self._now(), "_files": dict(self._files), "_held": set()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._lock = RLock()

    def spend(self, mechanism: Mechanism, count: int = 1) -> None:
        """Add `mechanism`, run `count` times (an integer in [0, 2^62]).

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
            self._steps = steps_in_all(self._steps + more)
            self._counts |= counts

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

    # queries ----------------------------------------------------------------------------------

    def epsilon(self, delta: float, *, method: str = "auto") -> Bound:
        """The smallest ε for which everything spent is (ε, δ)-DP."""
        return self.spent.epsilon(delta, relation=self._relation, method=method)

    def delta(self, epsilon: float, *, method: str = "auto") -> Bound:
        """The smallest δ for which everything spent is (ε, δ)-DP."""
        return self.spent.delta(epsilon, relation=self._relation, method=method)

    def rdp(self, order: Any) -> Any:
        """Rényi divergence at any real order in [1, inf]; a number for a number, else an array."""
        return self.spent.rdp(order, relation=self._relation)

    def cgf(self, lambdas: Any) -> Any:
        """K(λ) = λ·D_{1+λ}, the cumulant generating function of the loss, rounded up.

        Of everything spent, the larger of the two directions, at any λ in [0, inf) and with no list
        of orders kept: the analytical moments accountant of Wang, Balle and Kasiviswanathan (2019,
        Algorithms 1 and 4). `classical.get_epsilon` and `get_delta` turn it into ε and δ their way.
        The ends of the curve are `rdp(1)`, the mean loss, and `rdp(math.inf)`, the largest.

        lambdas: a number or an array; a number for a number, else an array.

        >>> from hockeystick import Gaussian
        >>> accountant = Accountant()
        >>> accountant.spend(Gaussian(2.0), 8)
        >>> round(accountant.cgf(3.5), 9)  # 8·λ·(λ + 1)/(2·2²)
        15.75
        """
        wanted = numbers("lambda", lambdas)
        for value in wanted.ravel().tolist():
            finite_non_negative("lambda", value)
        orders = 1 + wanted
        orders = np.where(orders - 1 < wanted, np.nextafter(orders, np.inf), orders)  # D increases
        divergences = np.where(wanted > 0, np.asarray(self.rdp(orders)), 0.0)
        values = wanted * divergences * (1 + 2.0**-52)
        return float(values) if np.ndim(lambdas) == 0 else values

    def profile(self, epsilons: Sequence[float] | Array, *, method: str = "auto") -> Bounds:
        """The curve δ(ε) at each given ε."""
        return self.spent.profile(epsilons, relation=self._relation, method=method)

    def tradeoff(self, alphas: Sequence[float] | Array, *, method: str = "auto") -> Bounds:
        """The smallest type II error of any test at each type I error (f-DP)."""
        return self.spent.tradeoff(alphas, relation=self._relation, method=method)

    def epsilons(self, delta: float, counts: Iterable[int], *, method: str = "auto") -> Bounds:
        """ε if everything spent were run each number of times."""
        return self.spent.epsilons(delta, counts, relation=self._relation, method=method)

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
        return account_text.written(self._relation, self._now())

    @classmethod
    def from_json(cls, text: str) -> Accountant:
        """The accountant that `to_json` wrote; every part is checked again.

        >>> Accountant.from_json(Accountant().to_json()).spent
        Composition()
        """
        relation, spent = account_text.read(text)
        self = cls(relation)
        for place, mechanism, count in account_text.entries(spent):
            try:
                self.spend(parse(mechanism), count)
            except ParameterError as error:
                raise ParameterError(f"{place}: {error}") from error
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
        cls, path: str | os.PathLike[str], relation: Relation | None = None
    ) -> Iterator[Accountant]:
        """The accountant of a file, for this process alone; at the end, it is saved there.

        Others who open or save the file wait up to a minute for their turn. What was spent is saved
        when an error ends the block, too. A file that is not there is begun, with `relation`; one
        that is there must be about the same neighbours if `relation` is given.

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
            self = cls.load(place) if os.path.exists(place) else cls(relation)
            if relation not in (None, self._relation):
                raise ParameterError(
                    f"relation must be that of {place}, {self._relation!r}, got {shown(relation)}"
                )
            self._held.add(place)
            try:
                yield self
            finally:
                self.save(place)
                self._held.discard(place)

    def __repr__(self) -> str:
        return f"<Accountant relation={self._relation!r} spent={self.spent!r}>"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
