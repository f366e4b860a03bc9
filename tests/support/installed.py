"""Other libraries, where they are installed."""

from __future__ import annotations

import os
import warnings
from importlib import import_module
from typing import Any

import pytest


def installed(name: str, extra: str, required: str) -> Any:
    """A module of another library; its tests are skipped where there is none.

    required: where this variable is set, as it is in CI, a missing one is a failure.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own imports are not ours to mend
        try:
            return import_module(name)
        except ModuleNotFoundError:
            if os.environ.get(required):
                raise
    pytest.skip(f"{name} is not installed: pip install -e '.[{extra}]'", allow_module_level=True)
