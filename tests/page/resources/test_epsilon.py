"""`/api/epsilon`: the library's own numbers."""

from __future__ import annotations

import pytest

import hockeystick as hs
from hockeystick.page.resources.epsilon import epsilon
from tests.support.command import answered

TEXTS = ["Gaussian(1.1).on(Poisson(0.01)) * 1000", "Laplace(2)", "RandomizedResponse(1) * 30"]


@pytest.mark.parametrize("text", TEXTS)
def test_it_is_what_the_library_says(text: str) -> None:
    found = epsilon({"run": {"expression": text}, "delta": 1e-5})
    bound = hs.parse(text).epsilon(delta=1e-5)
    assert (found["epsilon"], found["lower"]) == (bound.upper, bound.lower)
    assert (found["method"], found["relation"]) == (bound.method, "add-remove")
    assert found["expression"] == repr(hs.parse(text))
    assert found["steps"] == sum(hs.parse(text).parts.values())


def test_it_is_what_the_command_prints_to_the_last_digit() -> None:
    text = "Gaussian(1.1).on(Poisson(1%)) * 1e3"
    asked = {"run": {"expression": text, "relation": "replace-one"}, "delta": "1/60000"}
    found = epsilon(asked)
    printed = answered("epsilon", text, "--delta", "1/60000", "--relation", "replace-one").rstrip(
        "\n"
    )
    assert found["printed"] == printed
    assert printed.startswith(f"epsilon = {found['shown']}  (")
    assert f"at least {found['shown_lower']};" in printed


def test_infinity_is_a_text() -> None:
    found = epsilon({"run": {"expression": "Gaussian(0)"}, "delta": 1e-5})
    assert (found["epsilon"], found["shown"]) == ("inf", "inf")
