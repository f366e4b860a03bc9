"""HTTP of uvicorn's, which does not wait for ever for the head of a request."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_LIMIT = 10.0
"""Seconds from the first byte of a connection, or of a later request, to the end of its head."""


class PatientProtocol(H11Protocol):
    """One connection; who sends the head of a request byte by byte is cut off."""

    head_limit = HEAD_LIMIT
    _cut: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Some bytes: of the head of a request, or of its body."""
        if self._cut is None and self._between_requests():
            self._wait()
        super().data_received(data)
        if not self._between_requests():
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody waits any more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _between_requests(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _wait(self) -> None:
        self._cut = self.loop.call_later(self.head_limit, self._too_late)

    def _stop_waiting(self) -> None:
        if self._cut is not None:
            self._cut.cancel()
            self._cut = None

    def _too_late(self) -> None:
        self._cut = None
        if self._between_requests() and not self.transport.is_closing():
            self.transport.close()
