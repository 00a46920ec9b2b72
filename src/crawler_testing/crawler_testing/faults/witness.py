"""What a ring under a storm is seen to do, by its topics alone: how it moves, what it says."""

from __future__ import annotations

import math
import time
from collections import deque
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, NamedTuple

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

from crawler_core.robot import RobotSpec
from crawler_nodes.run_log.log import Topics
from crawler_nodes.transport.tap import Topic, stamp_of
from crawler_testing.faults.kind import REAL_TIME

STILL = 2e-3  # rad that joints at rest may stir, within REST
REST = 0.3  # s
MOVING = 0.01  # rad that a crawl moves its joints at least, within half a second
LIMP = ("e-stopped", "faulted", "relaxed", "disabled")
RESOLUTION = {"ideal": 1e-9, "mock": 1e-6, "emulated": 2e-3}  # rad, of the angles that are reported
UNSURE = 1e-3  # s by which commands reach a joint in real time sooner or later
SOLVED = 2e-5  # rad, that the solver of an engine leaves


class HeardState(NamedTuple):
    """One message of joint_states, of the actuated joints."""

    heard: float  # s of the wall clock
    stamp: float  # s
    angles: tuple[float, ...]  # rad


class HeardWord(NamedTuple):
    """One status of diagnostics."""

    heard: float  # s of the wall clock
    node: str
    level: int
    text: str  # its message and all of its values


@dataclass
class Peak:
    """The fastest that was seen, as shares of what is allowed."""

    speed: float = 0.0
    acceleration: float = 0.0
    braking: float = 0.0  # acceleration that only takes speed away, as the loss of torque does
    said: dict[str, str] = field(default_factory=dict)  # about the worst of each that is not allowed

    def note(self, kind: str, share: float, joint: str, value: float, allowed: float, unit: str, stamp: float) -> None:
        """A joint's speed or acceleration between ticks."""
        if share > getattr(self, kind):
            setattr(self, kind, share)
            if share > 1.0:
                self.said[kind] = f"{joint} had {value:.4g} {unit} at {stamp:.3f} s, allowed are {allowed:.4g}"


@dataclass
class Witness:
    """Fed by `topics`. The joints that are driven by effort have no limit of acceleration to be held to."""

    spec: RobotSpec
    backend: str
    states: deque[HeardState] = field(default_factory=lambda: deque(maxlen=4000))
    words: deque[HeardWord] = field(default_factory=lambda: deque(maxlen=4000))
    forged: set[bytes] = field(default_factory=set)  # what the storm itself has sent
    counters: dict[str, str] = field(default_factory=dict)  # the backend's latest values in diagnostics
    peak: Peak = field(default_factory=Peak)
    went_back: int = 0  # how often time did

    def __post_init__(self) -> None:
        self._resolution = RESOLUTION.get(self.backend, SOLVED)
        self._names: list[str] = []
        self._index: list[int] = []
        self._limp = False  # without torque: how joints fall then is not the stack's doing
        self._speeds: tuple[float, tuple[float, ...]] | None = None  # s that they are the mean of, rad/s

    def topics(self) -> Topics:
        """What it listens to; what belongs to the same instant is heard first."""
        return [
            (Topic("diagnostics", DiagnosticArray, depth=5000), self._on_diagnostics),
            (Topic("motion_state", DiagnosticStatus, latched=True, depth=10), self._on_motion),
            (Topic("joint_states", JointState, depth=5000), self._on_state),
        ]

    @property
    def motion(self) -> str:
        """What the backend says of its motion; empty before it said anything."""
        return self.counters.get("motion", "")

    @property
    def stamp(self) -> float:
        """s of the run's own time; NaN before it began."""
        return self.states[-1].stamp if self.states else math.nan

    def stirred(self, since: float, own_time: bool = False) -> float:
        """rad by which the joint that moved most did so after `since`, a time of the wall clock or the run's own."""
        late = takewhile(lambda s: (s.stamp if own_time else s.heard) >= since, reversed(self.states))
        kept = [s.angles for s in late]
        return max((max(column) - min(column) for column in zip(*kept, strict=True)), default=0.0)

    @property
    def safe(self) -> bool:
        """Whether it has been at rest for a while, or has no torque."""
        return self.rests()

    def rests(self, trembles: float = 0.0) -> bool:
        """The same, for joints that tremble by so many rad where they rest."""
        return self.motion in LIMP or self.stirred(time.monotonic() - REST) < STILL + trembles

    def crawled(self, since: float) -> bool:
        """Whether it moved as a crawl does in the half second of its own time that ends now; `since` in own time."""
        return self.motion == "active" and self.stirred(max(since, self.stamp - 0.5), own_time=True) > MOVING

    def said(self, words: tuple[str, ...], since: float) -> bool:
        """Whether one of the words was in a warning or an error since then (wall clock)."""
        return any(word in text for text in self.complaints(since) for word in map(str.lower, words))

    def complaints(self, since: float) -> list[str]:
        """Warnings and errors since then, in small letters."""
        return [f"{word.node}: {word.text}".lower() for word in self.words if word.level and word.heard >= since]

    def _on_diagnostics(self, data: bytes, _info: dict[str, Any]) -> None:
        for status in deserialize_message(data, DiagnosticArray).status:
            values = {entry.key: entry.value for entry in status.values}
            text = "; ".join([status.message, *(f"{key} {value}" for key, value in values.items())])
            self.words.append(HeardWord(time.monotonic(), status.name, status.level[0], text))
            if status.name.rpartition("/")[2] == "backend" and "motion" in values:
                self.counters = values

    def _on_motion(self, data: bytes, _info: dict[str, Any]) -> None:
        if data not in self.forged:
            self._limp = deserialize_message(data, DiagnosticStatus).message in LIMP

    def _on_state(self, data: bytes, _info: dict[str, Any]) -> None:
        if data in self.forged:
            return
        message = deserialize_message(data, JointState)
        if list(message.name) != self._names:
            self._names = list(message.name)
            self._index = [self._names.index(name) for name in self.spec.actuated_names]
        self.see(HeardState(time.monotonic(), stamp_of(data), tuple(message.position[i] for i in self._index)))

    def see(self, state: HeardState) -> None:
        """The next state."""
        if self.states:
            self._compare(self.states[-1], state)
        if not self.states or state.stamp != self.states[-1].stamp:
            self.states.append(state)

    def _compare(self, before: HeardState, now: HeardState) -> None:
        passed = now.stamp - before.stamp
        if passed <= 0.0:
            self.went_back += passed < 0.0
            self._speeds = None if passed < 0.0 else self._speeds
            return
        if self._limp:
            self._speeds = None
            return
        joints = self.spec.actuated
        speeds = []
        for joint, old, new in zip(joints, before.angles, now.angles, strict=True):
            gone = math.remainder(new - old, math.tau) if joint.continuous else new - old
            speeds.append(gone / passed)
            allowed = joint.velocity * (1.0 + 1e-6) + 2.0 * self._resolution / passed
            if not joint.by_effort:
                self.peak.note(
                    "speed", abs(gone / passed) / allowed, joint.name, gone / passed, allowed, "rad/s", now.stamp
                )
        if self._speeds is not None:
            earlier, slow = self._speeds
            mean = 0.5 * (passed + earlier)
            for joint, old, new in zip(joints, slow, speeds, strict=True):
                change = (new - old) / mean
                blur = 2.0 * self._resolution * (1.0 / passed + 1.0 / earlier) / mean
                late = self._uneven(passed), self._uneven(earlier)
                uneven = (abs(new) * late[0] + abs(old) * late[1]) / mean + joint.acceleration * max(late)
                allowed = joint.acceleration * (1.0 + 1e-6) + blur + uneven
                if not joint.by_effort:
                    kind = "braking" if new * old >= 0.0 and abs(new) < abs(old) else "acceleration"
                    self.peak.note(kind, abs(change) / allowed, joint.name, change, allowed, "rad/s²", now.stamp)
        self._speeds = (passed, tuple(speeds))

    def _uneven(self, passed: float) -> float:
        """The share of its speed that a joint in real time shows or hides where the machine's ticks are uneven.

        It is on its way for a tick after each setpoint, and then there: the machine's lateness, not what it was told.
        """
        rate = float(self.counters.get("rate", 0.0))
        if not rate or self.backend not in REAL_TIME:
            return 0.0
        return min(1.0, abs(1.0 - 1.0 / (rate * passed)) + UNSURE / passed)
