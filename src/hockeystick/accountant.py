"""Accountant: the mutable one, which adds up what was spent and answers for the total."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hockeystick.bound import Bound, Bounds
from hockeystick.composition import compose
from hockeystick.domain import finite_non_negative, whole
from hockeystick.errors import ParameterError
from hockeystick.expression import parse
from hockeystick.mechanism import Mechanism
from hockeystick.relation import Relation
from hockeystick.saving import write_whole
from hockeystick.series import Array

FORMAT = "hockeystick accountant"
VERSION = 1


class Accountant:
    """Keeps the mechanisms that ran, with counts; every query is about all of them together.

    Spending costs the same at the millionth step as at the first, and memory grows with the number
    of different mechanisms only. An error leaves the accountant as it was.

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
            raise ParameterError(f"relation must be a Relation or None, got {relation!r}")
        self._relation = relation
        self._counts: dict[Mechanism, int] = {}

    def spend(self, mechanism: Mechanism, count: int = 1) -> None:
        """Add `mechanism`, run `count` times (an integer >= 0).

        >>> accountant = Accountant()
        >>> accountant.spend("Gaussian(1)")
        Traceback (most recent call last):
        ...
        hockeystick.errors.ParameterError: mechanism must be a Mechanism, got 'Gaussian(1)'
        """
        if not isinstance(mechanism, Mechanism):
            raise ParameterError(f"mechanism must be a Mechanism, got {mechanism!r}")
        times = whole("count", count, 0)
        if times:
            parts = mechanism.parts
            self._counts |= {m: self._counts.get(m, 0) + n * times for m, n in parts.items()}

    @property
    def spent(self) -> Mechanism:
        """Everything so far, as one mechanism."""
        return compose(self._counts.items())

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
        wanted = np.asarray(lambdas, dtype=float)
        for value in wanted.ravel().tolist():
            finite_non_negative("lambda", value)
        orders = 1 + wanted
        orders = np.where(orders - 1 < wanted, np.nextafter(orders, np.inf), orders)  # D increases
        divergences = np.where(wanted > 0, np.asarray(self.rdp(orders)), 0.0)
        values = wanted * divergences * (1 + 2.0**-52)
        return float(values) if np.ndim(lambdas) == 0 else values

    def profile(self, epsilons: Sequence[float] | Array) -> Bounds:
        """The curve δ(ε) at each given ε."""
        return self.spent.profile(epsilons, relation=self._relation)

    def tradeoff(self, alphas: Sequence[float] | Array) -> Bounds:
        """The smallest type II error of any test at each type I error (f-DP)."""
        return self.spent.tradeoff(alphas, relation=self._relation)

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
        spent = [{"mechanism": _text(m), "count": count} for m, count in self._counts.items()]
        relation = self._relation and self._relation.value
        state = {"format": FORMAT, "version": VERSION, "relation": relation, "spent": spent}
        return json.dumps(state, indent=2)

    @classmethod
    def from_json(cls, text: str) -> Accountant:
        """The accountant that `to_json` wrote; every part is checked again.

        >>> Accountant.from_json(Accountant().to_json()).spent
        Composition()
        """
        state = _decoded(text)
        _check_keys("state", state, {"format", "version", "relation", "spent"})
        if state["format"] != FORMAT:
            raise ParameterError(f"format must be {FORMAT!r}, got {state['format']!r}")
        if state["version"] != VERSION or isinstance(state["version"], bool):
            raise ParameterError(f"version must be {VERSION}, got {state['version']!r}")
        if not isinstance(state["spent"], list):
            raise ParameterError(f"spent must be a list, got {state['spent']!r}")
        self = cls(_relation(state["relation"]))
        for place, entry in enumerate(state["spent"]):
            self._restore(f"spent[{place}]", entry)
        return self

    def _restore(self, place: str, entry: Any) -> None:
        _check_keys(place, entry, {"mechanism", "count"})
        try:
            self.spend(parse(entry["mechanism"]), entry["count"])
        except ParameterError as error:
            raise ParameterError(f"{place}: {error}") from error

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write `to_json()` to a file, whole or not at all: the old file stays until the new is."""
        write_whole(path, self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Accountant:
        """The accountant that `save` wrote."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise ParameterError(f"{os.fspath(path)} is not UTF-8 text: {error}") from None
        return cls.from_json(text)

    def __repr__(self) -> str:
        return f"<Accountant relation={self._relation!r} spent={self.spent!r}>"


def _text(mechanism: Mechanism) -> str:
    """The text of a mechanism, which must mean the same when read back."""
    text = repr(mechanism)
    try:
        same = parse(text) == mechanism
    except ParameterError as error:
        raise ParameterError(f"a mechanism cannot be written as text: {error}") from error
    if not same:
        raise ParameterError(f"a mechanism cannot be written as text: {text} is another one")
    return text


def _decoded(text: str) -> dict[str, Any]:
    try:
        state = json.loads(text, object_pairs_hook=_without_repeats)
    except ParameterError:
        raise
    except (ValueError, TypeError, RecursionError) as error:
        raise ParameterError(f"text must be JSON: {error}") from None
    if not isinstance(state, dict):
        raise ParameterError(f"text must be a JSON object, got {state!r}")
    return state


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = ", ".join(name for name, _ in pairs)
        raise ParameterError(f"each key must be given once, got {names}")
    return found


def _check_keys(place: str, entry: Any, keys: set[str]) -> None:
    if not isinstance(entry, dict) or set(entry) != keys:
        got = ", ".join(sorted(entry)) if isinstance(entry, dict) else repr(entry)
        raise ParameterError(f"{place} must have the keys {', '.join(sorted(keys))}, got {got}")


def _relation(name: Any) -> Relation | None:
    if name is None:
        return None
    if not isinstance(name, str) or name not in Relation.__members__:
        known = ", ".join(Relation.__members__)
        raise ParameterError(f"relation must be null or one of {known}, got {name!r}")
    return Relation[name]
