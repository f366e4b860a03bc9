"""Texts that look like expressions, and are none, or are at the edge of being one."""

from __future__ import annotations

from hypothesis import strategies as st

NUMBERS = [
    *("0", "1", "-1", "-0.0", "0.5", "1e308", "5e-324", "1e400", "inf", "-inf", "nan", "1_000"),
    *("0x10", "0b1", "٣", "1or 2", "2j", "True", "None", "007", str(2**62), str(2**62 + 1)),
    *("9" * 30, "9" * 309, "9" * 400, "9" * 5000),
]
SHAPES = [
    *("Gaussian(%)", "Laplace(%, %)", "DiscreteGaussian(%, %)", "RandomizedResponse(%, %)"),
    *("PureDP(%)", "ApproximateDP(%, %)", "ZeroConcentratedDP(%, %)", "RenyiDP.table(%, %)"),
    *("ProfileDP.table(%, %, %, %)", "GaussianPair.flat(%, %, %, %, %)", "BetaPosterior(%, %)"),
    *("DirichletPosterior(%, %, %)", "GammaPosterior(%, %)", "ExponentialMechanism(%)"),
    *("Poisson(%)", "WithoutReplacement(%, %)", "TruncatedPoisson(%, %, %)", "Shuffled(%)"),
    *("RandomAllocation(%, %)", "WithReplacement(%, %)", "EveryRecord()", "Composition()", "%"),
]
JUNK = ["(" * 60, "Gaussian(1)" * 9, "[[[1]]]", "Gaussian(\x00)", "**", "Gaussian(1" + ")" * 9]
_PIECES = [
    *("(", ")", "[", "]", "{", "}", "?", '"', "'", ",", ":", "=", "\n", "#", "\\", "\x00", "\x1b"),
    *("+", "*", ".", "-", "_", "é", "9" * 400, "1e400", "[" * 3000, "if", "lambda ", "inf"),
]

numbers = st.sampled_from(NUMBERS)


@st.composite
def _calls(draw: st.DrawFn) -> str:
    pieces = draw(st.sampled_from(SHAPES)).split("%")
    return pieces[0] + "".join(draw(numbers) + piece for piece in pieces[1:])


def _larger(inside: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds("{}.on({})".format, inside, inside),
        st.builds("{}.group({})".format, inside, numbers),
        st.builds("{}.bernoulli(c={}, dimension={})".format, inside, numbers, numbers),
        st.builds("({}) * {}".format, inside, numbers),
        st.builds("{} + {}".format, inside, inside),
        st.builds("RenyiDP({})".format, inside),
    )


expressions = st.recursive(_calls(), _larger, max_leaves=4)


def mutated(texts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """The texts, some with pieces put in or in place of others."""
    change = st.tuples(st.integers(0, 200), st.sampled_from(_PIECES), st.integers(0, 3))

    def applied(text: str, changes: list[tuple[int, str, int]]) -> str:
        for at, piece, lost in changes:
            text = text[:at] + piece + text[at + lost :]
        return text

    return st.builds(applied, texts, st.lists(change, max_size=3))
