"""The group of commands: how they are found, refused and completed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib import metadata

import click
import pytest

import hockeystick as hs
from hockeystick.cli.main import main
from tests.support.command import call, refused, run
from tests.support.pages import DOCS, sessions

OURS = (
    *("account", "calibrate", "compare", "delta", "epsilon"),
    *("explain", "plot", "rdp", "steps", "sweep"),
)


def command(name: str) -> click.Command:
    found = main.get_command(click.Context(main), name)
    assert found
    return found


def parameters(found: click.Command) -> list[click.Parameter]:
    """Of a command, or of all of a group's."""
    if isinstance(found, click.Group):
        return [each for one in found.commands.values() for each in parameters(one)]
    return found.params


def test_help_lists_the_commands_without_numpy() -> None:
    code = (
        "import sys; from hockeystick.cli.main import main\n"
        "main(['--help'], standalone_mode=False)\n"
        "print(sorted({'numpy', 'scipy', 'rich', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    for name in OURS:
        assert re.search(rf"^  {name} +[A-Z]", done.stdout, re.MULTILINE)
    assert done.stdout.endswith("\n[]\n")


def test_only_commands_are_commands() -> None:
    names = main.list_commands(click.Context(main))
    assert set(OURS) <= set(names)
    assert all(isinstance(command(name), click.Command) for name in names)
    for name in ("main", "shared", "__main__", "nothing"):
        assert main.get_command(click.Context(main), name) is None


@pytest.mark.parametrize("name", OURS)
def test_every_command_has_the_same_options_and_a_page(name: str) -> None:
    options = {option for parameter in command(name).params for option in parameter.opts}
    assert {"--json", "--relation"} <= options
    assert ("--method" in options) == (name != "rdp")  # a divergence is computed in one way
    example = re.search(r"Example:\n((?: +.*\n)+)", call(name, "--help").stdout)
    assert example
    shown = [first for first, _ in sessions(DOCS / "commands" / f"{name}.md")]
    assert " ".join(example[1].split()) in [" ".join(each.split()) for each in shown]
    assert f"hockeystick {name} --help\n" in shown
    assert f"[{name}]({name}.md)" in (DOCS / "commands" / "README.md").read_text()


def test_the_page_says_which_commands_share_which_options() -> None:
    text = (DOCS / "commands" / "README.md").read_text()
    said = dict(re.findall(r"^\| `(--\w+)` \| ([\w, ]+) \|$", text, re.MULTILINE))
    assert list(said) == ["--json", "--timeout", "--relation", "--method"]
    names = main.list_commands(click.Context(main))
    for option, words in said.items():
        having = [
            name
            for name in names
            if any(option in parameter.opts for parameter in parameters(command(name)))
        ]
        assert sorted(names if words == "all" else words.split(", ")) == having


@pytest.mark.parametrize("name", ["conjecture", "figure", "ledger", "predict", "serve"])
def test_every_other_command_has_a_page_too(name: str) -> None:
    shown = [first for first, _ in sessions(DOCS / "commands" / f"{name}.md")]
    assert f"hockeystick {name} --help\n" in shown
    assert len(shown) > 1
    assert f"[{name}]({name}.md)" in (DOCS / "commands" / "README.md").read_text()


def test_version() -> None:
    done = run("--version")
    assert done.stdout == f"hockeystick, version {hs.__version__}\n"


def test_the_changelog_and_the_citation_are_of_this_version() -> None:
    """The package takes its version from `__version__`."""
    changes = (DOCS.parent / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.findall(r"^## \[(\d\S*)\] - (\d{4}-\d\d-\d\d)$", changes, re.MULTILINE)
    assert released[0][0] == hs.__version__
    cited = (DOCS.parent / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {hs.__version__}\ndate-released: {released[0][1]}\n" in cited


def test_the_installed_command_is_this_one() -> None:
    (script,) = metadata.entry_points(group="console_scripts", name="hockeystick")
    assert script.value == "hockeystick.cli.main:main"
    assert script.load() is main


@pytest.mark.parametrize("module", ["hockeystick", "hockeystick.cli"])
def test_python_runs_the_package_as_the_command(module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", module, "delta", "Laplace(2)", "--epsilon", "wrong"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert done.stderr.endswith("See 'hockeystick delta --help'.\n")


def test_a_wrong_command_is_one_line_and_code_2() -> None:
    line = refused(run("epsilo"))
    assert "No such command 'epsilo'. Did you mean epsilon? See 'hockeystick --help'." in line
    assert "The commands are account, calibrate" in refused(call("xyz"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--wrong",), "No such option '--wrong'"),
        (("epsilon", "Gaussian(1)"), "Missing option '--delta'"),
        (("epsilon", "--delta", "1e-5"), "Missing argument 'EXPR'"),
        (("epsilon", "Gaussian(1)", "--delta", "x"), "it must be a number such as 1e-5"),
        (("delta", "Gaussian(1)", "--epsilon", "1e-400"), "it is too small a number"),
        (("epsilon", "Gaussian(1)", "--delta", "1/0"), "it divides by 0"),
        (("epsilon", "Gaussian(1)", "--delta", "1", "--method", "other"), "'other' is not one of"),
        (("epsilon", "Gaussian(1)", "--delta", "1", "--relation", "x"), "'x' is not one of"),
        (("plot",), "Missing argument 'EXPR...'"),
        (("plot", "Gaussian(1)", "--kind", "other"), "'other' is not one of"),
        (("plot", "Gaussian(1)", "--points", "1"), "1 is not in the range"),
    ],
)
def test_wrong_options_are_one_line_and_code_2(arguments: tuple[str, ...], message: str) -> None:
    line = refused(call(*arguments))
    assert message in line
    assert line.endswith("--help'.\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("hockeystick exp", {"explain"}),
        ("hockeystick epsilon --re", {"--relation"}),
        ("hockeystick epsilon Gauss", {"Gaussian(", "GaussianPair("}),
        ("hockeystick delta Gaussian(1).on(Po", {"Gaussian(1).on(Poisson("}),
        ("hockeystick figure balle", {"balle-1"}),
    ],
)
def test_the_shell_completes(words: str, expected: set[str]) -> None:
    asked = {"COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    done = subprocess.run(
        [sys.executable, "-m", "hockeystick.cli"],
        env=os.environ | asked | {"_HOCKEYSTICK_COMPLETE": "bash_complete"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert {line.split(",")[1] for line in done.stdout.splitlines()} == expected


def test_the_page_on_completion_names_what_the_program_listens_to() -> None:
    text = (DOCS / "commands" / "README.md").read_text()
    for shell in ("bash", "zsh", "fish"):
        assert f"_HOCKEYSTICK_COMPLETE={shell}_source hockeystick" in text
