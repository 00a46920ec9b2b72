"""Turns, scales and limits of an axis, with numbers worked out by hand."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from odrive_bench import OWN, crank

from crawler_core.errors import UserError
from hw_drivers.odrive import messages as m
from hw_drivers.odrive.error_flags import AXIS_ERRORS
from hw_drivers.odrive.plan import TURN_RAD, plan_axis, setpoint, unwrap

STILL = (0.0, 0.0)


def test_the_drive_is_told_turns_of_its_motor():
    joint = replace(crank(), direction=1, gear=8.0, zero=0.0)
    message = setpoint(plan_axis(joint), math.pi, -TURN_RAD / 8.0, 0.8, STILL)
    # half a turn of the joint is 4 of the motor; -1/8 turn/s is -1; 0.8 N·m are 0.1 at the motor
    assert message == m.SetInputPos(4.0, -1000, 100)


def test_a_motor_that_turns_against_the_joint_is_told_so():
    joint = replace(crank(), direction=-1, gear=8.0, zero=TURN_RAD)
    assert setpoint(plan_axis(joint), math.pi, 0.0, math.nan, STILL) == m.SetInputPos(1.0 - 4.0, 0, 0)


def test_the_current_limit_is_the_joints_effort():
    plan = plan_axis(crank())
    assert plan.current_limit == pytest.approx(1.5 / (8.0 * 0.05))
    assert plan.effort(1.0) == pytest.approx(-0.4), "1 A are 0.05 N·m at a motor that turns against the joint"
    assert plan_axis(crank(effort=0.0)).current_limit == OWN.max_current


def test_the_drive_may_run_a_little_faster_than_the_joint():
    assert plan_axis(crank()).limits().velocity == pytest.approx(1.25 * 10.0 * 8.0 / TURN_RAD)


def test_mode_velocity_closes_the_loop_here():
    plan = plan_axis(replace(crank(mode="velocity"), direction=1))
    message = setpoint(plan, 0.2, 0.5, math.nan, (0.1, 0.0))
    assert isinstance(message, m.SetInputVel)
    assert message.velocity == pytest.approx((0.5 + 20.0 * 0.1) * 8.0 / TURN_RAD)
    fastest = setpoint(plan, 1e6, 0.5, math.nan, STILL)
    assert isinstance(fastest, m.SetInputVel)
    assert fastest.velocity == plan.velocity_limit


def test_mode_torque_is_a_spring_and_a_damper_within_the_motors_torque():
    plan = plan_axis(replace(crank(mode="torque"), direction=1))
    message = setpoint(plan, 0.2, 0.5, 0.1, (0.1, 0.2))
    assert isinstance(message, m.SetInputTorque)
    assert message.torque == pytest.approx((2.0 * 0.1 + 0.1 * 0.3 + 0.1) / 8.0)
    hardest = setpoint(plan, 1e6, 0.0, math.nan, STILL)
    assert isinstance(hardest, m.SetInputTorque)
    assert hardest.torque == pytest.approx(1.5 / 8.0)


@given(st.floats(-1e4, 1e4), st.floats(-1e3, 1e3), st.sampled_from(["position", "velocity", "torque"]))
def test_whatever_is_commanded_fits_into_a_frame(position, velocity, mode):
    plan = plan_axis(crank(mode=mode))
    message = setpoint(plan, position, velocity, 1e3, STILL)
    if isinstance(message, m.SetInputPos):
        assert abs(message.velocity_ff) <= 32767
        assert abs(message.torque_ff) <= 32767


@given(st.floats(-1e4, 1e4), st.sampled_from([-1, 1]), st.floats(0.1, 100.0), st.floats(-10.0, 10.0))
def test_angles_come_back(angle, direction, gear, zero):
    plan = plan_axis(crank(direction=direction, gear=gear, zero=zero, velocity=1.0, effort=0.0))
    message = setpoint(plan, angle, 0.0, math.nan, STILL)
    assert isinstance(message, m.SetInputPos)
    assert plan.angle(message.position) == pytest.approx(angle, abs=1e-6)


@given(st.floats(-1000.0, 1000.0), st.floats(-3.9, 3.9))
def test_an_angle_that_starts_again_is_followed(turns, moved):
    seen = unwrap((turns + moved) % 8.0, turns, 8.0)
    assert seen == pytest.approx(turns + moved, abs=1e-9)


def test_a_setpoint_wraps_with_the_drive():
    plan = plan_axis(replace(crank(wrap=16.0), direction=1, zero=0.0))
    message = setpoint(plan, 5.0 * TURN_RAD, 0.0, math.nan, STILL)
    assert isinstance(message, m.SetInputPos)
    assert message.position == pytest.approx(8.0)  # 40 turns less 2 * 16


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"id": 63}, "a CAN node id is 0 to 62"),
        ({"torque_constant": 0.0}, "torque_constant is missing"),
        ({"max_current": 0.0}, "max_current is missing"),
        ({"max_current": 1.0}, "needs 3.75 A, but hardware.joints.crank.max_current is 1 A"),
        ({"velocity": 26.0}, "only 32.8 fit into a frame"),
        ({"torque_constant": 2.0, "gear": 0.04}, "only 32.8 fit into a frame"),
        ({"wrap": 9.0}, "a whole multiple of its gear, 8"),
        ({"wrap": 8.0, "lower": -1.0, "upper": 1.0}, "it is for a continuous joint"),
    ],
)
def test_numbers_that_the_drive_cannot_take_are_refused_in_one_sentence(changes, said):
    with pytest.raises(UserError) as refusal:
        plan_axis(crank(**changes))
    assert said in str(refusal.value)
    assert str(refusal.value).endswith(".")
    assert "\n" not in str(refusal.value)


def test_every_error_flag_is_a_sentence_with_a_remedy():
    assert all(bit & (bit - 1) == 0 for bit in AXIS_ERRORS), "one bit each"
    for bit in AXIS_ERRORS:
        (meaning,), remedy = AXIS_ERRORS.explain(bit)
        assert " " in meaning
        assert " " in remedy


@given(st.integers(0, 2**32 - 1))
def test_no_flag_goes_unmentioned(flags):
    meanings, remedy = AXIS_ERRORS.explain(flags)
    assert bool(meanings) == bool(remedy) == bool(flags)
    assert all(meaning in meanings for bit, (meaning, _) in AXIS_ERRORS.items() if flags & bit)
    assert any("unknown" in meaning for meaning in meanings) == bool(flags & ~sum(AXIS_ERRORS))
