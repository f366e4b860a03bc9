"""Who may ask: the right name of this server, the right page, the right token."""

from __future__ import annotations

import ipaddress
import secrets
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field

from hockeystick.page.errors import Refused

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
SAME_SITE = {"same-origin", "none"}
"""Of Sec-Fetch-Site: this page itself, or the address line."""
UNKNOWN, FORBIDDEN, MISDIRECTED = 401, 403, 421


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a server there."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def host_of(header: str) -> str:
    """The name in a Host header, without its port.

    >>> host_of("localhost:8000"), host_of("[::1]:8000"), host_of("[::1]")
    ('localhost', '::1', '::1')
    """
    if header.startswith("["):
        return header[1:].partition("]")[0].lower()
    return header.partition(":")[0].lower()


@dataclass(frozen=True)
class Access:
    """The rules of one server.

    host: where it listens. A host that is not loopback needs a token with every question.
    """

    host: str = "127.0.0.1"
    token: str | None = field(default=None, repr=False)

    @classmethod
    def to(cls, host: str) -> Access:
        """Rules for a host, with a new token where one is needed."""
        return cls(host, None if is_loopback(host) else secrets.token_urlsafe(24))

    def check(self, path: str, headers: Mapping[str, str]) -> None:
        """Raise `Refused` where a request is not one of this page's own."""
        host = headers.get("host", "")
        if not self.knows(host_of(host)):
            raise Refused(MISDIRECTED, "this is not the name of this server")
        if not path.startswith("/api"):
            return
        origin = headers.get("origin")
        site = headers.get("sec-fetch-site", "none")
        if site not in SAME_SITE or (origin is not None and not _same(origin, host)):
            raise Refused(FORBIDDEN, "another page may not ask here")
        if self.token is not None and not self._has_token(headers.get("authorization", "")):
            raise Refused(UNKNOWN, "a token is needed: open the address that was printed")

    def knows(self, name: str) -> bool:
        """Whether a name is one of this server's.

        Another name that leads to this address is how a foreign page would come to be the same
        origin (DNS rebinding). A bare address cannot be rebound.
        """
        if is_loopback(self.host):
            return name in LOOPBACK or name == self.host
        known = {self.host.lower(), *LOOPBACK, socket.gethostname().lower()}
        return name in known or _is_address(name)

    def _has_token(self, header: str) -> bool:
        scheme, _, given = header.partition(" ")
        right = secrets.compare_digest(given.encode(), (self.token or "").encode())
        return right and scheme.lower() == "bearer"


def _same(origin: str, host: str) -> bool:
    return origin.lower() in (f"http://{host.lower()}", f"https://{host.lower()}")
