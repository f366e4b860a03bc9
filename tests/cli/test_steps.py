"""`steps`: the last count that fits a budget."""

from __future__ import annotations

import pytest

import hockeystick as hs
from tests.support.command import BOUND, call, read_json, refused, shape


def test_the_last_count_that_fits() -> None:
    done = call("steps", "Gaussian(1.1).on(Poisson(0.01))", "--epsilon", "2", "--delta", "1e-5")
    first, after, one_more = done.stdout.splitlines()
    assert first == "steps = 1725  (epsilon = 2.0; delta = 1e-05; relation: add-remove)"
    step = hs.Gaussian(1.1).on(hs.Poisson(0.01))
    last, next_one = (float(line.split()[-1]) for line in (after, one_more))
    assert last <= 2 < next_one
    assert last == pytest.approx((step * 1725).epsilon(1e-5), rel=1e-12)
    assert next_one == pytest.approx((step * 1726).epsilon(1e-5), rel=1e-12)


def test_json_when_nothing_fits() -> None:
    found = read_json("steps", "Laplace(0.5)", "--epsilon", "1", "--delta", "0", code=1)
    bound = {"epsilon": "number", **BOUND}
    assert shape(found) == {
        "steps": "number", "epsilon": "number", "delta": "number", "relation": "text",
        "after": bound, "one_more": bound,
    }  # fmt: skip
    assert (found["steps"], found["after"]["epsilon"], found["one_more"]["epsilon"]) == (0, 0, 2)


@pytest.mark.parametrize(
    ("arguments", "count"),
    [
        (("Laplace(1)", "--epsilon", "1", "--delta", "0"), "1"),
        (("Laplace(1)", "--epsilon", "16", "--delta", "0"), "16"),
        (("Laplace(1)", "--epsilon", "1023.5", "--delta", "0"), "1023"),
        (("Laplace(1)", "--epsilon", "9", "--delta", "0", "--relation", "replace-one"), "4"),
        (("Laplace(1) * 3", "--epsilon", "100", "--delta", "0"), "33"),
        (("Laplace(inf)", "--epsilon", "0", "--delta", "0"), "inf"),
        (("Laplace(1)", "--epsilon", "inf", "--delta", "0"), "inf"),
        (("Gaussian(0)", "--epsilon", "1", "--delta", "1"), "inf"),
    ],
)
def test_counts_that_are_known(arguments: tuple[str, ...], count: str) -> None:
    assert call("steps", *arguments).stdout.split()[2] == count


def test_a_loss_that_never_adds_up_is_refused() -> None:
    line = refused(call("steps", "PureDP(1e-300)", "--epsilon", "1", "--delta", "0"))
    assert "epsilon must be so small that" in line


@pytest.mark.parametrize("epsilon", ["nan", "-1"])
def test_a_budget_is_not_below_0(epsilon: str) -> None:
    line = refused(call("steps", "Gaussian(1)", "--epsilon", epsilon, "--delta", "1e-5"))
    assert line == f"Error: epsilon must be in [0, inf], got {float(epsilon)!r}\n"
