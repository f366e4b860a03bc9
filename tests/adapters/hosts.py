"""The libraries that adapters are for, where they are installed."""

from __future__ import annotations

import os
import warnings
from importlib import import_module
from typing import Any

import pytest

REQUIRED = "HOCKEYSTICK_HOSTS_REQUIRED"
"""Where this variable is set, as it is in CI, a missing library is a failure, not a skip."""


def host(name: str, extra: str) -> Any:
    """A module of another library; its tests are skipped where there is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own imports are not ours to mend
        try:
            return import_module(name)
        except ModuleNotFoundError:
            if os.environ.get(REQUIRED):
                raise
    pytest.skip(f"{name} is not installed: pip install -e '.[{extra}]'", allow_module_level=True)


def adapter(name: str, library: str, extra: str) -> Any:
    """An adapter, after the library that it is for."""
    host(library, extra)
    return import_module(f"hockeystick.adapters.{name}")
