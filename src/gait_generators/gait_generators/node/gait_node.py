"""The gait node: streams the reference of one gait, from the first measured pose on."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import Twist
from rclpy.clock import JumpThreshold, TimeJump
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.subscription import Subscription
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from crawler_core.errors import UserError
from crawler_core.loop.backend_settings import robots_rate
from crawler_core.parameters import parameter
from crawler_core.safety.supervisor import MOVING, MotionState
from crawler_core.types import FloatArray
from crawler_nodes.diagnostics import OK, WARN, DiagnosticsReporter, Recent
from crawler_nodes.messages.header import doubles, read_motion, set_stamp, stamp_ns
from crawler_nodes.node_main import run_node
from crawler_nodes.parameters import declare, refuse_unknown, robot_of
from crawler_nodes.transport.clock_guard import ClockGuard
from crawler_nodes.transport.message_source import PublisherMonitor, node_of, own_name
from crawler_nodes.transport.priority_executor import PriorityExecutor
from crawler_nodes.transport.safe_subscriptions import SafeSubscriptions
from gait_generators.kinds.gait import Gait
from gait_generators.kinds.gait_registry import GAITS, gait_defaults, gait_name, make_gait
from gait_generators.kinds.limit_check import check_limits
from gait_generators.node.velocity_command import (
    AT_STANDSTILL,
    VelocityCommand,
    VelocityCommandBuffer,
    parse_velocity_command,
    rates_within_limits,
)
from gait_generators.transitions.gait_stream import GRID, GaitStream, GridPoints, TimeGrid

FAR = 1.0  # s between a state and the clock: no motion begins in one that is further away
FEW = 8  # backends whose word on the motion is kept


class MeasuredPose(NamedTuple):
    """What a state says to a gait."""

    backend: str  # as it names itself
    time_ns: int
    angle: FloatArray  # rad, of the actuated joints


@dataclass(frozen=True)
class GaitSettings:
    """The node's own parameters; those of the gait stand beside them."""

    robot: str = parameter("", doc="installed robot, or the path of a robot.yaml; empty: the default", constant=True)
    robot_overrides: str = parameter("", doc="YAML mapping of robot parameters to use instead", constant=True)
    gait: str = parameter("", doc="name of the gait; empty: the robot's default", constant=True)
    rate: float = parameter(200.0, unit="Hz", low=10.0, high=4000.0, doc="ticks per second of the ring", constant=True)
    grid: float = parameter(
        GRID.step / 1e9, unit="s", low=0.001, high=0.1, doc="time between reference points", constant=True
    )
    refresh: float = parameter(
        GRID.behind / 1e9, unit="s", low=0.005, high=1.0, doc="time between two horizons", constant=True
    )
    horizon: float = parameter(
        GRID.ahead / 1e9, unit="s", low=0.02, high=5.0, doc="how far ahead it reaches", constant=True
    )


class GaitNode(Node):
    """Publishes gait_reference. A gait parameter that is set takes effect at the gait's next phase 0."""

    def __init__(self, **node_options: Any) -> None:
        super().__init__("gait", **node_options)
        self._spec = robot_of(self)
        settings = declare(self, GaitSettings, robots_rate(self._spec))
        if settings.horizon < settings.refresh + 2.0 / settings.rate:
            raise UserError(
                f"gait.horizon = {settings.horizon:g} s is too short: with gait.refresh = {settings.refresh:g} s and "
                f"gait.rate = {settings.rate:g} Hz it must be at least {settings.refresh + 2.0 / settings.rate:g} s."
            )
        self._name = gait_name(self._spec, settings.gait)
        self._stream: GaitStream | None = None
        defaults = gait_defaults(self._spec, self._name)
        own = declare(self, GAITS[self._name].parameters, defaults, check=self._check, on_change=self._change)
        refuse_unknown(self, section="gait")
        self._gait = self._make(own)
        step, refresh = round(settings.grid * 1e9), round(settings.refresh * 1e9)
        self._grid = TimeGrid(step=step, ahead=round(settings.horizon * 1e9), behind=refresh)
        self._published = 0

        qos = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._out = self.create_publisher(JointTrajectory, "gait_reference", qos)
        self._message = JointTrajectory(joint_names=list(self._spec.actuated_names))
        self._message.header.frame_id = own_name(self)
        self._hearing = SafeSubscriptions(self, self._complain)
        self._recent, self._complaints, self._complaint = Recent(), 0, ""
        self._waiting = ""  # for what, before there is a motion
        self._changed_ns = 0  # when the gait was changed last, of the node's time
        self._diagnostics = DiagnosticsReporter(self, self._spec.name, refresh=self._report)
        self._company = PublisherMonitor(self, {"gait_reference": None}, self._report)
        self._states: Subscription | None = None
        self._backend = ""  # whose pose the motion began in
        self._motions: dict[str, MotionState] = {}  # what backends have said of the motion
        self._steering, self._driven = VelocityCommandBuffer(), AT_STANDSTILL
        self._hearing.listen(DiagnosticStatus, "motion_state", read_motion, self._on_motion, qos)
        if GAITS[self._name].steered:
            self._hearing.listen(Twist, "cmd_vel", _drive_of, self._on_drive)
        self._clock_guard = ClockGuard.of(self)
        self._wait_for_pose("waiting for joint_states")
        self.create_timer(settings.refresh, self._refresh)
        # a simulation that starts again: its time goes back, and so does the gait
        back = JumpThreshold(min_forward=None, min_backward=Duration(nanoseconds=-1), on_clock_change=False)
        self._jumps = self.get_clock().create_jump_callback(back, post_callback=self._time_went_back)

    def _make(self, parameters: Any) -> Gait:
        gait = make_gait(self._spec, self._name, asdict(parameters))
        check_limits(self._spec, gait)
        return gait

    def _check(self, parameters: Any) -> None:
        gait = self._make(parameters)
        if self._stream is not None and self._steering.drive is None:
            self._stream.transition(gait, self.get_clock().now().nanoseconds)

    def _change(self, parameters: Any) -> None:
        self._gait = self._make(parameters)
        if self._stream is None:
            return
        if self._steering.drive is not None:
            self._drive()
            return
        now = self.get_clock().now().nanoseconds
        begin = self._changed_ns = self._stream.change(self._gait, now)
        self.get_logger().info(f"the gait changes in {max(0.0, (begin - now) * 1e-9):.2f} s")

    def _wait_for_pose(self, why: str) -> None:
        self._stream = None
        self._waiting = why
        if self._states is None:
            self._states = self._hearing.listen(JointState, "joint_states", self._read_pose, self._on_pose)
        self._report()

    def _on_motion(self, said: tuple[str, MotionState]) -> None:
        """Stop where motion is not allowed; once it is, begin again in the pose that is found then."""
        backend, motion = said
        if len(self._motions) >= FEW and backend not in self._motions:
            self._motions.pop(next(iter(self._motions)))
        self._motions[backend] = motion
        if self._stream is not None and backend == self._backend and motion not in MOVING:
            self._wait_for_pose(f"motion is {motion.value}: the gait begins again when it is enabled")

    def _time_went_back(self, _jump: TimeJump) -> None:
        self._steering = VelocityCommandBuffer()
        self._wait_for_pose("time went back: waiting for joint_states to start again")

    def _on_drive(self, drive: VelocityCommand) -> None:
        if self._steering.hear(drive, self.get_clock().now().nanoseconds):
            self._drive()

    def _drive(self) -> None:
        """Turn the joints as cmd_vel says from now on, and not at the gait's own pace."""
        gait: Any = self._gait
        if self._stream is None or self._steering.drive is None:
            return
        rates, self._driven = rates_within_limits(self._spec, gait, self._steering.drive)
        now = max(self.get_clock().now().nanoseconds, self._stream.t0_ns)
        self._stream.drive(gait, rates, now)
        self._publish(now)

    def _read_pose(self, message: JointState) -> MeasuredPose:
        """Raises UserError for a state that does not have the angles of the actuated joints, or is of another time."""
        angles = dict(zip(message.name, message.position, strict=False))
        missing = [name for name in self._spec.actuated_names if not math.isfinite(angles.get(name, math.nan))]
        if missing:
            raise UserError(f"joint_states has no angle for {', '.join(missing)}")
        angle = np.array([angles[name] for name in self._spec.actuated_names])
        return MeasuredPose(message.header.frame_id, stamp_ns(message.header.stamp), angle)

    def _on_pose(self, pose: MeasuredPose) -> None:
        """Start the motion in the measured pose, at its time."""
        if self._stream is not None or self._motions.get(pose.backend, MotionState.ACTIVE) not in MOVING:
            return
        away = (pose.time_ns - self.get_clock().now().nanoseconds) * 1e-9
        if abs(away) > FAR:
            self._complain(f"joint_states is {abs(away):.3g} s {'ahead of' if away > 0.0 else 'behind'} the clock")
            return
        try:
            self._stream = GaitStream(self._spec, self._gait, pose.time_ns, pose.angle, self._grid)
        except UserError as error:
            self._complain(str(error))
            return
        self._backend = pose.backend
        self._steering.expire(pose.time_ns)  # what was told long ago, before a stop, is not what is wanted now
        if self._steering.drive is None:
            self._publish(pose.time_ns)
        else:
            self._drive()
        if self._states is not None:
            self.destroy_subscription(self._states)
            self._states = None

    def _refresh(self) -> None:
        if self._stream is None:
            return
        now = self.get_clock().now().nanoseconds
        if self._steering.expire(now):
            self._drive()
        else:
            self._publish(max(now, self._stream.t0_ns))

    def _publish(self, now_ns: int) -> None:
        assert self._stream is not None
        fill(self._message, self._stream.points(now_ns))
        self._out.publish(self._message)
        self._published += 1
        self._report()

    def _complain(self, sentence: str) -> None:
        self._complaints += 1
        self._complaint = sentence
        self._report()

    def _report(self) -> None:
        """Say how things are."""
        self._recent.note("complaint", self._complaints, self._complaint)
        if self._clock_guard is not None:
            ignored = self._clock_guard.ignored
            self._recent.note("clock", ignored, "somebody tells another time on /clock: it is ignored")
        driven = self._steering.drive is not None
        if self._stream is None:
            level, text = WARN, self._waiting
        else:
            level, text = OK, "driven by cmd_vel" if driven else "streaming"
        if troubles := [one for one in (self._steering.complaint, self._recent.text, self._company.text) if one]:
            level, text = WARN, "; ".join([*troubles, *([] if level == OK else [text])])
        values = {
            "gait": self._name,
            "period": self._gait.period,
            "changed_ns": self._changed_ns,
            "horizons": self._published,
            "state_source": node_of(self._backend) if self._backend else "",
            "rejected": self._complaints,
            "last_rejection": self._complaint,
            "reference_publishers": self._company.counts["gait_reference"],
        }
        if driven:
            values |= {"forward": self._driven.forward, "yaw": self._driven.yaw}
        self._diagnostics.set(level, text, values)


def _drive_of(message: Twist) -> VelocityCommand:
    linear, angular = message.linear, message.angular
    return parse_velocity_command((linear.x, linear.y, linear.z), (angular.x, angular.y, angular.z))


def fill(message: JointTrajectory, points: GridPoints) -> None:
    """Write grid points into a message."""
    begin = points.time_ns[0]
    set_stamp(message.header.stamp, begin)
    count = len(points.time_ns)
    if len(message.points) != count:
        message.points = [JointTrajectoryPoint() for _ in range(count)]
    rows = zip(message.points, points.time_ns, points.position, points.velocity, points.acceleration, strict=True)
    for point, time_ns, position, velocity, acceleration in rows:
        point.time_from_start.sec, point.time_from_start.nanosec = divmod(time_ns - begin, 1_000_000_000)
        point.positions = doubles(position)
        point.velocities = doubles(velocity)
        point.accelerations = doubles(acceleration)


def main() -> None:
    # in simulations it hears every tick of the clock, and only the newest counts
    run_node(GaitNode, spinner=lambda node: PriorityExecutor(node, nap=0.002))
