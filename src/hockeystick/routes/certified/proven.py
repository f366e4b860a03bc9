"""What a proof has: two ends, and what it takes to prove them again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hockeystick.bound import Interval
from hockeystick.errors import CannotCertify
from hockeystick.routes.certified.balls import of_bits, reason
from hockeystick.routes.certified.line import Laws
from hockeystick.routes.certified.otherwise import BITS, REFUSALS


class Proven(Interval):
    """Two proven ends, and what it takes to prove them again."""

    certificate: dict[str, Any]

    @classmethod
    def of(cls, lower: float, upper: float, method: str, **said: Any) -> Proven:
        self = cls(lower, upper, method)
        self.certificate = {"method": method, "lower": lower, "upper": upper, **said}
        return self

    def above(self, laws: Laws) -> Proven:
        """Without the lower end, where some law is a bound only."""
        if not any(law.bound_only for law, _ in laws):
            return self
        return Proven.of(**{**self.certificate, "lower": 0.0})


@contextmanager
def precisely(bits: int = BITS) -> Iterator[None]:
    """Balls of enough bits; and whatever a plan fails with means that nothing is proven."""
    with of_bits(bits):
        try:
            yield
        except CannotCertify:
            raise
        except REFUSALS as error:
            raise CannotCertify(f"no plan of a proof was found: {reason(error)}") from error
