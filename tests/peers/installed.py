"""Peers, where they are installed: `pip install -e '.[peers]'`."""

from __future__ import annotations

from typing import Any

from tests.support.installed import installed

REQUIRED = "HOCKEYSTICK_PEERS_REQUIRED"


def peer(name: str) -> Any:
    """A module of such a library."""
    return installed(name, "peers", REQUIRED)
