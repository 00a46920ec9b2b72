"""Sends one door of one node what nobody would send, and sees that the ring bears it."""

from __future__ import annotations

import random
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rcl_interfaces.msg import Parameter as ParameterMessage
from rcl_interfaces.msg import ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock
from std_srvs.srv import SetBool, Trigger

from crawler_cli.fuzz.ring import FuzzedRing
from crawler_cli.fuzz.target import ENDS_IT, SLOWS, Target, casts
from crawler_cli.fuzz.values import Values
from crawler_cli.storm.kind import RECOVERY
from crawler_cli.storm.topics import TYPES
from crawler_cli.storm.witness import MOVING, Peak

WAITS = 60.0  # s of wall time for what takes a moment, on a busy machine
FROM_NOTHING = 0.3  # of the messages; the others are genuine ones that are spoilt
EVERY_TICK = ("joint_commands", "joint_states", "contact_states")
AGAIN = 0.2  # of the poses that the gait node is sent come after time has gone back
MOST_CRASHES = 20  # different ones, after which it is enough
TICKS_BETWEEN = 2  # turns of the ring between two messages


@dataclass
class Outcome:
    """How a door stood it."""

    target: str
    sent: int = 0
    crashes: dict[str, int] = field(default_factory=dict)  # what was raised and where, and how often
    speed: float = 0.0  # the greatest between ticks, as a share of what is allowed
    acceleration: float = 0.0
    crawled_after: float | None = None  # s of the ring's own time from the last of it until it crawled
    problems: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether all is as it must be."""
        return not self.problems


def targets(domain: int) -> list[Target]:
    """Every subscription, service and set of parameters of the nodes of a ring."""
    found: dict[tuple[str, ...], Target] = {}
    for cast in casts():
        ring = FuzzedRing(cast, domain)
        try:
            for name, node in ring.nodes.items():
                for subscription in node.subscriptions:
                    topic = subscription.topic_name.rpartition("/")[2]
                    if topic != "parameter_events":
                        full = "/clock" if topic == "clock" else topic
                        found.setdefault((name, full, cast.robot), Target(name, "topic", full, TYPES[full], cast))
                if cast == casts()[0]:
                    for service in node.services:
                        door = service.srv_name.rpartition("/")[2]
                        if door not in ENDS_IT:
                            found[name, door, "service"] = Target(name, "service", door, service.srv_type)
                    found[name, "", "parameters"] = Target(name, "parameters", "")
        finally:
            ring.close()
    return list(found.values())


def fuzz(target: Target, count: int, seed: int, domain: int, check: Callable[[], None] = lambda: None) -> Outcome:
    """Send it `count` messages, requests or values; `check` is called between them and may raise."""
    outcome = Outcome(str(target))
    chance = random.Random(f"{seed} {target}")
    ring = FuzzedRing(target.cast, domain)
    try:
        if _crawls(ring, WAITS) is None:
            outcome.problems.append("the ring did not begin to crawl")
            return outcome
        ring.witness.peak = Peak()
        attack = _Attack(ring, target, chance)
        while outcome.sent < count and len(outcome.crashes) < MOST_CRASHES:
            check()
            outcome.sent += 1
            _bear(outcome, attack.strike)
            for _ in range(TICKS_BETWEEN):
                _bear(outcome, ring.turn)
        _bear(outcome, attack.make_up)
        outcome.crawled_after = _crawls(ring, WAITS, outcome)
        if outcome.crawled_after is None:
            motion = ring.motion
            outcome.problems.append(f"it does not crawl {RECOVERY:g} s of its own time later: motion is {motion}")
    finally:
        ring.close()
    outcome.problems += [f"{text} ({times} times)" for text, times in outcome.crashes.items()]
    peak = ring.witness.peak
    outcome.speed, outcome.acceleration = peak.speed, max(peak.acceleration, peak.braking)
    outcome.problems += [f"a limit was passed: {text}" for text in peak.said.values()]
    return outcome


class _Attack:
    """What is sent to one target."""

    def __init__(self, ring: FuzzedRing, target: Target, chance: random.Random) -> None:
        self._ring = ring
        self._target = target
        self._chance = chance
        names = [info.name for info in _parameters(ring, target.node)]
        self._values = Values(chance, [*ring.spec.joint_names, *ring.spec.foot_names, *names, "odom"])
        self._names = [name for name in names if name not in SLOWS]
        self._before = {info.name: info.value for info in _parameters(ring, target.node)}
        self._clients: dict[str, Any] = {}

    def strike(self) -> None:
        """Once."""
        target = self._target
        if target.way == "topic":
            if target.node == "gait" and target.name == "joint_states" and self._chance.random() < AGAIN:
                self._ring.send["/clock"](Clock())  # a simulation that starts again: only then is a pose waited for
            self._speak(target)
        elif target.way == "service":
            self._call(target.name, target.kind, self._values.message(target.kind.Request))
        else:
            name = self._chance.choice(self._names)
            message = ParameterMessage(name=name, value=self._parameter_value(name))
            self._call("set_parameters", SetParameters, SetParameters.Request(parameters=[message]))

    def _speak(self, target: Target) -> None:
        ring, values = self._ring, self._values
        if self._chance.random() < FROM_NOTHING:
            ring.send[target.name](values.message(target.kind))
        elif target.name in EVERY_TICK:
            ring.waylaid[target.name] = values.spoil  # it comes before the genuine one, whose stamp it has
            _until(ring, lambda: target.name not in ring.waylaid, f"{target.name} stopped coming")
        else:
            ring.send[target.name](values.spoil(ring.latest(target.name)))

    def make_up(self) -> None:
        """Put back what was changed with leave: parameters, and stops that were asked for."""
        node = self._ring.nodes[self._target.node]
        for name, value in self._before.items():
            now = node.get_parameter(name)
            if now.value != value and self._target.way != "topic":
                message = Parameter(name, value=value).to_parameter_msg()
                self._call("set_parameters", SetParameters, SetParameters.Request(parameters=[message]))
        if self._target.way == "service" and self._target.name in ("enable", "estop", "reset"):
            self._call("reset", Trigger, Trigger.Request())
            self._call("enable", SetBool, SetBool.Request(data=True))
        if self._target.node == "gait" and self._target.way != "topic":  # a slow gait changes at its next phase 0 only
            for on in (False, True):
                self._call("enable", SetBool, SetBool.Request(data=on), node="backend")

    def _parameter_value(self, name: str) -> ParameterValue:
        if self._chance.random() < 0.5:
            return self._values.message(ParameterValue)
        old = self._before[name]
        if isinstance(old, float):
            old = old * self._chance.choice((0.5, 0.9, 1.0, 1.1, 2.0, 10.0)) + self._chance.choice((0.0, 1e-9, 1.0))
        return Parameter(name, value=old).get_parameter_value()

    def _call(self, name: str, kind: Any, request: Any, node: str = "") -> None:
        path = f"{node or self._target.node}/{name}"
        if path not in self._clients:
            self._clients[path] = self._ring.middle.create_client(kind, path)
        client = self._clients[path]
        _until(self._ring, client.service_is_ready, "the service is not there")
        future = client.call_async(request)
        _until(self._ring, future.done, f"{name} did not answer")


def _until(ring: FuzzedRing, condition: Callable[[], bool], otherwise: str) -> None:
    end = time.monotonic() + WAITS
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(otherwise)
        ring.turn()
        ring.executor.spin_once(timeout_sec=0.0)


def _parameters(ring: FuzzedRing, node: str) -> list[Parameter]:
    found: Any = ring.nodes[node]
    return [p for p in found.get_parameters_by_prefix("").values() if not found.describe_parameter(p.name).read_only]


def _bear(outcome: Outcome, do: Callable[[], object]) -> None:
    """Do it; what is raised is noted."""
    try:
        do()
    except Exception as error:  # whatever a callback raises would have ended its node
        frame = traceback.extract_tb(error.__traceback__)[-1]
        text = f"{type(error).__name__}: {str(error)[:150]} in {Path(frame.filename).name}, {frame.name}"
        outcome.crashes[text] = outcome.crashes.get(text, 0) + 1


def _crawls(ring: FuzzedRing, seconds: float, outcome: Outcome | None = None) -> float | None:
    """s of its own time until it crawls; None where it does not within RECOVERY, or `seconds` of wall time."""
    since: float | None = None
    end = time.monotonic() + seconds
    known = outcome if outcome is not None else Outcome("")
    while time.monotonic() < end:
        _bear(known, ring.turn)
        if not ring.witness.states:
            continue
        since = ring.witness.stamp if since is None else since
        passed = ring.witness.stamp - since
        if (
            ring.motion == "active"
            and ring.witness.stirred(max(since, ring.witness.stamp - 0.5), own_time=True) > MOVING
        ):
            return passed
        if outcome is not None and passed > RECOVERY:
            return None
    return None
