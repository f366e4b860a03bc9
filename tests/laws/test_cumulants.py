"""What K(s) = log E_P[(P/Q)^s] must satisfy, whatever the mechanism."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hockeystick as hs
from hockeystick.loss.base import Loss
from hockeystick.loss.mixed import mixed
from tests.laws import mechanisms as the

Kind = type[hs.Mechanism]
every = the.each(the.WITH_LOSS, slow={hs.ProfileDP, hs.RepeatAndSelect, hs.MixtureOfGaussians})
real = st.floats(-4.0, 12.0)
imaginary = st.floats(-10.0, 10.0)


def losses(kind: Kind) -> st.SearchStrategy[Loss]:
    """Either direction of a mechanism, sampled or not."""
    return st.builds(
        lambda evidence, back: evidence.loss.reverse() if back else evidence.loss,
        the.sampled(kind).map(lambda mechanism: mechanism.evidence(hs.ADD_REMOVE)),
        st.booleans(),
    )


def k(loss: Loss, s: complex) -> complex:
    return complex(loss.cgf(np.array([s]))[0])


@every
@given(data=st.data())
@settings(max_examples=10)
def test_k_at_its_two_fixed_points(kind: Kind, data: st.DataObject) -> None:
    """E_P[1; L finite] = 1 − P-mass at infinity, and E_P[1/L'] = 1 − Q-mass that P lacks."""
    loss = data.draw(losses(kind))
    assert k(loss, 0) == pytest.approx(math.log1p(-loss.infinite), rel=1e-12, abs=1e-15)
    assert k(loss, -1) == pytest.approx(math.log1p(-loss.void), rel=1e-11, abs=1e-12)


@every
@given(data=st.data(), x=real, y=imaginary)
@settings(max_examples=10)
def test_conjugate_symmetry(kind: Kind, data: st.DataObject, x: float, y: float) -> None:
    loss = data.draw(losses(kind))
    above, below = k(loss, complex(x, y)), k(loss, complex(x, -y))
    assert above.real == pytest.approx(below.real, rel=1e-12, abs=1e-14)
    assert abs(np.exp(1j * above.imag) - np.exp(-1j * below.imag)) < 1e-11
    assert above.real <= k(loss, x).real + 1e-12 * (1 + abs(k(loss, x)))


@every
@given(data=st.data(), x=real, width=st.floats(0.01, 5.0))
@settings(max_examples=10)
def test_convex_on_the_real_line(kind: Kind, data: st.DataObject, x: float, width: float) -> None:
    loss = data.draw(losses(kind))
    left, middle, right = (k(loss, x + i * width / 2).real for i in range(3))
    assert middle <= (left + right) / 2 + 1e-12 * (abs(left) + abs(right))


@every
@given(data=st.data(), x=real, y=imaginary)
@settings(max_examples=10)
def test_the_other_direction(kind: Kind, data: st.DataObject, x: float, y: float) -> None:
    """K(s) of (Q, P) is K(−1−s) of (P, Q), and reversing twice is nothing."""
    loss = data.draw(losses(kind))
    other = loss.reverse()
    s = complex(x, y)
    # Compared as e^K: the argument is only defined up to 2π.
    there, back = k(other, s), k(loss, -1 - s)
    assert abs(np.exp(there - k(other, x).real) - np.exp(back - k(other, x).real)) < 1e-11
    assert k(other.reverse(), s) == pytest.approx(k(loss, s), rel=1e-12, abs=1e-14)
    assert (other.infinite, other.void) == (loss.void, loss.infinite)
    assert (other.top, other.bottom) == pytest.approx((-loss.bottom, -loss.top), rel=1e-14)


@every
@given(data=st.data(), x=st.floats(0.0, 12.0), y=imaginary, rate=the.rates)
@settings(max_examples=10)
def test_sampling_interpolates(
    kind: Kind, data: st.DataObject, x: float, y: float, rate: float
) -> None:
    """E_Q of ((1−q) + q·R)^p: q = 0 gives 1, q = 1 the mechanism, and it is convex in q."""
    loss = data.draw(the.of(kind)).evidence(hs.ADD_REMOVE).loss
    if loss.infinite:
        return
    sampled = mixed(loss, rate)
    assert k(sampled, x).real <= math.log1p(rate * math.expm1(min(k(loss, x).real, 700))) + 1e-11
    assert k(sampled, x).real >= -1e-13
    assert mixed(loss, 1.0).cgf(np.array([complex(x, y)]))[0] == k(loss, complex(x, y))


@every
@given(data=st.data())
@settings(max_examples=10)
def test_the_mean_is_the_slope_of_k(kind: Kind, data: st.DataObject) -> None:
    loss = data.draw(losses(kind))
    if loss.infinite:
        assert loss.mean() == math.inf
        return
    h = 1e-3
    # Eighth-order differences: the step can be large enough for no cancellation to matter.
    weights = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
    slope = sum(w * (k(loss, i * h) - k(loss, -i * h)).real for i, w in weights.items()) / h
    assert loss.mean() == pytest.approx(slope, rel=1e-8, abs=1e-13)
