"""Secure bits are ChaCha20's, coins and counts have exactly the law that they claim."""

from __future__ import annotations

import copy
import pickle
import secrets
import sys
from fractions import Fraction
from math import comb
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from numpy.random import PCG64, Generator
from scipy import stats

from hockeystick.errors import HockeystickError, ParameterError
from hockeystick.random.batches import _distribution, binomial, coins
from hockeystick.random.generators import (
    MissingExtra,
    SecureGenerator,
    generator,
    known_secure,
)

DRAWS = 10_000
# The first block of ChaCha20 at counter 0 and nonce 0: RFC 8439, appendix A.1, vector 1;
# the second one was computed by OpenSSL 3.0.
KEYSTREAMS = {
    bytes(32): "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
    "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586",
    bytes(range(32)): "39fd2b7dd9c5196a8dbd0377b8dc4a498a35d86fbcde6accb2cc7d4cd8ea2492"
    "2b23cce7a26023ab3f0eef693ac87f64258235eab1f7a32dc22762a0485b410c",
}


class Fixed:
    """A source whose words and bytes are known."""

    def __init__(self, words: list[int], rest: bytes = b"") -> None:
        self.words, self.rest = np.array(words, dtype=np.uint64), rest

    def integers(self, *args: Any, **options: Any) -> Any:
        return self.words

    def bytes(self, length: int) -> bytes:
        return self.rest * length


@pytest.mark.parametrize("key", KEYSTREAMS)
def test_secure_bits_are_chacha20_under_the_key(key: bytes, monkeypatch: Any) -> None:
    pytest.importorskip("randomgen")
    monkeypatch.setattr(secrets, "randbits", lambda bits: int.from_bytes(key, "little"))
    words = generator().bit_generator.random_raw(8)
    assert words.astype("<u8").tobytes().hex() == KEYSTREAMS[key]


def test_the_key_has_256_bits(monkeypatch: Any) -> None:
    pytest.importorskip("randomgen")
    asked: list[int] = []

    def randbits(bits: int) -> int:
        asked.append(bits)
        return 1

    monkeypatch.setattr(secrets, "randbits", randbits)
    generator(None)
    assert asked == [256]


def test_two_secure_generators_differ() -> None:
    pytest.importorskip("randomgen")
    first, second = generator(), generator(None)
    assert isinstance(first, Generator)
    assert first.bytes(32) != second.bytes(32)


def test_without_randomgen_the_error_names_the_remedy(monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "randomgen", None)
    with pytest.raises(MissingExtra, match=r"pip install .hockeystick\[secure\].$"):
        generator()
    assert issubclass(MissingExtra, HockeystickError)
    assert issubclass(MissingExtra, ImportError)


@pytest.mark.parametrize("seed", [0, 7, np.int64(7), 2**70])
def test_an_integer_is_a_seed(seed: int) -> None:
    assert generator(seed).random() == np.random.default_rng(int(seed)).random()


def test_a_generator_is_used_as_it_is() -> None:
    rng = Generator(PCG64(1))
    assert generator(rng) is rng


@pytest.mark.parametrize("rng", [-1, 1.0, True, "0", np.random.RandomState(0), PCG64(0), [1]])
def test_other_sources_are_rejected(rng: Any) -> None:
    with pytest.raises(ParameterError, match="rng must be None, an integer >= 0 or a numpy"):
        generator(rng)


@pytest.mark.parametrize("probability", [2.0**-11, np.nextafter(2.0**-11, 1), 0.1, 0.3, 1 - 2**-53])
def test_a_coin_has_exactly_its_probability(probability: float) -> None:
    ones = Fraction(float(probability)) * 2**64
    assert ones.denominator == 1
    words = [0, int(ones) - 1, int(ones), 2**64 - 1]
    rng: Any = Fixed(words)
    assert coins(4, probability, rng).tolist() == [True, True, False, False]


@pytest.mark.parametrize("probability", [2.0**-12, 0.0, 1.0, 1.5])
def test_coins_reject_what_they_cannot_draw_exactly(probability: float) -> None:
    with pytest.raises(ParameterError, match="probability must be in"):
        coins(1, probability, generator(0))


@pytest.mark.parametrize("exponent", [0, 61])
def test_binomial_rejects_other_exponents(exponent: int) -> None:
    with pytest.raises(ParameterError, match=r"exponent must be an integer in \[1, 60\]"):
        binomial(1, exponent, generator(0))


@pytest.mark.parametrize("exponent", [1, 2, 5, 6, 7])
def test_distribution_against_fractions(exponent: int) -> None:
    n = 2**exponent
    coarse, fine = _distribution(exponent)
    assert len(coarse) == len(fine) == min(n, 64)
    total = Fraction(0)
    for c, (short, long) in enumerate(zip(coarse, fine, strict=True)):
        total += Fraction(comb(n, c) * (n - 1) ** (n - c), n**n)
        assert abs(long - total * 2**256) <= 1
        assert int(short) == long >> 192


@pytest.mark.parametrize("exponent", [20, 43, 60])
def test_distribution_against_mpmath(exponent: int) -> None:
    fine = _distribution(exponent)[1]
    with mp.workdps(150):
        p, total = mp.mpf(2) ** -exponent, mp.mpf(0)
        for c, value in enumerate(fine):
            total += mp.binomial(2**exponent, c) * p**c * mp.exp((2**exponent - c) * mp.log1p(-p))
            assert abs(value - mp.ldexp(total, 256)) <= 1
        assert 1 - total < mp.ldexp(1, -256)


@pytest.mark.parametrize("exponent", [1, 7, 60])
@pytest.mark.parametrize("c", [0, 1])
def test_a_word_that_decides_nothing_is_continued(exponent: int, c: int) -> None:
    coarse = [int(x) for x in _distribution(exponent)[0]]
    if exponent == 1:  # F(0) = 1/4 and F(1) = 3/4 end after two bits: zeros are not below them
        lower: Any = Fixed([coarse[c] - 1], b"\xff")
        upper: Any = Fixed([coarse[c]], b"\x00")
    else:
        lower, upper = Fixed([coarse[c]], b"\x00"), Fixed([coarse[c]], b"\xff")
    assert binomial(1, exponent, lower) == c
    assert binomial(1, exponent, upper) == c + 1


def test_the_largest_word_is_not_the_largest_count() -> None:
    fine = _distribution(20)[1]
    rng: Any = Fixed([2**64 - 1], b"\x00")
    expected = sum(f <= (2**64 - 1) << 192 for f in fine)
    assert binomial(1, 20, rng) == expected == 20


@pytest.mark.slow
@pytest.mark.parametrize(("blocks", "exponent"), [(3, 1), (3, 5), (2, 20)])
@pytest.mark.parametrize(("factor", "agrees"), [(1.0, True), (1.1, False)])
def test_binomial_law(blocks: int, exponent: int, factor: float, agrees: bool) -> None:
    """Chi-square of the counts; against a law of 10 % more it fails."""
    rng = generator(5)
    n = blocks * 2**exponent
    counts = np.array([binomial(blocks, exponent, rng) for _ in range(DRAWS)])
    last = min(n, 7)
    law = stats.binom.pmf(np.arange(last), n, factor * 2.0**-exponent)
    expected = DRAWS * np.append(law, 1 - law.sum())
    observed = np.bincount(np.minimum(counts, last), minlength=last + 1)
    p_value = stats.chisquare(observed, expected).pvalue
    assert p_value > 0.01 if agrees else p_value < 1e-9


def test_only_what_was_made_here_is_known_to_be_secure() -> None:
    chacha = pytest.importorskip("randomgen").ChaCha
    assert known_secure(generator())
    others = [
        Generator(chacha(key=0)),
        Generator(chacha(key=0, rounds=20)),
        Generator(chacha(key=secrets.randbits(256), rounds=8)),
        Generator(chacha(key=secrets.randbits(256), rounds=20)),
        Generator(generator().bit_generator),
        Generator(PCG64()),
        generator(7),
    ]
    assert not any(known_secure(each) for each in others)
    with pytest.raises(TypeError):
        SecureGenerator(chacha(key=0))  # type: ignore[call-arg]


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, pickle.dumps], ids=["copy", "deepcopy", "pickle"]
)
def test_a_secure_generator_is_never_copied(copied: Any) -> None:
    pytest.importorskip("randomgen")
    secure = generator()
    with pytest.raises(ParameterError, match="cannot be copied or pickled"):
        copied(secure)
    with pytest.raises(ParameterError, match="cannot be copied or pickled"):
        copied({"rng": [secure]}) if copied is not copy.copy else copied(secure)


def test_a_forked_process_has_the_numbers_of_its_parent_and_no_trust() -> None:
    pytest.importorskip("randomgen")
    secure = generator()
    secure.process -= 1  # type: ignore[attr-defined]
    assert not known_secure(secure)
