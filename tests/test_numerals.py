"""Numbers as people write them, against fractions made by hand."""

from __future__ import annotations

import math
import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hockeystick.errors import ParameterError
from hockeystick.numerals import exact, read, rounded


@given(st.floats(allow_nan=False))
def test_what_repr_writes_is_read(value: float) -> None:
    assert read("x", repr(value)) == value


@given(st.integers(-(10**18), 10**18), st.integers(1, 10**18))
def test_a_fraction_is_rounded_once(over: int, under: int) -> None:
    assert read("x", f"{over}/{under}") == over / under


@pytest.mark.parametrize(
    ("text", "value"),
    [("1/60000", 1 / 60000), ("1%", 0.01), ("0.3/0.1", 3.0), (" 1_000 ", 1000.0), (".5", 0.5),
     ("1/3 %", 1 / 300), ("-inf", -math.inf), ("0e-999", 0.0), ("5e-324", 5e-324)],
)  # fmt: skip
def test_by_hand(text: str, value: float) -> None:
    assert read("x", text) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1e-400", "x is too small a number"),
        ("1e-99999999999999999999", "x is too small a number"),
        ("1e99999999999999999999", "x is too large a number; infinity is written inf"),
        ("1e400", "x is too large a number"),
        ("1e-200/1e200", "x is too small a number"),
        ("1/0", "x divides by 0"),
        ("1/2/3", "x must be a number such as 1e-5 or 1/60000, got '1/2/3'"),
        ("", "x must be a number"),
        ("0x1e", "x must be a number"),
        ("١", "x must be a number"),
        ("9" * 1001, "x must be a number"),
    ],
)
def test_refuses(text: str, message: str) -> None:
    began = time.process_time()
    with pytest.raises(ParameterError, match=message):
        read("x", text)
    assert time.process_time() - began < 5


def test_whole_numbers_stay_whole() -> None:
    assert [rounded(exact(text)) for text in ("1e4", "2.0", "1e17")] == [10**4, 2, 10**17]
    assert isinstance(rounded(exact("1e4")), int)
    assert rounded(Fraction(1, 3)) == 1 / 3
