"""The gait node: streams the reference of one gait, from the first measured pose on."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from geometry_msgs.msg import Twist
from rclpy.clock import JumpThreshold, TimeJump
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.subscription import Subscription
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from crawler_core.backend_settings import robots_rate
from crawler_core.errors import UserError
from crawler_core.parameters import parameter
from crawler_core.types import FloatArray
from crawler_nodes.diagnostics import OK, WARN, DiagnosticsReporter
from crawler_nodes.messages import doubles, set_stamp, stamp_ns
from crawler_nodes.node_main import run_node
from crawler_nodes.ros_parameters import declare, refuse_unknown, robot_of
from gait_generators.catalogue import GAITS, gait_defaults, gait_name, make_gait
from gait_generators.checks import check_limits
from gait_generators.gait import Gait
from gait_generators.steering import STILL, Steering, rates_within_limits
from gait_generators.stream import GRID, GaitStream, Grid, GridPoints


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
        self._grid = Grid(step=step, ahead=round(settings.horizon * 1e9), behind=refresh)
        self._published = 0

        qos = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._out = self.create_publisher(JointTrajectory, "gait_reference", qos)
        self._message = JointTrajectory(joint_names=list(self._spec.actuated_names))
        self._diagnostics = DiagnosticsReporter(self, hardware_id=self._spec.name)
        self._states: Subscription | None = None
        self._steering, self._driven = Steering(), STILL
        if GAITS[self._name].steered:
            self.create_subscription(Twist, "cmd_vel", self._on_twist, 10)
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
        begin = self._stream.change(self._gait, now)
        self.get_logger().info(f"the gait changes in {max(0.0, (begin - now) * 1e-9):.2f} s")

    def _wait_for_pose(self, why: str) -> None:
        self._stream = None
        if self._states is None:
            self._states = self.create_subscription(JointState, "joint_states", self._on_state, 10)
        self._diagnostics.set(WARN, why, {"gait": self._name})

    def _time_went_back(self, _jump: TimeJump) -> None:
        self._steering = Steering()
        self._wait_for_pose("time went back: waiting for joint_states to start again")

    def _on_twist(self, message: Twist) -> None:
        linear, angular = message.linear, message.angular
        now = self.get_clock().now().nanoseconds
        if self._steering.hear((linear.x, linear.y, linear.z), (angular.x, angular.y, angular.z), now):
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

    def _on_state(self, message: JointState) -> None:
        """Start the motion in the measured pose, at its time."""
        if self._stream is not None:
            return
        pose = self._pose(message)
        if pose is None:
            return
        t0 = stamp_ns(message.header.stamp)
        self._stream = GaitStream(self._spec, self._gait, t0, pose, self._grid)
        self._publish(t0)
        self._drive()
        if self._states is not None:
            self.destroy_subscription(self._states)
            self._states = None

    def _pose(self, message: JointState) -> FloatArray | None:
        """The angles of the actuated joints; None, and a word about it, where they are not all there."""
        angles = dict(zip(message.name, message.position, strict=False))
        missing = [name for name in self._spec.actuated_names if not math.isfinite(angles.get(name, math.nan))]
        if missing:
            self._diagnostics.set(WARN, f"joint_states has no angle for {', '.join(missing)}", {"gait": self._name})
            return None
        return np.array([angles[name] for name in self._spec.actuated_names])

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
        values = {"gait": self._name, "period": self._gait.period, "horizons": self._published}
        text = self._steering.complaint or "streaming"
        if self._steering.drive is not None:
            text = self._steering.complaint or "driven by cmd_vel"
            values |= {"forward": self._driven.forward, "yaw": self._driven.yaw}
        self._diagnostics.set(WARN if self._steering.complaint else OK, text, values)


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
    run_node(GaitNode, nap=0.002)
