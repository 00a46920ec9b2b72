"""The page's server: its files, and one websocket for each browser that looks."""

from __future__ import annotations

import json
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tornado.httpserver import HTTPServer
from tornado.iostream import StreamClosedError
from tornado.netutil import bind_sockets
from tornado.web import Application, HTTPError, RequestHandler, StaticFileHandler
from tornado.websocket import WebSocketClosedError, WebSocketHandler

from crawler_core.errors import UserError
from crawler_view.server.access import Access

PAGE = Path(__file__).parents[1] / "page"
MOST = 16  # browsers at a time
LARGEST = 4096  # bytes of a command
WAITS = 64  # things that a browser which does not read may be behind, until it is let go
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}

Command = Callable[[dict[str, Any]], Awaitable[None]]


def listen(host: str, port: int) -> list[socket.socket]:
    """Sockets at this address. Raises UserError where there are none to be had."""
    try:
        return bind_sockets(port, address=host)
    except (OSError, UnicodeError) as error:
        raise UserError(
            f"the page cannot be served at {host}, port {port} ({getattr(error, 'strerror', None) or error}): "
            "give another port, or an address of this machine."
        ) from None


class WebClients:
    """The browsers that look. Whoever does not read as fast as the page is sent misses frames, and nobody waits."""

    def __init__(self) -> None:
        self.browsers: set[_Live] = set()

    def send(self, kind: str, what: Any) -> None:
        """To every browser; a frame only to those that have read the one before."""
        if self.browsers:
            text = json.dumps({kind: what})
            for browser in list(self.browsers):
                browser.offer(text, skip=kind == "frame")


class _Page(StaticFileHandler):
    """The files of the page. They say nothing about the robot, but nobody else's page needs them."""

    def initialize(self, access: Access) -> None:  # type: ignore[override]
        super().initialize(str(PAGE), default_filename="index.html")
        self._access = access

    def prepare(self) -> None:
        if self._access.refusal(self.request.host, None, self._access.token):
            raise HTTPError(403)

    def set_extra_headers(self, path: str) -> None:
        for name, value in HEADERS.items():
            self.set_header(name, value)


class _Live(WebSocketHandler):
    """One browser."""

    def initialize(
        self, access: Access, audience: WebClients, greet: Callable[[], Any], command: Command | None
    ) -> None:
        self._access, self._audience, self._greet, self._command = access, audience, greet, command
        self.unread = 0  # messages that are on their way

    def prepare(self) -> None:
        token = parse_qs(urlsplit(self.request.uri or "").query).get("token", [""])[0]
        said = self._access.refusal(self.request.host, self.request.headers.get("Origin"), token)
        if not said and len(self._audience.browsers) >= MOST:
            said = f"{MOST} browsers look already"
        if said:
            self.set_status(403)
            self.finish(said)

    def check_origin(self, origin: str) -> bool:
        return True  # `prepare` has asked already, and about more

    def open(self, *_: str) -> None:
        self.set_nodelay(True)
        self._audience.browsers.add(self)
        for kind, what in self._greet():
            self.offer(json.dumps({kind: what}))

    def on_close(self) -> None:
        self._audience.browsers.discard(self)

    async def on_message(self, message: str | bytes) -> None:
        try:
            wanted = json.loads(message)
        except ValueError:
            wanted = None
        if not isinstance(wanted, dict):
            self.close(1003, "not understood")
        elif self._command is None:
            self.offer(json.dumps({"said": {"done": False, "text": "this page can only look"}}))
        else:
            await self._command(wanted)

    def offer(self, text: str, skip: bool = False) -> None:
        """Send, and wait for nothing."""
        if skip and self.unread:
            return
        if self.unread > WAITS:
            self._audience.browsers.discard(self)
            if self.ws_connection is not None and self.ws_connection.stream is not None:
                self.ws_connection.stream.close()
            return
        try:
            sent = self.write_message(text)
        except (WebSocketClosedError, StreamClosedError):
            self._audience.browsers.discard(self)
            return
        self.unread += 1
        sent.add_done_callback(self._read)

    def _read(self, sent: Any) -> None:
        self.unread -= 1
        if not sent.cancelled():
            sent.exception()  # who is gone is gone


class _Nothing(RequestHandler):
    def prepare(self) -> None:
        raise HTTPError(404)


def serve(
    sockets: list[socket.socket],
    access: Access,
    audience: WebClients,
    greet: Callable[[], Any],
    command: Command | None,
) -> HTTPServer:
    """Serve the page until `stop`. `greet` gives what a new browser is told; without `command` it may only look."""
    live = {"access": access, "audience": audience, "greet": greet, "command": command}
    application = Application(
        [(r"/live", _Live, live), (r"/(|[a-z0-9_]+\.(?:html|css|js))", _Page, {"access": access})],
        default_handler_class=_Nothing,
        websocket_max_message_size=LARGEST,
        websocket_ping_interval=10,
        log_function=lambda _handler: None,
    )
    server = HTTPServer(application, max_header_size=LARGEST * 4, max_body_size=LARGEST)
    server.add_sockets(sockets)
    return server
