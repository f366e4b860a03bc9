"""The one text form of a mechanism: what `repr` writes, `parse` reads, and nothing is evaluated.

A sum of terms; a term is a mechanism, repeated with `* count`; a mechanism is a call of its class
with numbers (also `inf`, 256/60000, 1%, 1e4; for options, lists in parentheses) or mechanisms as
arguments; `.on(sampler)` puts it on a sample, `.group(size)` asks for people with so many records
and `.bernoulli(c=, dimension=, samples=)` releases coins in its place:

    Gaussian(1.1).on(Poisson(0.01)) * 10000 + RenyiDP.table(2, 0.1, 8, 0.5)

Python's own grammar makes the tree; only the shapes above are read from it. The names are those of
`hockeystick.registry`; a class lists the classmethods that may be called in `text_constructors`.
"""

from __future__ import annotations

import ast
import difflib
import inspect
import math
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TypeAlias, TypeVar

from hockeystick import numerals
from hockeystick.checks import LARGEST_FLOAT_INTEGER, shown
from hockeystick.errors import HockeystickError, ParameterError
from hockeystick.mechanism import Composition, Mechanism, compose
from hockeystick.registry import Kind, Made, kind_of, matrix_maker, names
from hockeystick.samplers.sampler import Sampler

MOST_CHARACTERS = 100_000
MOST_DEPTH = 50
T = TypeVar("T")
Value: TypeAlias = Made | int | float | tuple[float, ...]

_ALLOWED = (
    "allowed are numbers, inf, calls such as Gaussian(1.1), .on(sampler), mechanism + mechanism "
    "and mechanism * count"
)
_STRANGE = re.compile(r"[^\w\s.,()+*/=%-]|(?<![\d.])%|%(?!\s*[,)])", re.ASCII)
"""A % is allowed after a number that is an argument: elsewhere it might mean a remainder."""
_GLUED = re.compile(r"(?<!\w)\.?\d[\w.]*?(?:and|else|for|if|in|is|not|or)(?!\w)", re.ASCII)
"""A number with a word of Python's at its end, of which Python would warn on standard error."""
_MARK = re.compile(r"(?<!\w)[\d.][\d_.]*[eE][+-]|[()+]", re.ASCII)
_HINTS = {
    "?": "one unknown is solved for by `calibrate`",
    "<": "a Python function or a dense matrix has no text form; give a table instead",
    "%": "a percentage is an argument such as Poisson(1%)",
    "{": "write a table as RenyiDP.table(order, epsilon, ...)",
}


def parse(text: str) -> Mechanism:
    """The mechanism that `text` describes; `parse(repr(m)) == m` for every m without functions.

    Nothing is evaluated. Anything but a mechanism, text of more than 100 000 characters and
    nesting of more than 50 levels are a `ParameterError` that says where (positions count from 1).

    >>> parse("Gaussian(1.1).on(Poisson(0.01)) * 100 + Laplace(2)")
    Gaussian(1.1).on(Poisson(0.01)) * 100 + Laplace(2.0)
    """
    if not isinstance(text, str):
        raise ParameterError(f"text must be a string, got {shown(text)}")
    if len(text) > MOST_CHARACTERS:
        raise ParameterError(
            f"text must have at most {MOST_CHARACTERS} characters, got {len(text)}"
        )
    _check_characters(text)
    line = re.sub(r"\s", " ", text)
    if not line.strip():
        raise ParameterError(f"text is empty; {_ALLOWED}")
    terms = [_term(line[first:last], first) for first, last in _terms(line)]
    return compose((term, 1) for term in terms) if len(terms) > 1 else terms[0]


def _check_characters(text: str) -> None:
    strange = _STRANGE.search(text)
    if strange:
        at = strange.start()
        near = text[max(0, at - 20) : at + 20]
        hint = _HINTS.get(strange[0], _ALLOWED)
        raise ParameterError(
            f"unexpected {strange[0]!r} at position {at + 1}, near {near!r}: {hint}"
        )
    glued = _GLUED.search(text)
    if glued:
        at = glued.start() + 1
        raise ParameterError(f"{short(glued[0])!r} at position {at} is not a number; {_ALLOWED}")


def _terms(line: str) -> Iterator[tuple[int, int]]:
    """Where each term of the outermost sum begins and ends (no tree is deep enough for all)."""
    first = depth = 0
    for mark in _MARK.finditer(line):
        depth += (mark[0] == "(") - (mark[0] == ")")
        if depth > MOST_DEPTH:
            raise ParameterError(
                f"more than {MOST_DEPTH} nested parentheses at position {mark.start() + 1}"
            )
        if mark[0] == "+" and depth == 0:
            yield first, mark.start()
            first = mark.end()
    yield first, len(line)


def _term(text: str, start: int) -> Mechanism:
    """One term of the sum, which begins after `start` characters of the whole text."""
    start += len(text) - len(text.lstrip())
    text = text.strip()
    if not text:
        raise ParameterError(f"nothing to add at position {start + 1}; {_ALLOWED}")
    try:
        tree = ast.parse(text.replace("%", "j"), mode="eval")  # 1j is a number of Python's, too
    except SyntaxError as error:
        at = start + max(error.offset or 1, 1)
        raise ParameterError(
            f"{short(text)!r} is not an expression: {error.msg} at position {at}; {_ALLOWED}"
        ) from None
    except (RecursionError, MemoryError, ValueError):
        raise ParameterError(
            f"{short(text)!r} at position {start + 1} is nested too deeply or has too long a "
            f"number; {_ALLOWED}"
        ) from None
    return _Reader(text, start).mechanism(tree.body, 0)


class _Reader:
    """Turns the tree of one term into values, and every surprise into a `ParameterError`."""

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.start = start

    def mechanism(self, node: ast.expr, depth: int) -> Mechanism:
        """The value of a node that must be a mechanism."""
        value = self.value(node, depth)
        if isinstance(value, Sampler):
            raise self.error(node, "is a sampler; put it on a mechanism: Gaussian(1.1).on(sampler)")
        if not isinstance(value, Mechanism):
            what = "part of Correlated" if isinstance(value, Made) else "a number"
            raise self.error(node, f"is {what} where a mechanism is needed")
        return value

    def value(self, node: ast.expr, depth: int) -> Value:
        """The value of any node."""
        if depth > MOST_DEPTH:
            raise self.error(node, f"is nested more than {MOST_DEPTH} levels deep")
        match node:
            case ast.Constant():
                return self.number(node)
            case ast.Name():
                return self.name(node)
            case ast.UnaryOp(op=ast.USub()):
                return self.negative(node, depth)
            case ast.BinOp(op=ast.Add()):
                return self.sum(node, depth)
            case ast.BinOp(op=ast.Mult()):
                return self.product(node, depth)
            case ast.BinOp(op=ast.Div()):
                return self.rounded(node, depth)
            case ast.Call():
                return self.call(node, depth)
        raise self.error(node, f"is not allowed; {_ALLOWED}")

    def negative(self, node: ast.UnaryOp, depth: int) -> int | float:
        value = self.value(node.operand, depth + 1)
        if isinstance(value, Made | tuple):
            raise self.error(node, "has a minus in front of something that is not a number")
        return -value

    def number(self, node: ast.Constant) -> int | float:
        value = node.value
        if type(value) is int and value <= LARGEST_FLOAT_INTEGER:
            return value
        if type(value) is int or (type(value) is float and math.isinf(value)):
            raise self.error(node, "is too large a number; infinity is written inf")
        if type(value) is float and not value.is_integer():
            return value
        return self.rounded(node, 0)

    def rounded(self, node: ast.expr, depth: int) -> int | float:
        """The number nearest to what is written; a whole one is an integer."""
        number = self.exact(node, depth)
        return self.made(node, lambda: numerals.rounded(number))

    def exact(self, node: ast.expr, depth: int) -> Fraction:
        """The number that a numeral, a percentage or a fraction says."""
        if depth > MOST_DEPTH:
            raise self.error(node, f"is nested more than {MOST_DEPTH} levels deep")
        match node:
            case ast.BinOp(op=ast.Div()):
                over, under = self.exact(node.left, depth + 1), self.exact(node.right, depth + 1)
                if under == 0:
                    raise self.error(node, "divides by 0")
                return over / under
            case ast.UnaryOp(op=ast.USub()):
                return -self.exact(node.operand, depth + 1)
            case ast.Constant(value=int() as value) if type(value) is int:
                return Fraction(value)
            case ast.Constant(value=float() | complex()) if not self.piece(node).endswith("j"):
                whole, percent, _ = self.piece(node).partition("%")
                return self.made(node, lambda: numerals.exact(whole)) / (100 if percent else 1)
        raise self.error(node, "is not a number: a fraction is an argument such as Poisson(1/60)")

    def name(self, node: ast.Name) -> float:
        if node.id == "inf":
            return math.inf
        self.kind(node)
        raise self.error(node, f"is a name without its arguments; call it: {node.id}(...)")

    def kind(self, node: ast.Name) -> Kind:
        """The class of that name."""
        kind = kind_of(node.id)
        if kind is not None:
            return kind
        every = names()
        close = difflib.get_close_matches(node.id[:100], every, n=1, cutoff=0.5)
        guess = f"did you mean {close[0]}? " if close else ""
        raise self.error(node, f"is not a known name; {guess}known are {', '.join(every)}")

    def sum(self, node: ast.BinOp, depth: int) -> Mechanism:
        """A sum in parentheses; its left spine, as long as the sum, does not count as depth."""
        terms: list[ast.expr] = []
        left: ast.expr = node
        while isinstance(left, ast.BinOp) and isinstance(left.op, ast.Add):
            terms.append(left.right)
            left = left.left
        terms.append(left)
        return compose((self.mechanism(term, depth + 1), 1) for term in reversed(terms))

    def product(self, node: ast.BinOp, depth: int) -> Mechanism:
        left, right = self.value(node.left, depth + 1), self.value(node.right, depth + 1)
        if isinstance(left, int | float):
            left, right = right, left
        if not isinstance(left, Mechanism) or not isinstance(right, int | float):
            raise self.error(node, "is not a mechanism * count")
        mechanism, count = left, right
        return self.made(node, lambda: mechanism * count)  # type: ignore[operator]  # a check of *

    def call(self, node: ast.Call, depth: int) -> Made:
        maker = self.maker(node, depth)
        values = [self.value(argument, depth + 1) for argument in node.args]
        options: dict[str, Value] = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                raise self.error(node, f"has ** in it, which is not allowed; {_ALLOWED}")
            if keyword.arg in options:
                raise self.error(node, f"gives {keyword.arg} twice")
            listed = keyword.value.elts if isinstance(keyword.value, ast.Tuple) else []
            numbers = tuple(float(self.rounded(each, depth)) for each in listed)
            options[keyword.arg] = numbers or self.value(keyword.value, depth + 1)
        try:
            inspect.signature(maker).bind(*values, **options)
        except TypeError as error:
            takes = ", ".join(inspect.signature(maker).parameters) or "nothing"
            raise self.error(node, f"has the wrong arguments: {error}; it takes {takes}") from None
        return self.made(node, lambda: maker(*values, **options))

    def maker(self, node: ast.Call, depth: int) -> Callable[..., Made]:
        """What is called: a class, one of its text constructors, or `.on` of a mechanism."""
        match node.func:
            case ast.Name() as name:
                kind = self.kind(name)
                return (lambda: Composition()) if kind is Composition else kind
            case ast.Attribute(value=ast.Name("matrix"), attr=strategy):
                return self.made(node, lambda: matrix_maker(strategy))
            case ast.Attribute(value=ast.Name() as name, attr=attribute):
                kind = self.kind(name)
                if attribute not in (calls := kind.text_constructors):
                    have = ", ".join(f"{name.id}.{k}" for k in calls) or "no constructors"
                    raise self.error(node, f"is not allowed: {name.id} has {have} here; {_ALLOWED}")
                return getattr(kind, attribute)  # type: ignore[no-any-return]
            case ast.Attribute(value=base, attr="on" | "group" | "bernoulli" as method):
                return getattr(self.mechanism(base, depth + 1), method)  # type: ignore[no-any-return]
        raise self.error(node, f"is not allowed; {_ALLOWED}")

    def made(self, node: ast.expr, make: Callable[[], T]) -> T:
        """What `make` makes; its own complaint gets the place in the text."""
        try:
            return make()
        except HockeystickError as error:
            reason = str(error)
        except (TypeError, ValueError, ArithmeticError) as error:
            reason = f"{type(error).__name__}: {error}"
        raise ParameterError(f"{reason}; in {self.where(node)}")

    def piece(self, node: ast.expr) -> str:
        return self.text[node.col_offset : node.end_col_offset]

    def where(self, node: ast.expr) -> str:
        return f"{short(self.piece(node))!r} at position {self.start + node.col_offset + 1}"

    def error(self, node: ast.expr, reason: str) -> ParameterError:
        return ParameterError(f"{self.where(node)} {reason}")


def short(text: str) -> str:
    """A text as the messages show it."""
    return text if len(text) <= 60 else f"{text[:40]}...{text[-15:]}"
