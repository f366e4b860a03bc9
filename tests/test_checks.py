"""Declared fields: checked when a value is made, in whatever way, and written as given."""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle
from typing import Any

import pytest

import hockeystick as hs
from hockeystick.checks import Between, CallText, Whole, checked, declare, declared, probability
from hockeystick.errors import ParameterError


@declared
class Lottery(CallText):
    """`winners` of `tickets`, each paid with a `chance`."""

    winners: int = checked(Whole(0))
    tickets: int = checked(Whole(1))
    chance: float = checked(probability, default=1.0)
    limit: int | None = checked(Whole(1), default=None, kw_only=True)
    note: str = ""

    def check_together(self) -> None:
        if self.winners > self.tickets:
            raise ParameterError(f"winners must be at most {self.tickets}, got {self.winners}")


@declared
class Raffle(Lottery):
    """One field more, checked after those that it inherits."""

    rounds: int = checked(Whole(1), default=1, kw_only=True)

    def check_together(self) -> None:
        super().check_together()
        if self.rounds > 3:
            raise ParameterError(f"rounds must be at most 3, got {self.rounds}")


class Tombola(Lottery):
    """A subclass without fields of its own."""


@declared
class Fair(CallText):
    """A field beside a method of nearly the same name, and an `__init__` of its own."""

    size_: int = checked(Whole(2))

    def __init__(self, size: int) -> None:
        declare(self, size_=size)

    def size(self) -> int:
        return self.size_


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Lottery(1, 2), "Lottery(1, 2)"),
        (Lottery(1, 2, 1), "Lottery(1, 2)"),
        (Lottery(1, tickets=2, chance=0.5), "Lottery(1, 2, chance=0.5)"),
        (Lottery(1, 2, limit=3, note="x"), "Lottery(1, 2, limit=3, note='x')"),
        (Raffle(0, 1, rounds=2), "Raffle(0, 1, rounds=2)"),
        (Tombola(0, 1), "Tombola(0, 1)"),
        (Fair(size=2), "Fair(2)"),
    ],
)
def test_the_text_is_the_call(value: object, text: str) -> None:
    assert repr(value) == text
    assert eval(text) == value
    assert hash(eval(text)) == hash(value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Lottery(-1, 2), "winners must be an integer >= 0, got -1"),
        (lambda: Lottery(1, 0.5), "tickets must be an integer >= 1, got 0.5"),  # type: ignore[arg-type]
        (lambda: Lottery(1, 2, math.nan), r"chance must be in \[0, 1\], got nan"),
        (lambda: Lottery(1, 2, None), r"chance must be a number in \[0, 1\], got None"),  # type: ignore[arg-type]
        (lambda: Lottery(1, 2, limit=0), "limit must be an integer >= 1, got 0"),
        (lambda: Lottery(3, 2), "winners must be at most 2, got 3"),
        (lambda: Lottery(-1, 0), "winners must be an integer"),
        (lambda: Lottery(3, 2, 7.0), "chance must be"),
        (lambda: Raffle(3, 2, rounds=4), "winners must be at most 2"),
        (lambda: Raffle(1, 2, rounds=4), "rounds must be at most 3, got 4"),
        (lambda: Tombola(3, 2), "winners must be at most 2"),
        (lambda: Fair(1), "^size must be an integer >= 2, got 1"),
        (lambda: dataclasses.replace(Lottery(1, 2), winners=3), "winners must be at most 2"),
        (lambda: dataclasses.replace(hs.Poisson(0.1), rate=2.0), r"rate must be in \[0, 1\]"),
    ],
)
def test_what_is_refused(make: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make()


def test_values_are_converted() -> None:
    value = Lottery(True + 0, 2, 1)
    assert (type(value.winners), type(value.chance), value.limit) == (int, float, None)
    assert type(hs.Gaussian(1).noise_multiplier) is float


@pytest.mark.parametrize(
    "value",
    [Lottery(1, 2, 0.5), Raffle(1, 2), Fair(3), hs.PureDP(1), hs.RandomAllocation(5, 2)],
    ids=repr,
)
def test_values_are_frozen_and_copied(value: Any) -> None:
    for same in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert same == value
        assert hash(same) == hash(value)
        assert repr(same) == repr(value)
    name = dataclasses.fields(value)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, name, 1)


def test_different_classes_are_different_values() -> None:
    assert Lottery(0, 1) != Tombola(0, 1)
    assert len({hs.PureDP(1.0), hs.ExponentialMechanism(1.0), hs.PermuteAndFlip(1.0)}) == 3


def test_replace_keeps_the_other_fields() -> None:
    assert dataclasses.replace(hs.Gaussian(1, 3, sensitivity=2), noise_multiplier=4) == hs.Gaussian(
        4.0, replace_sensitivity=3.0, sensitivity=2.0
    )


def test_a_class_that_is_not_declared_has_no_call() -> None:
    class Plain(CallText):
        """Nothing is known of its arguments."""

    assert repr(Plain()).startswith("<tests.test_checks.")


# the texts of mechanisms and samplers are a contract: what was saved is read ----------------------


@pytest.mark.parametrize(
    "text",
    [
        "Gaussian(1.1)",
        "Gaussian(5.0, replace_sensitivity=1.0)",
        "Gaussian(5.0, replace_sensitivity=1.0, sensitivity=3.0)",
        "Laplace(inf, sensitivity=0.5)",
        "DiscreteGaussian(1.0, sensitivity=2, replace_sensitivity=3)",
        "DiscreteLaplace(0.5)",
        "RandomizedResponse(1.0)",
        "RandomizedResponse(1.0, categories=3)",
        "ExponentialMechanism(0.5)",
        "PermuteAndFlip(0.5)",
        "PureDP(0.0)",
        "ApproximateDP(1.0, 1e-05)",
        "ZeroConcentratedDP(0.5)",
        "ZeroConcentratedDP(0.5, xi=0.1)",
        "TruncatedConcentratedDP(0.5, 8.0)",
        "RenyiDP.table(2.0, 0.1, 8.0, 0.5)",
        "RenyiDP(Gaussian(1.0) * 3)",
        "ProfileDP.table(0.0, 0.1, 1.0, 0.0)",
        "BetaPosterior(10.0, 20.0)",
        "DirichletPosterior(10.0, 20.0, 10.0)",
        "GammaPosterior(10.0, 1.0)",
        "GammaPosterior.public_rate(10.0, 1.0)",
        "GaussianPair(1.0, 2.0, 0.0, 1.0)",
        "GaussianPair.flat(2, 1.0, 0.0, 2.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 3.0)",
        "ExponentialFamily.bounded(1.0, smoothness=0.25, radius=3.0)",
        "Gaussian(1.0).on(Poisson(0.01))",
        "Gaussian(1.0).on(WithoutReplacement(60, 60000))",
        "Gaussian(1.0).on(WithReplacement(6, 60))",
        "Gaussian(1.0).on(TruncatedPoisson(0.1, 3, 20))",
        "Gaussian(1.0).on(Shuffled(4))",
        "Gaussian(1.0).on(RandomAllocation(10))",
        "Gaussian(1.0).on(AllocationBlock(3, blocks=3, total=10))",
        "(Gaussian(1.0) + Laplace(2.0)).on(Poisson(0.5)) * 7",
        "Gaussian(1.0).on(Poisson(0.5)).group(2)",
        "Gaussian(1.0).bernoulli(c=0.2, dimension=1, samples=1)",
        "Composition()",
    ],
)
def test_the_text_of_a_mechanism(text: str) -> None:
    assert repr(hs.parse(text)) == text


@pytest.mark.parametrize(
    ("written", "inside", "outside"),
    [
        ("[0, 1]", [0, 1, 0.5], [-5e-324, 1 + 1e-15, math.nan]),
        ("(0, 1)", [5e-324, 1 - 2**-53], [0, 1]),
        ("(0, inf)", [5e-324, 1.7976931348623157e308], [0, math.inf, -math.inf]),
        ("(1, inf]", [1 + 2**-52, math.inf], [1]),
        ("[-inf, inf]", [-math.inf, math.inf], [math.nan]),
    ],
)
def test_intervals_hold_what_they_say(
    written: str, inside: list[float], outside: list[float]
) -> None:
    domain = Between(written)
    assert [domain("x", value) for value in inside] == inside
    for value in outside:
        with pytest.raises(ParameterError) as caught:
            domain("x", value)
        assert str(caught.value) == f"x must be in {written}, got {value!r}"
