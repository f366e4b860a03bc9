"""Tables {ε: δ} against their convex envelope, by all chords, with 80 digits."""

from __future__ import annotations

import itertools
import math

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hockeystick as hs

Table = dict[float, float]


def envelope(table: Table, epsilon: float) -> mp.mpf:
    """The lowest chord, at e^ε, of the points, their mirror images, (0, 1) and the way down."""
    points = [(mp.mpf(0), mp.mpf(1))]
    for place, delta in table.items():
        a = mp.exp(mp.mpf(place))
        points += [(a, mp.mpf(delta)), (1 / a, 1 - 1 / a + mp.mpf(delta) / a)]
    at = mp.exp(mp.mpf(epsilon))
    best = min(h for a, h in points if a <= at)  # a profile does not grow
    for (a, h), (b, g) in itertools.combinations(sorted(points), 2):
        if a <= at <= b and a < b:
            best = min(best, h + (g - h) * (at - a) / (b - a))
    return best


small = st.floats(-40, 0).map(lambda x: 10**x)
places = st.just(0.0) | st.floats(1e-12, 8.0) | st.floats(-12, 0).map(lambda x: 10**x)
tables = st.dictionaries(places, small | st.floats(0, 1) | st.just(0.0), min_size=1, max_size=6)


@given(tables, st.floats(1e-12, 9.0), st.data())
def test_one_use_of_a_table(table: Table, epsilon: float, data: st.DataObject) -> None:
    at = data.draw(st.sampled_from([epsilon, *table]))
    with mp.workdps(80):
        truth = max(envelope(table, at), mp.mpf(10) ** -60)  # whose own error is 1e-80
        answer = hs.ProfileDP(table).delta(at)
        # beyond the last point the answer is what the table ends at, to a unit in the last place
        assert mp.mpf(answer.lower) <= truth * (1 + mp.mpf(4e-16))
        assert mp.mpf(answer.upper) + mp.mpf(10) ** -60 >= truth * (1 - mp.mpf(4e-16))
        assert answer.upper == pytest.approx(float(truth), rel=1e-11, abs=2e-60)


@given(tables)
def test_the_law_adds_up_and_ends_exactly(table: Table) -> None:
    loss = hs.ProfileDP(table).evidence(hs.ADD_REMOVE).loss
    assert loss.infinite == loss.void == min(table.values())
    total = loss.atoms.q.sum() + loss.void
    assert total == pytest.approx(1.0, rel=1e-13)
    assert loss.symmetric


@pytest.mark.slow
def test_a_table_that_ends_at_nothing_ends() -> None:
    table = hs.ProfileDP.table(0.0, 0.3133, 0.3304, 0.1212, 0.5673, 0.03999, 1.914, 0.0)
    answer = table.epsilon(0)
    assert answer.lower == answer.upper == 1.914
    many = (table * 10**6).epsilon(1e-10)
    assert 0 < many.lower <= many.upper < 1.914e6


def test_small_values_keep_their_digits() -> None:
    answer = hs.ProfileDP({0.0: 1e-12, 0.1: 0.0}).delta(0.0)
    assert answer.lower <= 1e-12 <= answer.upper
    assert answer.upper == pytest.approx(answer.lower, rel=2e-13)
    tiny = hs.ProfileDP({0.0: 1e-200, 1e-9: 1e-250, 3.0: 1e-300}).delta(1e-9)
    assert tiny.lower <= 1e-250 <= tiny.upper <= 1e-250 * (1 + 1e-10)


@pytest.mark.parametrize("epsilon", [300.0, 1e6, 1e14])
def test_far_points(epsilon: float) -> None:
    """Half the mass far out: δ(ε/2) is 0.5 (1 − e^−ε/2), however inaccurate e^ε is."""
    table = hs.ProfileDP({0.0: 0.5, epsilon: 0.0})
    answer = table.delta(epsilon / 2)
    assert answer.lower <= 0.5 <= answer.upper <= 0.5 * (1 + 1e-12)
    assert table.epsilon(0).lower == table.epsilon(0).upper == epsilon


def test_a_point_too_far_is_an_error() -> None:
    with pytest.raises(hs.ParameterError, match="epsilon of a profile must be at most 1e"):
        hs.ProfileDP({1e300: 0.1}).delta(1.0)


def test_sampled_tables_have_divergences() -> None:
    q, order = 0.01888, 4
    run = hs.ProfileDP.table(0.0, 1.88e-07, 0.9103, 0.0).on(hs.Poisson(q))
    with mp.workdps(50):
        e, d = mp.mpf(0.9103), mp.mpf(1.88e-07)
        fall = d / mp.expm1(e)  # the mass of loss 0.9103 under Q
        law = [(e, fall), (-e, fall * mp.exp(e)), (mp.mpf(0), 1 - d - 2 * fall)]
        ratios = [(mass, 1 - mp.mpf(q) + mp.mpf(q) * mp.exp(loss)) for loss, mass in law]
        one = mp.log(sum(mass * r**order for mass, r in ratios)) / (order - 1)
        other = mp.log(sum(mass * r ** (1 - order) for mass, r in ratios)) / (order - 1)
        truth = float(max(one, other))
    answer = run.rdp(4.0)
    assert answer.lower <= truth <= answer.upper
    assert answer.upper == pytest.approx(truth, rel=1e-9)


def test_sampled_tables_answer() -> None:
    steps = hs.ProfileDP({0: 0.3, 0.5: 0.15, 1: 0.05, 2: 0.005, 3: 1e-4, 4: 0})
    answer = (steps.on(hs.Poisson(0.01)) * 10).epsilon(1e-6)
    assert 0 < answer.lower <= answer.upper < 10 * math.log1p(0.01 * math.expm1(4))
    pure = hs.ProfileDP.table(3.502, 0.0).on(hs.WithoutReplacement(87321, 124696))
    rate = 87321 / 124696
    # randomized response at ε = 3.502, mixed: δ is rate·p − (e^0.01 − 1 + rate)·q.
    p = 1 / (1 + math.exp(-3.502))
    truth = max(
        rate * p - (math.expm1(0.01) + rate) * (1 - p),
        rate * p - math.expm1(0.01) * (1 - rate * p - (1 - rate) * (1 - p)) - rate * (1 - p),
    )
    answer = pure.delta(0.01, relation=hs.ADD_REMOVE)
    assert answer.lower <= truth * (1 + 1e-13)
    assert answer.upper == pytest.approx(truth, rel=1e-11)


@pytest.mark.slow
def test_a_long_table_is_fast() -> None:
    places = np.linspace(0, 10, 2000)
    curve = hs.Gaussian(1.0).evidence(hs.ADD_REMOVE).loss.profile(places)
    table = hs.ProfileDP(dict(zip(places.tolist(), curve.tolist(), strict=True)))
    assert table.delta(1.0) == pytest.approx(hs.Gaussian(1.0).delta(1.0), rel=1e-4)
