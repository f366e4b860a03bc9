"""A law of a loss that forgets something, or says what is not so, is an error and never safe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.evidence import Evidence
from hockeystick.loss.base import Loss
from hockeystick.loss.measure import NO_ATOMS, Atoms, Nodes, Tails
from hockeystick.numerics.types import Array

STEPS, DELTA = 8, 0.1


class Told:
    """All that a loss must say, told by another loss."""

    def __init__(self, told: Loss) -> None:
        self.told = told

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    top = property(lambda self: self.told.top)
    bottom = property(lambda self: self.told.bottom)
    infinite = property(lambda self: self.told.infinite)
    void = property(lambda self: self.told.void)
    continuous = property(lambda self: self.told.continuous)
    atoms = property(lambda self: self.told.atoms)

    def nodes(self, low: float, high: float, turn: float) -> Nodes:
        return self.told.nodes(low, high, turn)

    def profile(self, epsilon: Array) -> Array:
        return self.told.profile(epsilon)

    def tails(self, losses: Array) -> Tails:
        return self.told.tails(losses)

    def truncated(self, mass: float) -> Loss:
        return self.told.truncated(mass)


SAID = {
    name: value for name, value in vars(Told).items() if name not in ("__dict__", "__weakref__")
}
METHODS = ("nodes", "profile", "tails", "atoms")
FIELDS = ("top", "bottom", "infinite", "void", "continuous")


def a_class(**said: Any) -> Any:
    """A loss that says what is told, but for what is given; `...` for what is forgotten."""
    body = {name: value for name, value in {**SAID, **said}.items() if value is not ...}
    return type("ALoss", (Loss,), body)


@dataclass(frozen=True)
class Wraps(hs.Mechanism):
    """A mechanism of some loss."""

    kind: Any
    told: Any

    def evidence(self, relation: hs.Relation, steps: int = 1) -> Evidence:
        return Evidence((self.kind(self.told),))


LAPLACE = hs.Laplace(1.0).evidence(hs.ADD_REMOVE).loss
GAUSSIAN = hs.Gaussian(1.0).on(hs.Poisson(0.3)).evidence(hs.ADD_REMOVE).loss
CUT = hs.Gaussian(1.0).evidence(hs.ADD_REMOVE).loss.truncated(0.01)
LEAKY = hs.ApproximateDP(1.0, 0.01).evidence(hs.ADD_REMOVE).loss
LOSSES = {"laplace": LAPLACE, "gaussian": GAUSSIAN, "cut": CUT, "leaky": LEAKY}


def questions(kind: Any, told: Loss) -> list[Any]:
    """Each route's answer to ε and δ, of some steps and of one; or the error."""
    answers = []
    for steps in (STEPS, 1):
        for method in ("auto", "contour", "lattice", "closed form"):
            for name, given in (("epsilon", DELTA), ("delta", 0.5)):
                try:
                    answer = getattr(Wraps(kind, told) * steps, name)(given, method=method)
                except (hs.HockeystickError, AttributeError, TypeError) as error:
                    answer = error
                answers.append((steps, method, name, answer))
    return answers


@pytest.mark.slow
@pytest.mark.parametrize("told", LOSSES.values(), ids=LOSSES)
def test_a_loss_that_says_all_is_answered(told: Loss) -> None:
    """The same as by the loss itself."""
    for steps in (STEPS, 1):
        found, truth = (
            (Wraps(kind, told) * steps).epsilon(DELTA) for kind in (a_class(), lambda loss: loss)
        )
        assert float(found) == pytest.approx(float(truth), rel=1e-6)
        assert found > 0


@pytest.mark.parametrize("name", METHODS)
def test_a_method_that_is_forgotten(name: str) -> None:
    with pytest.raises(TypeError, match=name):
        a_class(**{name: ...})(LAPLACE)


@pytest.mark.parametrize("name", FIELDS)
def test_a_field_that_is_forgotten(name: str) -> None:
    for steps in (1, STEPS):
        for method in ("auto", "contour", "lattice"):
            mechanism = Wraps(a_class(**{name: ...}), LAPLACE) * steps
            with pytest.raises(AttributeError, match=name):
                mechanism.epsilon(DELTA, method=method)


def without_atoms(self: Any, low: float, high: float, turn: float) -> Nodes:
    losses, log_q, density = self.told.nodes(low, high, turn)
    return Nodes(losses[: density.size], log_q[: density.size], density)


def no_tails(self: Any, losses: Array) -> Tails:
    return Tails(*np.zeros((4, *losses.shape)))


def one_tail(self: Any, losses: Array) -> Tails:
    tails: Tails = self.told.tails(losses)
    return tails._replace(p_below=0 * losses, q_below=0 * losses)


def of_finite(self: Any, epsilon: Array) -> Array:
    return np.asarray(self.told.profile(epsilon) - self.told.infinite)


def one_atom(self: Any) -> Atoms:
    losses, log_q = self.told.atoms
    return Atoms(losses[:1], log_q[:1])


FALSE: dict[str, tuple[str, dict[str, Any]]] = {
    "no tails": ("laplace", {"tails": no_tails}),
    "no lower tail": ("gaussian", {"tails": one_tail}),
    "no atoms": ("laplace", {"atoms": NO_ATOMS}),
    "one atom of two": ("laplace", {"atoms": property(one_atom)}),
    "not continuous": ("laplace", {"continuous": False}),
    "no continuous part, no tails": ("laplace", {"continuous": False, "tails": no_tails}),
    "a low top": ("laplace", {"top": 0.5}),
    "a low top of a density": ("gaussian", {"top": 0.5, "truncated": ...}),
    "a high bottom": ("laplace", {"bottom": 0.5}),
    "nothing at infinity": ("leaky", {"infinite": 0.0}),
    "nothing cut off": ("cut", {"infinite": 0.0}),
    "nothing void": ("cut", {"void": 0.0}),
    "a profile of the finite losses": ("leaky", {"profile": of_finite}),
    "no profile": ("laplace", {"profile": lambda self, epsilon: 0 * epsilon}),
    "symmetric": ("gaussian", {"symmetric": True, "truncated": ...}),
    "symmetric atoms": ("leaky", {"symmetric": True, "void": 0.0}),
}


@pytest.mark.parametrize("case", FALSE)
def test_what_is_not_so_is_never_safe(case: str) -> None:
    """Refused by every route, whichever of them it would mislead."""
    name, said = FALSE[case]
    for steps, method, question, answer in questions(a_class(**said), LOSSES[name]):
        assert isinstance(answer, hs.HockeystickError), (steps, method, question, answer)


def test_a_quadrature_without_atoms_is_not_trusted() -> None:
    """The grid asks for masses and is right; K, and so the contour, asks for the quadrature."""
    kind = a_class(nodes=without_atoms)
    with pytest.raises(hs.NumericalError, match="has not all of P and Q"):
        kind(LAPLACE).check_mass()
    with pytest.raises(hs.NumericalError):
        (Wraps(kind, LAPLACE) * STEPS).epsilon(DELTA, method="contour")
