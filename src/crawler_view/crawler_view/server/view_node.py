"""The view node: shows a running ring to browsers, and hands their commands to the services that anybody may call.

The ring knows nothing of it. It listens to whatever comes, takes the newest at most thirty times a second, and asks for
nothing to be sent again; a browser that is slow misses frames here.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Any

from rcl_interfaces.msg import ParameterEvent
from rclpy.node import Node
from rclpy.serialization import deserialize_message

from crawler_core.errors import UserError
from crawler_nodes.client.stack_client import ServiceAnswer, StackClient
from crawler_nodes.node_main import run_loop
from crawler_nodes.parameters import declare, refuse_unknown
from crawler_nodes.transport.tap import Topic
from crawler_view.scene.live_state import LiveState
from crawler_view.scene.passive_subscriber import PassiveSubscriber
from crawler_view.server.access import Access
from crawler_view.server.view_settings import ViewSettings
from crawler_view.server.web_server import WebClients, listen, serve

REPORTS = 0.5  # s between two looks at what the nodes say
AGAIN = 3.0  # s until parameters that could not be had are asked for again
MOST = 8  # commands that may wait for an answer
ANSWERS = 0.2  # s between two looks for questions to this node itself
SET_FROM = ("gait", "controller")  # whose parameters the page has


class ViewNode(Node):
    """Listens, serves and asks, in one thread. `serve` runs it."""

    def __init__(self, **node_options: Any) -> None:
        super().__init__("view", **node_options)
        self.settings = declare(self, ViewSettings)
        refuse_unknown(self, section="view")
        if not self.settings.host:
            raise UserError("view.host is empty: give an address of this machine, 127.0.0.1 or 0.0.0.0 for instance.")
        self._sockets = listen(self.settings.host, self.settings.port)
        self.port = self._sockets[0].getsockname()[1]
        self._access = Access.of(self.settings.host, self.settings.token)
        self.url = self._access.url(self.port)
        self.state = LiveState()
        self._ears = PassiveSubscriber(
            self, self.state, [(Topic("/parameter_events", ParameterEvent, depth=100), self._on_event)]
        )
        self._ring = StackClient(self, self.get_namespace().strip("/"))
        if not self.settings.view_only:
            self._ring.appear()
        self._audience = WebClients()
        self._offered: list[dict[str, Any]] = []
        self._stale = True  # the parameters are to be asked for
        self._asking: set[asyncio.Task[Any]] = set()
        self._waiting = 0

    def destroy_node(self) -> None:
        self._ring.close()
        for sock in self._sockets:
            sock.close()
        self._ears.close()
        super().destroy_node()

    async def serve(self, asked_to_end: Callable[[], bool]) -> None:
        """Show the ring until that is asked for."""
        command = None if self.settings.view_only else self._command
        server = serve(self._sockets, self._access, self._audience, self._greeting, command)
        asking = asyncio.create_task(self._keep_parameters()) if command is not None else None
        period, begin = 1.0 / self.settings.rate, time.monotonic()
        reports = answers = begin
        shown, scenes = b"", 0
        try:
            while not asked_to_end():
                begin = max(begin + period, time.monotonic())
                self._ears.listen()
                if scenes != self.state.scenes:
                    scenes, self._stale = self.state.scenes, True
                    self._audience.send("scene", self.state.scene)
                if self._audience.browsers and shown is not self.state.latest:
                    shown = self.state.latest
                    self._audience.send("frame", self.state.frame())
                if begin - reports > REPORTS:
                    reports = begin
                    self._audience.send("status", self.state.status())
                if begin - answers > ANSWERS:
                    answers = begin
                    self._ring.turn()
                await asyncio.sleep(max(0.0, begin + period - time.monotonic()))
        finally:
            if asking is not None:
                asking.cancel()
            server.stop()
            for browser in list(self._audience.browsers):
                browser.close()

    def _greeting(self) -> Sequence[tuple[str, Any]]:
        """What a new browser is told."""
        ring = {"namespace": self.get_namespace().strip("/"), "view_only": self.settings.view_only}
        known = [("scene", self.state.scene)] if self.state.scene is not None else []
        return [("ring", ring), *known, ("parameters", self._offered), ("status", self.state.status())]

    def _on_event(self, data: bytes, _info: Any) -> None:
        """Somebody has set a parameter of some node."""
        event = deserialize_message(data, ParameterEvent)
        if event.node in [f"{self.get_namespace().rstrip('/')}/{node}" for node in SET_FROM]:
            self._stale = True

    async def _keep_parameters(self) -> None:
        """Ask for the parameters whenever they may have changed."""
        while True:
            await asyncio.sleep(0.05)
            if not self._stale or self.state.silent:
                continue
            self._stale = False
            try:
                found = [one for node in SET_FROM for one in await self._ring.parameters(node)]
            except TimeoutError:
                self._stale = True  # a recording has none
                await asyncio.sleep(AGAIN)
                continue
            self._offered = [
                {
                    "node": one.node,
                    "name": one.name,
                    "value": one.value,
                    "kind": type(one.value).__name__,
                    "unit": one.unit,
                    "doc": one.doc,
                    "allowed": one.allowed.text,
                    "low": one.allowed.low,
                    "high": one.allowed.high,
                    "choices": list(one.allowed.choices),
                }
                for one in found
                if not one.constant
            ]
            self._audience.send("parameters", self._offered)

    async def _command(self, wanted: dict[str, Any]) -> None:
        """Begin to do what a browser wants; the answer goes to all of them. An emergency stop waits for nobody."""
        if self._waiting >= MOST and wanted.get("do") != "estop":
            self._audience.send("said", {"done": False, "text": f"{MOST} commands wait for the ring's answer already"})
            return
        self._waiting += 1
        task = asyncio.create_task(self._carry_out(wanted))
        self._asking.add(task)
        task.add_done_callback(self._asking.discard)

    async def _carry_out(self, wanted: dict[str, Any]) -> None:
        try:
            answer = await self._ask(wanted)
        except (TimeoutError, TypeError, ValueError, AttributeError) as error:  # of values that are no parameter's
            answer = ServiceAnswer(False, str(error))
        finally:
            self._waiting -= 1
        if not answer.done:
            self._stale = True  # the page shows what it wanted
        self._audience.send("said", {"done": answer.done, "text": answer.text})

    async def _ask(self, wanted: dict[str, Any]) -> ServiceAnswer:
        done = wanted.get("do")
        if done == "estop":
            return await self._ring.estop()
        if done == "reset":
            return await self._ring.reset()
        if done in ("enable", "stop"):
            return await self._ring.enable(done == "enable")
        node, name, value = (wanted.get(key) for key in ("node", "name", "value"))
        if done == "set" and node in SET_FROM and isinstance(name, str):
            answer = await self._ring.set(str(node), {name: value})
            return answer if answer.text else ServiceAnswer(answer.done, f"{node}.{name} = {value}")
        return ServiceAnswer(False, "that is no command")


def main(overrides: Sequence[Any] = (), namespace: str = "", say: Callable[[str], None] | None = None) -> None:
    """The node as a process. `say` is told where the page is, the node's log where there is none."""

    def live(node: ViewNode, asked_to_end: Callable[[], bool]) -> None:
        (say or node.get_logger().info)(f"see the robot at {node.url}")
        asyncio.run(node.serve(asked_to_end))

    options = {"parameter_overrides": list(overrides), **({"namespace": namespace} if namespace else {})}
    run_loop(lambda: ViewNode(**options), live)
