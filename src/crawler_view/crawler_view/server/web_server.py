"""The web server: the files of the page, and one websocket for each browser."""

from __future__ import annotations

import socket
from pathlib import Path

from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application, HTTPError, RequestHandler, StaticFileHandler

from crawler_core.errors import UserError
from crawler_view.server.access import Access
from crawler_view.server.web_clients import Command, Greeting, WebClient, WebClients

PAGE_DIRECTORY = Path(__file__).parents[1] / "page"
MAX_MESSAGE_BYTES = 4096  # of a command
MAX_HEADER_BYTES = 4 * MAX_MESSAGE_BYTES
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def open_sockets(host: str, port: int) -> list[socket.socket]:
    """Return listening sockets at this address. Raises UserError where the address cannot be used."""
    try:
        return bind_sockets(port, address=host)
    except (OSError, UnicodeError) as error:
        raise UserError(
            f"the page cannot be served at {host}, port {port} ({getattr(error, 'strerror', None) or error}): "
            "give another port, or an address of this machine."
        ) from None


def start_server(
    sockets: list[socket.socket], access: Access, clients: WebClients, greeting: Greeting, command: Command | None
) -> HTTPServer:
    """Serve the page until `stop`.

    `greeting` returns the first messages for a new browser. Without `command` the page only views.
    """
    websocket = {"access": access, "clients": clients, "greeting": greeting, "command": command}
    application = Application(
        [(r"/live", WebClient, websocket), (r"/(|[a-z0-9_]+\.(?:html|css|js))", _PageFiles, {"access": access})],
        default_handler_class=_NotFound,
        websocket_max_message_size=MAX_MESSAGE_BYTES,
        websocket_ping_interval=10,
        log_function=lambda _handler: None,
    )
    server = HTTPServer(application, max_header_size=MAX_HEADER_BYTES, max_body_size=MAX_MESSAGE_BYTES)
    server.add_sockets(sockets)
    return server


class _PageFiles(StaticFileHandler):
    """The files of the page. They contain nothing about the robot, but foreign pages get none either."""

    def initialize(self, access: Access) -> None:  # type: ignore[override]
        super().initialize(str(PAGE_DIRECTORY), default_filename="index.html")
        self._access = access

    def prepare(self) -> None:
        if self._access.rejection(self.request.host, None, self._access.token):
            raise HTTPError(403)

    def set_extra_headers(self, path: str) -> None:
        for name, value in HEADERS.items():
            self.set_header(name, value)


class _NotFound(RequestHandler):
    def prepare(self) -> None:
        raise HTTPError(404)
