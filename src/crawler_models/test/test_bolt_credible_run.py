"""The robot file's run, which a real floor and the paper's motor can carry, claim by claim; and the paper's."""

import math
import re
from dataclasses import replace
from typing import cast

import numpy as np
import pytest
from bolt_robustness import MAX_CHANGE_PERCENT, broken, changed, reach
from bolt_runs import LAW, LEG, RIGID, SPEC, START

from crawler_core.motion import PeriodicMotion
from crawler_core.robot.robot_file import load_robot
from crawler_models.bolt.prediction import least_friction, predict_running
from crawler_models.bolt.simulation.return_map import multipliers
from crawler_models.bolt.simulation.running import RunningParameters
from crawler_models.bolt.simulation.sampled_run import Start, simulate_sampled
from crawler_models.bolt.simulation.vault import fastest, vault, vault_speed

STRIDES = 32
PAPERS_LEG = replace(RIGID, mu=1e6)
PAPERS_START = Start(math.radians(-68.0), -31.0, 0.001, 1.3, 1.0)


@pytest.fixture(scope="module")
def run():
    return simulate_sampled(LEG, LAW, START, STRIDES)


@pytest.fixture(scope="module")
def papers_run():
    """Its law in continuous time, nearly: the mechanism without a rotor is too light for its damper at 1 kHz."""
    return simulate_sampled(PAPERS_LEG, RunningParameters(), PAPERS_START, 24, torque=1e4, tick=1e-4, steps=2)


def test_it_is_the_papers_mechanism_and_spring_on_a_floor_with_friction_0_8():
    own = {"gravity": 9.81, "foot_stiffness": 65e3, "friction": 0.8, "crank_length": 0.020, "tibia_length": 0.303}
    assert {name: SPEC.parameters[name] for name in own} == own
    assert SPEC.actuated[0].power == 1350.0
    assert LAW.flight_torque == 30.0


def test_it_runs_more_than_16_strides_faster_than_1_m_s(run):
    assert run.reason == ""
    assert len(run.strides) == STRIDES
    assert run.speed() > 1.1
    assert (run.column("distance") / run.column("period")).min() > 1.0
    turns = np.diff(run.column("crank")) / (2.0 * math.pi)
    np.testing.assert_allclose(turns, -1.0, atol=0.01)


def test_every_stride_keeps_to_the_floors_friction_and_hardly_slips(run):
    assert run.largest("friction") <= 0.8 + 1e-9
    assert run.largest("slip") < 1e-4
    assert run.least("clearance") > 0.05


def test_the_body_never_goes_backward_and_neither_does_the_crank(run):
    assert run.least("least_vx") > 0.8
    assert run.largest("backward") < 0.0


def test_the_motor_keeps_to_its_torque_and_power(run):
    assert run.largest("torque_flight") <= 30.0
    assert run.largest("torque_stance") <= 30.0
    assert run.largest("power") < 600.0
    assert run.largest("rate") < 20.0


def test_numbers_do_not_depend_on_the_integrations_step(run):
    """16 times as many steps. Event times are exact in either, so what differs is Runge and Kutta's error."""
    fine = simulate_sampled(LEG, LAW, START, 16, steps=64)
    for name in ("period", "distance", "power", "force", "work"):
        np.testing.assert_allclose(run.column(name)[:16], fine.column(name), rtol=1e-6)
    np.testing.assert_allclose(run.column("slip")[:16], fine.column("slip"), atol=1e-8)


@pytest.mark.parametrize("tick", [5e-4, 2e-3])
def test_it_does_not_depend_on_the_laws_rate_either(tick, run):
    other = simulate_sampled(LEG, LAW, START, 16, tick=tick)
    assert broken(other, strides=16) == ""
    assert other.speed() == pytest.approx(run.speed(), rel=0.02)


def test_disturbances_die_out(run):
    """By the multipliers of the stride map, and in a run that starts with another speed."""
    found = multipliers(LEG, LAW, run)
    assert abs(found[0]) < 0.8
    disturbed = simulate_sampled(LEG, LAW, replace(START, vx=1.05 * START.vx), STRIDES)
    off = np.abs(disturbed.column("vx") - run.mean("vx"))
    assert off[0] > 0.01
    assert off[-8:].max() < 5e-3  # what is left is the play of a law that is sampled


def test_it_holds_with_10_percent_off_in_the_floor_the_foot_the_motor_the_masses_and_the_law():
    names = (
        "mu",
        "k",
        "d",
        "I_r",
        "mass",
        "m_b",
        "m_5",
        "stiffness",
        "damping",
        "retraction_rate",
        "stance_rate",
        "vx",
    )
    for factor in (0.9, 1.1):
        for name in names:
            reason = broken_with(name, factor)
            assert not reason, (name, factor, reason)


def broken_with(name, factor):
    leg, law, start = changed(name, factor, LEG, LAW, START)
    return broken(simulate_sampled(leg, law, start, 16))


def test_reach_says_how_far_a_number_may_be_off_and_what_breaks_then():
    down, below, up, above = reach(LEG, LAW, START, ["mu"])["mu"]
    assert 10 <= down <= MAX_CHANGE_PERCENT
    assert up == MAX_CHANGE_PERCENT
    assert above == ""
    assert below == "" or down < MAX_CHANGE_PERCENT


def test_the_prediction_has_the_numbers_of_the_run(run):
    class Crank:
        period = 0.38

    motion: PeriodicMotion = Crank()  # type: ignore[assignment]
    found = predict_running(SPEC, motion, LAW)
    assert found["valid"]
    assert found["reason"] == ""
    assert found["speed_m_s"] == pytest.approx(run.speed(16), rel=1e-9)
    assert found["step_length_m"] == pytest.approx(found["speed_m_s"] * found["period_s"], rel=1e-9)
    assert found["cost_of_transport"] == pytest.approx(
        found["energy_per_stride_J"] / (LEG.mass * 9.81 * found["step_length_m"])
    )
    assert found["floquet"] < 0.8
    assert found["cycles_to_steady"] == 0
    stalled = predict_running(SPEC, motion, replace(LAW, stiffness=0.0, damping=100.0, rate_share=0.0))
    assert not stalled["valid"]
    assert stalled["reason"].endswith(".")
    assert math.isnan(stalled["speed_m_s"])


def test_the_papers_run_has_its_period_and_speed_and_needs_a_floor_that_does_not_exist(papers_run):
    assert papers_run.reason == ""
    assert papers_run.mean("period", 16) == pytest.approx(0.284, abs=1e-3)
    assert papers_run.speed(16) == pytest.approx(1.307, abs=5e-3)
    assert papers_run.least("friction", 16) > 15.0
    assert papers_run.least("least_vx", 16) < -1.0  # the impact throws the body back,
    assert papers_run.least("backward", 16) > 20.0  # and the crank


def test_the_floor_that_it_needs_is_slippery_and_one_that_is_more_so_does_not_carry_it():
    crank = SPEC.actuated[0]
    least = least_friction(LEG, LAW, START, crank.effort, crank.power)
    assert least == pytest.approx(0.032, abs=0.005)
    for mu, carries in ((0.8 * least, False), (1.1 * least, True)):
        run = simulate_sampled(replace(LEG, mu=mu), LAW, START, STRIDES)
        assert (run.largest("slip", STRIDES // 2) < 5e-4) is carries
    rigid = least_friction(replace(LEG, k=0.0), LAW, START, crank.effort, crank.power)
    assert rigid == pytest.approx(9.5, abs=0.3)  # the foot's spring is what this run goes by


def test_a_foot_that_slides_backward_is_no_run():
    spec = load_robot("bolt", {"foot_stiffness": 0.0})
    motion = cast(PeriodicMotion, None)  # says nothing of it
    found = predict_running(spec, motion, LAW)
    assert not found["valid"]
    assert re.fullmatch(
        r"Its foot slides: by \d+ mm in a stride that takes the body -?\d+ mm forward\.", found["reason"]
    )
    assert math.isnan(found["speed_m_s"])


def test_the_papers_law_does_not_run_on_a_real_floor():
    on_rubber = simulate_sampled(replace(PAPERS_LEG, mu=0.8), RunningParameters(), PAPERS_START, 16, tick=1e-4, steps=2)
    assert broken(on_rubber, strides=16)


def test_a_rigid_foot_that_sticks_bears_nothing_at_1_43_m_s_at_best():
    """And less on the flanks of the hill, where the body must be thrown into flight."""
    crank = np.radians(np.linspace(150.0, 330.0, 181))
    speeds = vault_speed(LEG, crank)
    assert speeds.max() == pytest.approx(1.431, abs=2e-3)
    assert math.degrees(crank[speeds.argmax()]) == pytest.approx(223.0, abs=3.0)
    assert vault_speed(LEG, np.radians([300.0]))[0] == pytest.approx(0.858, abs=2e-3)


BEST = vault(RIGID, math.radians(318.487), math.radians(80.514), -60.0)


def test_a_rigid_no_slip_stance_tops_out_at_0_86_m_s_with_a_crank_that_comes_round_at_60_rad_s():
    assert BEST.wrong == 0.0
    assert BEST.crank_rate == pytest.approx(60.0, abs=0.1)
    assert BEST.speed == pytest.approx(0.860, abs=2e-3)
    assert BEST.flight_time < 0.09


@pytest.mark.parametrize(("touch_down", "stance"), [(3, 0), (-3, 0), (0, 5), (0, -5), (3, 5), (-3, -5)])
def test_a_stride_near_the_fastest_is_slower_or_impossible(touch_down, stance):
    other = vault(RIGID, BEST.touch_down + math.radians(touch_down), BEST.stance + math.radians(stance), -60.0)
    assert other.speed < BEST.speed or other.wrong > 0.0 or other.crank_rate > 60.1


@pytest.mark.exhaustive
def test_no_rigid_stride_without_slip_is_faster():
    assert fastest(RIGID, 60.0).speed == pytest.approx(BEST.speed, abs=2e-3)
    assert fastest(replace(RIGID, mu=20.0), 60.0).speed > 1.3  # on the floor that the paper's run needs
    assert fastest(RIGID, 45.0).crank_rate > 46.0  # a crank that is no faster cannot come round in any flight
