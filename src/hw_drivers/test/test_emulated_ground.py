"""The equations under emulated motors: where they end, a run ends and says so, until it is recovered."""

import math

import numpy as np
import pytest
from hw_robots import three_link

from crawler_core.errors import BackendFault
from crawler_core.motion import ease
from hw_drivers.emulation.ground import EmulatedGround

HOME = math.radians(110.0)
IMPOSSIBLE = np.array([3.0, 0.1]), np.array([500.0, -500.0])  # rad and rad/s, for which no equations hold


class Crawl:
    """A robot whose motors follow a gait exactly."""

    def __init__(self):
        self.time = self.begin = 0.0
        self.ground = EmulatedGround(three_link(), clock=lambda: self.time)

    def crawl(self, seconds):
        """Crawl from rest at home; return where it is, m."""
        self.begin = self.time
        for _ in range(round(seconds / 0.01)):
            passed = self.time + 0.01 - self.begin
            phase, share = 4.0 * passed + np.radians([10.0, -10.0]), min(passed / 2.0, 1.0)
            rise, slope, _ = ease(share, math.radians(18.0))
            angles, rates = HOME + rise * np.sin(phase), rise * 4.0 * np.cos(phase) + slope / 2.0 * np.sin(phase)
            base, _ = self.move(angles, rates)
        return base.position[0]

    def move(self, angles, rates, has_torque=True):
        self.time += 0.01
        return self.ground.move(angles, rates, has_torque)

    def recover(self):
        self.ground.recover(np.full(2, HOME))


def test_a_robot_whose_equations_end_has_a_fault_once_and_stands_still_until_it_is_recovered():
    robot = Crawl()
    reached = robot.crawl(4.0)
    assert reached > 0.01
    for often in ("equations: ", "equations, 2 times so far: "):
        with pytest.raises(BackendFault, match=f"has left the range of its {often}") as fault:
            robot.move(*IMPOSSIBLE)
        assert fault.value.remedy
        assert robot.crawl(1.0) == pytest.approx(reached, abs=1e-9)
        robot.recover()
        before, reached = reached, robot.crawl(4.0)
        assert reached > before + 0.01
    assert robot.ground.times_left == 2


def test_a_robot_that_cannot_stand_where_its_joints_are_says_so():
    robot = Crawl()
    with pytest.raises(BackendFault):
        robot.move(*IMPOSSIBLE)
    with pytest.raises(BackendFault, match="cannot stand up") as fault:
        robot.ground.recover(np.array([math.nan, 0.1]))
    assert fault.value.remedy.startswith("move the joints")
    robot.recover()
    assert robot.crawl(4.0) > 0.01


def test_joints_without_torque_are_moved_by_hand_and_nothing_is_wrong():
    robot = Crawl()
    robot.move(*IMPOSSIBLE, has_torque=False)
    robot.move(np.full(2, HOME), np.zeros(2), has_torque=False)
    assert robot.crawl(4.0) > 0.01
    assert robot.ground.times_left == 0
