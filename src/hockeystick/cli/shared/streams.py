"""Standard output as it is: of any encoding, full, or closed by who was reading it."""

from __future__ import annotations

import codecs
import errno
import os
import sys

CLOSED_PIPE = 141
"""The exit code of a program that SIGPIPE ends."""

WORDS = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "λ": "lambda",
    "μ": "mu", "ρ": "rho", "σ": "sigma", "ω": "omega", "²": "^2", "é": "e", "ø": "o",
    "×": "x", "·": "*", "−": "-", "–": "-", "—": "-", "─": "-", "━": "-", "│": "|", "┤": "|",
    "└": "+", "≤": "<=", "≥": ">=", "∞": "inf", "∝": "~", "…": "...", "“": '"', "”": '"',
    "‘": "'", "’": "'", "√": "sqrt", "∈": "in", "Σ": "sum", "∑": "sum", "→": "->",
}  # fmt: skip
"""What to write for a character that an encoding has not."""
BRAILLE = range(0x2801, 0x2900)


def spelled(error: UnicodeError) -> tuple[str, int]:
    """The handler of what cannot be encoded: words for letters, stars for dots.

    >>> codecs.register_error("spelled", spelled)
    >>> "ε ≤ 1 ⡠⠊".encode("ascii", "spelled")
    b'epsilon <= 1 **'
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(map(_spelling, missing)), error.end


def _spelling(character: str) -> str:
    return WORDS.get(character) or ("*" if ord(character) in BRAILLE else "?")


def take_any_encoding() -> None:
    """From now on nothing that is printed fails for want of a character."""
    codecs.register_error("spelled", spelled)
    for stream in (sys.stdout, sys.stderr):
        universal = (stream.encoding or "").lower().startswith("utf")
        if hasattr(stream, "reconfigure") and not universal:
            stream.reconfigure(errors="spelled")


def failure(error: OSError) -> tuple[int, str]:
    """The exit code and the message of a write to standard output that failed.

    What is left to be written then goes nowhere: else Python would try again at the end.
    """
    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # until the end
    if error.errno == errno.EPIPE:
        return CLOSED_PIPE, ""
    return 2, f"standard output: {error.strerror}"
