"""`calibrate`: the number that just meets a budget, and stays on its private side."""

from __future__ import annotations

import json

import pytest

import hockeystick as hs
from tests.support.command import BOUND, answered, call, read_json, refused, shape


def test_a_noise_multiplier() -> None:
    text = "Gaussian(?).on(Poisson(0.01)) * 1000"
    printed = answered("calibrate", text, "--epsilon", "1", "--delta", "1e-5")
    first, second, third = printed.splitlines()
    value = float(first.removeprefix("? = "))
    found = hs.Gaussian(value).on(hs.Poisson(0.01)) * 1000
    assert second == repr(found)
    assert 1 - 1e-8 < found.epsilon(1e-5) <= 1 + 1e-12
    assert 1e-5 * (1 - 1e-7) < found.delta(1) <= 1e-5
    assert third.startswith(("delta = 9.99999", "delta = 1e-05  ("))
    assert "(epsilon = 1.0; at least 9.99999" in third


def test_json() -> None:
    found = read_json("calibrate", "Laplace(?) * 2", "--epsilon", "1", "--delta", "0")
    assert shape(found) == BOUND | {
        "value": "number", "expression": "text", "epsilon": "number", "delta": "number"
    }  # fmt: skip
    assert found["value"] == pytest.approx(2, rel=1e-9)
    assert hs.parse(found["expression"]).epsilon(0) <= 1
    assert (found["delta"], found["epsilon"]) == (0, 1)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Laplace(2) * ?", 6),
        ("Laplace(1) + Laplace(noise_multiplier=?)", 1 / 2),
        ("PureDP(?)", 3),
        ("PureDP(1).on(Poisson(?)) * 4", (2.718281828459045**0.75 - 1) / 1.718281828459045),
        ("RandomizedResponse(3, categories=2).on(Poisson(0.5)) * ?", 1),
    ],
)
def test_any_number_may_be_open(text: str, value: float) -> None:
    done = call("calibrate", text, "--epsilon", "3", "--delta", "0")
    assert done.returncode == 0
    assert float(done.stdout.split()[2]) == pytest.approx(value, rel=1e-8)


def test_relation_and_method_are_handed_on() -> None:
    asked = ("calibrate", "Gaussian(?)", "--epsilon", "1", "--delta", "1e-5")
    values = [
        float(call(*asked, *more).stdout.split()[2]) for more in ((), ("--relation", "replace-one"))
    ]
    assert values[1] == pytest.approx(2 * values[0], rel=1e-8)
    routed = call("calibrate", "PureDP(?)", "--epsilon=1", "--delta=0.01", "--method", "lattice")
    assert "method: lattice" in routed.stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Gaussian(1)", "text must hold one ? in place of a number"),
        ("Gaussian(?) * ?", "text must hold one ?"),
        ("Gausian(?)", "did you mean Gaussian?"),
        ("Gaussian(?).on(Poisson(0)) * 5", "epsilon is 0 wherever the parameter is"),
        ("DiscreteGaussian(10, ?)", "every parameter from 1 to 256 meets epsilon = 1.0"),
    ],
)
def test_refuses(text: str, message: str) -> None:
    assert message in refused(call("calibrate", text, "--epsilon", "1", "--delta", "1e-5"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Gaussian(0) + Laplace(?)", "epsilon is inf wherever the parameter is"),
        ("Gaussian(?) + Laplace(0.5)", "the smallest epsilon is 1.99998, at 2.98342e+24"),
    ],
)
def test_a_target_out_of_reach_is_the_answer_no(text: str, message: str) -> None:
    asked = ("calibrate", text, "--epsilon", "1", "--delta", "1e-5")
    done = call(*asked)
    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr
    done = call(*asked, "--json")
    assert done.returncode == 1
    answer = json.loads(done.stdout)
    assert answer["value"] is None
    assert message in answer["reason"]


@pytest.mark.slow
def test_a_size_that_the_domain_begins_above() -> None:
    text = "Gaussian(5).on(WithoutReplacement(60, ?)) * 100"
    value = int(call("calibrate", text, "--epsilon=1", "--delta=1e-5").stdout.split()[2])
    epsilons = [hs.parse(text.replace("?", str(n))).epsilon(1e-5) for n in (value, value - 1)]
    assert epsilons[0] <= 1 < epsilons[1]
