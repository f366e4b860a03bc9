"""The libraries that adapters are for, where they are installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tests.support.installed import installed

REQUIRED = "HOCKEYSTICK_HOSTS_REQUIRED"


def host(name: str, extra: str) -> Any:
    """A module of such a library."""
    return installed(name, extra, REQUIRED)


def adapter(name: str, library: str, extra: str) -> Any:
    """An adapter, after the library that it is for."""
    host(library, extra)
    return import_module(f"hockeystick.adapters.{name}")
