"""Real variables of an exponential or a normal law, rounded to integers without an error.

A candidate is a cell of an envelope, a place in it and a height, all uniform; it is kept if it is
under the density. Floats decide both, whether it is kept and where it is rounded to, except where
it is too near to a border: then it is decided by more digits, drawn as they are needed. What is
proven of this is in docs/noise.md.

Whoever measures the time learns which candidates were kept, and the kept ones are independent of
that.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hockeystick.errors import NumericalError
from hockeystick.random.coins import CLOSE, ULP
from hockeystick.random.digits import Digits, under
from hockeystick.random.envelope import CELL_BITS, INDEX_BITS, Envelope
from hockeystick.random.generators import Source

Integers = NDArray[np.int64]

PLACE_BITS = 64 - INDEX_BITS - 1
"""What a word has left for the place in a cell, after the cell and a sign."""
CELL_SHIFT, SIGN_SHIFT = np.uint64(64 - INDEX_BITS), np.uint64(PLACE_BITS - 1)
PLACE = np.uint64(2**PLACE_BITS - 1)
TWO = np.uint64(2)
BORDER = 2.0**-45
"""Times (scale + 1): nearer to an integer than this, floats do not decide; see docs/noise.md."""
LARGEST = 2.0**39
"""Scales above it would leave too many undecided: one in 32."""
BLOCK = 2**14
"""Candidates at a time: their arrays stay near to the processor."""
REACH = 2**53
"""Integers up to here are floats as well; e^(−16384) is the chance of a larger one, at most."""


class Rounded(NamedTuple):
    """Kept candidates: the integer parts of variables >= 0, and a sign of 1 or −1 for each."""

    sizes: Integers
    signs: Integers


def rounded(envelope: Envelope, scale: float, offset: float, tries: int, words: Source) -> Rounded:
    """⌊scale·X + offset⌋ of the X that are kept of so many candidates, exactly.

    Parameters
    ----------
    scale: in (0, 2^39]. offset: 0 or 1/2.

    >>> from hockeystick.random.envelope import exponential_envelope
    >>> from hockeystick.random.generators import source
    >>> sizes, signs = rounded(exponential_envelope(), 1000.0, 0.5, 2000, source(0))
    >>> bool(1700 < sizes.size < 2000 and 900 < sizes.mean() < 1100)
    True
    """
    both = words(2 * tries)
    drawn, heights = both[:tries], both[tries:]
    cells = envelope.table.take(drawn >> CELL_SHIFT)
    x = (drawn & PLACE) * 2.0**-PLACE_BITS
    x += cells
    x *= 2.0**-CELL_BITS
    gap = envelope.log_density(x)
    np.exp(gap, out=gap)
    uniform = heights * ULP
    uniform *= envelope.heights.take(cells)
    gap -= uniform
    keep = gap > CLOSE
    x *= scale
    x += offset
    floor = np.floor(x)
    sizes = floor.astype(np.int64)
    x -= floor
    x -= 0.5
    near = np.abs(x, out=x) >= 0.5 - BORDER * (scale + 1)
    near &= keep
    near |= np.abs(gap, out=gap) <= CLOSE
    for i in np.flatnonzero(near):
        position, step = _place(envelope, int(drawn[i]), words)
        height = Digits(int(heights[i]), 64, words)
        keep[i] = keep[i] or under(height, step, envelope.cost, position)
        if keep[i]:
            sizes[i] = _size(position, scale, offset)
    kept = np.flatnonzero(keep)
    signs = (drawn.take(kept) >> SIGN_SHIFT & TWO).astype(np.int64)
    signs -= 1
    return Rounded(sizes.take(kept), signs)


def _place(envelope: Envelope, word: int, words: Source) -> tuple[Digits, Fraction]:
    """Where a candidate is, as far as its word tells, and the height of the step there.

    In the cell without an end, the number of zeros before the first one among random bits is that
    of a piece of width 1.
    """
    cell, place = int(envelope.table[word >> int(CELL_SHIFT)]), word & int(PLACE)
    if cell < envelope.beyond:
        position = Digits(cell << PLACE_BITS | place, PLACE_BITS + CELL_BITS, words)
        return position, envelope.height(cell)
    piece, bits = 0, int(words(1)[0])
    while not bits:
        piece, bits = piece + 64, int(words(1)[0])
    piece += 64 - bits.bit_length()
    start = (cell >> CELL_BITS) + piece
    return Digits(start << PLACE_BITS | place, PLACE_BITS, words), envelope.height(cell, piece)


def _size(position: Digits, scale: float, offset: float) -> int:
    size = position.floor(Fraction(scale), Fraction(offset))
    if size > REACH:
        raise NumericalError(f"noise of more than 2^53 steps of its grid was drawn, scale {scale}")
    return size


def collect(count: int, share: float, kept: Callable[[int], Integers]) -> Integers:
    """The first `count` that are kept, of candidates in blocks of a size that `count` decides.

    share: of the candidates that are kept. kept: draws so many candidates, and returns those.

    >>> collect(3, 0.5, lambda tries: np.arange(tries)[::2]).tolist()
    [0, 2, 4]
    """
    parts, missing = [np.zeros(0, dtype=np.int64)], count
    while missing > 0:
        tries = missing / share
        tries += 4 * (tries * (1 - share)) ** 0.5 + 8
        parts.append(kept(min(int(tries), BLOCK))[:missing])
        missing -= parts[-1].size
    return np.concatenate(parts)
