"""Special functions of scipy, loaded when one is asked for: most answers need none of them."""

from __future__ import annotations

from typing import Any


def ndtr(x: Any) -> Any:
    """Φ(x)."""
    from scipy.special import ndtr

    return ndtr(x)


def ndtri(p: Any) -> Any:
    """Φ⁻¹(p)."""
    from scipy.special import ndtri

    return ndtri(p)


def erfcx(x: Any) -> Any:
    """e^{x²}·erfc(x)."""
    from scipy.special import erfcx

    return erfcx(x)
