"""Reading a horizon and moving along it."""

import math

import numpy as np
import pytest
from builtin_interfaces.msg import Duration, Time
from hypothesis import given
from hypothesis import strategies as st
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from crawler_core.errors import UserError
from hybrid_controller.reference.horizon import Horizon, read_trajectory

MS = 1_000_000
OMEGA = 8.0


def sine(time_ns):
    """A motion of two joints."""
    t = np.asarray(time_ns)[..., np.newaxis] * 1e-9 + np.array([0.0, 0.3])
    return np.sin(OMEGA * t), OMEGA * np.cos(OMEGA * t), -(OMEGA**2) * np.sin(OMEGA * t)


def horizon(begin_ns, count=31):
    times = [begin_ns + 10 * MS * k for k in range(count)]
    return Horizon(times, *sine(times))


def trajectory(begin_ns=1_000_000_000, count=5, names=("joint_1", "joint_2")):
    times = [begin_ns + 10 * MS * k for k in range(count)]
    message = JointTrajectory(joint_names=list(names))
    message.header.stamp = Time(sec=begin_ns // 10**9, nanosec=begin_ns % 10**9)
    for time_ns, q, v, a in zip(times, *sine(times), strict=True):
        offset = time_ns - begin_ns
        message.points.append(
            JointTrajectoryPoint(
                positions=q.tolist(),
                velocities=v.tolist(),
                accelerations=a.tolist(),
                time_from_start=Duration(sec=offset // 10**9, nanosec=offset % 10**9),
            )
        )
    return message


@given(st.integers(0, 299 * MS))
def test_between_grid_points_it_follows_the_motion(time_ns):
    point = horizon(0).at(time_ns)
    q, v, a = sine(time_ns)
    # Hermite's remainder on a 10 ms grid: (omega h)^6 / 46080 = 6e-12 rad, and some orders of h more for derivatives
    assert point.position == pytest.approx(q, abs=1e-11)
    assert point.velocity == pytest.approx(v, abs=1e-8)
    assert point.acceleration == pytest.approx(a, abs=1e-5)


@given(st.integers(100 * MS, 290 * MS))
def test_a_time_has_the_same_bits_in_every_horizon_that_covers_it(time_ns):
    early, late = horizon(0), horizon(100 * MS)
    assert early.covers(time_ns)
    assert late.covers(time_ns)
    assert early.at(time_ns) == late.at(time_ns)


def test_it_covers_its_first_instant_but_not_its_last():
    some = horizon(50 * MS, count=3)
    assert [some.covers(t * MS) for t in (49, 50, 60, 69, 70, 71)] == [False, True, True, True, False, False]


def test_joints_in_another_order_are_put_in_the_robots():
    swapped = read_trajectory(trajectory(names=("joint_2", "joint_1")), ("joint_1", "joint_2"))
    plain = read_trajectory(trajectory(), ("joint_1", "joint_2"))
    time_ns = 1_013 * MS
    assert swapped.at(time_ns).position == plain.at(time_ns).position[::-1]


def broken(change):
    message = trajectory()
    change(message)
    return message


def repeat_time(message):
    message.points[3].time_from_start = message.points[2].time_from_start


def forget_velocity(message):
    message.points[1].velocities = []


def forget_acceleration(message):
    message.points[4].accelerations = []


def lose_a_number(message):
    message.points[2].positions = [0.0, math.nan]


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        (
            trajectory(names=("joint_1", "knee")),
            "gait_reference names the joints joint_1, knee: it must name joint_1, joint_2.",
        ),
        (
            trajectory(names=("joint_1", "joint_1")),
            "names the joints joint_1, joint_1: it must name joint_1, joint_2.",
        ),
        (trajectory(count=1), "gait_reference has 1 points: it must have at least two."),
        (broken(repeat_time), "point 3 of gait_reference is not later than point 2: times must rise."),
        (broken(forget_velocity), "point 1 of gait_reference has 0 velocities: it must have 2."),
        (broken(forget_acceleration), "point 4 of gait_reference has 0 accelerations: it must have 2."),
        (
            broken(lose_a_number),
            "point 2 of gait_reference has a number in the positions of joint_2 that is not finite.",
        ),
    ],
)
def test_a_reference_that_cannot_be_used_is_refused_with_a_sentence(message, sentence):
    with pytest.raises(UserError) as refused:
        read_trajectory(message, ("joint_1", "joint_2"))
    assert sentence in str(refused.value)
