"""Few steps on a sample of fixed size by a bent line: against mpmath and a smoothed line."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import pytest

pytest.importorskip("flint")

from flint import acb, arb

import hockeystick as hs
from hockeystick.loss.exact import Exact
from hockeystick.questions import dominating, parts_of
from hockeystick.routes.certified.balls import of_bits
from hockeystick.routes.certified.bent import Bent
from hockeystick.routes.certified.bent_law import bent_law
from hockeystick.routes.certified.bent_plan import planned_bent
from hockeystick.routes.certified.build import task_of
from hockeystick.routes.certified.laws import law_of
from hockeystick.routes.certified.smoothed_answers import epsilon_smoothed
from hockeystick.routes.certified.verify import verify


def laws(sigma: float, q: str, n: int) -> Any:
    exact = Exact("normal", (1 / Fraction(sigma), Fraction(0)), Fraction(q), fixed=True)
    return [(law_of(exact), n)]


@pytest.mark.slow
@pytest.mark.parametrize(("sigma", "q"), [(1.0, "1/100"), (0.4, "1/1000")])
def test_moments_and_bounds_of_fixed_size(sigma: float, q: str) -> None:
    """M against quadrature over the outcome, and the bounds above what they bound."""
    pair = laws(sigma, q, 3)
    law = bent_law(pair)
    assert law is not None
    with of_bits(192), mpmath.workdps(25):
        recipe = planned_bent(law, 2.0 / sigma, float(mpmath.log(1e-8)))
        line = Bent(pair, replace(recipe, points=2))
        mu, rate = 1 / mpmath.mpf(sigma), mpmath.mpf(float(Fraction(q)))
        atom = (1 - rate) * mpmath.erf(mu / mpmath.sqrt(8))

        def density(z: Any, s: Any) -> Any:
            loss = mpmath.log1p(rate * mpmath.expm1(mu * z - mu * mu / 2))
            return mpmath.npdf(z) * (mpmath.exp((s + 1) * loss) + mpmath.exp(-s * loss))

        for order in (acb(0.5), acb(2, 30)):
            s = mpmath.mpc(complex(order))
            places = mpmath.linspace(mu / 2, mu / 2 + 12 + 4 * mu, 40)
            exact = atom + mpmath.quad(lambda z, s=s: density(z, s), places)
            (found,) = line._moments([order])
            assert abs(exact - mpmath.mpc(complex(found))) <= float(found.rad()) + 1e-15
            assert float(found.rad()) < 1e-12
        for b in (recipe.low, recipe.high):
            c = float(line._order)

            def size(xi: Any, b: float = b, c: float = c) -> Any:
                place = mpmath.exp(mpmath.mpc(xi, b))
                part = 1 - (1 - rate) * mpmath.exp(-place)
                z = (place + mpmath.log(part / rate)) / mu + mu / 2
                weight = mpmath.npdf(0) * mpmath.exp(-z * z / 2) * place / part / mu
                return abs(weight) * (1 + mpmath.exp((1 + c) * place.real))

            exact = mpmath.fsum(size(mpmath.mpf(j) / 20) for j in range(-900, 140)) / 20
            bound = float(line._most(arb(b), recipe.first * arb(recipe.inner)))
            assert exact <= bound <= 1.05 * exact


@pytest.mark.slow
@pytest.mark.parametrize(("sigma", "n"), [(0.46, 3), (0.8, 4)])
def test_fixed_size_against_a_smoothed_line(sigma: float, n: int) -> None:
    run = hs.Gaussian(sigma).on(hs.WithoutReplacement(10, 1000)) * n
    bound = run.epsilon(1e-6, certify=True)
    assert bound.certificate is not None
    (said,) = bound.certificate["proofs"][0]["directions"]
    assert said["method"] == "bent"
    assert said["upper"] - said["lower"] < 1e-9
    assert verify(dict(bound.certificate)) == (bound.lower, bound.upper)
    with of_bits(192):
        loss = dominating(parts_of(run, hs.REPLACE_ONE))[0][0]
        low, high, _ = epsilon_smoothed(task_of(loss), 1e-6)
    assert max(low, said["lower"]) <= min(high, said["upper"])
