"""The law (20) with its state machine: what it does at each event, and that the compiled one is the same."""

import math
from dataclasses import replace

import numpy as np
import pytest
from bolt_runs import LAW, LEG, START

from crawler_models.bolt.simulation.running import TURN_RAD, Running, RunningParameters, ahead
from crawler_models.bolt.simulation.sampled_run import simulate_sampled

PAPER = RunningParameters()


def law(parameters=PAPER, torque=120.0, power=1350.0):
    return Running(parameters, torque, power)


@pytest.mark.parametrize("angle", [-7.0, -0.1, 0.0, 0.1, 3.0, 40.0])
@pytest.mark.parametrize("mark", [-2.0, 0.0, 1.0])
def test_the_mark_ahead_is_the_first_that_a_backward_crank_reaches(angle, mark):
    found = ahead(angle, mark)
    assert 0.0 < angle - found <= TURN_RAD + 1e-12
    assert math.remainder(found - mark, TURN_RAD) == pytest.approx(0.0, abs=1e-12)


def test_flight_ramps_from_the_measured_angle_to_alpha_and_waits_there_as_in_the_paper():
    running = law()
    running.begin(1.0, math.radians(-68.0), stance=False)
    assert running.reference(1.0) == math.radians(-68.0)
    assert running.reference(1.1) == pytest.approx(math.radians(-68.0) - 0.1 * 40.8)
    assert running.reference(2.0) == running.reference(9.0) == pytest.approx(-TURN_RAD)


def test_with_retraction_the_reference_goes_on_until_the_foot_lands():
    running = law(replace(PAPER, retraction_rate=15.0))
    running.begin(0.0, math.radians(-68.0), stance=False)
    arrives = (TURN_RAD - math.radians(68.0)) / 40.8
    assert running.reference(arrives + 0.1) == pytest.approx(-TURN_RAD - 1.5)


def test_stance_begins_where_the_foot_lands_and_ends_at_the_lift_off_angle():
    running = law()
    running.begin(0.0, -1.5, stance=False)
    running.touch_down(0.2, -6.0)
    assert running.stance
    assert running.reference(0.2) == -6.0
    running.torque(0.21, -6.5, -30.0)
    assert running.stance
    running.torque(0.24, -TURN_RAD + math.radians(-68.1), -30.0)
    assert not running.stance


def test_a_foot_that_has_not_left_the_ground_does_not_land_again():
    running = law()
    running.begin(0.0, -1.5, stance=True)
    running.torque(0.1, math.radians(-69.0) - TURN_RAD, -30.0)
    running.touch_down(0.11, -8.0)
    assert not running.stance
    running.in_air(0.12, -8.0)
    running.touch_down(0.13, -8.1)
    assert running.stance


def test_a_foot_in_the_air_ends_stance_before_the_angle_does():
    running = law()
    running.begin(0.0, -0.1, stance=True)
    running.in_air(0.01, -0.2)
    assert not running.stance


def test_torque_keeps_to_the_limits_of_each_phase():
    running = law(replace(PAPER, stiffness=1e4))
    running.begin(0.0, 0.0, stance=False)
    assert running.torque(0.1, 0.0, -1.0) == -30.0
    running.begin(0.0, 0.0, stance=True)
    assert running.torque(0.02, -0.1, -1.0) == -120.0
    assert running.torque(0.02, -0.1, -30.0) == pytest.approx(-1350.0 / 30.0)


def test_the_papers_law_damps_the_cranks_own_rate_and_a_share_takes_the_references():
    at = {"time": 0.0, "angle": 0.0, "rate": -2.0}
    running = law()
    running.begin(0.0, 0.0, stance=True)
    assert running.torque(**at) == pytest.approx(24.0)
    running = law(replace(PAPER, rate_share=0.1))
    running.begin(0.0, 0.0, stance=True)
    assert running.torque(**at) == pytest.approx(-12.0 * (-2.0 + 0.1 * 36.4))


@pytest.mark.parametrize("parameters", [LAW, PAPER], ids=["robot", "paper"])
def test_the_compiled_law_is_the_same_to_the_bit_over_a_whole_run(parameters):
    """Against a law that is called as a node calls it: the foot's event first, then the torque."""
    run = simulate_sampled(LEG, parameters, START, 6, traced=True)
    trace = run.trace
    running = law(parameters)
    running.begin(0.0, START.angle, stance=False)
    angle, rate, landed = START.angle, START.rate, False
    torque = np.empty(len(trace))
    for k, row in enumerate(trace):
        time = k * 1e-3
        (running.touch_down if landed else running.in_air)(time, angle)
        torque[k] = running.torque(time, angle, rate)
        assert running.stance == bool(row[11])
        angle, rate, landed = row[5], row[6], row[9] > 0.0
    assert len(trace) > 500
    np.testing.assert_array_equal(torque, run.traced("tau"))
