"""Arrays of discs: every number is inside, and no disc is much wider than rounding makes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

pytest.importorskip("flint")

from hockeystick.errors import CannotCertify
from hockeystick.routes.certified.discs import Discs, U, size

RNG = np.random.default_rng(17)


def numbers(count: int) -> Any:
    near = RNG.normal(size=count) + 1j * RNG.normal(size=count)
    tiny = near * 10.0 ** RNG.uniform(-12, 0, count)
    large = RNG.uniform(-600, 600, count) + 1j * RNG.uniform(-5e5, 5e5, count)
    return np.concatenate([near, tiny, large, [0.0, 1e-300, -690.5, -5000 + 3j]])


def log1p(z: Any) -> Any:
    return mpmath.log(1 + z)


@pytest.mark.parametrize(
    ("name", "truth"), [("exp", mpmath.exp), ("expm1", mpmath.expm1), ("log1p", log1p)]
)
def test_functions(name: str, truth: Callable[[Any], Any]) -> None:
    z = numbers(150)
    found = getattr(Discs.of(z), name)()
    with mpmath.workprec(300):
        for each, mid, rad in zip(z, found.mid, found.rad, strict=True):
            exact = truth(mpmath.mpc(each))
            assert abs(exact - mpmath.mpc(mid)) <= rad or np.isinf(rad)
            assert rad <= 200 * U * float(abs(exact)) + 1e-280 or abs(np.angle(1 + each)) > 2.7


def test_a_disc_holds_the_function_of_all_its_numbers() -> None:
    z, rad = numbers(60)[:120], 10.0 ** RNG.uniform(-14, -2, 120)
    inside = z + rad * np.exp(2j * np.pi * RNG.random(120)) * (1 - 1e-9)
    discs = Discs.of(z, rad)
    for name, truth in (("exp", mpmath.exp), ("expm1", mpmath.expm1), ("log1p", log1p)):
        found = getattr(discs, name)()
        with mpmath.workprec(200):
            for each, mid, most in zip(inside, found.mid, found.rad, strict=True):
                assert abs(truth(mpmath.mpc(each)) - mpmath.mpc(mid)) <= most


def test_products_and_sums() -> None:
    a = RNG.normal(size=(5, 40)) + 1j * RNG.normal(size=(5, 40))
    b = RNG.normal(size=(40, 3)) + 1j * RNG.normal(size=(40, 3))
    found = Discs.of(a) @ Discs.of(b)
    with mpmath.workprec(200):
        exact = mpmath.matrix(a.tolist()) * mpmath.matrix(b.tolist())
        for i in range(5):
            for j in range(3):
                error = abs(exact[i, j] - mpmath.mpc(found.mid[i, j]))
                assert error <= found.rad[i, j] < 1e-12
    total = Discs.of(a, 1e-3).sum(axis=1)
    assert (total.rad >= 0.04).all()
    assert (total.rad < 0.0401).all()


def test_the_size_is_not_too_small() -> None:
    z = numbers(100)
    assert (size(z) >= np.abs(z)).all()
    assert (size(z) <= 1.12 * np.abs(z) + 1e-300).all()


def test_what_is_too_large_is_refused() -> None:
    for z in (800.0, 1e9j, complex("nan")):
        with pytest.raises(CannotCertify, match="not too large"):
            Discs.of(np.array([z])).exp()


def test_real_numbers_stay_real_and_are_the_same() -> None:
    x = np.concatenate([-np.logspace(-12, 2, 40)[::-1], np.logspace(-12, 2, 40)])
    real, turned = Discs.of(x, 1e-15), Discs.of(x + 0j, 1e-15)
    for name in ("exp", "expm1", "log1p"):
        one, other = getattr(real, name)(), getattr(turned, name)()
        assert not np.iscomplexobj(one.mid)
        good = np.isfinite(one.rad) & np.isfinite(other.rad)
        assert good.sum() > 40
        assert (np.isfinite(one.rad) == np.isfinite(other.rad)).all()
        gap = np.abs(one.mid - other.mid)[good]
        assert (gap <= (one.rad + other.rad)[good]).all()
        assert (one.rad[good] <= 1.01 * other.rad[good]).all()
    assert (np.abs(np.expm1(x) - real.expm1().mid) <= real.expm1().rad + 4e-16 * np.exp(x)).all()
