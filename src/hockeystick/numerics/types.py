"""What arrays are called in annotations.

Their dtype is not spelled out: numpy's arithmetic would widen it, and every sum need a cast.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]
"""An array of float64."""
Complex = NDArray[Any]
"""An array of complex128."""
