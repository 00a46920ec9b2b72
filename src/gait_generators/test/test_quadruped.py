"""Gaits of four driven cranks: who is ahead of whom, how they turn the robot, and what each foot is meant to do."""

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from four_cranks import HOME, with_four_cranks

from crawler_core.errors import UserError
from crawler_core.robot.robot_file import load_robot
from gait_generators.kinds.gait_registry import fitting_gaits, make_gait
from gait_generators.kinds.limit_check import check_limits
from gait_generators.kinds.stride_map import StrideMap
from gait_generators.transitions.hold import Hold
from gait_generators.transitions.phase_shifted_gait import PhaseShiftedGait
from gait_generators.transitions.transition import plan_transition

TURN = 2.0 * math.pi
NAMES = ("trot", "walk", "pace", "bound", "pronk")
FL, FR, HL, HR = range(4)


def gait_of(name, **values):
    spec = with_four_cranks()
    gait: Any = make_gait(spec, name, values)
    check_limits(spec, gait)
    return gait


def lowest(gait):
    """When in its period each foot is at its lowest point, in periods."""
    return np.mod(-(gait.start - HOME) / gait.rate, gait.period) / gait.period


@pytest.mark.parametrize(
    ("name", "together"),
    [
        ("trot", [{FL, HR}, {FR, HL}]),
        ("walk", [{HL}, {FL}, {HR}, {FR}]),
        ("pace", [{FL, HL}, {FR, HR}]),
        ("bound", [{FL, FR}, {HL, HR}]),
        ("pronk", [{FL, FR, HL, HR}]),
    ],
)
def test_the_feet_come_down_in_the_order_that_gives_the_gait_its_name(name, together):
    when = lowest(gait_of(name))
    for k, feet in enumerate(together):
        for foot in feet:
            assert math.remainder(when[foot] - k / len(together), 1.0) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(
    ("turn", "left", "right"),
    [(0.0, 1.0, 1.0), (0.25, 0.5, 1.0), (1.0, -1.0, 1.0), (-0.5, 1.0, 0.0), (-1.0, 1.0, -1.0)],
)
def test_a_turn_slows_one_side_down_and_then_reverses_it(turn, left, right):
    gait = gait_of("trot", turn=turn, frequency=2.0)
    assert gait.rate / (TURN * 2.0) == pytest.approx([left, right, left, right])
    q, v, a = gait.sample(np.array([0.0, 0.3]))
    np.testing.assert_allclose(q[1] - q[0], 0.3 * gait.rate, atol=1e-12)
    assert (v == gait.rate).all()
    assert not a.any()


@pytest.mark.parametrize("name", NAMES)
def test_each_foot_is_meant_to_be_down_for_its_duty_about_its_lowest_point(name):
    gait = gait_of(name, frequency=-3.0)
    t = (np.arange(2000) + 0.5) / 2000 * gait.period
    down = gait.intended(t)
    assert down.shape == (2000, 4)
    assert down.mean(axis=0) == pytest.approx([0.75 if name == "walk" else 0.5] * 4, abs=1e-3)
    for foot, when in enumerate(lowest(gait)):
        middle = np.angle(np.exp(1j * TURN * t / gait.period)[down[:, foot]].sum())
        assert math.remainder(middle - TURN * when, TURN) == pytest.approx(0.0, abs=1e-9)


def test_an_error_moves_the_leg_and_not_what_is_meant_and_an_offset_moves_both():
    plain, wrong, meant = gait_of("trot"), gait_of("trot", error_hl=20.0), gait_of("trot", ahead_hl=20.0)
    for other in (wrong, meant):
        moved = other.sample(0.1).position - plain.sample(0.1).position
        assert np.degrees(moved) == pytest.approx([0.0, 0.0, 20.0, 0.0])
    t = np.linspace(0.0, plain.period, 400)
    assert (wrong.intended(t) == plain.intended(t)).all()
    assert (meant.intended(t)[:, HL] == plain.intended(t + plain.period / 18.0)[:, HL]).all()
    assert (meant.intended(t)[:, HR] == plain.intended(t)[:, HR]).all()


def test_a_start_from_rest_is_never_faster_than_the_gait_and_comes_into_its_phases():
    spec = with_four_cranks()
    for name in NAMES:
        gait: Any = make_gait(spec, name, {})
        rest = Hold(np.full(4, HOME))
        blend = plan_transition(spec, rest, PhaseShiftedGait.after(spec, rest, gait, 0.0), 0.0, gait.period)
        t = np.linspace(0.0, blend.end, 500)
        speed = blend.sample(t).velocity
        assert speed.min() >= 0.0
        assert speed.max() <= gait.rate.max() * (1.0 + 1e-12)
        away = blend.sample(blend.end).position - gait.sample(blend.end).position
        assert away / TURN == pytest.approx(np.round(away / TURN), abs=1e-12)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"frequency": 0.0}, "gait.frequency = 0 Hz is too slow: it must be at least 0.05 Hz."),
        ({"frequency": 9.9}, "gait.frequency = 9.9 is not allowed: it must be -9.5 to 9.5 Hz."),
        ({"turn": 1.5}, "gait.turn = 1.5 is not allowed: it must be -1 to 1."),
    ],
)
def test_what_cannot_be_turned_is_refused_in_a_sentence(values, sentence):
    with pytest.raises(UserError) as refused:
        gait_of("trot", **values)
    assert str(refused.value) == sentence


def test_a_robot_with_other_joints_is_told_so():
    with pytest.raises(UserError, match="the gait 'trot' moves 4 joints, but three_link has 2 actuated"):
        make_gait(load_robot("three_link"), "trot", {})
    spec = with_four_cranks()
    assert set(NAMES) <= set(fitting_gaits(spec))
    limited = dataclasses.replace(spec.joints[2], continuous=False, lower=0.0, upper=3.0)
    mixed = dataclasses.replace(spec, joints=(*spec.joints[:2], limited, spec.joints[3]))
    with pytest.raises(UserError, match="turns four cranks, but crank_hl of three_link is not continuous"):
        make_gait(mixed, "trot", {})


def test_a_twist_is_a_way_per_turn_and_a_difference_across_the_track():
    def rates(forward, yaw):
        found = StrideMap(stride=0.05, track=0.1, fastest=9.0).motion_for(forward, yaw)
        return gait_of("trot", **found.parameters).rate

    assert rates(0.1, 0.0) == pytest.approx([2.0 * TURN] * 4)
    assert rates(0.0, 1.0) == pytest.approx(np.array([-1.0, 1.0, -1.0, 1.0]) * TURN)
    assert rates(-0.1, 2.0) == pytest.approx(np.array([-4.0, 0.0, -4.0, 0.0]) * TURN)
