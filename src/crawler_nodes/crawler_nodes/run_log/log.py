"""What is kept of a watched ring, and where the base was at any time of it. Times count from the first message."""

from __future__ import annotations

import contextlib
import math
from bisect import bisect_right
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, NamedTuple

from crawler_interfaces.msg import ContactStateArray, ControllerState
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from nav_msgs.msg import Odometry
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

from crawler_core.gait_metrics.heading import AHEAD, Heading
from crawler_core.robot.robot_spec import RobotSpec, StrideSpec
from crawler_core.types import ContactMode
from crawler_nodes.messages.header import travel
from crawler_nodes.run_log.decimating_buffer import DecimatingBuffer
from crawler_nodes.run_log.stride_loads import Demand
from crawler_nodes.transport.tap import Topic, stamp_of

KEEP_EVERY = 0.01  # s of the run's time between samples of joints and contacts that are kept, unless said otherwise
# samples of each kind: all of a minute, and what shows the whole of a longer run. Memory is full long before five
# minutes are over, for the rarest kind too, of which 50 come a second; after that a thinning leaves it some holes
KEEP_MOST = 6_000
KEEP_STRIDES = 5_000  # the latest, of those that end with an event
KEEP_EVERYTHING = 200_000  # samples, where nothing is left out between two of them
HALTED = ("e-stopped", "faulted", "relaxed")  # states of motion from which nothing goes on by itself
ON_GROUND = (ContactMode.STICK, ContactMode.SLIP_POS, ContactMode.SLIP_NEG)

Topics = list[tuple[Topic, Callable[[bytes, dict[str, Any]], None]]]


class Place(NamedTuple):
    """The base at one time. Of a base that yaws, forward and lateral are the ways gone along its heading."""

    time: float  # s
    forward: float  # m
    speed: float  # m/s, forward
    lateral: float  # m, to the left
    yaw: float  # rad, turns counted


class FeetSample(NamedTuple):
    """The feet at one time, in the order of `RunLog.feet`."""

    time: float  # s
    modes: list[int]
    slip: list[float]  # m/s forward


@dataclass
class RunLog:
    """A ring since the log was made, or last cleared."""

    yaws: bool = False  # the base has a heading of its own; otherwise forward is the world's x
    drifts: bool = False  # it can leave the straight line
    stride: StrideSpec = field(default_factory=StrideSpec)
    pushed: tuple[str, ...] = ()  # joints that are driven by effort
    keep_every: float = KEEP_EVERY  # s; 0: everything
    names: list[str] = field(default_factory=list)
    feet: list[str] = field(default_factory=list)
    states: int = 0
    backend: dict[str, str] = field(default_factory=dict)  # the backend's latest diagnostics
    period: float = math.nan  # s, of the gait in force; it may have been changed on the way,
    changed_ns: int = 0  # at this time of the ring; 0: it was not
    troubles: dict[str, str] = field(default_factory=dict)  # the nodes that are not well, and what they say
    halts: dict[str, str] = field(default_factory=dict)  # states of motion in which it stopped, and what was said first
    reported: dict[str, float] = field(default_factory=dict)  # when each node was last heard of, on the steady clock
    followed: int = 0  # samples of the controller since it first followed a reference
    left_alone: int = 0  # and those of them in which it had none
    start: float = math.nan  # s, the stamp from which times count
    time: float = 0.0  # s from the first message to the latest state, kept or not
    heard: float = field(default_factory=monotonic)  # when the latest odometry came, on the wall clock
    went_back: bool = False  # time did: the ring was started again

    def __post_init__(self) -> None:
        most = KEEP_MOST if self.keep_every else KEEP_EVERYTHING
        self.joints: DecimatingBuffer[tuple[float, list[float]]] = DecimatingBuffer(most)
        self.contacts: DecimatingBuffer[FeetSample] = DecimatingBuffer(most)
        self.odometry: DecimatingBuffer[Place] = DecimatingBuffer(most)
        self.branches: DecimatingBuffer[tuple[float, str]] = DecimatingBuffer(most)  # t, the part of the law in force
        strides = KEEP_STRIDES if self.keep_every else KEEP_EVERYTHING
        self.events: deque[float] = deque(maxlen=strides)  # times at which a stride ended with an event of a foot
        self.demands: deque[Demand] = deque(maxlen=strides)  # of the strides that ended there
        self._world = (0.0, 0.0)  # where the latest odometry was
        self._heading = AHEAD
        self._demand = Demand()  # of the stride that is under way
        self._touched = math.nan  # s, of the latest contacts
        self._landed: bool | None = None  # whether the foot that cuts strides is on the ground

    @staticmethod
    def of(spec: RobotSpec, keep_every: float = KEEP_EVERY) -> RunLog:
        """An empty log for this robot."""
        yaws = "yaw" in spec.base_motion
        pushed = tuple(joint.name for joint in spec.actuated if joint.by_effort)
        return RunLog(yaws, yaws or "y" in spec.base_motion, spec.stride, pushed, keep_every)

    def topics(self, joints: bool = True) -> Topics:
        """What fills this log; without `joints` nothing that time waits for."""
        listened: Topics = [
            (Topic("contact_states", ContactStateArray, depth=5000), self.on_contacts),
            (Topic("odom", Odometry, depth=5000), self.on_odometry),
            (Topic("controller_state", ControllerState), self._on_controller),
            (Topic("diagnostics", DiagnosticArray), self._on_diagnostics),
        ]
        if joints:
            # last: time starts when the backend sees this one, and the others are known to it by then
            listened.append((Topic("joint_states", JointState, depth=5000), self._on_joints))
        return listened

    @property
    def now(self) -> float:
        """The time of the latest odometry; NaN before there was any."""
        return self.odometry[-1].time if self.odometry else math.nan

    @property
    def changed(self) -> float | None:
        """When the gait was changed last, s; None where it was not since the log began."""
        at = 1e-9 * self.changed_ns - self.start
        return at if at > 0.0 else None

    @property
    def motion(self) -> str:
        """What the backend says of its motion, such as active; empty before it said anything."""
        return self.backend.get("motion", "")

    @property
    def distance(self) -> float:
        """Metres gained forward since the first odometry."""
        return self.odometry[-1].forward - self.odometry[0].forward if self.odometry else 0.0

    @property
    def lateral(self) -> float:
        """Metres gone to the left since the first odometry."""
        return self.odometry[-1].lateral - self.odometry[0].lateral if self.odometry else 0.0

    @property
    def yaw(self) -> float:
        """Radians turned to the left since the first odometry."""
        return self.odometry[-1].yaw - self.odometry[0].yaw if self.odometry else 0.0

    def clear(self) -> None:
        """Forget all but the present."""
        present = self.odometry[-1:]
        self.odometry.clear()
        for place in present:
            self.odometry.append(place)
        for samples in (self.joints, self.contacts, self.branches, self.events, self.demands):
            samples.clear()
        self.went_back = False

    def forward_at(self, time: float) -> float:
        """How far forward the base was, between the messages by the cubic through positions and speeds; NaN outside."""
        i = bisect_right(self.odometry, time, key=lambda place: place.time)
        if i == len(self.odometry) and time == self.now:
            return self.odometry[-1].forward
        if i == 0 or i == len(self.odometry):
            return math.nan
        (t0, x0, v0, _, _), (t1, x1, v1, _, _) = self.odometry[i - 1], self.odometry[i]
        h = t1 - t0
        s = (time - t0) / h
        bend = (1.0 - s) * (h * v0 - (x1 - x0)) - s * (h * v1 - (x1 - x0))
        return x0 + s * (x1 - x0) + s * (1.0 - s) * bend

    def cuts(self, begin: float, period: float) -> list[float]:
        """When one stride ends and the next begins, from `begin` on: the robot's events, or each `period`."""
        if self.stride.cut != "period":
            return [event for event in self.events if begin <= event <= self.now]
        count = math.floor((self.now - begin) / period + 1e-9) if self.odometry else -1
        return [min(begin + k * period, self.now) for k in range(count + 1)]

    def on_contacts(self, data: bytes, _info: dict[str, Any]) -> None:
        """A serialised message of contact_states."""
        stamp = stamp_of(data)
        self._begin(stamp)
        due = not self.contacts or stamp - self.start - self.contacts[-1].time >= self.keep_every - 1e-9
        if not due and self.stride.cut == "period":
            return
        entries = deserialize_message(data, ContactStateArray).contacts
        feet = [entry.foot for entry in entries]
        if feet != (self.feet or feet):
            return  # of another robot that runs under the same names
        if stamp > self._touched:
            self._demand.touch(entries, stamp - self._touched)
        self._touched = stamp
        for entry in entries:
            if entry.foot == self.stride.foot:
                self._cut(stamp - self.start, entry.mode)
        if due:
            self.feet = feet
            along = self._heading.along
            slip = [along(entry.slip_velocity.x, entry.slip_velocity.y) for entry in entries]
            self.contacts.append(FeetSample(stamp - self.start, [entry.mode for entry in entries], slip))

    def _cut(self, time: float, mode: int) -> None:
        if mode == ContactMode.UNKNOWN:
            return
        before, self._landed = self._landed, mode in ON_GROUND
        if before is None or before is self._landed or self._landed != (self.stride.cut == "touch_down"):
            return
        if not self.events or time - self.events[-1] >= self.stride.apart:
            self.events.append(time)
            self.demands.append(self._demand)
            self._demand = Demand()

    def on_odometry(self, data: bytes, _info: dict[str, Any]) -> None:
        """A serialised message of odom."""
        self._begin(stamp_of(data))
        self.heard = monotonic()
        time = stamp_of(data) - self.start
        if self.odometry and time < self.odometry[-1].time:
            self.went_back = True
            self.odometry.clear()
            self.events.clear()
            self.demands.clear()
        if not self.odometry or time > self.odometry[-1].time:
            self.odometry.append(self._place(time, deserialize_message(data, Odometry)))

    def _place(self, time: float, message: Odometry) -> Place:
        moved = travel(message, self.yaws)
        heading, before, world = moved.heading, self._heading, (moved.x, moved.y)
        last = self.odometry[-1] if self.odometry else None
        came, self._heading, self._world = self._world, heading, world
        if not self.yaws:
            return Place(time, moved.x, moved.forward, moved.y, 0.0)
        if last is None:
            return Place(time, 0.0, moved.forward, 0.0, heading.yaw)
        turned = math.remainder(heading.yaw - before.yaw, 2.0 * math.pi)
        middle = Heading(math.cos(before.yaw + 0.5 * turned), math.sin(before.yaw + 0.5 * turned))
        step = (world[0] - came[0], world[1] - came[1])
        forward, lateral = last.forward + middle.along(*step), last.lateral + middle.aside(*step)
        return Place(time, forward, moved.forward, lateral, last.yaw + turned)

    def _begin(self, stamp: float) -> None:
        if math.isnan(self.start):
            self.start = stamp

    def _on_joints(self, data: bytes, _info: dict[str, Any]) -> None:
        stamp = stamp_of(data)
        self.states += 1
        self._begin(stamp)
        self.time = stamp - self.start
        due = not self.joints or stamp - self.start - self.joints[-1][0] >= self.keep_every - 1e-9
        demanding = bool(self.pushed) and self.stride.cut != "period"
        if not (due or demanding):
            return
        message = deserialize_message(data, JointState)
        if list(message.name) != (self.names or list(message.name)):
            return
        if demanding:
            for name, effort, rate in zip(message.name, message.effort, message.velocity, strict=False):
                if name in self.pushed:
                    self._demand.push(effort, rate)
        if not due:
            return
        self.names = list(message.name)
        self.joints.append((stamp - self.start, list(message.position)))

    def _on_controller(self, data: bytes, _info: dict[str, Any]) -> None:
        self._begin(stamp_of(data))
        message = deserialize_message(data, ControllerState)
        self.branches.append((stamp_of(data) - self.start, message.branch))
        if self.followed or message.status == ControllerState.TRACKING:
            self.followed += 1
            self.left_alone += message.status in (ControllerState.STOPPING, ControllerState.STOPPED)

    def _on_diagnostics(self, data: bytes, _info: dict[str, Any]) -> None:
        for status in deserialize_message(data, DiagnosticArray).status:
            name = status.name.rsplit("/", 1)[-1]
            self.reported[name] = monotonic()
            if status.level == DiagnosticStatus.OK:
                self.troubles.pop(name, None)
            else:
                self.troubles[name] = status.message
            if name == "gait":
                told = {entry.key: entry.value for entry in status.values}
                with contextlib.suppress(ValueError):  # whoever else says what under this name
                    self.period = float(told.get("period", "nan"))
                    self.changed_ns = int(told.get("changed_ns", "0"))
            if name == "backend":
                moved = self.motion in ("active", "holding")
                self.backend = {entry.key: entry.value for entry in status.values}
                disabled = moved and self.motion == "disabled" and self.backend.get("finished") != "True"
                if self.motion in HALTED or disabled:
                    self.halts.setdefault(self.motion, status.message)
