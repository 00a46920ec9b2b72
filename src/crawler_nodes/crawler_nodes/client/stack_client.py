"""Asking a ring that runs: which there are, what may be set and to what, and the services that stop and start it.

These are the services that ros2cli calls too. Nothing blocks: an answer is awaited, and not for ever.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import rclpy
from rcl_interfaces.srv import DescribeParameters, GetParameters, ListParameters, SetParametersAtomically
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import parameter_value_to_python as to_python
from rclpy.signals import SignalHandlerOptions
from std_srvs.srv import SetBool, Trigger

from crawler_core.parameters import Allowed, read_allowed
from crawler_nodes.client.service_caller import ServiceCaller, ServiceUnavailable, set_request

APPEARS = 10.0  # s until a ring or a service is seen: a missed announcement is repeated after three
ANSWER = 5.0  # s that a service may take
TURN = 0.005  # s between two looks for an answer
SETTLES = 1.0  # s after the first ring was seen, in which others are
STOP = "backend/estop"  # who offers it is a ring


@dataclass(frozen=True)
class StackParameter:
    """A parameter of a node of the ring, as the node describes it."""

    node: str  # gait or controller
    name: str
    value: Any
    doc: str
    unit: str
    allowed: Allowed
    constant: bool  # read at start only


@dataclass(frozen=True)
class ServiceAnswer:
    """What a service said."""

    done: bool
    text: str


class StackClient:
    """Asks the ring in `namespace`, through a node that nobody else spins."""

    def __init__(self, node: Node, namespace: str = "") -> None:
        self.namespace = namespace
        self._node = node
        self._executor = SingleThreadedExecutor(context=node.context)
        self._executor.add_node(node)
        self._asker = ServiceCaller(node.create_client, self.turn)

    def close(self) -> None:
        """Let go of the node."""
        self._executor.shutdown()

    def turn(self) -> None:
        """Serve what has come for the node itself."""
        self._executor.spin_once(timeout_sec=0.0)

    def rings(self) -> list[str]:
        """The namespaces in which a ring is seen now; that of a ring without one is empty."""
        services = (name for name, _ in self._node.get_service_names_and_types())
        return sorted(name[: -len(STOP)].strip("/") for name in services if name.endswith(f"/{STOP}"))

    async def look(self, seconds: float = APPEARS, settles: float = SETTLES) -> list[str]:
        """The namespaces of the rings, `settles` seconds after the first is seen, and after `seconds` at the latest."""
        end = time.monotonic() + seconds
        while not self.rings() and time.monotonic() < end:
            await asyncio.sleep(TURN)
        await asyncio.sleep(max(0.0, min(settles, end - time.monotonic())))
        return self.rings()

    def appear(self) -> None:
        """Begin to look for what will be called, so that an emergency stop need not wait for it."""
        for kind, name in ((Trigger, STOP), (Trigger, "backend/reset"), (SetBool, "backend/enable")):
            self._asker.appear(kind, self._full(name))

    async def call(self, kind: Any, name: str, request: Any, *, appears: float = APPEARS) -> Any:
        """Call a service of the ring. Raises TimeoutError, a sentence, where it is not there or does not answer."""
        question = self._asker.ask(kind, self._full(name), request, seconds=ANSWER, appears=appears)
        try:
            for _ in question:
                await asyncio.sleep(TURN)
        except ServiceUnavailable as error:
            raise TimeoutError(f"{error}: is the ring running?") from None
        except TimeoutError as error:
            raise TimeoutError(f"{error}.") from None
        return question.answer

    async def estop(self) -> ServiceAnswer:
        """The emergency stop: torque off, latched. Raises TimeoutError."""
        return _answer(await self.call(Trigger, STOP, Trigger.Request()))

    async def reset(self) -> ServiceAnswer:
        """Clear what is latched. Raises TimeoutError."""
        return _answer(await self.call(Trigger, "backend/reset", Trigger.Request()))

    async def enable(self, on: bool) -> ServiceAnswer:
        """Allow motion, or take the torque off without latching anything. Raises TimeoutError."""
        return _answer(await self.call(SetBool, "backend/enable", SetBool.Request(data=on)))

    async def parameters(self, node: str) -> list[StackParameter]:
        """The parameters of a node of ours that may be set, in its order. Raises TimeoutError."""
        listed = await self.call(ListParameters, f"{node}/list_parameters", ListParameters.Request())
        names = list(listed.result.names)
        described, got = await asyncio.gather(
            self.call(DescribeParameters, f"{node}/describe_parameters", DescribeParameters.Request(names=names)),
            self.call(GetParameters, f"{node}/get_parameters", GetParameters.Request(names=names)),
        )
        found = []
        for name, about, value in zip(names, described.descriptors, got.values, strict=False):
            if not about.additional_constraints:
                continue  # one of those that every node has
            doc, bracket, unit = about.description.removesuffix("]").rpartition(" [")
            allowed = read_allowed(about.additional_constraints)
            found.append(
                StackParameter(
                    node,
                    name,
                    to_python(value),
                    doc if bracket else unit,
                    unit if bracket else "",
                    allowed,
                    about.read_only,
                )
            )
        return found

    async def set(self, node: str, values: Mapping[str, Any]) -> ServiceAnswer:
        """Set parameters, all or none; the text says why not. Raises TimeoutError."""
        name = f"{node}/set_parameters_atomically"
        result = (await self.call(SetParametersAtomically, name, set_request(values))).result
        return ServiceAnswer(result.successful, result.reason)

    def _full(self, name: str) -> str:
        return f"/{self.namespace.strip('/')}/{name}".replace("//", "/")


@contextmanager
def own_client(name: str, namespace: str = "") -> Iterator[StackClient]:
    """A client with a node and a context of its own, for a command."""
    context = rclpy.Context()
    rclpy.init(context=context, args=[], signal_handler_options=SignalHandlerOptions.NO)
    node = rclpy.create_node(f"{name}_{os.getpid()}", context=context, start_parameter_services=False)
    client = StackClient(node, namespace)
    try:
        yield client
    finally:
        client.close()
        node.destroy_node()
        context.try_shutdown()


def _answer(response: Any) -> ServiceAnswer:
    return ServiceAnswer(response.success, response.message)
