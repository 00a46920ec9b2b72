"""The gait node: publishes the reference of one gait, from the first measured pose on."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import Any

from rclpy.clock import Clock, ClockType, JumpThreshold, TimeJump
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.subscription import Subscription

from crawler_core.errors import UserError
from crawler_core.loop.backend_settings import robot_rate_setting
from crawler_core.loop.steady_wall_clock import SteadyWallClock
from crawler_core.safety.supervisor import MOVING_STATES, MotionState
from crawler_nodes.messages.motion_state import BackendMotionStates, read_motion_state
from crawler_nodes.node_main import run_node
from crawler_nodes.parameters import NodeParameters, robot_from_parameters
from crawler_nodes.topics import JOINT_STATES, MOTION_STATE, ODOM
from crawler_nodes.transport.clock_guard import ClockGuard
from crawler_nodes.transport.priority_executor import PriorityExecutor
from crawler_nodes.transport.safe_subscriptions import SafeSubscriptions
from gait_generators.kinds.gait import Gait
from gait_generators.kinds.gait_registry import GAITS, gait_defaults, gait_name, make_gait
from gait_generators.kinds.limit_check import check_limits
from gait_generators.node.cmd_vel_subscription import CmdVelSubscription
from gait_generators.node.gait_node_report import GaitNodeReport
from gait_generators.node.gait_settings import GaitSettings
from gait_generators.node.measured_pose import MeasuredPose, parse_pose
from gait_generators.node.odometry_pose import OdometryPose, read_odometry_pose
from gait_generators.node.reference_publisher import ReferencePublisher
from gait_generators.node.steering_loader import SteeringLoader
from gait_generators.steering.velocity_command import AT_STANDSTILL, VelocityCommand, VelocityCommandBuffer
from gait_generators.steering.velocity_steering import SteeredCommand
from gait_generators.transitions.gait_stream import GaitStream, TimeGrid
from gait_generators.transitions.transition import Transition

MAX_CLOCK_DIFFERENCE_S = 1.0  # between a state and the clock, for a motion to start in that state


class GaitNode(Node):
    """Publishes gait_reference. A changed gait parameter takes effect at the gait's next phase 0."""

    def __init__(self, **node_options: Any) -> None:
        super().__init__("gait", **node_options)
        self._spec = robot_from_parameters(self)
        parameters = NodeParameters(self)
        settings = parameters.declare(GaitSettings, robot_rate_setting(self._spec))
        self._grid = time_grid(settings)
        self.gait_name = gait_name(self._spec, settings.gait)
        self.stream: GaitStream | None = None  # None before the first pose, and while motion is not enabled
        entry, defaults = GAITS[self.gait_name], gait_defaults(self._spec, self.gait_name)
        own = parameters.declare(entry.parameters, defaults, make=self._plan_change, on_change=self._change)
        parameters.reject_unknown(section="gait")
        self.gait = self._make(own)
        self.steering = SteeringLoader(self._spec, self.gait_name, asdict(own), settings.speed_trim)
        self.changed_ns = 0  # when the gait was last changed, of the node's time
        self.backend = ""  # whose pose the motion started in
        self.velocity, self.executed = VelocityCommandBuffer(), AT_STANDSTILL
        self.motion_states = BackendMotionStates()
        self.reference = ReferencePublisher(self, self._spec)
        self.clock_guard = ClockGuard.of(self)
        self._wall_clock = SteadyWallClock() if self.clock_guard is None else None  # None: time is that of /clock
        self._report = GaitNodeReport(self, self._spec.name)
        self._safe_subscriptions = SafeSubscriptions(self, self._report.add_problem)
        self._state_subscription: Subscription | None = None
        self._odometry_subscription: Subscription | None = None  # once there was a velocity command
        self._max_trim = settings.speed_trim
        subscribe = self._safe_subscriptions.subscribe
        subscribe(MOTION_STATE, read_motion_state, self._on_motion_state)
        self.cmd_vel = CmdVelSubscription(
            self, self._safe_subscriptions, self._on_velocity_command, self.steering.start
        )
        self._wait_for_pose("waiting for joint_states")
        timer_clock = self.get_clock() if self._wall_clock is None else Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(settings.refresh, self._refresh, clock=timer_clock)
        # a simulation that restarts: its time goes back, and the gait starts again
        back = JumpThreshold(min_forward=None, min_backward=Duration(nanoseconds=-1), on_clock_change=False)
        self._jump_handle = self.get_clock().create_jump_callback(back, post_callback=self._on_time_jump)

    def _make(self, parameters: Any) -> Gait:
        gait = make_gait(self._spec, self.gait_name, asdict(parameters))
        check_limits(self._spec, gait)
        return gait

    def _plan_change(self, parameters: Any) -> tuple[Any, Gait, Transition | None]:
        """Make the changed gait and the transition to it. Raises UserError where the limits allow neither."""
        gait = self._make(parameters)
        if self.stream is None or self.velocity.command is not None:
            return parameters, gait, None
        return parameters, gait, self.stream.transition_to(gait, self._now_ns)

    def _change(self, planned: tuple[Any, Gait, Transition | None]) -> None:
        parameters, self.gait, transition = planned
        self.steering.change(asdict(parameters))
        if self.stream is None or transition is None:
            self._steer()
            return
        self.changed_ns = self.stream.adopt(transition)
        remaining_s = (self.changed_ns - self._now_ns) * 1e-9
        self.get_logger().info(f"the gait changes in {max(0.0, remaining_s):.2f} s")

    @property
    def _now_ns(self) -> int:
        return self.get_clock().now().nanoseconds if self._wall_clock is None else self._wall_clock()

    def _wait_for_pose(self, status: str) -> None:
        self.stream = None
        self._report.waiting_for = status
        if self._state_subscription is None:
            parse = partial(parse_pose, joints=self._spec.actuated_names)
            self._state_subscription = self._safe_subscriptions.subscribe(JOINT_STATES, parse, self._on_pose)
        self._report.publish()

    def _on_motion_state(self, sent: tuple[str, MotionState]) -> None:
        """Stop while motion is not enabled; after that, start again in the pose that is measured then."""
        backend, state = sent
        self.motion_states.update(backend, state)
        if self.stream is not None and backend == self.backend and state not in MOVING_STATES:
            self._wait_for_pose(f"motion is {state.value}: the gait starts again when it is enabled")

    def _on_time_jump(self, _jump: TimeJump) -> None:
        self.velocity = VelocityCommandBuffer()
        self._wait_for_pose("time went back: waiting for joint_states to start again")

    def _on_velocity_command(self, command: VelocityCommand) -> None:
        if self.velocity.update(command, self._now_ns):
            self._steer()

    def _steer(self) -> None:
        """Execute the velocity command instead of the gait's own motion, once its map is known."""
        if self.stream is None or self.velocity.command is None:
            return
        self.steering.start()
        if (steering := self.steering.poll()) is None:  # the gait goes on
            self._publish(self.stream, max(self._now_ns, self.stream.start_ns))
            return
        self._follow(steering.execute(self.velocity.command))

    def _follow(self, command: SteeredCommand) -> None:
        """Continue with the motion of a velocity command."""
        if self.stream is None:
            return
        self.executed = command.executed
        self._report.add_notes(command.notes)
        now_ns = max(self._now_ns, self.stream.start_ns)
        self.stream.steer(command.gait, command.rate, now_ns)
        self._publish(self.stream, now_ns)
        if self._max_trim and self._odometry_subscription is None:
            read = partial(read_odometry_pose, can_yaw="yaw" in self._spec.base_motion)
            self._odometry_subscription = self._safe_subscriptions.subscribe(ODOM, read, self._on_odometry, depth=1)

    def _on_odometry(self, pose: OdometryPose) -> None:
        """Correct the speed of the velocity command by the robot's own odometry."""
        steering = self.steering.poll()
        if steering is None or self.velocity.command is None:
            return
        if (changed := steering.measure(*pose)) is not None:
            self._follow(changed)

    def _on_pose(self, pose: MeasuredPose) -> None:
        """Start the motion in the measured pose, at its time."""
        if self.stream is not None or self.motion_states.of(pose.backend) not in MOVING_STATES:
            return
        if self._wall_clock is not None:
            self._wall_clock.align(pose.time_ns)  # the backend may have been opened after the system's clock was set
        ahead_s = (pose.time_ns - self._now_ns) * 1e-9
        if abs(ahead_s) > MAX_CLOCK_DIFFERENCE_S:
            direction = "ahead of" if ahead_s > 0.0 else "behind"
            remedy = ": start the stack again" if self._wall_clock is not None else ""  # the clock was set in between
            self._report.add_problem(f"joint_states is {abs(ahead_s):.3g} s {direction} the clock{remedy}")
            return
        try:
            self.stream = GaitStream(self._spec, self.gait, pose.time_ns, pose.angle, self._grid)
        except UserError as error:
            self._report.add_problem(str(error))
            return
        self.backend = pose.backend
        self.velocity.expire(pose.time_ns)  # a command from before a stop does not count any more
        if self.velocity.command is None:
            self._publish(self.stream, pose.time_ns)
        else:
            self._steer()
        if self._state_subscription is not None:
            self.destroy_subscription(self._state_subscription)
            self._state_subscription = None

    def _refresh(self) -> None:
        if self.stream is None:
            return
        now_ns = self._now_ns
        is_loaded = self.steering.is_new and self.steering.poll() is not None and self.velocity.command is not None
        if self.velocity.expire(now_ns) or is_loaded:
            self._steer()
        else:
            self._publish(self.stream, max(now_ns, self.stream.start_ns))

    def _publish(self, stream: GaitStream, now_ns: int) -> None:
        self.reference.publish(stream.points(now_ns))
        self._report.publish()


def time_grid(settings: GaitSettings) -> TimeGrid:
    """Return the grid of the settings. Raises UserError for a horizon that ends before the next one comes."""
    min_horizon = settings.refresh + 2.0 / settings.rate
    if settings.horizon < min_horizon:
        raise UserError(
            f"gait.horizon = {settings.horizon:g} s is too short: with gait.refresh = {settings.refresh:g} s and "
            f"gait.rate = {settings.rate:g} Hz it must be at least {min_horizon:g} s."
        )
    step, ahead, behind = (round(1e9 * value) for value in (settings.grid, settings.horizon, settings.refresh))
    return TimeGrid(step, ahead, behind)


def main() -> None:
    # in simulations the node receives every tick of the clock, and only the newest counts
    run_node(GaitNode, executor=lambda node: PriorityExecutor(node, batch_period=0.002))
