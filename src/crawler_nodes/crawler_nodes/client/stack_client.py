"""Calls of a running stack for clients that await: its namespaces, its parameters, and the services that stop it.

These are the services that ros2cli calls too. Nothing blocks, and every wait has an end.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import rclpy
from rcl_interfaces.msg import ParameterDescriptor
from rcl_interfaces.srv import DescribeParameters, GetParameters, ListParameters, SetParametersAtomically
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import parameter_value_to_python as to_python
from rclpy.signals import SignalHandlerOptions
from std_srvs.srv import SetBool, Trigger

from crawler_core.parameters import split_constraints
from crawler_nodes.client.service_caller import ServiceCaller, ServiceUnavailable, set_parameters_request
from crawler_nodes.transport.estop_socket import ESTOP, stack_namespaces

DISCOVERY_TIMEOUT_S = 10.0  # of a stack or a service: a missed announcement is repeated after 3 s
RESPONSE_TIMEOUT_S = 5.0
POLL_PERIOD_S = 0.005
SETTLE_S = 1.0  # after the first stack was discovered, in which others are
RESET, ENABLE = "backend/reset", "backend/enable"


@dataclass(frozen=True)
class StackParameter:
    """A parameter of a node of the stack, as the node describes it."""

    node: str  # gait or controller
    name: str
    value: Any
    doc: str
    unit: str
    allowed: str  # for a person
    lower: float | None
    upper: float | None
    usual: tuple[float, float] | None  # values for a slider, within the bounds; None: those are no wider
    choices: tuple[str, ...]
    constant: bool  # read at start only


@dataclass(frozen=True)
class ServiceAnswer:
    """The answer of a service."""

    done: bool
    text: str


class StackClient:
    """Calls the stack in `namespace`, through a node that no other executor spins."""

    def __init__(self, node: Node, namespace: str = "") -> None:
        self.namespace = namespace
        self._node = node
        self._executor = SingleThreadedExecutor(context=node.context)
        self._executor.add_node(node)
        self._caller = ServiceCaller(node.create_client, self.spin_once)

    @property
    def node(self) -> Node:
        """The node, for further topics; `spin_once` runs their callbacks."""
        return self._node

    def close(self) -> None:
        self._executor.shutdown()

    def spin_once(self) -> None:
        """Run the callbacks of the node itself."""
        self._executor.spin_once(timeout_sec=0.0)

    def stacks(self) -> list[str]:
        """Return the namespaces in which a stack is discovered by now; the root namespace is empty."""
        return stack_namespaces(self._node.get_service_names_and_types())

    async def find_stacks(self, seconds: float = DISCOVERY_TIMEOUT_S, settle_s: float = SETTLE_S) -> list[str]:
        """Return the namespaces of the stacks, `settle_s` after the first is seen and after `seconds` at most."""
        end = time.monotonic() + seconds
        while not self.stacks() and time.monotonic() < end:
            await asyncio.sleep(POLL_PERIOD_S)
        await asyncio.sleep(max(0.0, min(settle_s, end - time.monotonic())))
        return self.stacks()

    def discover(self) -> None:
        """Begin to discover the safety services, so that an emergency stop need not wait for it."""
        for kind, name in ((Trigger, ESTOP), (Trigger, RESET), (SetBool, ENABLE)):
            self._caller.discover(kind, self._full(name))

    async def call(self, kind: Any, name: str, request: Any, *, discovery_s: float = DISCOVERY_TIMEOUT_S) -> Any:
        """Call a service of the stack. Raises TimeoutError, a sentence, where it is not there or does not answer."""
        timeout_s = RESPONSE_TIMEOUT_S
        pending = self._caller.call(kind, self._full(name), request, timeout_s=timeout_s, discovery_s=discovery_s)
        try:
            for _ in pending:
                await asyncio.sleep(POLL_PERIOD_S)
        except ServiceUnavailable as error:
            raise TimeoutError(f"{error}: is the stack running?") from None
        except TimeoutError as error:
            raise TimeoutError(f"{error}.") from None
        return pending.response

    async def estop(self) -> ServiceAnswer:
        """Stop at once: torque off, latched. Raises TimeoutError."""
        return _answer(await self.call(Trigger, ESTOP, Trigger.Request()))

    async def reset(self) -> ServiceAnswer:
        """Clear a latched stop. Raises TimeoutError."""
        return _answer(await self.call(Trigger, RESET, Trigger.Request()))

    async def enable(self, on: bool) -> ServiceAnswer:
        """Allow motion, or take the torque off without latching anything. Raises TimeoutError."""
        return _answer(await self.call(SetBool, ENABLE, SetBool.Request(data=on)))

    def present_nodes(self, nodes: Iterable[str]) -> tuple[str, ...]:
        """Return those of some nodes that are discovered by now: a stack may be without a controller or a gait."""
        names = {name for name, _ in self._node.get_service_names_and_types()}
        return tuple(node for node in nodes if self._full(f"{node}/list_parameters") in names)

    async def parameters(self, node: str) -> list[StackParameter]:
        """Return the parameters of a node of the stack, in their order. Raises TimeoutError."""
        listed = await self.call(ListParameters, f"{node}/list_parameters", ListParameters.Request())
        names = list(listed.result.names)
        described, got = await asyncio.gather(
            self.call(DescribeParameters, f"{node}/describe_parameters", DescribeParameters.Request(names=names)),
            self.call(GetParameters, f"{node}/get_parameters", GetParameters.Request(names=names)),
        )
        return [
            _parameter(node, descriptor, to_python(value))
            for descriptor, value in zip(described.descriptors, got.values, strict=False)
            if descriptor.additional_constraints  # others are those that every node has
        ]

    async def set_parameters(self, node: str, values: Mapping[str, Any]) -> ServiceAnswer:
        """Set parameters, all or none; the text says why not. Raises TimeoutError."""
        name, request = f"{node}/set_parameters_atomically", set_parameters_request(values)
        result = (await self.call(SetParametersAtomically, name, request)).result
        return ServiceAnswer(result.successful, result.reason)

    def _full(self, name: str) -> str:
        return f"/{self.namespace.strip('/')}/{name}".replace("//", "/")


@contextmanager
def open_stack_client(name: str, namespace: str = "") -> Iterator[StackClient]:
    """Open a client with a node and a context of its own, for a command."""
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


def _parameter(node: str, descriptor: ParameterDescriptor, value: Any) -> StackParameter:
    doc, bracket, unit = descriptor.description.removesuffix("]").rpartition(" [")
    text, usual = split_constraints(descriptor.additional_constraints)
    choices = tuple(text.removeprefix("one of ").split(", ")) if text.startswith("one of ") else ()
    ranges = [*descriptor.floating_point_range, *descriptor.integer_range]
    lower, upper = (ranges[0].from_value, ranges[0].to_value) if ranges else (None, None)
    return StackParameter(
        node=node,
        name=descriptor.name,
        value=value,
        doc=doc if bracket else unit,
        unit=unit if bracket else "",
        allowed=text,
        lower=lower,
        upper=upper,
        usual=usual,
        choices=choices,
        constant=descriptor.read_only,
    )
