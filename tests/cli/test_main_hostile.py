"""Whatever text the commands are given, they answer or say in one line what is wrong with it."""

from __future__ import annotations

import subprocess

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from hockeystick.cli.main import main
from tests.support.command import PLAIN, call, refused, run
from tests.support.hostile_text import JUNK, NUMBERS, expressions, mutated


def piped(text: str | bytes, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command in this process, with this on standard input."""
    done = CliRunner().invoke(main, arguments, input=text, env=PLAIN, prog_name="hockeystick")
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return subprocess.CompletedProcess(arguments, done.exit_code, done.stdout, done.stderr)


def said_in_one_line(done: subprocess.CompletedProcess[str]) -> None:
    if done.returncode == 2:
        line = refused(done)
        assert len(line) < 1500
        assert line[:-1].isprintable()
    else:
        assert done.returncode in (0, 1)


texts = st.one_of(st.binary(max_size=60), st.text(max_size=60), mutated(expressions))


@pytest.mark.slow
@given(texts)
def test_epsilon_of_anything(text: str | bytes) -> None:
    """At a delta that no mechanism is asked for: this is about the text."""
    done = piped(text, "epsilon", "-", "--delta", "2")
    said_in_one_line(done)
    assert done.returncode == 2


@st.composite
def plans(draw: st.DrawFn) -> str:
    number = st.sampled_from([*NUMBERS, "true", '"x"', "[[1]]", "2024-01-01", "{a = 1}"])
    lines = ["[budget]", f"epsilon = {draw(number)}", "delta = 2"]
    for name in draw(st.lists(st.sampled_from(["a", "b", '"x y"', '"\\u001b[31m"']), max_size=2)):
        lines += [f"[releases.{name}]", f"expression = '{draw(expressions)}'"]
        lines += [f"count = {draw(number)}"] * draw(st.integers(0, 1))
    return "\n".join(lines)


@pytest.mark.slow
@given(mutated(plans()))
def test_account_of_anything(text: str) -> None:
    done = piped(text, "account", "-")
    said_in_one_line(done)


@settings(max_examples=50)
@given(
    mutated(st.sampled_from(["Gaussian({a}) * {b}", "{a}{b}", "RandomizedResponse({a}, {b})"])),
    st.sampled_from([*NUMBERS, "1:2:3", "1:2:" + "9" * 30, "1:2:" + "9" * 5000, "1:2", ""]),
    st.sampled_from(NUMBERS),
)
def test_sweep_of_anything(text: str, a: str, b: str) -> None:
    values = ("--a", a, "--b", b, "--delta", "2", "--workers", "1")
    said_in_one_line(piped(text, "sweep", "-", *values))


BUDGET = "[budget]\nepsilon = 1\ndelta = 0\n"
RELEASE = '[releases.x]\nexpression = "PureDP(1)"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"x = {'[' * 100_000}", "plan must be TOML of few levels"),
        (f"{BUDGET}{RELEASE}count = {'9' * 5000}", "plan must be TOML: Exceeds the limit"),
        (
            f"{BUDGET}{RELEASE}count = {'9' * 4000}",
            "releases.x: count must be an integer in [0, 2^62], got an integer",
        ),
        (f"{BUDGET}{RELEASE}count = {2**62}\n{RELEASE.replace('x]', 'y]')}", "2^62 steps"),
        (f"{BUDGET}{RELEASE.replace(')', ')*2')}count = {2**62}", "releases.x: counts must add up"),
        (f"[budget]\nepsilon = {10**400}\ndelta = 0\n{RELEASE}", "budget.epsilon must be a number"),
        (f"[budget]\nepsilon = 1e400\ndelta = 0\n{RELEASE}", "numbers must be below 2^1024"),
        (f"[budget]\nepsilon = 1\ndelta = {10**400}\n{RELEASE}", "budget.delta must be a number"),
        ("x" * 10_000_001, "must have at most 10000000 bytes"),
    ],
)
def test_plans_have_limits(text: str, message: str) -> None:
    line = refused(piped(text, "account", "-"))
    assert message in line
    assert len(line) < 400


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("epsilon", f"Gaussian(1) * {'9' * 4000}", "--delta", "1e-5"), "too large a number"),
        (
            ("epsilon", f"Gaussian(1) * {'9' * 300}", "--delta", "1e-5"),
            "in [0, 2^62], got an integer of about 30",
        ),
        (("epsilon", "Gaussian(1)\u2028+", "--delta", "1e-5"), "unexpected"),
        (("epsilon", "\x1b[31mGaussian(1)", "--delta", "1e-5"), "unexpected"),
        (("epsilon", "Gaussian(1)", "--delta", "9" * 5000), "it must be a number such as 1e-5"),
        (("conjecture", "--trials", "9" * 400), "trials must be an integer in [0, 2^62]"),
        (("conjecture", "--trials", "9" * 5000), "is not a valid integer"),
        (("sweep", "PureDP({a})", "--a", "1", "--delta", "0", "--workers", "9" * 30), "range"),
        (("steps", "Gaussian(1e9)", "--epsilon", "1e300", "--delta", "1e-5"), "2^61 steps exceed"),
        (("x\x1b[31m", "--help"), "No such command"),
    ],
)
def test_the_command_line_has_limits(arguments: tuple[str, ...], message: str) -> None:
    line = refused(call(*arguments))
    assert message in line
    assert len(line) < 1500
    assert line[:-1].isprintable()


@pytest.mark.slow
def test_bytes_are_no_expression_and_long_text_is_not_read_to_its_end() -> None:
    assert "unexpected" in refused(run("epsilon", "-", "--delta", "1e-5", stdin=b"\xff\x00\xfe"))
    assert "100000 characters" in refused(run("epsilon", "-", "--delta", "1e-5", stdin="x" * 10**6))


def test_a_number_with_a_word_at_its_end_gets_one_line() -> None:
    """Python's own parser warns of it on standard error."""
    done = run("epsilon", "Gaussian(1if 1else 2)", "--delta", "1e-5")
    assert "'1if' at position 10 is not a number" in refused(done)


def test_junk_is_junk() -> None:
    assert all(call("epsilon", each, "--delta", "0").returncode == 2 for each in JUNK)
