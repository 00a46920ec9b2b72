"""The gait node in a graph with a stand-in for the backend."""

import math
import time

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus
from rcl_interfaces.srv import SetParameters
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from crawler_core.errors import UserError
from crawler_core.safety.supervisor import MotionState
from gait_generators.kinds.gait_registry import make_gait
from gait_generators.node.gait_node import GaitNode

MS = 1_000_000
POSE = {"joint_2": math.radians(105.0), "extra": 0.5, "joint_1": math.radians(110.0)}


def time_of(time_ns):
    return Time(sec=time_ns // 10**9, nanosec=time_ns % 10**9)


class World(Node):
    """What the gait node sees of a simulation, and everything it says."""

    def __init__(self, **options):
        super().__init__("world", **options)
        self.horizons = []
        self.points = {}
        self.told_ns = 0  # what time it was, when that was said last
        self.states_out = self.create_publisher(JointState, "joint_states", 10)
        self.clock_out = self.create_publisher(Clock, "/clock", 10)
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self.motion_out = self.create_publisher(DiagnosticStatus, "motion_state", latched)
        self.create_subscription(JointTrajectory, "gait_reference", self.on_reference, latched)

    def on_reference(self, message):
        self.horizons.append(message)
        start = message.header.stamp.sec * 10**9 + message.header.stamp.nanosec
        for point in message.points:
            time_ns = start + point.time_from_start.sec * 10**9 + point.time_from_start.nanosec
            row = (*point.positions, *point.velocities, *point.accelerations)
            assert self.points.setdefault(time_ns, row) == row  # a time has the same bits in every horizon

    def send_state(self, time_ns, pose=POSE, sender=""):
        state = JointState(name=list(pose), position=list(pose.values()))
        state.header.stamp, state.header.frame_id = time_of(time_ns), sender
        self.states_out.publish(state)

    def send_motion(self, motion, sender="/backend#1"):
        self.motion_out.publish(DiagnosticStatus(name=sender, message=motion))

    def send_clock(self, time_ns):
        self.told_ns = time_ns
        self.clock_out.publish(Clock(clock=time_of(time_ns)))


@pytest.fixture
def world(graph):
    return graph.add(World)


def started(graph, world, t0_ns=0, **parameters):
    """A gait node that follows the world's clock and has been told the pose."""
    node = graph.add(GaitNode, use_sim_time=True, **parameters)
    graph.spin_until(lambda: world.states_out.get_subscription_count() and world.clock_out.get_subscription_count())
    world.send_state(t0_ns)
    graph.spin_until(lambda: world.horizons)
    return node


def run_to(graph, world, end_ns):
    """Let time run in ticks of 5 ms until the reference covers `end_ns`."""
    now = max(world.told_ns, max(world.points) - 250 * MS)  # a horizon may have come late, and time must not go back
    while max(world.points) < end_ns + 250 * MS:
        now += 5 * MS
        known = max(world.points)
        world.send_clock(now)
        if known < now + 200 * MS:  # a horizon is overdue: it must come before time goes on

            def it_comes(known=known, now=now):
                world.send_clock(now)  # again: time is told as well as can be, and one word of it may be lost
                return max(world.points) > known

            graph.spin_until(it_comes)
        else:
            graph.executor.spin_once(timeout_sec=0.0)


def test_the_first_horizon_follows_the_first_pose_at_once(graph, world):
    started(graph, world, t0_ns=5 * MS)
    first = world.horizons[0]
    assert first.joint_names == ["joint_1", "joint_2"]
    times = sorted(world.points)
    assert (times[0], times[-1]) == (0, 260 * MS)
    assert world.points[0] == (math.radians(110.0), math.radians(105.0), 0.0, 0.0, 0.0, 0.0)
    graph.spin_until(lambda: world.states_out.get_subscription_count() == 0)  # it needs no more states


def test_by_the_wall_clock_the_reference_goes_on_where_the_systems_clock_is_set(graph, world, monkeypatch):
    plain, ahead = time.time_ns, [0]
    monkeypatch.setattr(time, "time_ns", lambda: plain() + ahead[0])
    graph.add(GaitNode)
    graph.spin_until(lambda: world.states_out.get_subscription_count())
    began = plain()
    world.send_state(began)
    graph.spin_until(lambda: world.horizons)
    ahead[0] = -60 * 10**9
    graph.spin_until(lambda: max(world.points) > began + 400 * MS)
    assert min(world.points) > began - 100 * MS


def test_a_pose_with_a_number_missing_is_not_a_start(graph, world):
    graph.add(GaitNode, use_sim_time=True)
    graph.spin_until(lambda: world.states_out.get_subscription_count())
    world.send_state(0, {"joint_1": 1.9})
    world.send_state(5 * MS, {"joint_1": 1.9, "joint_2": math.nan})
    world.send_state(10 * MS)
    graph.spin_until(lambda: world.horizons)
    assert world.horizons[0].header.stamp == time_of(10 * MS)


def test_the_reference_goes_on_with_the_clock_and_comes_into_the_gait(graph, world):
    started(graph, world, omega=8.0)
    run_to(graph, world, 1500 * MS)
    t = 1.5
    expected = np.radians([110.0 + 18.0 * math.sin(8.0 * t + s * math.radians(10.0)) for s in (1, -1)])
    assert world.points[1500 * MS][:2] == pytest.approx(expected, abs=1e-12)


def set_parameter(graph, world, name, value):
    """As `ros2 param set` does it; returns the result."""
    request = SetParameters.Request(parameters=[Parameter(name, value=value).to_parameter_msg()])
    return graph.call(world, SetParameters, "gait/set_parameters", request).results[0]


def test_a_parameter_set_while_crawling_takes_effect_without_a_jump(graph, world):
    started(graph, world, omega=8.0)
    run_to(graph, world, 1000 * MS)
    assert set_parameter(graph, world, "omega", 4).successful
    run_to(graph, world, 6000 * MS)
    rows = np.array([world.points[time_ns] for time_ns in sorted(world.points)])
    q, v, a = rows[:, :2], rows[:, 2:4], rows[:, 4:]
    # A omega^3 = 161 rad/s³ is the jerk of the faster gait; ten times as much would still be no jump
    assert np.abs(np.diff(a, axis=0)).max() / 0.01 < 1610.0
    assert np.abs(np.diff(v, axis=0) - 0.005 * (a[1:] + a[:-1])).max() < 0.01**2 * 1610.0
    assert np.abs(np.diff(q, axis=0) - 0.005 * (v[1:] + v[:-1])).max() < 0.01**3 * 1610.0
    assert np.abs(v[-100:]).max() <= math.radians(18.0) * 4.0 * (1 + 1e-12)


def test_the_fourier_gait_changes_its_shape_with_omega_while_crawling(graph, world, crawler):
    started(graph, world, gait="fourier", omega=8.0)
    run_to(graph, world, 1500 * MS)
    refused = set_parameter(graph, world, "library", "swing_81")
    assert "did you mean 'swing_18'?" in refused.reason
    assert set_parameter(graph, world, "omega", 5.1).successful
    run_to(graph, world, 6000 * MS)
    q = np.array([world.points[time_ns][:2] for time_ns in sorted(world.points)])
    expected = make_gait(crawler, "fourier", {"omega": 5.1})
    period = round(expected.period / 0.01)
    wanted = expected.sample(np.linspace(0.0, expected.period, 1000)).position
    # the reference's grid of 10 ms misses an extreme by at most its acceleration, 100 rad/s², times (5 ms)² / 2
    assert q[-period:].max(axis=0) == pytest.approx(wanted.max(axis=0), abs=1.3e-3)
    assert q[-period:].min(axis=0) == pytest.approx(wanted.min(axis=0), abs=1.3e-3)


def test_a_bad_parameter_is_refused_with_a_sentence_and_nothing_changes(graph, world):
    node = started(graph, world)
    result = set_parameter(graph, world, "omega", 100.0)
    assert (result.successful, result.reason) == (
        False,
        "gait.omega = 100.0 is not allowed: it must be 0.05 to 40 rad/s.",
    )
    result = set_parameter(graph, world, "phi0", 160.0)
    assert "joint_1 would reach 178.0°" in result.reason
    assert "lower gait.amplitude or gait.phi0" in result.reason
    assert node.get_parameter("omega").value == 1.3


def test_a_simulation_that_starts_again_starts_the_gait_again(graph, world):
    started(graph, world)
    run_to(graph, world, 500 * MS)
    seen = len(world.horizons)
    world.points.clear()
    world.send_clock(5 * MS)
    graph.spin_until(lambda: world.states_out.get_subscription_count())
    world.send_state(5 * MS)
    graph.spin_until(lambda: len(world.horizons) > seen and world.horizons[-1].header.stamp == time_of(0))
    assert max(world.points) == 260 * MS


def test_after_a_stop_the_gait_fades_in_again_from_the_pose_that_it_finds(graph, world):
    node = graph.add(GaitNode, use_sim_time=True, omega=8.0)
    graph.spin_until(lambda: world.states_out.get_subscription_count() and world.clock_out.get_subscription_count())
    world.send_state(0, sender="/backend#1")
    graph.spin_until(lambda: world.horizons)
    run_to(graph, world, 1000 * MS)
    world.send_motion("e-stopped", sender="/other#2")  # is not its business
    graph.spin_until(lambda: "/other#2" in node.motion_states)  # else the next word would be in its place
    assert node.stream is not None
    world.send_motion("e-stopped")
    graph.spin_until(lambda: world.states_out.get_subscription_count())
    seen = len(world.horizons)
    found = {"joint_1": 1.6, "joint_2": 1.7}
    world.send_motion("active")
    graph.spin_until(lambda: node.motion_states.of("/backend#1") is MotionState.ACTIVE)
    assert len(world.horizons) == seen
    world.points.clear()
    world.send_state(1010 * MS, found, sender="/backend#1")
    graph.spin_until(lambda: len(world.horizons) > seen)
    assert world.points[1010 * MS] == (1.6, 1.7, 0.0, 0.0, 0.0, 0.0)
    run_to(graph, world, 3000 * MS)
    rows = np.array([world.points[time_ns] for time_ns in sorted(world.points)])
    gap = np.radians([110.0, 110.0]) - [1.6, 1.7]
    # a blend of one period, 0.785 s, adds 5.8 (gap + swing) / period² to the gait's own 20 rad/s²
    assert np.abs(rows[:, 4:]).max() < 20.2 + 5.8 * (gap.max() + 0.63) / 0.785**2
    assert np.ptp(rows[-79:, 0]) == pytest.approx(math.radians(36.0), rel=1e-2)


def test_no_state_that_can_be_sent_ends_it(graph, world):
    node = graph.add(GaitNode, use_sim_time=True)
    graph.spin_until(lambda: world.states_out.get_subscription_count())
    world.send_state(0, {"joint_1": 1e300, "joint_2": -1e300})
    world.send_state(3000 * MS)  # it is 0 s
    world.states_out.publish(JointState())
    graph.spin_until(lambda: node._report.problems == 3)
    world.send_state(0)
    graph.spin_until(lambda: world.horizons)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"gait": "harmonik"}, "there is no gait 'harmonik': did you mean 'harmonic'?"),
        ({"omgea": 3.0}, "there is no parameter 'gait.omgea': did you mean 'gait.omega'?"),
        ({"alpha": 0.3}, "there is no parameter 'gait.alpha'"),
        ({"amplitude": 80.0}, "joint_1 would reach 190.0°"),
        ({"robot": "four_link"}, "there is no robot 'four_link': did you mean 'three_link'?"),
        ({"robot_overrides": "{frixion: 0.3}"}, "did you mean 'robot.friction'?"),
        ({"horizon": 0.06}, "gait.horizon = 0.06 s is too short"),
    ],
)
def test_a_bad_start_is_one_sentence(graph, parameters, sentence):
    with pytest.raises(UserError) as refused:
        graph.add(GaitNode, **parameters)
    assert sentence in str(refused.value)
