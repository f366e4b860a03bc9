"""Peers, where they are installed: `pip install -e '.[peers]'`."""

from __future__ import annotations

import os
import warnings
from importlib import import_module
from types import ModuleType

import pytest

REQUIRED = "HOCKEYSTICK_PEERS_REQUIRED"
"""Where this variable is set, as it is in CI, a peer that is missing is a failure, not a skip."""


def peer(name: str) -> ModuleType:
    """A module of another library; its tests are skipped where there is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own imports are not ours to mend
        try:
            return import_module(name)
        except ModuleNotFoundError:
            if os.environ.get(REQUIRED):
                raise
    pytest.skip(f"{name} is not installed: pip install -e '.[peers]'", allow_module_level=True)
