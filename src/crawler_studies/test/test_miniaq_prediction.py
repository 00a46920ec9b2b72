"""MinIAQ's steady walk as numbers: the paper's claims, what must balance and mirror, and what cannot walk."""

import math
from dataclasses import replace

import numpy as np
import pytest

from crawler_core.robot.robot_file import load_robot
from crawler_models.miniaq.equations.quadruped import Quadruped
from crawler_models.miniaq.prediction import driving_work, predict_walk
from crawler_models.miniaq.walks.steady_walk import SAMPLES_PER_STRIDE, last_state, steady_walk
from crawler_models.miniaq.walks.walk import walk
from crawler_models.model_registry import model_of
from gait_generators.kinds.gait_registry import make_gait

SPEC = load_robot("miniaq")
ROBOT = Quadruped.from_parameters(SPEC.parameters)


def predicted(name="trot", robot=ROBOT, **values):
    return predict_walk(robot, make_gait(SPEC, name, values))


@pytest.fixture(scope="module")
def trot():
    return predicted()


def test_the_trot_does_what_the_paper_says_of_it(trot):
    assert trot["valid"]
    assert trot["three_down_share"] > 0.85
    assert trot["duty_hind"] > 1.5 * trot["duty_front"]
    assert 2.0 < trot["roll_amplitude_deg"] < 3.0
    assert -2.4 < trot["pitch_low_deg"] < trot["pitch_high_deg"] < 0.1
    assert trot["cycles_to_steady"] <= 3
    assert trot["speed_m_s"] == pytest.approx(2.5 * trot["step_length_m"])


def test_a_straight_walk_is_pushed_forward_as_much_as_backward(trot):
    # its momentum repeats; what is left is that the heading, along which pushes count, swings by some degrees
    assert trot["drag_share"] == pytest.approx(0.5, abs=5e-3)
    assert abs(trot["yaw_per_stride_rad"]) < 1e-5
    assert abs(trot["lateral_drift_m"]) < 1e-6


def test_pace_and_pronk_barely_advance(trot):
    for name in ("pace", "pronk"):
        found = predicted(name)
        assert found["valid"], name
        assert abs(found["step_length_m"]) < 0.15 * trot["step_length_m"], name
        assert found["feet_down"] > 3.9, name


def test_turning_in_place_turns_and_mirrors():
    left, right = predicted(turn=1.0), predicted(turn=-1.0)
    assert left["yaw_rate_deg_s"] > 60.0
    assert right["yaw_rate_deg_s"] == pytest.approx(-left["yaw_rate_deg_s"], rel=1e-3)
    assert right["lateral_drift_m"] == pytest.approx(-left["lateral_drift_m"], rel=1e-2)


def test_sides_at_paces_of_no_simple_ratio_are_averaged_over_all_phases():
    left, right = predicted(turn=0.37), predicted(turn=-0.37)
    assert left["valid"]
    assert right["valid"]
    # the strides do not begin at the same phases on both sides, and there are 23 of them
    assert right["yaw_rate_deg_s"] == pytest.approx(-left["yaw_rate_deg_s"], rel=0.03)
    assert right["step_length_m"] == pytest.approx(left["step_length_m"], rel=0.03)


def test_strides_that_are_called_steady_go_on_so():
    gait = make_gait(SPEC, "walk", {})
    steady = steady_walk(ROBOT, gait)
    crank, rates, _ = gait.sample(0.0)
    later = walk(
        ROBOT, crank, rates, 2.0 * gait.period, every=gait.period / SAMPLES_PER_STRIDE, start=last_state(steady.walk)
    )
    moved = [w.position[-1, 0] - w.position[-1 - SAMPLES_PER_STRIDE, 0] for w in (steady.walk, later)]
    assert moved[1] == pytest.approx(moved[0], rel=1e-3)


def test_the_cranks_work_is_what_friction_and_the_ground_take():
    gait = make_gait(SPEC, "trot", {})
    steady = steady_walk(ROBOT, gait)
    w = steady.walk
    assert steady.strides == 1
    # a foot rubs and sinks with the ground's force against its motion; the means of both over a millisecond are not
    # the mean of their product, above all where a foot lands
    moving = 0.5 * (w.foot_velocity[1:] + w.foot_velocity[:-1])
    taken = -float((w.force[1:] * moving).sum(axis=(1, 2)) @ np.diff(w.times))
    given = float(w.power[1:] @ np.diff(w.times))
    assert taken == pytest.approx(given, rel=0.05)
    assert driving_work(ROBOT, w, gait.sample(0.0).velocity) >= given


def test_a_phase_error_of_a_leg_makes_it_turn(trot):
    for leg, side in (("fl", 1.0), ("fr", -1.0)):
        found = predicted(**{f"error_{leg}": 20.0})
        assert found["valid"]
        assert side * found["yaw_rate_deg_s"] > 0.3, leg
        assert found["mismatch"] > trot["mismatch"], leg


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"l_2": 0.020}, "cannot turn"),
        ({"x_front": -0.03}, "tip"),
    ],
)
def test_what_cannot_walk_is_not_valid_and_one_sentence(change, said):
    found = predicted(robot=replace(ROBOT, **change))
    assert not found["valid"]
    assert said in found["reason"]
    assert found["reason"].endswith(".")
    assert math.isnan(found["step_length_m"])
    assert math.isnan(found["speed_m_s"])


def test_cranks_that_do_not_turn_evenly_are_refused():
    class Waving:
        period = 1.0

        def sample(self, t):
            t = np.asarray(t, dtype=float)[..., np.newaxis] * np.ones(4)
            return type("Sample", (), {"position": np.sin(t), "velocity": np.cos(t), "acceleration": -np.sin(t)})

    with pytest.raises(ValueError, match="turn evenly"):
        predict_walk(ROBOT, Waving())


def test_every_column_is_there_whether_the_walk_is_valid_or_not(trot):
    keys = {column.key for column in model_of(SPEC).columns}
    assert keys <= trot.keys()
    assert trot.keys() == predicted(robot=replace(ROBOT, x_front=-0.03)).keys()
