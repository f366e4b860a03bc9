"""Special functions of scipy, loaded when one is asked for: most answers need none of them."""

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def _functions() -> Any:
    """scipy's module; kept, as to ask for it by an import at every call takes a microsecond."""
    import scipy.special

    return scipy.special


def ndtr(x: Any) -> Any:
    """Φ(x)."""
    return _functions().ndtr(x)


def log_ndtr(x: Any) -> Any:
    """log Φ(x)."""
    return _functions().log_ndtr(x)


def ndtri(p: Any) -> Any:
    """Φ⁻¹(p)."""
    return _functions().ndtri(p)


def erfcx(x: Any) -> Any:
    """e^{x²}·erfc(x)."""
    return _functions().erfcx(x)
