"""The view node: shows a running stack to browsers and passes their commands to the stack's services.

The stack does not depend on it. The node only subscribes, shows the newest messages at most thirty times a second, and
never asks for lost messages again. A slow browser misses frames here.
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
from crawler_nodes.node_main import run_node
from crawler_nodes.parameters import NodeParameters
from crawler_nodes.topics import PARAMETER_EVENTS
from crawler_view.scene.live_state import LiveState
from crawler_view.scene.passive_subscriber import PassiveSubscriber
from crawler_view.server.access import Access
from crawler_view.server.velocity_publisher import VelocityPublisher
from crawler_view.server.view_settings import ViewSettings
from crawler_view.server.web_clients import WebClients
from crawler_view.server.web_server import open_sockets, start_server

STATUS_PERIOD_S = 0.5
SERVICE_PERIOD_S = 0.2  # between two looks for requests to this node itself
PARAMETER_POLL_PERIOD_S = 0.05
PARAMETER_RETRY_S = 3.0
MAX_PENDING_COMMANDS = 8
TUNABLE_NODES = ("gait", "controller")  # the page shows their parameters
REPLAY_NODE, REPLAY_PARAMETERS = "replay", ("time", "paused")


class ViewNode(Node):
    """Subscribes, serves and calls services in one thread. `serve` runs it."""

    def __init__(self, **node_options: Any) -> None:
        super().__init__("view", **node_options)
        parameters = NodeParameters(self)
        self.settings = parameters.declare(ViewSettings)
        parameters.reject_unknown(section="view")
        if not self.settings.host:
            raise UserError("view.host is empty: give an address of this machine, 127.0.0.1 or 0.0.0.0 for instance.")
        self._sockets = open_sockets(self.settings.host, self.settings.port)
        self.port = self._sockets[0].getsockname()[1]
        self._access = Access.for_host(self.settings.host, self.settings.token)
        self.url = self._access.url(self.port)
        self.state = LiveState()
        self._subscriber = PassiveSubscriber(self, self.state, [(PARAMETER_EVENTS, self._on_parameter_event)])
        self._stack = StackClient(self, self.get_namespace().strip("/"))
        if not self.settings.view_only:
            self._stack.discover()
        self._web_clients = WebClients()
        self._drive = VelocityPublisher(self)
        self._tunable: list[dict[str, Any]] = []  # parameters, as the page shows them
        self._is_stale = True  # the parameters may have changed
        self._commands: set[asyncio.Task[None]] = set()  # that wait for the stack's answer

    def destroy_node(self) -> None:
        self._stack.close()
        for sock in self._sockets:
            sock.close()
        self._subscriber.close()
        super().destroy_node()

    async def serve(self, asked_to_end: Callable[[], bool]) -> None:
        """Show the stack until `asked_to_end` returns true."""
        command = None if self.settings.view_only else self._on_command
        server = start_server(self._sockets, self._access, self._web_clients, self._greeting, command)
        updates = asyncio.create_task(self._update_parameters()) if command is not None else None
        try:
            await self._send_frames(asked_to_end)
        finally:
            if updates is not None:
                updates.cancel()
            server.stop()
            for client in list(self._web_clients.clients):
                client.close()

    async def _send_frames(self, asked_to_end: Callable[[], bool]) -> None:
        period, begin = 1.0 / self.settings.rate, time.monotonic()
        status_sent = services_served = begin
        shown, scenes = b"", 0
        while not asked_to_end():
            begin = max(begin + period, time.monotonic())
            self._subscriber.take_messages()
            self._drive.check(begin)
            if scenes != self.state.scene_count:
                scenes, self._is_stale = self.state.scene_count, True
                self._web_clients.send_nowait("scene", self.state.scene)
            if self._web_clients.clients and shown is not self.state.latest_state:
                shown = self.state.latest_state
                self._web_clients.send_nowait("frame", self.state.frame())
            if begin - status_sent > STATUS_PERIOD_S or self.state.has_news:
                status_sent = begin
                self._web_clients.send_nowait("status", self.state.status())
            if begin - services_served > SERVICE_PERIOD_S:
                services_served = begin
                self._stack.spin_once()
            await asyncio.sleep(max(0.0, begin + period - time.monotonic()))

    def _greeting(self) -> Sequence[tuple[str, Any]]:
        """Return the first messages for a new browser."""
        stack = {"namespace": self.get_namespace().strip("/"), "view_only": self.settings.view_only}
        scene = [("scene", self.state.scene)] if self.state.scene is not None else []
        return [("stack", stack), *scene, ("parameters", self._tunable), ("status", self.state.status())]

    def _on_parameter_event(self, data: bytes, _info: Any) -> None:
        event = deserialize_message(data, ParameterEvent)
        if event.node in [f"{self.get_namespace().rstrip('/')}/{node}" for node in TUNABLE_NODES]:
            self._is_stale = True

    async def _update_parameters(self) -> None:
        """Get the parameters again whenever they may have changed."""
        while True:
            await asyncio.sleep(PARAMETER_POLL_PERIOD_S)
            if not self._is_stale or self.state.is_silent:
                continue
            self._is_stale = False
            try:
                found = [one for node in TUNABLE_NODES for one in await self._stack.parameters(node)]
            except TimeoutError:
                self._is_stale = True  # a replayed recording has no parameters
                await asyncio.sleep(PARAMETER_RETRY_S)
                continue
            self._tunable = [
                {
                    "node": one.node,
                    "name": one.name,
                    "value": one.value,
                    "kind": type(one.value).__name__,
                    "unit": one.unit,
                    "doc": one.doc,
                    "allowed": one.allowed,
                    "low": one.lower,
                    "high": one.upper,
                    "usual": one.usual,
                    "choices": list(one.choices),
                }
                for one in found
                if not one.constant
            ]
            self._web_clients.send_nowait("parameters", self._tunable)

    async def _on_command(self, command: dict[str, Any]) -> None:
        """Start a browser's command; the answer goes to all browsers. An emergency stop never waits."""
        if command.get("do") == "drive":  # ten a second, without answers
            self._drive.take(command, time.monotonic())
            return
        if len(self._commands) >= MAX_PENDING_COMMANDS and command.get("do") != "estop":
            text = f"{MAX_PENDING_COMMANDS} commands wait for the stack's answer already"
            self._web_clients.send_nowait("answer", {"done": False, "text": text})
            return
        task = asyncio.create_task(self._execute(command))
        self._commands.add(task)
        task.add_done_callback(self._commands.discard)

    async def _execute(self, command: dict[str, Any]) -> None:
        try:
            answer = await self._call(command)
        except (TimeoutError, TypeError, ValueError, AttributeError) as error:  # a value of a wrong type, for instance
            answer = ServiceAnswer(False, str(error))
        if not answer.done:
            self._is_stale = True  # the page shows the value that was rejected
        about = {key: command.get(key) for key in ("do", "node", "name")}
        self._web_clients.send_nowait("answer", {**about, "done": answer.done, "text": answer.text})

    async def _call(self, command: dict[str, Any]) -> ServiceAnswer:
        action = command.get("do")
        if action == "estop":
            return await self._stack.estop()
        if action == "reset":
            return await self._stack.reset()
        if action in ("enable", "stop"):
            return await self._stack.enable(action == "enable")
        node, name, value = (command.get(key) for key in ("node", "name", "value"))
        if action == REPLAY_NODE and name in REPLAY_PARAMETERS:
            return await self._stack.set_parameters(REPLAY_NODE, {str(name): value})
        if action == "set" and node in TUNABLE_NODES and isinstance(name, str):
            answer = await self._stack.set_parameters(str(node), {name: value})
            return answer if answer.text else ServiceAnswer(answer.done, f"{node}.{name} = {value}")
        return ServiceAnswer(False, "that is no command")


def main(overrides: Sequence[Any] = (), namespace: str = "", say: Callable[[str], None] | None = None) -> None:
    """Run the node as a process. `say` gets the address of the page; by default the node logs it."""

    def serve(node: ViewNode, asked_to_end: Callable[[], bool]) -> None:
        (say or node.get_logger().info)(f"see the robot at {node.url}")
        asyncio.run(node.serve(asked_to_end))

    options = {"parameter_overrides": list(overrides), **({"namespace": namespace} if namespace else {})}
    run_node(lambda: ViewNode(**options), loop=serve)
