"""What a mechanism says of itself to people: in words, as a picture, in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hockeystick.small_delta import given

if TYPE_CHECKING:
    from hockeystick.relation import Relation


class InWords:
    """The methods of a mechanism that are made for people; each loads what it needs."""

    def explain(
        self: Any,
        delta: float | None = None,
        *,
        log_delta: float | None = None,
        relation: Relation | None = None,
        method: str = "auto",
    ) -> str:
        """What it guarantees at a δ, given as for `epsilon`, as the command `explain` prints it.

        >>> from hockeystick import Laplace
        >>> print(Laplace(1.0).explain(delta=0))
        What runs
          Once: Laplace(1.0).
          ...
        """
        from hockeystick.report.explanation import Explanation

        return str(Explanation.of(self, given(delta, log_delta), relation, method))

    def statement(
        self: Any, *, delta: float | None = None, relation: Relation | None = None
    ) -> str:
        """What it protects, in a few lines to show with a result.

        delta: in [0, 1]; None states ε without a δ where that is finite, else at several δ.

        >>> from hockeystick import Laplace, Poisson
        >>> print((Laplace(2.0).on(Poisson(0.5)) * 2 + Laplace(8.0)).statement())
        Laplace(2.0).on(Poisson(0.5)) * 2 + Laplace(8.0): all of it together, in any order.
        (0.68686, 0)-differentially private when one record is added or removed (add-remove).
        It holds for a program that does what is written here; noise that is computed in ...
        """
        from hockeystick.report.statement import of_any

        return of_any(self, delta, relation)

    def plot(self: Any, kind: str = "profile", **options: Any) -> Any:
        """A curve of it, drawn into axes of matplotlib, which are returned: see `hockeystick.plot`.

        kind: "profile", "epsilon-over-steps", "rdp" or "tradeoff".
        """
        from hockeystick.plotting.plot import plot

        return plot(self, kind=kind, **options)

    def _repr_html_(self: Any) -> str:
        from hockeystick.report.html import of_mechanism

        return of_mechanism(self)
