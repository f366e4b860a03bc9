"""Of which steps a line may be bent."""

from __future__ import annotations

from dataclasses import dataclass

from flint import arb

from hockeystick.routes.certified.fixed_normal import FixedNormalLaw
from hockeystick.routes.certified.line import Laws
from hockeystick.routes.certified.normal import NormalLaw


@dataclass(frozen=True)
class BentLaw:
    """n steps of a shift and a rate; of a sample of fixed size, or of a record removed."""

    up: arb
    q: arb
    n: int
    atom: arb | None = None
    """The P-mass of the loss 0, of a sample of fixed size."""

    @property
    def fixed(self) -> bool:
        return self.atom is not None


def bent_law(laws: Laws) -> BentLaw | None:
    """The law of all steps, if it is one that a bent line is for."""
    if len(laws) != 1 or laws[0][1] < 2:
        return None
    law, n = laws[0]
    if isinstance(law, FixedNormalLaw):
        return BentLaw(law.shift, law.q, n, law.atoms()[0][0])
    removed = isinstance(law, NormalLaw) and law.sampled and law.down.is_zero()
    return BentLaw(law.up, law.q, n) if removed and isinstance(law, NormalLaw) else None
