"""Plans: what is refused, what is resolved, what is accounted."""

from __future__ import annotations

import math
from typing import Any

import pytest

import hockeystick as hs
from hockeystick.learn import Budget, Plan, Privacy


def plan(noise: Any = None, sampler: Any = None, **options: Any) -> Plan:
    given = {"steps": 10, "clip": 1.0, "batch_size": 8} | options
    return Plan(noise or hs.Gaussian(1.1), sampler or hs.Poisson(0.1), **given)


def test_the_mechanism_is_the_hand_written_one() -> None:
    assert plan(steps=100).mechanism == hs.Gaussian(1.1).on(hs.Poisson(0.1)) * 100
    half = plan(hs.Laplace(3.0), hs.WithoutReplacement(5, 50), clip=0.5)
    assert half.mechanism == hs.Laplace(3.0, sensitivity=0.5).on(hs.WithoutReplacement(5, 50)) * 10
    assert hs.parse(repr(half.mechanism)) == half.mechanism


def test_the_clip_is_no_part_of_the_price() -> None:
    prices = {float(plan(clip=c).mechanism.epsilon(1e-5)) for c in (0.01, 1.0, 50.0)}
    assert len(prices) == 1


@pytest.mark.parametrize(
    ("sampler", "relation"),
    [
        (hs.Poisson(0.1), hs.ADD_REMOVE),
        (hs.WithoutReplacement(5, 50), hs.REPLACE_ONE),
        (hs.EveryRecord(), hs.ADD_REMOVE),
        (hs.Shuffled(5), hs.ZERO_OUT),
    ],
)
def test_the_relation_is_the_samplers_own(sampler: hs.Sampler, relation: hs.Relation) -> None:
    assert plan(sampler=sampler).relation is relation
    assert plan(sampler=sampler, relation=hs.REPLACE_ONE).relation is hs.REPLACE_ONE


def test_replacing_costs_twice_the_clip() -> None:
    one, two = plan(sampler=hs.EveryRecord()), plan(hs.Gaussian(2.2), hs.EveryRecord())
    replaced = two.mechanism.epsilon(1e-5, relation=hs.REPLACE_ONE)
    assert replaced == pytest.approx(one.mechanism.epsilon(1e-5), rel=1e-12)
    with pytest.raises(hs.ParameterError, match="replace_sensitivity must be at least 2"):
        plan(hs.Gaussian(1.0, 1.0), relation=hs.REPLACE_ONE)
    with pytest.raises(hs.ParameterError, match="replace_sensitivity must be at least 2"):
        plan(hs.Gaussian(1.0, 1.5), hs.WithoutReplacement(5, 50), relation=hs.ZERO_OUT)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"clip": 0.0}, r"clip must be in \(0, inf\), got 0.0"),
        ({"clip": -1.0}, "clip must be"),
        ({"clip": math.nan}, "clip must be"),
        ({"batch_size": 0}, "batch_size must be"),
        ({"steps": 1.5}, "steps must be an integer >= 0"),
        ({"learning_rate": 0}, "learning_rate must be"),
        ({"momentum": 1.0}, r"momentum must be in \[0, 1\)"),
        ({"regularisation": -0.1}, "regularisation must be"),
        ({"norm": "L3"}, "norm must be L2 or L1"),
        ({"noise": hs.Laplace(1.0), "norm": "L2"}, "norm must be L1 for Laplace noise"),
        ({"noise": hs.RandomizedResponse(1.0)}, "noise must be Gaussian"),
        ({"sampler": 0.1}, "sampler must be a Sampler"),
        ({"noise": hs.Gaussian(1.0, sensitivity=3.0)}, "sensitivity must be the clip, 1.0"),
    ],
)
def test_refusals(options: dict[str, Any], message: str) -> None:
    with pytest.raises(hs.ParameterError, match=message):
        plan(**options)


def test_a_fixed_number_of_records_cannot_be_secret() -> None:
    with pytest.raises(hs.RelationError, match="the number is public"):
        plan(sampler=hs.WithoutReplacement(5, 50), relation=hs.ADD_REMOVE)


def test_gaussian_noise_may_be_clipped_in_l1() -> None:
    assert plan(norm="L1").norm == "L1"
    assert plan().norm == "L2"
    assert plan(hs.Laplace(1.0)).norm == "L1"


@pytest.mark.parametrize("spent", [hs.Composition(), hs.Gaussian(4.0), hs.Gaussian(1.0)])
@pytest.mark.parametrize(
    ("step", "most"),
    [
        (hs.Gaussian(5.0), 0),
        (hs.Gaussian(5.0), 1),
        (hs.Gaussian(5.0), 100),
        (hs.Gaussian(2.0).on(hs.Poisson(0.1)), 400),
    ],
)
def test_a_budget_takes_the_last_step_that_fits(
    spent: hs.Mechanism, step: hs.Mechanism, most: int
) -> None:
    budget = Budget(2.0, 1e-5)
    fitting = budget.steps(spent, step, most, hs.ADD_REMOVE)
    assert 0 <= fitting <= most
    if fitting:
        assert (spent + step * fitting).epsilon(1e-5) <= 2.0
    if fitting < most:
        assert (spent + step * (fitting + 1)).epsilon(1e-5) > 2.0


def test_a_budget_is_checked() -> None:
    with pytest.raises(hs.ParameterError, match="epsilon"):
        Budget(-1.0, 1e-5)
    with pytest.raises(hs.ParameterError, match="delta"):
        Budget(1.0, 2.0)


def test_the_statement_says_what_is_accounted() -> None:
    privacy = Privacy(plan(clip=0.5), 1e-5, public=("the number of records, 80",), notes=("So.",))
    text = str(privacy)
    assert privacy.epsilon == (hs.Gaussian(1.1).on(hs.Poisson(0.1)) * 10).epsilon(1e-5)
    for part in (repr(privacy.epsilon.upper), "1e-05", repr(privacy.mechanism), "clipped to 0.5"):
        assert part in text
    for part in ("the number of records, 80", "So.", "one record is added or removed"):
        assert part in text
    facts = privacy.to_dict()
    assert facts["epsilon"] == privacy.epsilon.upper
    assert hs.parse(facts["mechanism"]) == privacy.mechanism
