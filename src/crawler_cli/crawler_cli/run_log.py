"""What is kept of a run for its summary and its picture, and what is measured from it."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from crawler_interfaces.msg import ContactStateArray, ControllerState
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState
from transforms3d.quaternions import rotate_vector

from crawler_core.types import ContactMode
from crawler_nodes.tap import Tap, Topic, stamp_of

KEEP_EVERY = 0.01  # s of the run's time between samples that are kept
KEEP_MOST = 200_000  # samples; of a longer run the latest are kept


def _samples() -> deque[Any]:
    return deque(maxlen=KEEP_MOST)


@dataclass
class RunLog:
    """Samples of a run, thinned to 100 a second of its time; times count from its first state."""

    names: list[str] = field(default_factory=list)
    feet: list[str] = field(default_factory=list)
    joints: deque[tuple[float, list[float]]] = field(default_factory=_samples)
    contacts: deque[tuple[float, list[int], list[float]]] = field(default_factory=_samples)
    odometry: deque[tuple[float, float, float]] = field(default_factory=_samples)  # t, x, x velocity
    branches: deque[tuple[float, str]] = field(default_factory=_samples)  # t, the part of the law in force
    states: int = 0
    backend: dict[str, str] = field(default_factory=dict)  # the backend's latest diagnostics
    troubles: dict[str, str] = field(default_factory=dict)  # the nodes that are not well, and what they say
    start: float = math.nan
    time: float = 0.0  # s from the first state to the latest, kept or not

    @property
    def distance(self) -> float:
        """Metres gained since the first odometry."""
        return self.odometry[-1][1] - self.odometry[0][1] if self.odometry else 0.0

    def tap(self, node: Node) -> Tap:
        """A tap on `node` that fills this log."""
        return Tap(
            node,
            (
                (Topic("contact_states", ContactStateArray, depth=5000), self._on_contacts),
                (Topic("odom", Odometry, depth=5000), self._on_odometry),
                (Topic("controller_state", ControllerState), self._on_controller),
                (Topic("diagnostics", DiagnosticArray), self._on_diagnostics),
                # last: time starts when the backend sees this one, and the others are known to it by then
                (Topic("joint_states", JointState, depth=5000), self._on_joints),
            ),
        )

    def x_at(self, time: float) -> float:
        """The base's x at a time, between the samples by linear interpolation; good enough to watch."""
        i = bisect_right(self.odometry, time, key=lambda sample: sample[0])
        if i == 0 or i == len(self.odometry):
            return math.nan
        (t0, x0, _), (t1, x1, _) = self.odometry[i - 1], self.odometry[i]
        return x0 + (x1 - x0) * (time - t0) / (t1 - t0)

    def latest_step(self, period: float) -> float:
        """The gain of the latest period; NaN before there was one."""
        if not self.odometry:
            return math.nan
        now = self.odometry[-1][0]
        return self.odometry[-1][1] - self.x_at(now - period)

    def _begin(self, stamp: float) -> None:
        if math.isnan(self.start):
            self.start = stamp

    def _on_joints(self, data: bytes, _info: dict[str, Any]) -> None:
        stamp = stamp_of(data)
        self.states += 1
        self._begin(stamp)
        self.time = stamp - self.start
        if self.joints and stamp - self.start - self.joints[-1][0] < KEEP_EVERY - 1e-9:
            return
        message = deserialize_message(data, JointState)
        self.names = list(message.name)
        self.joints.append((stamp - self.start, list(message.position)))

    def _on_contacts(self, data: bytes, _info: dict[str, Any]) -> None:
        stamp = stamp_of(data)
        self._begin(stamp)
        if self.contacts and stamp - self.start - self.contacts[-1][0] < KEEP_EVERY - 1e-9:
            return
        entries = deserialize_message(data, ContactStateArray).contacts
        self.feet = [entry.foot for entry in entries]
        self.contacts.append(
            (stamp - self.start, [entry.mode for entry in entries], [entry.slip_velocity.x for entry in entries])
        )

    def _on_odometry(self, data: bytes, _info: dict[str, Any]) -> None:
        self._begin(stamp_of(data))
        message = deserialize_message(data, Odometry)
        q, v = message.pose.pose.orientation, message.twist.twist.linear
        speed = float(rotate_vector((v.x, v.y, v.z), (q.w, q.x, q.y, q.z))[0])
        time = stamp_of(data) - self.start
        if not self.odometry or time > self.odometry[-1][0]:
            self.odometry.append((time, message.pose.pose.position.x, speed))

    def _on_controller(self, data: bytes, _info: dict[str, Any]) -> None:
        self._begin(stamp_of(data))
        self.branches.append((stamp_of(data) - self.start, deserialize_message(data, ControllerState).branch))

    def _on_diagnostics(self, data: bytes, _info: dict[str, Any]) -> None:
        for status in deserialize_message(data, DiagnosticArray).status:
            name = status.name.rsplit("/", 1)[-1]
            if status.level == DiagnosticStatus.OK:
                self.troubles.pop(name, None)
            else:
                self.troubles[name] = status.message
            if name == "backend":
                self.backend = {entry.key: entry.value for entry in status.values}


@dataclass(frozen=True)
class Measured:
    """The steady crawl of a run."""

    step_length: float  # m
    speed: float  # m/s
    cycles: int  # whole periods it was averaged over
    steady: bool  # False: the run was too short to have settled


def measure(log: RunLog, period: float, settling: float) -> Measured | None:
    """Step length over the whole periods after the first `settling` seconds; None for a run without a period."""
    from scipy.interpolate import CubicHermiteSpline  # half a second to load, and needed at the end only

    if len(log.odometry) < 4:
        return None
    t, x, v = (np.array(column) for column in zip(*log.odometry, strict=True))
    end = float(t[-1])
    whole = int((end - t[0] - settling) / period + 1e-6)
    cycles = max(1, whole)
    if end - cycles * period < t[0] - 1e-9:
        return None
    path = CubicHermiteSpline(t, x, v)
    step = float(path(end) - path(max(end - cycles * period, t[0]))) / cycles
    return Measured(step, step / period, cycles, steady=whole >= 1)


def mode_shares(log: RunLog) -> dict[str, dict[str, float]]:
    """How much of the time each foot spent in each mode."""
    shares = {}
    for i, foot in enumerate(log.feet):
        counts = Counter(ContactMode(modes[i]).name.lower() for _, modes, _ in log.contacts)
        total = sum(counts.values())
        shares[foot] = {mode: count / total for mode, count in sorted(counts.items())}
    return shares


def branch_shares(log: RunLog, after: float) -> dict[str, float]:
    """How much of the time each part of the law was in force, from `after` (s) on."""
    counts = Counter(branch or "none" for time, branch in log.branches if time >= after)
    total = sum(counts.values())
    return {branch: count / total for branch, count in sorted(counts.items())}
