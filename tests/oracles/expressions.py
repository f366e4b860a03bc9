"""From the text of an expression to the pairs of distributions that it stands for.

The numbers in the text are the real numbers that their doubles are; nothing is imported from the
library. A part has a pair that dominates it and one that some neighbours attain: the same one
unless the theory leaves a gap. What no oracle covers raises `Unknown`.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mpmath import mp, mpf

from . import pairs, tables
from .pairs import Pair

ADD_REMOVE, REPLACE_ONE, ZERO_OUT = "ADD_REMOVE", "REPLACE_ONE", "ZERO_OUT"
MOST_ATOMS = 4000
"""Outcomes of one step up to which it is written out."""


class Unknown(Exception):
    """No oracle covers this."""


@dataclass(frozen=True)
class Part:
    """One step, and how often it runs."""

    dominating: Pair
    attained: Pair
    count: int
    gaussian: mpf | None = None  # the shift over the noise, where it is an unsampled Gaussian
    laplace: mpf | None = None  # the same for an unsampled Laplace
    sampled: tuple[mpf, mpf] | None = None  # noise and rate of a Gaussian on a Poisson sample
    by_class: bool = False  # a class of mechanisms, whose profile no single pair need attain

    def times(self, count: int) -> Part:
        return replace(self, count=self.count * count)


def read(text: str, relation: str | None = None) -> list[Part]:
    """The parts of an expression under a relation, by default the samplers' natural one."""
    tree = ast.parse(text.strip(), mode="eval").body
    relation = relation or natural_relation(text)
    return [part for part in _parts(tree, relation) if part.count]


def natural_relation(text: str) -> str:
    """Poisson samples speak of adding and removing, samples of fixed size of replacing."""
    fixed = "WithoutReplacement" in text or "WithReplacement" in text or "Shuffled" in text
    if fixed and ("Poisson" in text or "Allocation" in text):
        raise Unknown("mixed relations")
    return REPLACE_ONE if fixed else ADD_REMOVE


def _parts(node: ast.expr, relation: str) -> list[Part]:
    match node:
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return _parts(left, relation) + _parts(right, relation)
        case ast.BinOp(op=ast.Mult(), left=left, right=ast.Constant(value=int(count))):
            return [part.times(count) for part in _parts(left, relation)]
        case ast.BinOp(op=ast.Mult(), left=ast.Constant(value=int(count)), right=right):
            return [part.times(count) for part in _parts(right, relation)]
        case ast.Call(func=ast.Attribute(value=base, attr="on"), args=[ast.Call() as sampler]):
            return [_sampled(base, sampler, relation)]
        case ast.Call(func=ast.Attribute(value=base, attr="group"), args=[size]):
            return [_mechanism(base, relation, int(_number(size)))]
        case ast.Call():
            return [_mechanism(node, relation, 1)]
    raise Unknown(ast.unparse(node))


def _number(node: ast.expr) -> Any:
    try:
        value = ast.literal_eval(node)
    except ValueError:
        raise Unknown(ast.unparse(node)) from None
    if not isinstance(value, int | float) or not math.isfinite(value):
        raise Unknown(ast.unparse(node))
    return value


def _arguments(node: ast.Call, names: Sequence[str]) -> dict[str, Any]:
    given = dict(zip(names, map(_number, node.args), strict=False))
    return given | {k.arg: _number(k.value) for k in node.keywords if k.arg}


def _name(node: ast.expr) -> str:
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return name
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attribute)):
            return f"{name}.{attribute}"
    raise Unknown(ast.unparse(node))


def _same(pair: Pair, **more: Any) -> Part:
    return Part(pair, pair, 1, **more)


def _mechanism(node: ast.expr, relation: str, size: int) -> Part:
    """One unsampled mechanism, for a person of `size` records."""
    name = _name(node)
    if name not in _MECHANISMS:
        raise Unknown(name)
    assert isinstance(node, ast.Call)
    return _MECHANISMS[name](node, relation, size)


def _moved(values: dict[str, Any], relation: str, size: int) -> mpf:
    """How far the query moves, in units of how far one added record moves it."""
    return mpf(values.get("replace_sensitivity", 2) if relation == REPLACE_ONE else 1) * size


def _gaussian(node: ast.Call, relation: str, size: int) -> Part:
    values = _arguments(node, ("noise_multiplier", "replace_sensitivity"))
    noise = _positive(values["noise_multiplier"]) / _moved(values, relation, size)
    return _same(pairs.gaussian(noise), gaussian=1 / noise)


def _laplace(node: ast.Call, relation: str, size: int) -> Part:
    values = _arguments(node, ("noise_multiplier", "replace_sensitivity"))
    noise = _positive(values["noise_multiplier"]) / _moved(values, relation, size)
    return _same(pairs.laplace(noise), laplace=1 / noise)


def _positive(value: float) -> mpf:
    if value <= 0:
        raise Unknown("no noise")
    return mpf(value)


def _discrete_gaussian(noise: mpf, sensitivity: int) -> Pair:
    """Cut further out the more digits are asked for: no cut is mistaken for the largest loss."""
    return pairs.discrete_gaussian(noise, sensitivity, order=mp.dps / 20)


def _discrete(make: Callable[[mpf, int], Pair]) -> Callable[[ast.Call, str, int], Part]:
    def part(node: ast.Call, relation: str, size: int) -> Part:
        names = ("noise_multiplier", "sensitivity", "replace_sensitivity")
        values = _arguments(node, names)
        unit = values.get("sensitivity", 1)
        scale = _positive(values["noise_multiplier"]) * unit
        replace = values.get("replace_sensitivity") or 2 * unit
        moved = (replace if relation == REPLACE_ONE else unit) * size
        gaussian = make is _discrete_gaussian
        if moved + (2.2 * float(scale) * math.sqrt(mp.dps) if gaussian else 0) > MOST_ATOMS / 2:
            raise Unknown("too many outcomes")
        return _same(make(scale / moved, moved))

    return part


def _randomized_response(node: ast.Call, relation: str, size: int) -> Part:
    values = _arguments(node, ("epsilon", "categories"))
    if size > 1:
        return _same(pairs.randomized_response(mpf(values["epsilon"]) * size))
    return _same(pairs.randomized_response(mpf(values["epsilon"]), values.get("categories", 2)))


def _pure(node: ast.Call, relation: str, size: int) -> Part:
    return _same(pairs.randomized_response(mpf(_arguments(node, ("epsilon",))["epsilon"]) * size))


def _approximate(node: ast.Call, relation: str, size: int) -> Part:
    values = _arguments(node, ("epsilon", "delta"))
    epsilon, delta = mpf(values["epsilon"]), mpf(values["delta"])
    if size > 1:
        delta *= mp.fsum(mp.exp(i * epsilon) for i in range(size))
    if delta >= 1:
        raise Unknown("everything is revealed")
    return _same(pairs.approximate_dp(epsilon * size, delta))


def _exponential(node: ast.Call, relation: str, size: int) -> Part:
    epsilon = _positive(_arguments(node, ("epsilon",))["epsilon"]) * size
    attained = pairs.randomized_response(epsilon / 2)
    return Part(pairs.exponential_mechanism(epsilon), attained, 1, by_class=True)


def _table(node: ast.Call, relation: str, size: int) -> Part:
    numbers = [mpf(_number(each)) for each in node.args]
    if size > 1:
        raise Unknown("a table has no group privacy")
    return _same(tables.through(list(zip(numbers[::2], numbers[1::2], strict=True))))


def _profile(node: ast.Call, relation: str, size: int) -> Part:
    """An unsampled mechanism is symmetric, so its profile is all there is to know of it."""
    if size > 1:
        raise Unknown("a profile has no group privacy")
    return _mechanism(node.args[0], relation, 1)


_MECHANISMS: dict[str, Callable[[ast.Call, str, int], Part]] = {
    "Gaussian": _gaussian,
    "Laplace": _laplace,
    "DiscreteGaussian": _discrete(_discrete_gaussian),
    "DiscreteLaplace": _discrete(pairs.discrete_laplace),
    "RandomizedResponse": _randomized_response,
    "PureDP": _pure,
    "ApproximateDP": _approximate,
    "ExponentialMechanism": _exponential,
    "ProfileDP.table": _table,
    "ProfileDP": _profile,
}


def _sampled(base: ast.expr, sampler: ast.Call, relation: str) -> Part:
    """One step on a sample; several releases on a shared sample are one release."""
    name = _name(sampler)
    if name == "EveryRecord":
        return shared(_parts(base, relation))
    if name == "Poisson":
        rate = _number(sampler.args[0])
        return _poisson(base, rate, relation)
    if name == "WithoutReplacement":
        size, population = (_number(each) for each in sampler.args)
        return _without_replacement(base, size, population, relation)
    raise Unknown(name)


def _poisson(base: ast.expr, rate: float, relation: str) -> Part:
    if rate == 0:
        return _same(pairs.randomized_response(mpf(0)))
    if rate == 1:
        return shared(_parts(base, relation))
    if relation == REPLACE_ONE:
        return _replaced(shared(_parts(base, ADD_REMOVE)), shared(_parts(base, relation)), rate)
    return _mixed(shared(_parts(base, relation)), mpf(rate))


def _replaced(add: Part, replace: Part, rate: float) -> Part:
    """Two records on opposite sides of nothing; known for Gaussian noise."""
    if add.gaussian is None or replace.gaussian != 2 * add.gaussian:
        raise Unknown("replacing under Poisson sampling")
    return _same(pairs.gaussian_replaced(1 / add.gaussian, mpf(rate)))


def _mixed(part: Part, rate: mpf) -> Part:
    dominating = pairs.poisson(part.dominating, rate)
    attained = dominating
    if part.dominating is not part.attained:
        attained = pairs.poisson(part.attained, rate)
    noise = None if part.gaussian is None else 1 / part.gaussian
    return Part(dominating, attained, 1, sampled=noise and (noise, rate), by_class=part.by_class)


def _without_replacement(base: ast.expr, size: int, population: int, relation: str) -> Part:
    """Added or removed: the mixture; replaced: the symmetric profile g h(1 + (a-1)/g) dominates.

    Balle, Barthe and Gaboardi (2018), Theorem 9; the mixture is what some neighbours attain.
    """
    if relation == ZERO_OUT:
        raise Unknown("zeroing out in a sample of fixed size")
    if size == population:
        return shared(_parts(base, relation))
    if size == 0:
        return _same(pairs.randomized_response(mpf(0)))
    replace, rate = shared(_parts(base, REPLACE_ONE)), mpf(size) / population
    mixed = _mixed(replace, rate)
    if relation == ADD_REMOVE:
        return mixed
    if replace.dominating.density is not None:
        raise Unknown("replacing in a sample of fixed size")
    dominating = tables.sampled(replace.dominating, rate)
    return Part(dominating, mixed.attained, 1, by_class=True)


def gaussian_shift(parts: list[Part]) -> mpf | None:
    """The shift over the noise of the one Gaussian that unsampled Gaussians are together."""
    if any(part.gaussian is None for part in parts):
        return None
    return mp.sqrt(mp.fsum(part.count * part.gaussian**2 for part in parts if part.gaussian))


def shared(parts: list[Part]) -> Part:
    """Several releases as one: Gaussians add up, atoms multiply."""
    parts = [part for part in parts if part.count]
    if not parts:
        return _same(pairs.randomized_response(mpf(0)))
    if len(parts) == 1 and parts[0].count == 1:
        return parts[0]
    shift = gaussian_shift(parts)
    if shift is not None:
        return _same(pairs.gaussian(1 / shift), gaussian=shift)
    if any(part.dominating.density or part.by_class for part in parts):
        raise Unknown("a shared sample of continuous releases")
    steps = [part.dominating for part in parts for _ in range(part.count)]
    if math.prod(len(step.atoms) for step in steps) > MOST_ATOMS:
        raise Unknown("too many outcomes")
    return _same(tables.product(steps))
