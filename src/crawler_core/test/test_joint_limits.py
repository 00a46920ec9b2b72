"""Limits on setpoints."""

import numpy as np

from crawler_core.safety.approach import BRAKING_SHARE, brake
from crawler_core.safety.joint_limits import JointLimits, limit_speed
from crawler_core.types import JointCommand

DT = 0.01
NONE = np.full(3, np.nan)


def command(position, velocity=None):
    return JointCommand(np.array(position, float), NONE if velocity is None else np.array(velocity, float), NONE)


def test_a_command_inside_the_limits_comes_back_bit_for_bit(spec):
    speed = JointLimits.of(spec).velocity
    wanted = command([0.1 + 1e-17, 0.3, 1e6 / 3], [0.7, -1.1, 0.1])
    safe = limit_speed(wanted, wanted.position - 0.015, speed, DT)
    assert safe.position.tobytes() == wanted.position.tobytes()
    assert safe.velocity.tobytes() == wanted.velocity.tobytes()


def test_no_joint_moves_faster_than_its_limit(spec):
    limits = JointLimits.of(spec)
    position = np.zeros(3)
    for _ in range(20):
        safe = limit_speed(command([0.5, -0.5, 50.0]), position, limits.velocity, DT)
        assert (np.abs(safe.position - position) <= limits.velocity * DT * (1 + 1e-12)).all()
        assert (np.abs(safe.velocity) <= limits.velocity).all()
        position = safe.position
    assert np.allclose(position[:2], [0.4, -0.4])


def test_a_velocity_that_is_not_given_is_the_one_that_the_positions_imply(spec):
    safe = limit_speed(command([0.01, 0.0, 0.0]), np.zeros(3), JointLimits.of(spec).velocity, DT)
    assert np.allclose(safe.velocity, [1.0, 0.0, 0.0])


def test_braking_comes_to_rest_in_the_time_that_the_acceleration_allows(spec):
    limits = JointLimits.of(spec)
    q, v = np.zeros(3), np.array([2.0, -2.0, 1.0])
    ticks = 0
    while v.any():
        q, new = brake(q, v, limits, DT)
        assert (np.abs(new - v) <= BRAKING_SHARE * limits.acceleration * DT + 1e-12).all()
        v = new
        ticks += 1
    assert ticks in (40, 41)  # 2 rad/s at an eighth of 40 rad/s² is 0.4 s; rounding may leave a crumb for one more
    assert np.isclose(q[0], 2.0**2 / (2 * 5.0))  # v²/2a


def test_braking_never_leaves_the_position_limits(spec):
    limits = JointLimits.of(spec)
    q, v = np.array([0.99, 0.0, 0.0]), np.array([2.0, 0.0, 0.0])
    for _ in range(30):
        q, v = brake(q, v, limits, DT)
    assert q[0] == 1.0
    assert not v.any()


def test_braking_leaves_a_joint_that_is_outside_its_limits_where_it_is(spec):
    limits = JointLimits.of(spec)
    outside = np.array([1.3, 0.0, 0.0])
    q, v = brake(outside, np.zeros(3), limits, DT)
    assert q[0] == 1.3  # a jump to the limit of 1.0 would be one at the motor's full speed
    assert not v.any()
    q, v = brake(outside, np.array([2.0, 0.0, 0.0]), limits, DT)
    assert q[0] == 1.3  # and further out it does not go
