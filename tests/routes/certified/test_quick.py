"""Long lines in arrays: against mpmath, against balls, and forged."""

from __future__ import annotations

import copy
import math
from typing import Any

import mpmath
import numpy as np
import pytest

pytest.importorskip("flint")

from flint import acb, arb

import hockeystick as hs
from hockeystick.errors import CannotCertify
from hockeystick.routes.certified import answers, quick
from hockeystick.routes.certified.balls import of_bits
from hockeystick.routes.certified.discs import Discs
from hockeystick.routes.certified.verify import verify

RNG = np.random.default_rng(7)


def complexes(count: int) -> Any:
    return RNG.normal(size=count) + 1j * RNG.normal(size=count)


def holds(found: Discs, exact: list[Any], width: float) -> None:
    """Each disc holds its number, and is no wider than this."""
    for mid, rad, x in zip(found.mid.ravel(), found.rad.ravel(), exact, strict=True):
        assert abs(x - mpmath.mpc(complex(mid))) <= rad
        assert rad <= width


@pytest.mark.parametrize("count", [1, 2, 3, 17, 50])
def test_sums_over_nodes(count: int) -> None:
    weights, losses, step = complexes(40) / 40, np.abs(complexes(40)) + 0.01j, 0.37
    with of_bits(192), mpmath.workdps(40):
        balls = [acb(complex(x)) for x in weights], [acb(complex(x)) for x in losses]
        found = quick.turned_sums(*balls, arb(0), step, count)
        exact = [
            mpmath.fsum(
                mpmath.mpc(complex(a)) * mpmath.exp(1j * mpmath.mpf(step) * k * complex(x))
                for a, x in zip(weights, losses, strict=True)
            )
            for k in range(count)
        ]
        holds(found, exact, 1e-13)
        wider = quick.turned_sums(*balls, arb(1e-6), step, count)
        assert (wider.rad >= 1e-6).all()


@pytest.mark.parametrize("order", [1e-3, 1.0, 57.3])
def test_kernel(order: float) -> None:
    with mpmath.workdps(40):
        s = [mpmath.mpc(order, mpmath.mpf(0.71) * k) for k in range(200)]
        found = quick.kernel(order, 0.71, 200)
        holds(found, [1 / (x * (x + 1)) for x in s], 1e-14 * abs(found.mid[0]))


@pytest.mark.parametrize("n", [2, 3, 4, 11])
def test_two_or_more(n: int) -> None:
    flat, rest = 0.7 * complexes(9), 1e-6 * complexes(9)
    found = quick.two_or_more(Discs.of(flat), Discs.of(rest), n)
    with mpmath.workdps(60):
        exact = []
        for a, c in zip(flat, rest, strict=True):
            x, y = mpmath.mpc(complex(a)), mpmath.mpc(complex(c))
            exact.append((x + y) ** n - x**n - n * x ** (n - 1) * y)
        holds(found, exact, 1e-13 * max(float(abs(x)) for x in exact) + 1e-280)


@pytest.mark.parametrize("count", [1, 2, 30, 31])
def test_sum_over_points(count: int) -> None:
    terms = complexes(count)
    with of_bits(192), mpmath.workdps(40):
        found = quick.Quick(Discs.of(terms), arb(0.3)).sum(arb(1.7))
        turn = -1j * mpmath.mpf(0.3) * mpmath.mpf(1.7)
        exact = mpmath.fsum(
            mpmath.mpc(complex(x)) * mpmath.exp(k * turn) for k, x in enumerate(terms)
        )
        assert abs(exact.real - mpmath.mpf(float(found))) <= float(found.rad()) + 1e-15
        assert float(found.rad()) < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize(
    "run",
    [
        hs.Laplace(1.0).on(hs.Poisson(0.05)) * 10,
        hs.Laplace(1.0).on(hs.WithoutReplacement(10, 1000)) * 300,
        hs.Gaussian(1.0).on(hs.Poisson(0.1)) * 4 + hs.RandomizedResponse(1.0).on(hs.Poisson(0.1)),
    ],
)
def test_both_ways_agree(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "LONG", 1000.0)
    fast = run.epsilon(1e-5, certify=True)
    line = fast.certificate["proofs"][-1]["directions"][0]["line"]
    assert line["arrays"]
    monkeypatch.setattr(answers, "LONG", math.inf)
    slow = run.epsilon(1e-5, certify=True)
    assert not slow.certificate["proofs"][-1]["directions"][0]["line"]["arrays"]
    assert fast.lower <= slow.upper
    assert slow.lower <= fast.upper
    assert abs(fast.upper - slow.upper) < 1e-9 * slow.upper
    assert abs(fast.lower - slow.lower) < 1e-9 * slow.lower
    assert verify(fast.certificate) == (fast.lower, fast.upper)


@pytest.mark.slow
def test_forged() -> None:
    run = hs.Laplace(1.0).on(hs.Poisson(0.05)) * 20
    bound = run.epsilon(1e-5, certify=True)
    certificate = dict(bound.certificate or {})
    direction = certificate["proofs"][0]["directions"][0]
    assert direction["line"]["arrays"]
    assert direction["line"]["split"]
    narrow = (bound.upper - bound.lower) / 2
    for name, value in (("upper", bound.lower), ("lower", bound.upper + narrow)):
        forged = copy.deepcopy(certificate)
        forged["proofs"][0]["directions"][0][name] = value
        if name == "lower":
            forged["proofs"][0]["directions"][0]["upper"] = bound.upper + 2 * narrow
        with pytest.raises(CannotCertify, match=f"the {name} end"):
            verify(forged)
    for name, value in (("points", direction["line"]["points"] // 2), ("cut", 1e9)):
        forged = copy.deepcopy(certificate)
        forged["proofs"][0]["directions"][0]["line"][name] = value
        with pytest.raises(CannotCertify, match="a cut where the line ends"):
            verify(forged)
    forged = copy.deepcopy(certificate)
    forged["proofs"][0]["directions"][0]["line"]["rules"][0]["paths"][0]["reach"] = 10.0
    with pytest.raises(CannotCertify, match="reach"):
        verify(forged)
