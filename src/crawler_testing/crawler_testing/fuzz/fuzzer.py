"""What is sent to one door, one message after another."""

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
from crawler_testing.fuzz.in_process_stack import FuzzedRing
from crawler_testing.fuzz.message_generator import Values
from crawler_testing.fuzz.target import SLOWS, Target

FROM_NOTHING = 0.3  # of the messages; the others are genuine ones that are spoilt
BEFORE = {  # the genuine one, as if it were that: so many at most
    ("backend", "joint_commands"): 1,
    ("controller", "joint_states"): 5,
    ("controller", "contact_states"): 5,
}
APART = 1_000_000  # ns between the stamps of these
ANEW = 0.1  # of the messages that are spoilt are spoilt from another one than before
PAUSES = 0.05  # of the messages are followed by a pause
LONGEST_PAUSE = 4  # ticks
MADE_UP = 0.01  # of the requests are followed by what makes up for them
STOPS_MADE_UP = 0.2  # of those that stop the ring
COMES = 1000  # ticks within which a genuine message comes
LONGEST = 600  # characters of a message that are told


class Attack:
    """Strikes one door of a ring, as `chance` has it."""

    def __init__(self, ring: FuzzedRing, target: Target, chance: random.Random) -> None:
        self._ring = ring
        self._target = target
        self._chance = chance
        self.sent = 0
        self._sent: Callable[[], Any] = lambda: None  # makes the last one again
        self._genuine: Any = None
        parameters = _parameters(ring, target.node)
        names = list(parameters)
        self._values = Values(chance, [*ring.spec.joint_names, *ring.spec.foot_names, *names, "odom"])
        self._names = [name for name in names if name not in SLOWS]
        self._before = {name: parameter.value for name, parameter in parameters.items()}

    def strike(self) -> None:
        """Send one or a few, and let the ring go on for some ticks now and then."""
        target, chance = self._target, self._chance
        if target.way == "topic":
            self._speak()
        elif target.way == "service":
            self.sent += 1
            self._call(target.name, self._values.message(target.kind.Request))
        else:
            self.sent += 1
            name = chance.choice(self._names)
            self._set(ParameterMessage(name=name, value=self._parameter_value(name)))
        if target.way != "topic" and chance.random() < (STOPS_MADE_UP if target.stops else MADE_UP):
            self.make_up()
        if chance.random() < PAUSES:
            for _ in range(chance.randint(1, LONGEST_PAUSE)):
                self._ring.tick()

    def make_up(self) -> None:
        """Put back what was changed with leave: parameters, and stops that were asked for."""
        target = self._target
        if target.way == "topic":
            return
        node = self._ring.nodes[target.node]
        # all at once: one by one they may not go together on the way
        changed = [name for name, value in self._before.items() if node.get_parameter(name).value != value]
        if changed:
            wanted = [Parameter(name, value=self._before[name]).to_parameter_msg() for name in changed]
            request = SetParametersAtomically.Request(parameters=wanted)
            self._ring.serve(target.node, "set_parameters_atomically", request)
        if target.stops:
            self._ring.serve("backend", "reset", Trigger.Request())
            self._ring.serve("backend", "enable", SetBool.Request(data=True))
        if target.node == "gait":  # a slow gait changes at its next phase 0 only
            for on in (False, True):
                self._ring.serve("backend", "enable", SetBool.Request(data=on))
                self._ring.tick()

    @property
    def last(self) -> str:
        """What was sent last, for a person."""
        text = repr(self._sent())
        return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"

    def _speak(self) -> None:
        ring, target = self._ring, self._target
        if target.node == "gait" and target.name == "joint_states":
            self._let_it_wait()
        if self._chance.random() < FROM_NOTHING:
            self._say(self._values.message(target.kind))
        elif (target.node, target.name) not in BEFORE:
            self._say_spoilt(self._base())
        else:
            ring.wire.waylaid[target.name] = self._forestall
            for _ in range(COMES):
                ring.tick()
                if target.name not in ring.wire.waylaid:
                    return
            del ring.wire.waylaid[target.name]
            raise TimeoutError(f"{target.name} stopped coming")

    def _base(self) -> Any:
        """One of the latest genuine messages, looked at anew only now and then: that takes long."""
        if self._genuine is None or self._chance.random() < ANEW:
            self._genuine = self._ring.latest(self._target.name)
        return self._genuine

    def _forestall(self, data: bytes) -> None:
        """Several come before the genuine one, with stamps between the last one's and its own, which the last has."""
        message = deserialize_message(data, self._target.kind)
        stamp = message.header.stamp
        genuine = stamp_ns(stamp)
        for left in reversed(range(self._chance.randint(1, BEFORE[self._target.node, self._target.name]))):
            set_stamp(stamp, max(0, genuine - left * APART))
            self._say_spoilt(message)

    def _let_it_wait(self) -> None:
        """Only a gait without a motion looks at poses: motion is off and on again."""
        ring = self._ring
        if ring.wire.hears(ring.nodes["gait"], "joint_states"):
            return
        word = ring.latest("motion_state")
        for word.message in ("disabled", "active"):
            ring.wire.hand_over("motion_state", serialize_message(word))

    def _say_spoilt(self, message: Any) -> None:
        undo = self._values.spoil(message)
        try:
            self._say(message)
        finally:
            undo()

    def _say(self, message: Any) -> None:
        data = serialize_message(message)
        self._sent = partial(deserialize_message, data, self._target.kind)
        self.sent += 1
        self._ring.wire.hand_over(self._target.name, data)

    def _call(self, name: str, request: Any) -> None:
        self._sent = lambda: request
        self._ring.serve(self._target.node, name, request)

    def _set(self, message: ParameterMessage) -> None:
        self._call("set_parameters", SetParameters.Request(parameters=[message]))

    def _parameter_value(self, name: str) -> ParameterValue:
        if self._chance.random() < 0.5:
            return self._values.message(ParameterValue)
        old = self._before[name]
        if isinstance(old, float):
            old = old * self._chance.choice((0.5, 0.9, 1.0, 1.1, 2.0, 10.0)) + self._chance.choice((0.0, 1e-9, 1.0))
        return Parameter(name, value=old).get_parameter_value()


def _parameters(ring: FuzzedRing, node: str) -> dict[str, Parameter]:
    """Those that can be set."""
    found: Any = ring.nodes[node]
    every = found.get_parameters_by_prefix("").values()
    return {p.name: p for p in every if not found.describe_parameter(p.name).read_only}
