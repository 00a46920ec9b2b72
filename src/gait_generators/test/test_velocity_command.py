"""What cmd_vel makes of the reference: other speeds at once, without a jump, and legs that come into step again."""

import math
from typing import Any

import numpy as np
import pytest
from four_cranks import HOME, with_four_cranks
from geometry_msgs.msg import Twist, TwistStamped, Vector3
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler_core.errors import UserError
from gait_generators.kinds.gait_registry import gait_parameters, make_gait
from gait_generators.node.twist_parsing import read_stamped_twist, read_twist
from gait_generators.steering.velocity_command import (
    AT_STANDSTILL,
    COMMAND_TIMEOUT_NS,
    VelocityCommand,
    VelocityCommandBuffer,
)
from gait_generators.steering.velocity_steering import VelocitySteering
from gait_generators.transitions.constant_rate_transition import MAX_DURATION_S, phase_correction, plan_rate_change
from gait_generators.transitions.gait_stream import DEFAULT_GRID, GaitStream

MS = 1_000_000
TURN = 2.0 * math.pi
SPEC = with_four_cranks()
GAIT: Any = make_gait(SPEC, "walk", {"stride": 0.05, "track": 0.1})
PERIOD = GAIT.period
DEFAULTS = {info.name: info.default for info in gait_parameters(SPEC, "walk")}
STEERING = VelocitySteering(SPEC, "walk", {**DEFAULTS, "stride": 0.05, "track": 0.1})
ZERO = (0.0, 0.0, 0.0)


class Course:
    """A stream that is refreshed as the gait node does it."""

    def __init__(self):
        self.stream = GaitStream(SPEC, GAIT, 0, np.full(4, HOME), DEFAULT_GRID)
        self.now = 0
        self.rows = {}

    def note(self):
        points = self.stream.points(self.now)
        table = np.hstack([points.position, points.velocity, points.acceleration])
        self.rows.update(zip(points.time_ns, table, strict=True))

    def run(self, seconds):
        end = self.now + round(seconds * 1000) * MS
        while self.now < end:
            self.note()
            self.now += DEFAULT_GRID.behind

    def drive(self, forward, yaw):
        before = dict(self.rows)
        gait, rates, drive, _ = STEERING.execute(VelocityCommand(forward, yaw))
        self.stream.steer(gait, rates, self.now)
        self.note()
        kept = [time for time in before if time <= self.now + DEFAULT_GRID.behind]
        assert all((self.rows[time] == before[time]).all() for time in kept)  # what is now does not change
        return rates, drive

    def at(self, seconds):
        row = self.rows[round(seconds * 1000) * MS]
        return row[:4], row[4:8], row[8:]

    def table(self):
        return np.array([self.rows[time] for time in sorted(self.rows)])

    def phases(self, seconds):
        """By how many degrees each leg is off the gait's pattern, from their mean."""
        position, velocity, _ = self.at(seconds)
        return np.degrees(phase_correction(GAIT.start, position, velocity))


def test_a_twist_changes_the_speeds_within_half_a_second_and_not_after_the_horizon():
    course = Course()
    course.run(2.0)
    rates, _ = course.drive(0.2, 0.0)
    course.run(1.0)
    _, velocity, _ = course.at(2.5)
    assert velocity == pytest.approx(rates)
    assert course.at(2.1)[1] != pytest.approx(GAIT.rate)


drives = st.tuples(st.floats(-0.4, 0.4), st.floats(-6.0, 6.0))


@settings(max_examples=10)
@given(st.lists(st.tuples(drives, st.floats(0.05, 1.5)), min_size=1, max_size=6))
def test_whatever_is_driven_there_is_no_jump_and_no_joint_is_beyond_its_limits(course_of):
    course = Course()
    course.run(1.0)
    for drive, seconds in course_of:
        course.drive(*drive)
        course.run(seconds)
    table = course.table()
    q, v, a = table[:, :4], table[:, 4:8], table[:, 8:]
    assert np.abs(v).max() <= 60.0 * (1.0 + 1e-9)
    assert np.abs(a).max() <= 2000.0 * (1.0 + 1e-9)
    jerk = 30_000.0  # rad/s³: from one way at 60 rad/s to the other within 0.4 s it is a third of that
    assert np.abs(np.diff(a, axis=0)).max() <= jerk * 0.01
    assert np.abs(np.diff(v, axis=0) - 0.005 * (a[1:] + a[:-1])).max() <= jerk * 0.01**2
    assert np.abs(np.diff(q, axis=0) - 0.005 * (v[1:] + v[:-1])).max() <= jerk * 0.01**3


@settings(max_examples=10)
@given(drives, st.floats(0.1, 2.0), st.sampled_from((-0.3, -0.05, 0.1, 0.45, 9.0)))
def test_legs_come_into_step_again_when_the_robot_goes_straight(curve, seconds, forward):
    course = Course()
    course.run(2.0)
    course.drive(*curve)
    course.run(seconds)
    course.drive(forward, 0.0)
    begun = course.now * 1e-9
    course.run(MAX_DURATION_S + 0.5)
    assert np.abs(course.phases(math.floor((begun + MAX_DURATION_S + 0.3) * 100) / 100)).max() < 1e-6


def test_in_place_the_sides_go_through_the_pattern_against_each_other():
    course = Course()
    course.run(1.5)
    course.drive(0.05, 1.0)
    course.run(0.7)
    course.drive(0.0, 1.5)
    course.run(1.5)
    assert np.abs(course.phases(3.5)).max() < 1e-6
    position, velocity, _ = course.at(3.5)
    assert velocity[0] == -velocity[1]
    assert math.remainder((position - GAIT.start)[0] + (position - GAIT.start)[1], TURN) == pytest.approx(0.0, abs=1e-9)


def test_nothing_asked_for_is_rest():
    course = Course()
    course.run(1.0)
    course.drive(0.0, 0.0)
    course.run(1.5)
    rows = course.table()[-50:]
    assert not rows[:, 4:].any()
    assert (rows[:, :4] == rows[0, :4]).all()


def test_at_the_limit_of_their_speed_legs_come_into_step_by_waiting():
    begin = GAIT.sample(0.0)._replace(position=GAIT.start + np.array([1.0, 0.0, 0.0, 0.0]))
    rates = np.full(4, 60.0)
    change = plan_rate_change(SPEC, GAIT, begin, 0.0, rates)
    assert np.abs(change.sample(np.linspace(0.0, change.end, 500)).velocity).max() <= 60.0 * (1.0 + 1e-9)
    assert phase_correction(GAIT.start, change.sample(change.end + 0.1).position, rates) == pytest.approx(
        np.zeros(4), abs=1e-9
    )


def test_legs_that_are_opposite_come_into_step_too():
    apart = phase_correction(np.zeros(4), np.array([0.0, math.pi, 0.0, math.pi]), np.ones(4))
    assert np.ptp(np.exp(1j * (np.array([0.0, math.pi, 0.0, math.pi]) + apart))) == pytest.approx(0.0, abs=1e-9)


def test_speeds_beyond_the_motors_are_scaled_down_on_the_same_curve():
    _, rates, drive, notes = STEERING.execute(VelocityCommand(0.3, 9.0))
    assert np.abs(rates).max() == pytest.approx(9.5 * TURN)
    assert drive.forward / drive.yaw == pytest.approx(0.3 / 9.0)
    assert rates == pytest.approx(TURN / 0.05 * (drive.forward + 0.05 * drive.yaw * np.array([-1, 1, -1, 1])))
    assert "it goes the same curve" in notes["too_fast"]
    assert STEERING.execute(VelocityCommand(0.1, 0.2))[2:] == (VelocityCommand(0.1, 0.2), {})


def twist(linear, angular):
    return Twist(
        linear=Vector3(**dict(zip("xyz", linear, strict=True))),
        angular=Vector3(**dict(zip("xyz", angular, strict=True))),
    )


@pytest.mark.parametrize(
    ("linear", "angular", "sentence"),
    [
        ((math.nan, 0.0, 0.0), ZERO, "cmd_vel has a number that is not finite: it is ignored."),
        ((0.1, 0.0, 0.0), (0.0, 0.0, math.inf), "cmd_vel has a number that is not finite: it is ignored."),
        ((0.0, 0.05, 0.0), ZERO, "cmd_vel has a velocity other than linear.x and angular.z"),
        (ZERO, (0.1, 0.0, 0.0), "cmd_vel has a velocity other than linear.x and angular.z"),
    ],
)
def test_a_twist_that_cannot_be_followed_is_refused(linear, angular, sentence):
    with pytest.raises(UserError) as refused:
        read_twist(twist(linear, angular))
    assert str(refused.value).startswith(sentence)


def test_a_part_that_it_cannot_follow_is_left_out_and_said():
    command = read_twist(twist((0.1, 0.05, 0.0), (0.0, 0.0, 0.2)))
    assert command[:2] == (0.1, 0.2)
    assert "leaves that part out" in STEERING.execute(command).notes["sideways"]


@pytest.mark.parametrize(("age_ms", "refused"), [(0, ""), (499, ""), (501, "old"), (-501, "ahead of the clock")])
def test_a_stamped_twist_counts_only_in_the_present(age_ms, refused):
    now_ns = 100_000 * MS
    message = TwistStamped(twist=twist((0.1, 0.0, 0.0), ZERO))
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(now_ns - age_ms * MS, 10**9)
    if not refused:
        assert read_stamped_twist(message, now_ns) == VelocityCommand(0.1, 0.0)
        return
    with pytest.raises(UserError, match=rf"cmd_vel is 0.501 s {refused}: its stamp must be within 0.5 s"):
        read_stamped_twist(message, now_ns)


def test_a_twist_without_a_stamp_is_of_the_present():
    assert read_stamped_twist(TwistStamped(twist=twist((0.1, 0.0, 0.0), ZERO)), 10**15) == VelocityCommand(0.1, 0.0)


def test_silence_brings_it_to_rest_only_after_something_was_said():
    steering = VelocityCommandBuffer()
    assert not steering.expire(10**12)
    assert steering.command is None
    assert steering.update(VelocityCommand(0.1, 0.3), 0)
    assert not steering.update(VelocityCommand(0.1, 0.3), 300 * MS)  # the same: nothing changes
    assert not steering.expire(300 * MS + COMMAND_TIMEOUT_NS)
    assert steering.expire(301 * MS + COMMAND_TIMEOUT_NS)
    assert steering.command == AT_STANDSTILL
    assert steering.warning == "no cmd_vel for 0.5 s: the robot stands still"
    assert not steering.expire(900 * MS)
    assert steering.update(VelocityCommand(0.1, 0.0), 1000 * MS)
    assert not steering.warning


def test_after_a_stop_that_was_asked_for_silence_is_no_trouble():
    steering = VelocityCommandBuffer()
    steering.update(VelocityCommand(0.1, 0.0), 0)
    steering.update(AT_STANDSTILL, 100 * MS)
    assert not steering.expire(2000 * MS)
    assert not steering.warning
