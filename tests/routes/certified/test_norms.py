"""Large orders of sampled normal laws: against 40 digits, and where one method hands over."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction

import mpmath as mp
import pytest

import hockeystick as hs
from hockeystick.errors import CannotCertify
from hockeystick.loss.exact import Exact
from hockeystick.mechanism import Mechanism
from hockeystick.routes.certified.balls import above, below, of_bits
from hockeystick.routes.certified.moments import NATS, log_moment
from hockeystick.routes.certified.norms import between_norms, by_norms
from hockeystick.routes.certified.reading import read
from hockeystick.routes.certified.verify import verify

ORDERS = [300.0, *(pytest.param(x, marks=pytest.mark.slow) for x in (17.0, 64.0, 1000.0, 1e4))]


def integral(log_f: Callable[[mp.mpf], mp.mpf], peak: mp.mpf, first: mp.mpf) -> mp.mpf:
    """log ∫ e^{log_f} from `first` on: the bump at the peak, and what is left of it."""
    high = max(log_f(peak), log_f(max(first, mp.mpf(0))))
    places = {first, *(max(first, x) for x in (mp.mpf(-8), mp.mpf(0), mp.mpf(8)))}
    places |= {max(first, peak + d) for d in (-16, -8, 0, 8, 16)}
    total = mp.quad(lambda z: mp.exp(log_f(z) - high), sorted(places))
    return mp.log(total) + high


def fixed_size(shift: mp.mpf, q: mp.mpf, order: float) -> mp.mpf:
    """The divergence of the pair of a sample of fixed size: v and 1/v over z > shift/2, and 1."""
    p = mp.mpf(order)

    def log_v(z: mp.mpf) -> mp.mpf:
        return mp.log(1 - q + q * mp.exp(shift * z - shift**2 / 2))

    def part(power: mp.mpf) -> mp.mpf:
        peak = max(power * shift, shift / 2)
        return integral(lambda z: power * log_v(z) - z * z / 2, peak, shift / 2)

    root = mp.sqrt(2 * mp.pi)
    rest = (1 - q) * mp.erf(shift / mp.sqrt(8))
    return mp.log((mp.exp(part(p)) + mp.exp(part(1 - p))) / root + rest) / (p - 1)


def replaced(shift: mp.mpf, q: mp.mpf, order: float) -> mp.mpf:
    """That of (1−q)·N(0) + q·N(shift) against (1−q)·N(0) + q·N(−shift)."""
    p = mp.mpf(order)

    def log_f(z: mp.mpf) -> mp.mpf:
        v = mp.log(1 - q + q * mp.exp(shift * z - shift**2 / 2))
        w = mp.log(1 - q + q * mp.exp(-shift * z - shift**2 / 2))
        return p * v + (1 - p) * w - z * z / 2

    return (integral(log_f, p * shift, mp.mpf(-40)) - mp.log(2 * mp.pi) / 2) / (p - 1)


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS)
def test_against_forty_digits(order: float) -> None:
    with mp.workdps(40):
        for sigma, q in [(1.0, 0.0625), (5.0, 0.25)]:
            cases: list[tuple[Mechanism, mp.mpf]] = [
                (
                    hs.Gaussian(sigma).on(hs.WithoutReplacement(int(q * 1024), 1024)),
                    fixed_size(2 / mp.mpf(sigma), mp.mpf(q), order),
                ),
                (
                    hs.Gaussian(sigma).on(hs.Poisson(q)),
                    replaced(1 / mp.mpf(sigma), mp.mpf(q), order),
                ),
            ]
            for mechanism, truth in cases:
                said = mechanism.rdp(order, relation=hs.REPLACE_ONE, certify=True)
                upper = json.loads(json.dumps(said.certificate))["proofs"][0]
                assert upper["lower"] <= truth <= upper["upper"]
                assert upper["upper"] - upper["lower"] < 1e-12 * truth
                assert verify(read(json.dumps(said.certificate))) == (said.lower, said.upper)


PAIRS = [
    Exact("normal", (Fraction(1), Fraction(0)), Fraction(1, 16)),
    Exact("normal", (Fraction(1), Fraction(1)), Fraction(1, 16)),
    Exact("normal", (Fraction(2), Fraction(1)), Fraction(1, 4), turned=True),
]


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("order", [3.0, 30.0, 90.0, 99.0, 130.0])
def test_both_ends_hold_what_the_quadrature_finds(pair: Exact, order: float) -> None:
    """Also where they are far apart: whoever plans has no part in the proof."""
    from hockeystick.routes.certified.laws import law_of

    with of_bits(320):
        law = law_of(pair)
        rule = law.rule_at(order, -NATS)
        truth, ends = log_moment(pair, law, order, rule), between_norms(pair, order)
        assert below(ends) <= below(truth) * (1 + 1e-15)
        assert above(ends) >= above(truth) * (1 - 1e-15)
        if by_norms(pair, order, NATS):
            assert above(ends) - below(ends) < 1e-13 * above(truth)


def test_forged_rules_prove_nothing() -> None:
    """A moment that is not near the whole, and norms of a law that is not normal."""
    few = hs.Gaussian(5.0).on(hs.WithoutReplacement(10, 1000))
    said = read(json.dumps(few.rdp(2.0, certify=True).certificate))
    said["proofs"][0]["directions"][0]["rules"] = [[{"whole": {"norms": True}}]]
    with pytest.raises(CannotCertify):
        verify(said)
    noise = hs.Laplace(1.0).on(hs.Poisson(0.1))
    said = read(json.dumps(noise.rdp(2.0, certify=True).certificate))
    for direction in said["proofs"][0]["directions"]:
        direction["rules"] = [[{"norms": True}]]
    with pytest.raises(CannotCertify):
        verify(said)
