"""Tables of values in high precision, and closed forms of the literature."""

from pathlib import Path

DATA = Path(__file__).parent / "data"
"""The tables; `python -m tests.oracles.make_data` writes most of them."""
