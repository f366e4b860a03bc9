"""hockeystick: exactly what a differentially private computation costs.

>>> import hockeystick as hs
>>> step = hs.Gaussian(1.1).on(hs.Poisson(0.01))
>>> round((step * 10_000).epsilon(delta=1e-5), 6)
5.192583
"""

# What type checkers see is `__init__.pyi`, which `python -m tools.stub` writes.

import os
from importlib import import_module

__version__ = "0.2.0"

_NAMES = {
    "accountant": ("Accountant",),
    "bound": ("Bound", "Bounds"),
    "calibration": ("calibrate",),
    "comparison": ("compare",),
    "errors": (
        "BudgetExceeded",
        "HockeystickError",
        "LedgerError",
        "NumericalError",
        "ParameterError",
        "RelationError",
        "SavingError",
    ),
    "ledger.ledger": ("Ledger",),
    "mechanism": ("Composition", "Mechanism"),
    "plotting.plot": ("plot",),
    "relation": ("ADD_REMOVE", "REPLACE_ONE", "ZERO_OUT", "Relation"),
    "sensitivity": ("Sensitivity",),
    "small_delta": ("SmallDelta",),
    "sweeping": ("sweep",),
    "text": ("parse",),
}
MODULES = ("audit", "bernoulli", "classical", "learn", "matrix")


def _classes(package: str) -> dict[str, str]:
    """The classes of a package that has one in each file, named after it: PureDP in pure_dp."""
    modules = {}
    for file in sorted(os.listdir(os.path.join(__path__[0], package))):
        stem, suffix = os.path.splitext(file)
        if suffix == ".py" and not stem.startswith("_"):
            name = "".join("DP" if word == "dp" else word.title() for word in stem.split("_"))
            modules[name] = f"hockeystick.{package.replace('/', '.')}.{stem}"
    return modules


MECHANISMS, SAMPLERS = _classes("mechanisms"), _classes("samplers")
PATTERNS = _classes("matrix/participation")
HOMES = MECHANISMS | SAMPLERS | PATTERNS
HOMES |= {name: f"hockeystick.{module}" for module, names in _NAMES.items() for name in names}
"""The module of each name, imported when the name is first used: a command starts fast."""

__all__ = sorted([*HOMES, *MODULES])


def __getattr__(name: str) -> object:
    if name in HOMES:
        value = getattr(import_module(HOMES[name]), name)
    elif name in MODULES:
        value = import_module(f"hockeystick.{name}")
    else:
        raise AttributeError(f"module 'hockeystick' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
