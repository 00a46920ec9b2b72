"""The websockets of the open browsers. A slow browser misses frames, and nothing waits for it."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tornado.iostream import StreamClosedError
from tornado.websocket import WebSocketClosedError, WebSocketHandler

from crawler_view.server.access import Access

MAX_CLIENTS = 16
MAX_UNREAD_MESSAGES = 64  # of one client, which is then disconnected

Command = Callable[[dict[str, Any]], Awaitable[None]]
Greeting = Callable[[], Iterable[tuple[str, Any]]]


class WebClients:
    """The connected browsers."""

    def __init__(self) -> None:
        self.clients: set[WebClient] = set()

    def send_nowait(self, kind: str, content: Any) -> None:
        """Send to every client; a frame only to clients that have read the frame before."""
        if self.clients:
            text = json.dumps({kind: content})
            for client in list(self.clients):
                client.send_nowait(text, may_skip=kind == "frame")


class WebClient(WebSocketHandler):
    """One browser."""

    def initialize(self, access: Access, clients: WebClients, greeting: Greeting, command: Command | None) -> None:
        """Take the rules, the other clients, the first messages, and the function that executes commands."""
        self._access, self._clients, self._greeting, self._command = access, clients, greeting, command
        self.unread = 0  # messages on their way

    def prepare(self) -> None:
        token = parse_qs(urlsplit(self.request.uri or "").query).get("token", [""])[0]
        reason = self._access.rejection(self.request.host, self.request.headers.get("Origin"), token)
        if not reason and len(self._clients.clients) >= MAX_CLIENTS:
            reason = f"{MAX_CLIENTS} browsers are connected already"
        if reason:
            self.set_status(403)
            self.finish(reason)

    def check_origin(self, origin: str) -> bool:
        return True  # `prepare` has checked it

    def open(self, *_: str) -> None:
        self.set_nodelay(True)
        self._clients.clients.add(self)
        for kind, content in self._greeting():
            self.send_nowait(json.dumps({kind: content}))

    def on_close(self) -> None:
        self._clients.clients.discard(self)

    async def on_message(self, message: str | bytes) -> None:
        try:
            command = json.loads(message)
        except ValueError:
            command = None
        if not isinstance(command, dict):
            self.close(1003, "not understood")
        elif self._command is None:
            self.send_nowait(json.dumps({"answer": {"done": False, "text": "this page can only view"}}))
        else:
            await self._command(command)

    def send_nowait(self, text: str, may_skip: bool = False) -> None:
        """Send without waiting. Disconnects a client that has stopped reading."""
        if may_skip and self.unread:
            return
        if self.unread > MAX_UNREAD_MESSAGES:
            self._clients.clients.discard(self)
            if self.ws_connection is not None and self.ws_connection.stream is not None:
                self.ws_connection.stream.close()
            return
        try:
            sent = self.write_message(text)
        except (WebSocketClosedError, StreamClosedError):
            self._clients.clients.discard(self)
            return
        self.unread += 1
        sent.add_done_callback(self._on_sent)

    def _on_sent(self, sent: Any) -> None:
        self.unread -= 1
        if not sent.cancelled():
            sent.exception()  # of a client that has gone: ignored
