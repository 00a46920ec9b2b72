"""Braking and approaching never jump and keep the joints' limits."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from crawler_core.robot.robot_file import load_robot
from crawler_core.safety.approach import BRAKING_SHARE
from hybrid_controller.reference.horizon import ReferencePoint
from hybrid_controller.reference.setpoint_ramp import SetpointRamp

ACCELERATION = 400.0  # rad/s², of both joints
LOWER, UPPER = np.radians([50.0, 172.0])


@pytest.mark.parametrize("rate", [50.0, 200.0, 1000.0])
def test_braking_ends_at_rest_as_soon_as_the_acceleration_allows(crawler, rate):
    dt, speed = 1.0 / rate, 5.0
    ramp = SetpointRamp(crawler, dt, [1.5, 1.9], [speed, -speed / 2])
    velocities = [ramp.setpoint[1]]
    while not ramp.at_rest:
        ramp.brake()
        velocities.append(ramp.setpoint[1])
    slowing = -np.diff(np.abs(velocities), axis=0) / dt
    assert slowing.max() <= BRAKING_SHARE * ACCELERATION * (1 + 1e-9)
    ticks = speed / (BRAKING_SHARE * ACCELERATION) / dt
    assert ticks - 1e-6 <= len(velocities) - 1 <= ticks + 2  # rounding may leave a crumb for one more
    # v² / 2a, which the trapezoidal steps meet exactly but for the last one
    travelled = ramp.setpoint[0][0] - 1.5
    assert travelled == pytest.approx(speed**2 / (2 * BRAKING_SHARE * ACCELERATION), abs=speed * dt / 4)
    resting = ramp.setpoint
    ramp.brake()
    assert ramp.setpoint == resting


def test_braking_stays_inside_the_position_limits(crawler):
    ramp = SetpointRamp(crawler, 0.005, [UPPER - 0.01, 1.9], [10.0, 0.0])
    for _ in range(20):
        ramp.brake()
        assert ramp.setpoint[0][0] <= UPPER
    assert ramp.at_rest


def catch_up(ramp, reference, dt, limit=10.0):
    """Approach a reference until it is converged; returns the rows (q, v) of every tick."""
    rows = [np.concatenate(ramp.setpoint)]
    k = 0
    while not ramp.has_converged(reference(k * dt)):
        assert k * dt < limit, "never converged"
        ramp.approach(reference(k * dt), reference((k + 1) * dt))
        k += 1
        rows.append(np.concatenate(ramp.setpoint))
    return np.array(rows), k * dt


@settings(max_examples=40)
@given(
    st.floats(LOWER, UPPER),
    st.floats(0.0, 1.0),
    st.floats(0.0, 12.0),
    st.floats(0.0, 6.3),
    st.sampled_from([100.0, 200.0]),
)
def test_a_moving_reference_is_caught_smoothly_at_the_approach_velocity(start, amplitude, omega, phase, rate):
    crawler = load_robot("three_link")
    closing, dt = crawler.safety.approach_velocity, 1.0 / rate
    # what it leaves of the joints' velocity and acceleration must be enough for the approach
    assume(amplitude * omega < 12.0 - closing)
    assume(amplitude * omega**2 < ACCELERATION / 2)

    def reference(t):
        x = omega * t + phase
        q, v, a = 1.94 + amplitude * np.sin(x), amplitude * omega * np.cos(x), -amplitude * omega**2 * np.sin(x)
        return ReferencePoint([q, q], [v, v], [a, a])

    ramp = SetpointRamp(crawler, dt, [start, start], [0.0, 0.0])
    rows, took = catch_up(ramp, reference, dt)
    q, v = rows[:, :2], rows[:, 2:]
    assert q.min() >= LOWER
    assert q.max() <= UPPER
    # 1 %: the positions carry the curvature of the reference, which the steps of velocity do not know
    assert np.abs(np.diff(v, axis=0)).max(initial=0.0) <= ACCELERATION * dt * 1.01
    # positions are the integral of the velocities: Euler's step is off by half the acceleration, times dt
    assert np.abs(np.diff(q, axis=0) / dt - v[1:]).max(initial=0.0) <= ACCELERATION * dt
    if q.min() < LOWER + 0.1 or q.max() > UPPER - 0.1:
        return  # a limit of position comes first
    assert (
        np.abs(np.diff(v, axis=0)).max(initial=0.0) <= (BRAKING_SHARE * ACCELERATION + amplitude * omega**2) * dt + 1e-9
    )
    relative = np.abs(v - [reference(k * dt).velocity for k in range(len(v))])
    first = abs(reference(0.0).velocity[0])  # at rest beside a moving reference this is the speed between them
    assert relative.max() <= max(first, closing) + 1e-6
    distance = abs(start - reference(0.0).position[0])
    assert took <= (distance + first**2 / ACCELERATION) / closing + 0.2 + 30 * dt


def test_a_reference_that_is_where_the_joints_are_is_caught_at_once(crawler):
    ramp = SetpointRamp(crawler, 0.005, [1.9, 1.8], [0.0, 0.0])
    assert ramp.has_converged(ReferencePoint([1.9, 1.8], [0.0, 0.0], [5.0, 5.0]))
    assert not ramp.has_converged(ReferencePoint([1.9, 1.8001], [0.0, 0.0], [0.0, 0.0]))
    assert not ramp.has_converged(ReferencePoint([1.9, 1.8], [0.0, 0.01], [0.0, 0.0]))
