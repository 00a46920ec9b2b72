"""Setpoints keep every limit from one tick to the next, whatever they are told and however the joints moved before."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from toy_robot import toy

from crawler_core.safety.joint_setpoints import JointSetpoints

DT = 0.005
(JOINT,) = toy().actuated[:1]
CHANGE = JOINT.acceleration * DT  # rad/s, the most that a tick may change
ROUNDING = 1e-5  # a command may be beyond a limit by 1e-6

SHARE = st.floats(-1.0, 1.0)
TOLD = st.one_of(
    st.just(("brake", 0.0, 0.0)),
    st.just(("coast", 0.0, 0.0)),
    st.tuples(st.just("anywhere"), st.floats(-1.2, 1.2), st.one_of(st.floats(-3.0, 3.0), st.just(math.nan))),
    st.tuples(st.just("faster"), SHARE, SHARE),  # by so much of the limit, with a velocity apart from its positions
    st.tuples(st.just("contradicting"), SHARE, st.sampled_from([1e6, -1e6, 2.0, 0.0])),
)


def tell(setpoints, what, one, two):
    if what == "brake":
        return setpoints.brake()
    if what == "coast":
        return setpoints.coast()
    position, velocity = one, two
    if what == "faster":
        velocity = setpoints.velocity[0] + one * CHANGE
        position = setpoints.position[0] + (0.5 * (setpoints.velocity[0] + velocity) + 0.25 * two * CHANGE) * DT
    elif what == "contradicting":
        position = setpoints.position[0] + 2.0 * one * CHANGE * DT
    return setpoints.follow([position], [velocity])


@settings(derandomize=True, deadline=None, max_examples=100)
@given(
    st.floats(-0.9, 0.9), st.floats(-0.8, 0.8), st.lists(st.tuples(st.integers(1, 12), TOLD), min_size=1, max_size=12)
)
@example(0.9, 0.0, [(5, ("faster", 0.35, 0.7)), (12, ("faster", 0.56, 0.05)), (2, ("faster", -0.8, -1.0))])
@example(0.2, 0.0, [(2, ("contradicting", -0.51, 0.0)), (2, ("faster", -0.55, -1.0))])
def test_nothing_that_is_told_passes_a_limit_between_two_ticks(position, velocity, told):
    setpoints = JointSetpoints([JOINT], 0.5, DT)
    setpoints.start([position], [velocity])
    path, speeds = [position - velocity * DT, position], [velocity]
    for times, what in told:
        for _ in range(times):
            answer = tell(setpoints, *what)
            path.append(answer.position[0])
            speeds.append(answer.velocity[0])
    moved = np.diff(path) / DT
    assert np.abs(moved).max() <= JOINT.velocity * (1.0 + ROUNDING)
    assert np.abs(speeds).max() <= JOINT.velocity * (1.0 + ROUNDING)
    assert np.abs(np.diff(moved)).max() <= CHANGE * (1.0 + ROUNDING)
    assert np.abs(np.diff(speeds)).max() <= CHANGE * (1.0 + ROUNDING)
    assert JOINT.lower - 1e-8 <= min(path[1:]) <= max(path) <= JOINT.upper + 1e-8


@pytest.mark.parametrize("velocity", [1.5, -2.0])
def test_a_joint_that_was_falling_when_it_gets_its_torque_is_not_stopped_at_once(velocity):
    setpoints = JointSetpoints([JOINT], 0.5, DT)
    setpoints.start([0.0], [velocity])
    answer = setpoints.brake()
    assert abs(answer.velocity[0] - velocity) <= CHANGE
    assert answer.position[0] == pytest.approx(velocity * DT, rel=0.1)
    while not setpoints.at_rest:
        answer = setpoints.brake()
    assert abs(answer.position[0]) >= velocity**2 / (2.0 * JOINT.acceleration)


def test_a_joint_whose_velocity_is_unknown_starts_at_rest_and_one_that_is_too_fast_at_its_limit():
    setpoints = JointSetpoints([JOINT], 0.5, DT)
    setpoints.start([0.0], [math.nan])
    assert setpoints.at_rest
    setpoints.start([0.0], [30.0])
    assert setpoints.velocity[0] == JOINT.velocity


def test_a_command_that_leaps_while_the_one_before_is_still_approached_is_said_too():
    setpoints = JointSetpoints([JOINT], 0.5, DT)
    setpoints.start([0.0], [math.nan])
    said = [setpoints.follow([where], [0.0]).reason for where in (0.8, 0.8, -0.8, -0.8)]
    assert [bool(text) for text in said] == [False, False, True, False]
    assert "commanded faster than" in said[2]
