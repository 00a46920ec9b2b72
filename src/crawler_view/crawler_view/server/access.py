"""The access rules of the page: which requests are answered, and which may command the robot."""

from __future__ import annotations

import hmac
import ipaddress
import secrets
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Access:
    """The rules of one server. Beyond loopback there is always a token."""

    host: str
    token: str = ""

    @staticmethod
    def for_host(host: str, token: str) -> Access:
        """Return the rules for this address. Beyond loopback a missing token is generated."""
        return Access(host, token if token or is_loopback(host) else secrets.token_urlsafe(16))

    def rejection(self, host: str, origin: str | None, token: str) -> str:
        """Return why a request is rejected, or ''. `host` and `origin` are its headers."""
        name = urlsplit(f"//{host}").hostname or ""
        if is_loopback(self.host) and not is_loopback(name):
            # a foreign page whose name was made to resolve to this machine still sends its own name
            return f"this page is for this machine alone, and not by the name '{name}'"
        if origin is not None and urlsplit(origin).netloc != host:
            return f"a page of {origin} may not see or command this robot"
        if self.token and not hmac.compare_digest(token.encode(), self.token.encode()):
            return "the token is missing or wrong: use the whole address that the node has printed"
        return ""

    def url(self, port: int) -> str:
        """Return the address of the page."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{port}/" + (f"?token={self.token}" if self.token else "")


def is_loopback(host: str) -> bool:
    """Return whether a name or address means this machine only."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
