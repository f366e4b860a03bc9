"""Payer: who is charged before a release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from hockeystick.mechanism import Mechanism


class Payer(Protocol):
    """An account of a ledger, `hockeystick.ledger.account.Account`, or what acts like one."""

    def spend(self, mechanism: Mechanism, /) -> object:
        """Charge it, or raise an error: then nothing is released."""
