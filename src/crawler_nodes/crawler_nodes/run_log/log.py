"""The log of a monitored run. Times count from the first message."""

from __future__ import annotations

import math
from time import monotonic
from typing import Any, NamedTuple

from crawler_interfaces.msg import ContactStateArray, ControllerState
from diagnostic_msgs.msg import DiagnosticArray
from nav_msgs.msg import Odometry
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState

from crawler_core.robot.robot_spec import RobotSpec, StrideSpec
from crawler_nodes.messages.header import read_stamp_s
from crawler_nodes.run_log.base_track import BaseTrack
from crawler_nodes.run_log.decimating_buffer import DecimatingBuffer
from crawler_nodes.run_log.stack_status import StackStatus
from crawler_nodes.run_log.stride_log import StrideLog
from crawler_nodes.topics import CONTACT_STATES, CONTROLLER_STATE, DIAGNOSTICS, GROUND_TRUTH, JOINT_STATES, ODOM
from crawler_nodes.transport.tap import TopicCallbacks

SAMPLE_PERIOD_S = 0.01  # of the run's time, between samples of joints and contacts
# samples of each kind: all of a minute, and an even selection of a longer run. Memory is full long before five
# minutes are over, for the rarest kind too, of which 50 come a second; each decimation then leaves some holes
MAX_SAMPLES = 6_000
MAX_STRIDES = 5_000  # the latest, of those that end with an event
TRUTH_TIMEOUT_S = 10.0  # of the run's time; the messages of two topics are read in turns
MAX_NAMES = 500  # of joints and of feet: a message with more is of no robot
MAX_BRANCH_LENGTH = 100  # letters of a law's branch
MAX_UNDECIMATED = 200_000  # samples and strides with a sample period of 0


class FeetSample(NamedTuple):
    """The feet at one time, in the order of `RunLog.feet`."""

    time: float  # s
    modes: list[int]
    slip: list[float]  # m/s forward


class RunLog:
    """A stack since the log was made, or last cleared."""

    def __init__(
        self,
        *,
        can_yaw: bool = False,  # the base has a heading; otherwise forward is the world's x axis
        can_drift: bool = False,  # the base can leave the straight line
        stride: StrideSpec | None = None,
        effort_joints: tuple[str, ...] = (),
        sample_period: float = SAMPLE_PERIOD_S,  # s; 0: every message
    ) -> None:
        max_samples, max_strides = (MAX_SAMPLES, MAX_STRIDES) if sample_period else (MAX_UNDECIMATED,) * 2
        self.can_drift = can_drift
        self.names: list[str] = []  # of the joints
        self.feet: list[str] = []
        self.joints: DecimatingBuffer[tuple[float, list[float]]] = DecimatingBuffer(max_samples)
        self.contacts: DecimatingBuffer[FeetSample] = DecimatingBuffer(max_samples)
        self.branches: DecimatingBuffer[tuple[float, str]] = DecimatingBuffer(max_samples)  # s, of the control law
        self.truth = BaseTrack(can_yaw, max_samples)  # of a simulation
        self.estimate = BaseTrack(can_yaw, max_samples)  # what the robot believes
        self.strides = StrideLog(stride or StrideSpec(), max_strides)
        self.status = StackStatus()
        self.states = 0  # messages of joint_states
        self.controller_samples = 0  # messages of controller_state since the first reference was tracked
        self.samples_without_reference = 0  # and those of them that had none
        self.start = math.nan  # s, the stamp from which times count
        self.time = 0.0  # s, of the latest state
        self.went_back = False  # time did: the stack was started again
        self._effort_joints = effort_joints
        self._sample_period = sample_period

    @staticmethod
    def of(spec: RobotSpec, sample_period: float = SAMPLE_PERIOD_S) -> RunLog:
        """Return an empty log for this robot."""
        can_yaw = "yaw" in spec.base_motion
        return RunLog(
            can_yaw=can_yaw,
            can_drift=can_yaw or "y" in spec.base_motion,
            stride=spec.stride,
            effort_joints=tuple(joint.name for joint in spec.actuated if joint.is_effort_driven),
            sample_period=sample_period,
        )

    def topics(self, joints: bool = True) -> TopicCallbacks:
        """Return the topics that fill this log; without `joints` none for which a backend waits."""
        topics: TopicCallbacks = [
            (CONTACT_STATES, self.on_contacts),
            (GROUND_TRUTH, self.on_ground_truth),
            (ODOM, self.on_odometry),
            (CONTROLLER_STATE, self._on_controller),
            (DIAGNOSTICS, self._on_diagnostics),
        ]
        # last: time starts once the backend sees this subscription, and the others are discovered by then
        return [*topics, (JOINT_STATES, self._on_joints)] if joints else topics

    @property
    def base(self) -> BaseTrack:
        """The base as a run is measured by: the simulation's truth, or the estimate where there is no truth."""
        is_stale = self.estimate.now - self.truth.now > TRUTH_TIMEOUT_S  # another stack has the name of a simulation
        return self.truth if self.truth.poses and not is_stale else self.estimate

    @property
    def changed(self) -> float | None:
        """When the gait was changed last, s; None where it was not since the log began."""
        at = 1e-9 * self.status.changed_ns - self.start
        return at if at > 0.0 else None

    def clear(self) -> None:
        """Remove all but the present."""
        self.truth.clear()
        self.estimate.clear()
        self.strides.clear()
        for samples in (self.joints, self.contacts, self.branches):
            samples.clear()
        self.went_back = False

    def stride_ends(self, begin: float, period: float) -> list[float]:
        """Return the ends of strides from `begin` on: the robot's events, or each `period`."""
        if self.strides.by_event:
            return [event for event in self.strides.events if begin <= event <= self.base.now]
        count = math.floor((self.base.now - begin) / period + 1e-9) if self.base.poses else -1
        return [min(begin + k * period, self.base.now) for k in range(count + 1)]

    def on_contacts(self, data: bytes, _info: dict[str, Any]) -> None:
        """Take a serialised message of contact_states."""
        stamp = read_stamp_s(data)
        time = self._log_time(stamp)
        is_due = not self.contacts or self._is_due(time, self.contacts[-1].time)
        if not is_due and not self.strides.by_event:
            return
        entries = deserialize_message(data, ContactStateArray).contacts
        feet = [entry.foot for entry in entries]
        if feet != (self.feet or feet) or len(feet) > MAX_NAMES:
            return  # of another robot under the same names
        self.strides.add_contacts(stamp, time, entries)
        if is_due:
            self.feet = feet
            to_forward = self.base.heading.forward
            slip = [to_forward(entry.slip_velocity.x, entry.slip_velocity.y) for entry in entries]
            self.contacts.append(FeetSample(time, [entry.mode for entry in entries], slip))

    def on_odometry(self, data: bytes, _info: dict[str, Any]) -> None:
        """Take a serialised message of odom."""
        self._add_pose(self.estimate, data)

    def on_ground_truth(self, data: bytes, _info: dict[str, Any]) -> None:
        """Take a serialised message of ground_truth/odom."""
        self._add_pose(self.truth, data)

    def _add_pose(self, track: BaseTrack, data: bytes) -> None:
        time = self._log_time(read_stamp_s(data))
        poses = track.poses
        track.received_at = monotonic()
        if poses and time < poses[-1].time:
            self.went_back = True
            poses.clear()
            self.strides.clear()
        if not poses or time > poses[-1].time:
            track.add(time, deserialize_message(data, Odometry))

    def _on_joints(self, data: bytes, _info: dict[str, Any]) -> None:
        self.states += 1
        self.time = time = self._log_time(read_stamp_s(data))
        is_due = not self.joints or self._is_due(time, self.joints[-1][0])
        has_loads = bool(self._effort_joints) and self.strides.by_event
        if not (is_due or has_loads):
            return
        message = deserialize_message(data, JointState)
        names = list(message.name)
        if names != (self.names or names) or not len(message.position) == len(names) <= MAX_NAMES:
            return  # of another robot under the same names, or damaged
        if has_loads:
            for name, effort, velocity in zip(names, message.effort, message.velocity, strict=False):
                if name in self._effort_joints:
                    self.strides.add_effort(effort, velocity)
        if is_due:
            self.names = names
            self.joints.append((time, list(message.position)))

    def _on_controller(self, data: bytes, _info: dict[str, Any]) -> None:
        time = self._log_time(read_stamp_s(data))
        message = deserialize_message(data, ControllerState)
        self.branches.append((time, message.branch[:MAX_BRANCH_LENGTH]))
        if self.controller_samples or message.status == ControllerState.TRACKING:
            self.controller_samples += 1
            has_reference = message.status not in (ControllerState.STOPPING, ControllerState.STOPPED)
            self.samples_without_reference += not has_reference

    def _on_diagnostics(self, data: bytes, _info: dict[str, Any]) -> None:
        self.status.update(deserialize_message(data, DiagnosticArray))

    def _log_time(self, stamp: float) -> float:
        """Return a stamp as time of the log, which begins with the first message."""
        if math.isnan(self.start):
            self.start = stamp
        return stamp - self.start

    def _is_due(self, time: float, latest: float) -> bool:
        return time - latest >= self._sample_period - 1e-9
