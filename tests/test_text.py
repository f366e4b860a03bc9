"""`parse` reads what `repr` writes, and refuses everything else with a `ParameterError`."""

from __future__ import annotations

import contextlib
import inspect
import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hockeystick as hs
from hockeystick.errors import ParameterError
from hockeystick.mechanism import Mechanism
from hockeystick.registry import own_kinds
from hockeystick.templates import filled, placeholders, template
from hockeystick.text import MOST_CHARACTERS, MOST_DEPTH, parse
from tests.support.hostile_text import expressions, mutated

# every value round-trips -----------------------------------------------------------------------

some = st.floats(0, math.inf)
above_zero = st.floats(min_value=0, max_value=1e300, exclude_min=True)
share = st.floats(0, 1)
whole = st.integers(1, 10**6)


def tables(keys: st.SearchStrategy[float], values: st.SearchStrategy[float]) -> st.SearchStrategy:
    return st.dictionaries(keys, values, min_size=1, max_size=5)


plain = st.one_of(
    st.builds(hs.Gaussian, some),
    st.builds(hs.Gaussian, some, replace_sensitivity=above_zero),
    st.builds(hs.Laplace, some),
    st.builds(hs.DiscreteGaussian, some, sensitivity=whole, replace_sensitivity=whole),
    st.builds(hs.DiscreteLaplace, some, sensitivity=whole),
    st.builds(hs.RandomizedResponse, some, categories=st.integers(2, 100)),
    st.builds(hs.RandomizedResponse.truthful, st.floats(0.5, 1)),
    st.builds(hs.ExponentialMechanism, some),
    st.builds(hs.PureDP, some),
    st.builds(hs.ApproximateDP, some, share),
    st.builds(hs.ZeroConcentratedDP, st.floats(0, 1e300), xi=st.floats(0, 1e300)),
    st.builds(hs.TruncatedConcentratedDP, st.floats(0, 1e300), st.floats(1, exclude_min=True)),
    st.builds(hs.RenyiDP, tables(st.floats(1, exclude_min=True), some)),
    st.builds(hs.ProfileDP, tables(st.floats(0, 1e300), share)),
)
sampled = st.builds(lambda m, rate: m.on(hs.Poisson(rate)), plain, share)
terms = st.lists(st.tuples(plain | sampled, st.integers(0, 10**17)), max_size=5)
composed = terms.map(lambda pairs: sum((m * count for m, count in pairs), hs.Gaussian(1.0) * 0))
mechanisms = st.recursive(
    composed, lambda m: st.builds(hs.RenyiDP, m) | st.builds(hs.ProfileDP, m), max_leaves=3
)


@given(mechanisms)
def test_what_repr_writes_parse_reads(mechanism: Mechanism) -> None:
    assert parse(repr(mechanism)) == mechanism
    assert repr(parse(repr(mechanism))) == repr(mechanism)


@given(plain, plain, st.integers(0, 1000))
def test_signs_mean_what_they_mean_in_python(a: Mechanism, b: Mechanism, count: int) -> None:
    assert parse(f"{a!r} + {b!r}*{count}") == a + b * count
    assert parse(f"{count}*({a!r}+{b!r})") == (a + b) * count


@given(mutated(expressions))
def test_almost_an_expression_is_a_mechanism_or_a_parameter_error(text: str) -> None:
    refusal = ""
    try:
        assert isinstance(parse(text), Mechanism)
    except ParameterError as error:
        refusal = str(error)
    assert len(refusal) < 1000


@given(st.text())
def test_any_text_is_a_mechanism_or_a_parameter_error(text: str) -> None:
    with contextlib.suppress(ParameterError):
        assert isinstance(parse(text), Mechanism)


PIECES = [
    *("Gaussian", "Poisson", "RenyiDP", ".table", ".on", "Composition", "inf", "lambda", "not"),
    *(
        "(",
        ")",
        "()",
        ",",
        "+",
        "-",
        "*",
        "**",
        "=",
        ".",
        "1",
        "0.5",
        "1e+5",
        "0x1e",
        " ",
        "\n",
        "/",
        "%",
    ),
]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_any_heap_of_pieces_is_a_mechanism_or_a_parameter_error(text: str) -> None:
    with contextlib.suppress(ParameterError):
        assert isinstance(parse(text), Mechanism)


# what is written by hand -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "mechanism"),
    [
        ("Gaussian(1)", hs.Gaussian(1.0)),
        ("  Gaussian( noise_multiplier = 1_000 )\n", hs.Gaussian(1000.0)),
        ("Gaussian(1e+2)", hs.Gaussian(100.0)),
        ("Gaussian(inf)", hs.Gaussian(math.inf)),
        ("Gaussian(1).on(Poisson(256/60000))", hs.Gaussian(1.0).on(hs.Poisson(256 / 60000))),
        ("Gaussian(0.3/0.1)", hs.Gaussian(3.0)),  # floats would make 2.9999999999999996 of it
        ("Gaussian(1).on(Poisson(1%))", hs.Gaussian(1.0).on(hs.Poisson(0.01))),
        ("Gaussian(1) * 1e4", hs.Gaussian(1.0) * 10_000),
        ("Gaussian(1) * (6/2)", hs.Gaussian(1.0) * 3),
        (
            "Gaussian(1).on(WithoutReplacement(1e3, 6e4))",
            hs.Gaussian(1.0).on(hs.WithoutReplacement(1000, 60_000)),
        ),
        ("Gaussian(5, replace_sensitivity=1)", hs.Gaussian(5.0, replace_sensitivity=1.0)),
        ("Gaussian(1)\n  + Laplace(2)", hs.Gaussian(1.0) + hs.Laplace(2.0)),
        ("2 * Gaussian(1) * 3", hs.Gaussian(1.0) * 6),
        ("Gaussian(1) * 0", hs.Gaussian(1.0) * 0),
        ("Composition()", hs.Gaussian(1.0) * 0),
        ("RandomizedResponse.truthful(0.75)", hs.RandomizedResponse.truthful(0.75)),
        ("RenyiDP.table(2, 0.1, 8, 0.5)", hs.RenyiDP({2: 0.1, 8: 0.5})),
        ("ProfileDP.table(0, 0.1, 1, 0)", hs.ProfileDP({0: 0.1, 1: 0})),
        ("RenyiDP(Gaussian(2.0))", hs.RenyiDP(hs.Gaussian(2.0))),
        ("ProfileDP(Laplace(1.0))", hs.ProfileDP(hs.Laplace(1.0))),
        ("Gaussian(1).on(sampler=Poisson(rate=0.5))", hs.Gaussian(1.0).on(hs.Poisson(0.5))),
    ],
)
def test_reads(text: str, mechanism: Mechanism) -> None:
    assert parse(text) == mechanism


def test_every_public_class_has_a_name() -> None:
    public = {
        name
        for name, value in vars(hs).items()
        if inspect.isclass(value)
        and value.__module__.startswith(("hockeystick.mechanisms.", "hockeystick.samplers."))
        and not inspect.isabstract(value)
    }
    assert {"Gaussian", "Poisson", "ProfileDP"} <= public
    assert public - set(own_kinds()) == set()


def test_classes_from_elsewhere_have_no_name() -> None:
    class Gaussian(hs.Gaussian):
        """A stranger with a known name."""

    class Stranger(hs.Gaussian):
        """A stranger."""

    assert type(parse("Gaussian(1)")) is hs.Gaussian
    assert type(parse("Gaussian(1)")) is not Gaussian
    with pytest.raises(ParameterError, match="'Stranger' at position 1 is not a known name"):
        parse(repr(Stranger(1.0)))


@pytest.mark.slow
@pytest.mark.parametrize("count", [1000, 5000])
def test_a_long_sum_is_not_deep(count: int) -> None:
    text = "+".join(f"PureDP({i})" for i in range(count))
    assert len(parse(text).parts) == count


def test_a_long_sum_in_parentheses_is_not_deep() -> None:
    text = f"({' + '.join(f'PureDP({i})' for i in range(1000))}) * 7"
    assert set(parse(text).parts.values()) == {7}
    assert len(parse(text).parts) == 1000


@pytest.mark.slow
def test_the_largest_text_is_read_in_a_moment() -> None:
    text = "+".join(["PureDP(1)"] * (MOST_CHARACTERS // 10))
    start = time.process_time()
    assert parse(text) == hs.PureDP(1.0) * (MOST_CHARACTERS // 10)
    assert time.process_time() - start < 20


def test_nesting_within_the_bound_is_read() -> None:
    levels = MOST_DEPTH - 1
    text = "RenyiDP(" * levels + "Gaussian(1.0)" + ")" * levels
    assert repr(parse(text)) == text


# what is left open -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value", "mechanism"),
    [
        ("Gaussian(?)", 0.1, hs.Gaussian(0.1)),
        ("Gaussian( ? ).on(Poisson(0.5)) * 7", 1e-300, hs.Gaussian(1e-300).on(hs.Poisson(0.5)) * 7),
        ("Gaussian(1.5).on(Poisson(?))", 1, hs.Gaussian(1.5).on(hs.Poisson(1.0))),
        ("Gaussian(1.5) * ?", 10**18, hs.Gaussian(1.5) * 10**18),
        ("Gaussian(1.5) * ?", 4.0, hs.Gaussian(1.5) * 4),
        ("?*Gaussian(1.5)", 4, hs.Gaussian(1.5) * 4),
        ("Gaussian(noise_multiplier=?)", math.inf, hs.Gaussian(math.inf)),
    ],
)
def test_a_template_takes_a_number(text: str, value: float, mechanism: Mechanism) -> None:
    assert template(text)(value) == mechanism


@pytest.mark.parametrize(
    "text", ["Gaussian(1)", "Gaussian(?) * ?", "Gaussian(1?)", "Gaussian(?5)", "{sigma}", ""]
)
def test_a_template_has_one_open_place(text: str) -> None:
    with pytest.raises(ParameterError, match=r"text must hold one \? in place of a number"):
        template(text)


def test_a_template_of_nonsense_says_so_when_it_is_filled() -> None:
    with pytest.raises(ParameterError, match=r"count must be an integer >= 0, got 2\.5"):
        template("Gaussian(1) * ?")(2.5)
    with pytest.raises(ParameterError, match="'nan' at position 10 is not a known name"):
        template("Gaussian(?)")(math.nan)


def test_named_places_may_be_used_twice() -> None:
    text = "Gaussian({s}).on(Poisson({q})) * {T} + Laplace({s})"
    assert placeholders(text) == ["s", "q", "T", "s"]
    found = filled(text, {"s": 1.5, "q": 0.25, "T": 3.0})
    assert found == hs.Gaussian(1.5).on(hs.Poisson(0.25)) * 3 + hs.Laplace(1.5)


def test_a_question_mark_that_nothing_fills_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"unexpected '\?' at position 10.*calibrate"):
        parse("Gaussian(?)")


# what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "text is empty"),
        (" \n", "text is empty"),
        ("Gausian(1)", r"'Gausian' at position 1 .*did you mean Gaussian\? known are Appr"),
        ("Laplace(2) + zzz(1)", "'zzz' at position 14 is not a known name; known are"),
        ("Gaussian(nan)", "'nan' at position 10 is not a known name"),
        (
            "Gaussian",
            r"'Gaussian' at position 1 is a name without its arguments.*Gaussian\(\.\.\.\)",
        ),
        ("Poisson(0.1)", r"'Poisson\(0.1\)' at position 1 is a sampler.*\.on\("),
        ("5", "'5' at position 1 is a number where a mechanism is needed"),
        ("inf", "'inf' at position 1 is a number"),
        ("Gaussian(1) + 2", "'2' at position 15 is a number"),
        ("Gaussian(1) + Poisson(1)", r"'Poisson\(1\)' at position 15 is a sampler"),
        ("Gaussian(1) +", "nothing to add at position 14"),
        ("+ Gaussian(1)", "nothing to add at position 1"),
        ("Gaussian(-1)", r"noise_multiplier must be in \[0, inf\], got -1; in 'Gaussian\(-1\)'"),
        ("Gaussian(-inf)", r"noise_multiplier must be in \[0, inf\], got -inf"),
        ("Gaussian(1).on(Poisson(1.5))", r"rate must be in \[0, 1\], got 1.5; .* position 16"),
        ("Gaussian(1) * -2", "count must be an integer >= 0, got -2"),
        ("Gaussian(1) * 2.5", "count must be an integer >= 0, got 2.5"),
        ("Gaussian(1) * 3/2", "is not a number: a fraction is an argument"),
        ("Gaussian(1/0)", "'1/0' at position 10 divides by 0"),
        ("Gaussian(1e-400)", "too small a number: the smallest above 0 is 5e-324"),
        ("Gaussian(1/1e300/1e300)", "too small a number"),
        (f"Gaussian(1{'/1e300' * 60})", "nested more than 50 levels"),
        ("Gaussian(1j)", "is not a number"),
        ("Gaussian(5%2)", "a percentage is an argument such as Poisson"),
        ("Gaussian(1) % 2", "a percentage is an argument"),
        ("Gaussian(1) * inf", "count must be an integer >= 0, got inf"),
        ("Gaussian(1) * Gaussian(1)", r"is not a mechanism \* count"),
        ("2 * 3", r"is not a mechanism \* count"),
        ("Poisson(0.1) * 3", r"is not a mechanism \* count"),
        ("-Gaussian(1)", "has a minus in front of"),
        ("Gaussian()", "wrong arguments: missing .*noise_multiplier"),
        ("Gaussian(1, 2, 3)", "wrong arguments: too many .*takes noise_multiplier, replace"),
        ("Gaussian(1, sigma=1)", "wrong arguments: .*sigma.*; it takes noise_multiplier"),
        ("Gaussian(1, noise_multiplier=1)", "wrong arguments: multiple values"),
        ("Gaussian(noise_multiplier=1, noise_multiplier=2)", "gives noise_multiplier twice"),
        ("Gaussian(**Gaussian(1))", r"has \*\* in it"),
        ("Gaussian(*Gaussian(1))", "position 10 is not allowed"),
        ("Gaussian(Laplace(1))", "noise_multiplier must be a number"),
        ("Gaussian(True)", "'True' at position 10 is not a number"),
        ("Gaussian(None)", "'None' at position 10 is not a number"),
        ("Gaussian(2j)", "'2j' at position 10 is not a number"),
        ("Gaussian(...)", "position 10 is not a number"),
        (
            "Gaussian(1e400)",
            "'1e400' at position 10 is too large a number; infinity is written inf",
        ),
        ("Gaussian(1 + 1)", "'1' at position 10 is a number where a mechanism is needed"),
        ("Gaussian((1, 2))", "position 10 is not allowed"),
        ("Gaussian(1).on(3)", r"sampler must be a Sampler such as Poisson\(0.01\), got 3; in "),
        ("Gaussian(1).on(Laplace(1))", "sampler must be a Sampler such as .*, got Laplace"),
        ("Gaussian(1).on()", "wrong arguments: missing"),
        ("Gaussian(1).on(Poisson(1), 2)", "wrong arguments: too many"),
        ("Poisson(1).on(Poisson(1))", r"'Poisson\(1\)' at position 1 is a sampler"),
        ("Composition(1)", "takes nothing"),
        ("RenyiDP.table(2)", "table must hold pairs"),
        ("RenyiDP(2)", "curve must be a function"),
        ("RenyiDP(Gaussian)", "is a name without its arguments"),
        ("RenyiDP({2: 1})", r"unexpected '{' at position 9.*RenyiDP.table"),
        ("Gaussian(1) - Laplace(1)", "position 1 is not allowed; allowed are"),
        ("Gaussian(1) ** 2", "position 1 is not allowed"),
        ("Gaussian(1) and Laplace(1)", "position 1 is not allowed"),
        ("Gaussian(1) == Gaussian(1)", "position 1 is not allowed"),
        ("Gaussian(1) if 1 else Gaussian(2)", "position 1 is not allowed"),
        ("Gaussian(1), Gaussian(2)", "position 1 is not allowed"),
        ("Gaussian(1)(2)", "position 1 is not allowed"),
        ("Gaussian(1).epsilon(1)", "position 1 is not allowed"),
        ("Gaussian(1).noise_multiplier", "position 1 is not allowed"),
        ("Gaussian.__init__(1)", "position 1 is not allowed"),
        ("Gaussian.__subclasses__()", "position 1 is not allowed"),
        ("RenyiDP.renyi(1)", "is not allowed: RenyiDP has RenyiDP.table here"),
        ("Sampled(Gaussian(1), Poisson(1))", "'Sampled' at position 1 is not a known name"),
        ("AdditiveNoise(1)", "'AdditiveNoise' at position 1 is not a known name"),
        ("Mechanism()", "'Mechanism' at position 1 is not a known name"),
        ("__import__(os)", "'__import__' at position 1 is not a known name"),
        ("__import__('os').system('true')", 'unexpected "\'" at position 12'),
        ("lambda: Gaussian(1)", "unexpected ':' at position 7"),
        ("(yield)", "is not"),
        ("x = Gaussian(1)", "is not an expression"),
        ("import os", "is not an expression"),
        ("Gaussian(1); Gaussian(2)", "unexpected ';' at position 12"),
        ("Gaussian(1) # Laplace(1)", "unexpected '#' at position 13"),
        ("Gaussian(1) Laplace(1)", "is not an expression"),
        ("Gaussian(1", "is not an expression"),
        ("Gaussian(1))", "is not an expression"),
        ("[Gaussian(1)]", r"unexpected '\[' at position 1"),
        ("\N{FULLWIDTH LATIN CAPITAL LETTER G}aussian(1)", "unexpected '.' at position 1"),
        ("Gaussian(\0)", r"unexpected '\\x00' at position 10"),
    ],
)
def test_refuses(text: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        parse(text)


HOSTILE = {
    "too long": "x" * 10**6,
    "parentheses": "(" * 40_000 + "Gaussian(1)" + ")" * 40_000,
    "parentheses above the bound": "(" * 51 + "Gaussian(1)" + ")" * 51,
    "open parentheses": "(" * 100_000,
    "closed parentheses": ")" * 100_000,
    "minus": "Gaussian(" + "-" * 90_000 + "1)",
    "few minus": "Gaussian(" + "-" * 60 + "1)",
    "not": "not " * 20_000 + "1",
    "power": "1" + "**1" * 30_000,
    "products": "Gaussian(1)" + "*1" * 40_000,
    "products above the bound": "Gaussian(1)" + "*1" * 60,
    "right products": "1*(" * 51 + "Gaussian(1)" + ")" * 51,
    "attributes": "Gaussian" + ".on" * 30_000,
    "calls": "Gaussian" + "(1)" * 30_000,
    "on": "Gaussian(1)" + ".on(Poisson(1))" * 60,
    "nested": "RenyiDP(" * 60 + "Gaussian(1)" + ")" * 60,
    "decimal integer": f"Gaussian({'9' * 5000})",
    "hexadecimal integer": f"Gaussian(0x{'f' * 9000})",
    "integer beyond floats": f"Gaussian({'9' * 400})",
    "integer beyond floats, sensitivity": f"Gaussian(1, replace_sensitivity={'9' * 4000})",
    "count": f"Gaussian(1) * 0x{'f' * 50_000}",
    "name": "x" * 100_000,
    "arguments": f"Gaussian({','.join(['1'] * 40_000)})",
    "plus": "+" * 100_000,
    "surrogate": "Gaussian(1)\ud800",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_is_refused_at_once_in_few_words(text: str) -> None:
    start = time.process_time()
    with pytest.raises(ParameterError) as caught:
        parse(text)
    assert time.process_time() - start < 20
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("text", [None, 5, b"Gaussian(1)", hs.Gaussian(1.0), ["Gaussian(1)"]])
def test_only_text_is_read(text: object) -> None:
    with pytest.raises(ParameterError, match="text must be a string, got"):
        parse(text)  # type: ignore[arg-type]


@pytest.mark.parametrize("function", [lambda order: order, math.sqrt, max])
def test_a_function_has_no_text(function: object) -> None:
    with pytest.raises(ParameterError, match="function or a dense matrix has no text form"):
        parse(repr(hs.RenyiDP(function)))  # type: ignore[arg-type]
