"""Random and corrupted messages for one endpoint of a stack."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import Any

from rcl_interfaces.msg import Parameter as ParameterMessage
from rcl_interfaces.msg import ParameterValue
from rcl_interfaces.srv import SetParameters, SetParametersAtomically
from rclpy.parameter import Parameter
from rclpy.serialization import deserialize_message, serialize_message
from std_srvs.srv import SetBool, Trigger

from crawler_nodes.messages.header import set_stamp, stamp_ns
from crawler_testing.fuzz.in_process_stack import InProcessStack
from crawler_testing.fuzz.message_generator import MessageGenerator
from crawler_testing.fuzz.target import EXCLUDED_PARAMETERS, Target

RANDOM_SHARE = 0.3  # of the messages; the others are corrupted ones of the stack
MAX_BEFORE_GENUINE = {  # corrupted messages that are delivered just before the next genuine one, at most
    ("backend", "joint_commands"): 1,
    ("controller", "joint_states"): 5,
    ("controller", "contact_states"): 5,
}
STAMP_STEP_NS = 1_000_000  # between the stamps of these
REFRESH_SHARE = 0.1  # of the corrupted messages start from the latest genuine one; it is slow to deserialise
PAUSE_SHARE = 0.05  # of the messages are followed by a pause
MAX_PAUSE_TICKS = 4
RESTORE_SHARE = 0.01  # of the requests are followed by a restoration
RESTORE_SHARE_OF_STOPS = 0.2
GENUINE_TIMEOUT_TICKS = 1000
MAX_MESSAGE_CHARACTERS = 600  # in a report


class Fuzzer:
    """Sends messages to one target, chosen by `rng`."""

    def __init__(self, stack: InProcessStack, target: Target, rng: random.Random) -> None:
        self._stack = stack
        self._target = target
        self._rng = rng
        self.sent = 0
        self._make_last: Callable[[], Any] = lambda: None  # makes the last message again
        self._genuine: Any = None
        node: Any = stack.nodes[target.node]
        parameters = node.get_parameters_by_prefix("").values()
        self._initial = {p.name: p.value for p in parameters if not node.describe_parameter(p.name).read_only}
        self._names = [name for name in self._initial if name not in EXCLUDED_PARAMETERS]
        names = [*stack.spec.joint_names, *stack.spec.foot_names, *self._initial, "odom"]
        self._generator = MessageGenerator(rng, names)

    @property
    def last_message(self) -> str:
        """Text of the message that was sent last."""
        text = repr(self._make_last())
        return text if len(text) <= MAX_MESSAGE_CHARACTERS else f"{text[:MAX_MESSAGE_CHARACTERS]}…"

    def send(self) -> None:
        """Send one or a few messages, and sometimes run the stack for some ticks."""
        target, rng = self._target, self._rng
        if target.endpoint == "topic":
            self._publish()
        elif target.endpoint == "service":
            self.sent += 1
            self._call(target.name, self._generator.message(target.type.Request))
        else:
            self.sent += 1
            name = rng.choice(self._names)
            message = ParameterMessage(name=name, value=self._parameter_value(name))
            self._call("set_parameters", SetParameters.Request(parameters=[message]))
        share = RESTORE_SHARE_OF_STOPS if target.can_stop_stack else RESTORE_SHARE
        if target.endpoint != "topic" and rng.random() < share:
            self.restore()
        if rng.random() < PAUSE_SHARE:
            for _ in range(rng.randint(1, MAX_PAUSE_TICKS)):
                self._stack.tick()

    def restore(self) -> None:
        """Undo valid requests: set parameters back, and reset and enable the backend."""
        target, stack = self._target, self._stack
        if target.endpoint == "topic":
            return
        node = stack.nodes[target.node]
        changed = [name for name, value in self._initial.items() if node.get_parameter(name).value != value]
        if changed:  # in one request: intermediate combinations may be invalid
            parameters = [Parameter(name, value=self._initial[name]).to_parameter_msg() for name in changed]
            request = SetParametersAtomically.Request(parameters=parameters)
            stack.call(target.node, "set_parameters_atomically", request)
        if target.can_stop_stack:
            stack.call("backend", "reset", Trigger.Request())
            stack.call("backend", "enable", SetBool.Request(data=True))
        if target.node == "gait":  # a slow gait would change at its next phase 0 only
            for on in (False, True):
                stack.call("backend", "enable", SetBool.Request(data=on))
                stack.tick()

    def _publish(self) -> None:
        stack, target = self._stack, self._target
        if target.node == "gait" and target.name == "joint_states":
            self._make_gait_wait()
        if self._rng.random() < RANDOM_SHARE:
            self._deliver(self._generator.message(target.type))
        elif (target.node, target.name) not in MAX_BEFORE_GENUINE:
            self._deliver_corrupted(self._genuine_message())
        else:
            intercepted = stack.transport.intercepted
            intercepted[target.name] = self._deliver_before
            for _ in range(GENUINE_TIMEOUT_TICKS):
                stack.tick()
                if target.name not in intercepted:
                    return
            del intercepted[target.name]
            raise TimeoutError(f"{target.name} stopped coming")

    def _genuine_message(self) -> Any:
        if self._genuine is None or self._rng.random() < REFRESH_SHARE:
            self._genuine = self._stack.latest_message(self._target.name)
        return self._genuine

    def _deliver_before(self, data: bytes) -> None:
        """Deliver corrupted copies of a genuine message, with stamps up to its own."""
        message = deserialize_message(data, self._target.type)
        stamp = message.header.stamp
        genuine = stamp_ns(stamp)
        most = MAX_BEFORE_GENUINE[self._target.node, self._target.name]
        for steps in reversed(range(self._rng.randint(1, most))):
            set_stamp(stamp, max(0, genuine - steps * STAMP_STEP_NS))
            self._deliver_corrupted(message)

    def _make_gait_wait(self) -> None:
        """Disable and enable motion: a gait reads joint_states only while it waits for its start."""
        transport = self._stack.transport
        if transport.is_subscribed(self._stack.nodes["gait"], "joint_states"):
            return
        status = self._stack.latest_message("motion_state")
        for status.message in ("disabled", "active"):
            transport.deliver("motion_state", serialize_message(status))

    def _deliver_corrupted(self, message: Any) -> None:
        undo = self._generator.corrupt(message)
        try:
            self._deliver(message)
        finally:
            undo()

    def _deliver(self, message: Any) -> None:
        data = serialize_message(message)
        self._make_last = partial(deserialize_message, data, self._target.type)
        self.sent += 1
        self._stack.transport.deliver(self._target.name, data)

    def _call(self, name: str, request: Any) -> None:
        self._make_last = lambda: request
        self._stack.call(self._target.node, name, request)

    def _parameter_value(self, name: str) -> ParameterValue:
        if self._rng.random() < 0.5:
            return self._generator.message(ParameterValue)
        value = self._initial[name]
        if isinstance(value, float):
            value = value * self._rng.choice((0.5, 0.9, 1.0, 1.1, 2.0, 10.0)) + self._rng.choice((0.0, 1e-9, 1.0))
        return Parameter(name, value=value).get_parameter_value()
