"""The gait node and cmd_vel, in a graph with a stand-in for the backend."""

import math
from pathlib import Path

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Twist
from test_gait_node import MS, World, set_parameter

from crawler_core.gait_metrics.classical_gaits import CLASSICAL
from gait_generators.node.gait_node import GaitNode

ROBOT = Path(__file__).parents[2] / "crawler_description/robots/miniaq/robot.yaml"
LEGS = ("crank_fl", "crank_fr", "crank_hl", "crank_hr")
PERIOD = 50 * MS
TURN = 2.0 * math.pi


class Driver(World):
    """It says cmd_vel too, and hears diagnostics; what a horizon says of a time may be said anew."""

    def __init__(self, **options):
        super().__init__(**options)
        self.twist_out = self.create_publisher(Twist, "cmd_vel", 10)
        self.said = {}
        self.create_subscription(DiagnosticArray, "diagnostics", self.on_diagnostics, 10)
        self.now = 0

    def on_reference(self, message):
        self.horizons.append(message)
        start = message.header.stamp.sec * 10**9 + message.header.stamp.nanosec
        for point in message.points:
            time_ns = start + point.time_from_start.sec * 10**9 + point.time_from_start.nanosec
            self.points[time_ns] = (*point.positions, *point.velocities, *point.accelerations)

    def on_diagnostics(self, message):
        for status in message.status:
            self.said[status.name.split("/")[-1]] = (
                status.level,
                status.message,
                {v.key: v.value for v in status.values},
            )

    def drive(self, forward=0.0, yaw=0.0, aside=0.0):
        twist = Twist()
        twist.linear.x, twist.linear.y, twist.angular.z = forward, aside, yaw
        self.twist_out.publish(twist)


@pytest.fixture
def driver(graph):
    world = graph.add(Driver)
    node = graph.add(GaitNode, use_sim_time=True, robot=str(ROBOT), gait="walk", stride=0.05, track=0.1)
    graph.spin_until(
        lambda: (
            world.states_out.get_subscription_count()
            and world.clock_out.get_subscription_count()
            and world.twist_out.get_subscription_count()
            and has_map(node)
        )
    )
    world.send_state(0, dict.fromkeys(LEGS, math.radians(135.0)))
    graph.spin_until(lambda: world.horizons)
    world.gait = node
    return world


def has_map(node):
    """Whether the map of speeds is there, which a thread computes."""
    return node.steering.poll() and not node.steering.is_loading


def run(graph, driver, seconds, twist=None):
    """Let time run, and say `twist` every 100 ms."""
    end = driver.now + round(seconds * 20) * PERIOD
    while driver.now < end:
        driver.now += PERIOD
        seen = len(driver.horizons)
        driver.send_clock(driver.now)
        graph.spin_until(lambda seen=seen: len(driver.horizons) > seen)
        if twist is not None and driver.now % (2 * PERIOD) == 0:
            driver.drive(*twist)


def speed(driver, back=0.0):
    """rad/s at the end of the horizon, or so long before."""
    times = sorted(driver.points)
    return np.array(driver.points[times[-1 - round(back * 100)]])[4:8]


def status(driver):
    return driver.said.get("gait", (b"", "", {}))


def heard(graph, driver, text):
    graph.spin_until(lambda: text in status(driver)[1])
    return status(driver)


def test_a_twist_drives_the_legs_and_silence_brings_them_to_rest(graph, driver):
    run(graph, driver, 1.5)
    assert speed(driver) == pytest.approx([2.5 * TURN] * 4)
    run(graph, driver, 1.5, (0.1, 0.5))
    assert speed(driver) == pytest.approx(np.array([1.5, 2.5, 1.5, 2.5]) * TURN)
    level, _, values = heard(graph, driver, "driven by cmd_vel")
    assert (level, values["forward"], values["yaw"]) == (b"\x00", "0.1", "0.5")
    run(graph, driver, 1.8)
    assert not speed(driver).any()
    assert heard(graph, driver, "no cmd_vel for 0.5 s: the robot stands still")[0] == b"\x01"
    run(graph, driver, 1.0, (-0.05, 0.0))
    assert speed(driver) == pytest.approx([-TURN] * 4)


def test_a_twist_acts_before_the_horizon_that_was_out_has_run_out(graph, driver):
    run(graph, driver, 1.5)
    before = dict(driver.points)
    seen = len(driver.horizons)
    driver.drive(0.25, 0.0)
    graph.spin_until(lambda: len(driver.horizons) > seen)
    same = [time for time in before if driver.points[time] == before[time]]
    assert max(same) == driver.now + PERIOD  # then it is another motion
    assert max(before) > driver.now + 4 * PERIOD


@pytest.mark.parametrize(("twist", "why"), [((math.nan, 0.0), "not finite"), ((0.0, 0.0, 0.2), "other than linear.x")])
def test_a_twist_that_cannot_be_followed_is_said_and_changes_nothing(graph, driver, twist, why):
    run(graph, driver, 1.0)
    driver.drive(*twist)
    run(graph, driver, 0.8)
    assert heard(graph, driver, why)[0] == b"\x01"
    assert speed(driver) == pytest.approx([2.5 * TURN] * 4)


def test_other_offsets_are_taken_while_it_is_driven(graph, driver):
    run(graph, driver, 1.5, (0.1, 0.0))
    seen = len(driver.horizons)
    assert set_parameter(graph, driver, "ahead_fr", 40.0).successful
    graph.spin_until(lambda: len(driver.horizons) > seen and not driver.gait.steering.is_loading)
    run(graph, driver, 1.5, (0.1, 0.0))
    position = np.array(driver.points[max(driver.points)][:4])
    assert speed(driver) == pytest.approx([2.0 * TURN] * 4)
    phases = np.array(CLASSICAL["walk"][0])
    ahead = np.angle(np.exp(1j * (position - position[0] - TURN * (phases - phases[0]))))
    assert np.degrees(ahead) == pytest.approx([0.0, 40.0, 0.0, 0.0], abs=1e-6)
    assert not set_parameter(graph, driver, "frequency", 0.0).successful


def test_speeds_that_the_motors_have_not_are_scaled_down(graph, driver):
    run(graph, driver, 1.0, (3.0, 0.0))
    assert speed(driver) == pytest.approx([9.5 * TURN] * 4)
    assert float(heard(graph, driver, "its fastest")[2]["forward"]) == pytest.approx(9.5 * 0.05, rel=1e-4)


def test_what_was_told_before_a_stop_does_not_drive_it_when_it_begins_again(graph, driver):
    run(graph, driver, 1.5, (0.1, 0.0))
    assert speed(driver) == pytest.approx([2.0 * TURN] * 4)
    driver.send_motion("disabled", sender="")
    graph.spin_until(lambda: "motion is disabled" in status(driver)[1])
    driver.now += 1000 * MS
    driver.send_clock(driver.now)
    seen = len(driver.horizons)
    driver.send_motion("active", sender="")

    def begun():
        driver.send_state(driver.now, dict.fromkeys(LEGS, math.radians(135.0)))
        return len(driver.horizons) > seen

    graph.spin_until(begun)
    run(graph, driver, 0.3)
    fastest = max(np.abs(point.velocities).max() for horizon in driver.horizons[seen:] for point in horizon.points)
    assert fastest < 2.0 * TURN / 8.0  # what the gait begins with, in the moment until a drive takes effect
    assert not speed(driver).any()
