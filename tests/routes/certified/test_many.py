"""Many different parts in arrays: against quadrature by mpmath, and against balls."""

from __future__ import annotations

import copy
import math
import time
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

pytest.importorskip("flint")

import hockeystick as hs
from hockeystick.errors import CannotCertify
from hockeystick.loss.exact import Exact
from hockeystick.routes.certified import answers
from hockeystick.routes.certified.balls import of_bits
from hockeystick.routes.certified.discs import Discs
from hockeystick.routes.certified.laws import law_of
from hockeystick.routes.certified.many import FEW_TURNS, ManyNormals, _turns
from hockeystick.routes.certified.verify import verify

ORDER, STEP = 3.0, 0.7
LAWS = [(1.0, 0.0, 0.01, 5), (0.0, 0.5, 0.2, 1), (0.75, 0.75, 0.05, 3), (1.5, 0.0, 0.3, 700)]


def different(count: int, seed: int = 1) -> Any:
    rng = np.random.default_rng(seed)
    noise, rate = rng.uniform(0.8, 3, count), rng.uniform(0.001, 0.02, count)
    parts = [
        hs.Gaussian(float(s)).on(hs.Poisson(float(q))) for s, q in zip(noise, rate, strict=True)
    ]
    return sum(parts[1:], parts[0])


def moment(up: float, down: float, q: float, s: Any) -> Any:
    def f(z: Any) -> Any:
        v = 1 - q + q * mpmath.exp(up * z - mpmath.mpf(up) ** 2 / 2)
        w = 1 - q + q * mpmath.exp(-down * z - mpmath.mpf(down) ** 2 / 2)
        return mpmath.npdf(z) * v * mpmath.exp(s * mpmath.log(v / w))

    return mpmath.fsum(f(mpmath.mpf(j) / 16) for j in range(-200, 300)) / 16  # errs by e^−150


@pytest.mark.parametrize("count", [FEW_TURNS, FEW_TURNS + 1])
def test_powers_less_one_keep_their_digits(count: int) -> None:
    angle = Discs.of(np.array([1e-9 + 2e-9j, 0.3 - 0.4j]), 1e-25)
    found = _turns(angle, count)
    with mpmath.workdps(40):
        for i, x in enumerate(angle.mid):
            for k in range(count):
                exact = mpmath.expm1(k * mpmath.mpc(complex(x)))
                assert abs(exact - mpmath.mpc(complex(found.mid[i, k]))) <= found.rad[i, k]
                assert found.rad[i, k] <= 1e-13 * abs(exact) + 1e-280


@pytest.mark.slow
def test_values_against_quadrature() -> None:
    with of_bits(192), mpmath.workdps(25):
        tilted = []
        for up, down, q, n in LAWS:
            law = law_of(Exact("normal", (Fraction(up), Fraction(down)), Fraction(q)))
            tilted.append((law.tilted(ORDER, law.rule(ORDER, 0.0, -50.0)), n))
        together = ManyNormals(tilted)  # type: ignore[arg-type]
        found = together.values(STEP, 4)
        size = mpmath.fprod(moment(*law[:3], ORDER) ** law[3] for law in LAWS)
        for k in (0, 1, 3):
            s = mpmath.mpc(ORDER, k * mpmath.mpf(STEP))
            exact = mpmath.fprod(moment(*law[:3], s) ** law[3] for law in LAWS) / size
            value = found[k] / together.mass
            off = abs(exact - mpmath.mpc(complex(value)))
            assert off < 1e-12
            assert off <= 2 * float(value.real.rad()) + 1e-16
        t = np.array([0.5, 1.0, 2.0, 4.0])
        alone = sum(n * each.decay(t) for each, n in tilted)
        assert (together.decay(t) >= 1.001 * alone).all()
        assert (together.decay(t) <= 0.6 * alone).all()


@pytest.mark.slow
def test_both_ways_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    run = different(16)
    fast = run.epsilon(1e-6, certify=True)
    assert fast.certificate["proofs"][0]["directions"][0]["line"]["arrays"]
    monkeypatch.setattr(answers, "many", lambda laws: False)
    monkeypatch.setattr(answers, "LONG", math.inf)
    balls = run.epsilon(1e-6, certify=True)
    assert not balls.certificate["proofs"][0]["directions"][0]["line"]["arrays"]
    assert max(fast.lower, balls.lower) <= min(fast.upper, balls.upper)
    assert fast.upper - fast.lower < 1e-9 * fast.upper
    assert verify(fast.certificate) == (fast.lower, fast.upper)
    forged = copy.deepcopy(fast.certificate)
    forged["proofs"][0]["directions"][0]["upper"] = fast.lower
    with pytest.raises(CannotCertify, match="the upper end"):
        verify(forged)


@pytest.mark.slow
def test_a_thousand_parts() -> None:
    run = different(1000)
    plain = run.epsilon(1e-6)
    start = time.process_time()
    bound = run.epsilon(1e-6, certify=True)
    assert time.process_time() - start < 60
    assert bound.lower <= plain.upper
    assert plain.lower <= bound.upper
    assert bound.upper - bound.lower < 1e-9 * bound.upper
