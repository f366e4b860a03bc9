"""The graph of imports: drawn from the source, without a cycle, and one way.

Only what runs when a module is imported counts: blocks under TYPE_CHECKING do not. An import inside
a function is a promise to load late, not a way around a cycle, so it must name its reason here.
"""

from __future__ import annotations

import ast
import statistics
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import hockeystick

SOURCE = Path(str(hockeystick.__file__)).parent

LAYERS = [
    {"errors"},
    {"checks", "numerics", "locking", "progress"},
    {"saving", "relation", "bound", "random", "numerals"},
    {"table", "small_delta"},
    {"loss", "sensitivity", "in_words"},
    {"evidence", "routes"},
    {"questions"},
    {"log_questions"},
    {"curves"},
    {"mechanism"},
    {"ahead", "budget", "near_edge"},
    {"calibration", "matrix"},
    {"mechanisms", "samplers", "release"},
    {"registry", "bernoulli", "audit", "classical", "report"},
    {"comparison", "text"},
    {"account_text", "templates"},
    {"sweeping"},
    {"account_questions"},
    {"accountant", "ledger"},
    {"learn", "figures", "adapters"},
    {"plotting"},
    {"cli"},
    {"page", "__main__"},
]
"""Packages and modules, lowest first: each imports from its own package and from lower layers."""

LATE_PACKAGES = {
    "bernoulli": "coins of a mechanism: a whole package that accounting seldom needs",
    "classical": "the papers' theorems: a whole package that few samplers ask",
    "figures": "pictures: whoever draws none does not load them",
    "page": "the server: only `hockeystick serve` starts it",
    "plotting": "curves: whoever draws none does not load them",
    "random": "draws: whoever accounts without drawing does not load generators",
    "release": "releases: whoever accounts without releasing does not load them",
    "report": "words and tables for people, which most programs never ask for",
}
"""Packages of the project that a function may import when it runs, and why."""

LATE_MODULES = {
    "hockeystick.routes.certified": "proofs: they need python-flint, which is optional",
}
"""Parts of packages that a function may import when it runs, and why."""

LATE_ROOTS = {
    "cli": "a command loads what it needs when it runs, so that --help is fast",
    "learn": "estimators load scikit-learn, which is optional",
}
"""Packages whose functions may import anything lower when they run, and why."""

LATE_LIBRARIES = {
    "dask": "optional: scale",
    "concurrent": "slow to load, for --jobs alone",
    "importlib": "its metadata is slow to load, for classes of other packages alone",
    "lightning": "optional: a callback for its trainer",
    "matplotlib": "optional: plots",
    "psycopg": "optional: postgres",
    "PIL": "matplotlib needs it, and is optional",
    "multiprocessing": "slow to load, for --jobs and --timeout alone",
    "numpy": "the command line checks its options before numpy is loaded",
    "pyarrow": "optional: scale",
    "randomgen": "optional: secure",
    "rich": "slow to load, for tables and bars alone",
    "scipy": "a third of a second of a cold start",
    "resource": "limits of memory, which Windows has not",
    "sklearn": "optional: learn",
}
"""Other packages that a function may import when it runs, and why."""

HOMES = {
    **{
        host: {"adapters"}
        for host in (
            "dp_accounting",
            "flwr",
            "jax_privacy",
            "lightning",
            "opacus",
            "pipeline_dp",
        )
    },
    "click": {"cli"},
    "dask": {"learn"},
    "flint": {"routes"},
    "matplotlib": {"figures", "cli"},
    "PIL": {"figures"},
    "pyarrow": {"learn"},
    "rich": {"cli", "progress"},
    "sklearn": {"learn"},
    "psycopg": {"ledger"},
    "starlette": {"page"},
    "uvicorn": {"page"},
}
"""Packages that the core does without, and who alone may import them."""

LONGEST, MEDIAN = 300, 120
"""Lines of a file: none has more, and half of them have no more."""


@dataclass(frozen=True)
class Import:
    """`importer` imports `imported`, when it is imported itself or (late) when a function runs."""

    importer: str
    imported: str
    line: int
    late: bool

    def __str__(self) -> str:
        return f"{self.importer}:{self.line} imports {self.imported}"


def unit(module: str) -> str:
    """The first name under hockeystick: hockeystick.loss.atoms belongs to loss."""
    return module.split(".")[1] if "." in module else module


def root(module: str) -> str:
    return module.split(".")[0]


@cache
def modules() -> dict[str, Path]:
    paths = {path: path.relative_to(SOURCE.parent).with_suffix("") for path in SOURCE.rglob("*.py")}
    return {".".join(name.parts).removesuffix(".__init__"): path for path, name in paths.items()}


@cache
def imports() -> list[Import]:
    return [
        Import(module, imported, line, late)
        for module, path in sorted(modules().items())
        for imported, line, late in statements(ast.parse(path.read_text(encoding="utf-8")))
    ]


def statements(node: ast.AST, late: bool = False) -> Iterator[tuple[str, int, bool]]:
    """What the statements below a node import, on which line, and whether in a function."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        if isinstance(child, ast.Import):
            yield from ((alias.name, child.lineno, late) for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, "imports are absolute"
            assert child.module is not None
            names = {f"{child.module}.{alias.name}" for alias in child.names}
            names = {name if name in modules() else child.module for name in names}
            yield from ((name, child.lineno, late) for name in sorted(names))
        inside = late or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
        yield from statements(child, inside)


def of_project(edge: Import) -> bool:
    return root(edge.imported) == "hockeystick"


def layer(module: str) -> int:
    """Where it stands in LAYERS; the package itself, which imports nothing, stands lowest."""
    if module == "hockeystick":
        return -1
    (place,) = (number for number, units in enumerate(LAYERS) if unit(module) in units)
    return place


def listed(edges: list[Import]) -> str:
    return "\n".join(map(str, edges))


def test_the_graph_is_drawn_whole() -> None:
    edges = imports()
    assert len(modules()) > 150
    assert Import("hockeystick.samplers.poisson", "hockeystick.mechanism", 0, False) in [
        Import(edge.importer, edge.imported, 0, edge.late) for edge in edges
    ]
    assert {edge.imported for edge in edges if of_project(edge)} <= modules().keys()


def test_every_module_has_a_layer() -> None:
    units = {unit(module) for module in modules() if module != "hockeystick"}
    layered = [name for names in LAYERS for name in names]
    assert sorted(units) == sorted(layered)


def test_no_cycle() -> None:
    graph: dict[str, set[str]] = {}
    for edge in imports():
        if of_project(edge) and not edge.late:
            graph.setdefault(edge.importer, set()).add(edge.imported)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(" -> ".join(error.args[1])) from None


def test_imports_go_one_way() -> None:
    upwards = [
        edge
        for edge in imports()
        if of_project(edge)
        and not edge.late
        and unit(edge.imported) != unit(edge.importer)
        and layer(edge.imported) >= layer(edge.importer)
    ]
    assert not upwards, listed(upwards)


def test_late_imports_of_the_project_have_a_reason() -> None:
    late = [
        edge
        for edge in imports()
        if of_project(edge)
        and edge.late
        and unit(edge.imported) not in LATE_PACKAGES.keys() - {unit(edge.importer)}
        and not edge.imported.startswith(tuple(LATE_MODULES))
        and not (unit(edge.importer) in LATE_ROOTS and layer(edge.imported) <= layer(edge.importer))
    ]
    assert not late, listed(late)


def test_the_page_is_imported_by_its_command_alone() -> None:
    importers = {
        (edge.importer, edge.late)
        for edge in imports()
        if of_project(edge) and unit(edge.imported) == "page" and unit(edge.importer) != "page"
    }
    assert importers == {("hockeystick.cli.serve", True)}


def test_late_imports_of_other_packages_have_a_reason() -> None:
    late = [e for e in imports() if not of_project(e) and e.late]
    unreasoned = [edge for edge in late if root(edge.imported) not in LATE_LIBRARIES]
    assert not unreasoned, listed(unreasoned)


def test_no_reason_without_an_import() -> None:
    late = {unit(e.imported) if of_project(e) else root(e.imported) for e in imports() if e.late}
    assert LATE_PACKAGES.keys() | LATE_LIBRARIES.keys() <= late


def test_the_core_needs_numpy_and_scipy_alone() -> None:
    allowed = sys.stdlib_module_names | {"numpy", "scipy", "hockeystick"}
    strangers = [
        edge
        for edge in imports()
        if root(edge.imported) not in allowed
        and unit(edge.importer) not in HOMES.get(root(edge.imported), set())
        and not (edge.late and root(edge.imported) == "randomgen")
    ]
    assert not strangers, listed(strangers)


def test_scipy_is_imported_late_but_by_the_laws_that_are_made_of_it() -> None:
    early = [
        edge
        for edge in imports()
        if root(edge.imported) == "scipy" and not edge.late and unit(edge.importer) != "loss"
    ]
    assert not early, listed(early)


def test_numerics_knows_no_privacy() -> None:
    wrong = [
        edge
        for edge in imports()
        if unit(edge.importer) == "numerics"
        and of_project(edge)
        and unit(edge.imported) not in {"errors", "numerics"}
    ]
    assert not wrong, listed(wrong)


def loaded(statement: str) -> set[str]:
    """The modules that a fresh interpreter has after a statement."""
    code = f"import sys; {statement}; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = {"numpy", "scipy", *HOMES}
    assert not heavy & loaded("import hockeystick")
    gaussian = loaded(
        "import hockeystick as hs; hs.Gaussian(1.0).on(hs.Poisson(0.01)).epsilon(0.1)"
    )
    assert heavy & gaussian == {"numpy", "scipy"}
    assert not {f"hockeystick.{late}" for late in LATE_PACKAGES | LATE_ROOTS} & gaussian


def test_the_contour_takes_no_scipy() -> None:
    """It is half of the time of a cold command."""
    step = "hs.Gaussian(1.1).on(hs.Poisson(0.01))"
    many = loaded(f"import hockeystick as hs; ({step} * 10_000).epsilon(1e-5)")
    assert "hockeystick.routes.contour.route" in many
    assert "scipy" not in many


def test_no_file_is_long() -> None:
    lines = {
        str(path.relative_to(SOURCE)): path.read_text(encoding="utf-8").count("\n")
        for path in modules().values()
    }
    assert not {name: length for name, length in lines.items() if length > LONGEST}
    assert statistics.median(lines.values()) <= MEDIAN
