"""The command itself, in a process of its own."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib import metadata

import pytest

import hockeystick as hs

STEP = "Gaussian(1.0).on(Poisson(0.001)) * 600_000"


def run(*arguments: str, stdin: str | bytes = "") -> subprocess.CompletedProcess[str]:
    given = stdin if isinstance(stdin, bytes) else stdin.encode()
    command = [sys.executable, "-W", "error", "-m", "hockeystick.cli", *arguments]
    done = subprocess.run(command, input=given, capture_output=True, timeout=120, check=False)
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def test_epsilon_is_one_readable_line() -> None:
    done = run("epsilon", STEP, "--delta", "1e-8")
    assert (done.returncode, done.stderr) == (0, "")
    line = re.fullmatch(
        r"epsilon = (\S+)  \(delta = 1e-08; at least (\S+); method: contour\)\n", done.stdout
    )
    assert line
    answer = hs.parse(STEP).epsilon(1e-8)
    assert float(line[1]) == pytest.approx(5.912238944, rel=1e-9)
    assert answer.upper <= float(line[1]) <= answer.upper * (1 + 1e-12)
    assert answer.lower * (1 - 1e-12) <= float(line[2]) <= answer.lower


def test_delta_is_one_readable_line() -> None:
    done = run("delta", "Gaussian(2.0)", "--epsilon", "1")
    assert done.returncode == 0
    assert done.stdout.startswith("delta = 0.00682959")
    assert "(epsilon = 1.0; at least 0.0068295" in done.stdout
    assert done.stdout.count("\n") == 1


def test_json_is_the_whole_answer() -> None:
    done = run("delta", "Gaussian(2.0)", "--epsilon", "1", "--json")
    answer = hs.Gaussian(2.0).delta(1.0)
    assert json.loads(done.stdout) == {
        "delta": answer.upper,
        "lower": answer.lower,
        "upper": answer.upper,
        "epsilon": 1.0,
        "method": answer.method,
        "certified": answer.certified,
    }


def test_infinity_is_valid_json() -> None:
    done = run("epsilon", "Gaussian(0)", "--delta", "0.1", "--json")
    found = json.loads(done.stdout, parse_constant=lambda name: pytest.fail(name))
    assert (found["epsilon"], found["upper"]) == ("inf", "inf")
    assert run("epsilon", "Gaussian(0)", "--delta", "0.1").stdout.startswith("epsilon = inf  (")


@pytest.mark.parametrize("method", ["contour", "lattice", "renyi"])
def test_method_is_handed_on(method: str) -> None:
    done = run(
        "epsilon",
        "Laplace(1.0).on(Poisson(0.1)) * 1000",
        "--delta",
        "1e-6",
        "--method",
        method,
        "--json",
    )
    answer = (hs.Laplace(1.0).on(hs.Poisson(0.1)) * 1000).epsilon(1e-6, method=method)
    assert json.loads(done.stdout)["method"] == method == answer.method
    assert json.loads(done.stdout)["epsilon"] == answer


def test_closed_form_is_handed_on() -> None:
    done = run("epsilon", "Gaussian(1.0)", "--delta", "1e-6", "--method", "closed-form")
    assert done.stdout.endswith("method: closed form)\n")


@pytest.mark.parametrize(
    ("name", "relation"),
    [
        ("add-remove", hs.ADD_REMOVE),
        ("replace-one", hs.REPLACE_ONE),
        ("zero-out", hs.ZERO_OUT),
    ],
)
def test_relation_is_handed_on(name: str, relation: hs.Relation) -> None:
    done = run("epsilon", "Gaussian(3.0)", "--delta", "1e-6", "--relation", name, "--json")
    answer = hs.Gaussian(3.0).epsilon(1e-6, relation=relation)
    assert json.loads(done.stdout)["epsilon"] == answer


def test_a_dash_reads_standard_input() -> None:
    typed = run("epsilon", "Gaussian(1.0) + Laplace(2.0)", "--delta", "1e-6")
    piped = run("epsilon", "-", "--delta", "1e-6", stdin="Gaussian(1.0)\n  + Laplace(2.0)\n")
    assert piped.returncode == 0
    assert piped.stdout == typed.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("epsilon", "Gausian(1)", "--delta", "1e-5"), "did you mean Gaussian?"),
        (("epsilon", "Gaussian(-1)", "--delta", "1e-5"), "noise_multiplier must be in [0, inf]"),
        (("epsilon", "Gaussian(1, 2, 3)", "--delta", "1e-5"), "wrong arguments"),
        (("epsilon", "__import__('os').system('true')", "--delta", "1e-5"), "unexpected"),
        (("epsilon", "Poisson(0.1)", "--delta", "1e-5"), "is a sampler"),
        (("epsilon", "", "--delta", "1e-5"), "text is empty"),
        (("epsilon", "Gaussian(1)", "--delta", "2"), "delta must be in [0, 1], got 2.0"),
        (("epsilon", "Gaussian(1)", "--delta", "nan"), "delta must be"),
        (("delta", "Gaussian(1)", "--epsilon", "-1"), "epsilon must be"),
        (
            (
                "delta",
                "Gaussian(1).on(Shuffled(10))",
                "--epsilon",
                "1",
                "--relation",
                "add-remove",
            ),
            "ADD_REMOVE",
        ),
    ],
)
def test_bad_input_is_one_line_and_code_2(arguments: tuple[str, ...], message: str) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: ")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("stdin", [b"\xff\xfe", b"", b"x" * 10**6, b"(" * 50_000])
def test_hostile_standard_input_is_one_line_and_code_2(stdin: bytes) -> None:
    done = run("epsilon", "-", "--delta", "1e-5", stdin=stdin)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("epsilon", "Gaussian(1)"),
        ("epsilon", "--delta", "1e-5"),
        ("epsilon", "Gaussian(1)", "--delta", "x"),
        ("epsilon", "Gaussian(1)", "--delta", "1e-5", "--method", "other"),
        ("epsilon", "Gaussian(1)", "--delta", "1e-5", "--relation", "other"),
        ("nothing",),
    ],
)
def test_wrong_options_are_code_2(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["epsilon", "delta"])
def test_the_example_in_the_help_runs(command: str) -> None:
    help_text = run(command, "--help").stdout
    example = re.search(rf'hockeystick {command} "([^"]+)" (--\S+) (\S+)', help_text)
    assert example
    done = run(command, *example.groups())
    assert done.returncode == 0
    assert done.stdout.startswith(f"{command} = ")


def test_the_group_has_help() -> None:
    done = run("--help")
    assert done.returncode == 0
    for word in ("epsilon", "delta", "Example:", "--version"):
        assert word in done.stdout


def test_version() -> None:
    done = run("--version")
    assert done.stdout == f"hockeystick, version {metadata.version('hockeystick')}\n"


def test_the_installed_command_is_this_one() -> None:
    (script,) = metadata.entry_points(group="console_scripts", name="hockeystick")
    assert script.value == "hockeystick.cli.main:main"
    assert callable(script.load())
