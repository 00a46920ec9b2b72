"""The law (19) on servos that lag, by the equations in the stack's control loop: docs/feedback.md has all numbers."""

import pytest

from crawler_studies.three_link.figures.servos import (
    BANDWIDTHS,
    BELIEFS,
    DELAYS_S,
    K_PS,
    OMEGA,
    RATES,
    SLOW_SERVO,
    believing,
)
from crawler_studies.three_link.servo_run import motors, run_on_servos


def step(bandwidth, delay, rate, omega=OMEGA, **controller):
    """Return the step in mm; a run that ends early fails the test."""
    run = run_on_servos(omega, motors(bandwidth, delay), rate, controller)
    assert run.ended == ""
    return run.step


@pytest.mark.parametrize("rate", [100.0, 200.0])
@pytest.mark.parametrize("delay", [0.0, 0.01])
@pytest.mark.parametrize("bandwidth", [40.0, 200.0])
def test_with_its_own_setpoints_the_law_crawls_on_slow_and_fast_servos(bandwidth, delay, rate):
    assert step(bandwidth, delay, rate) > 40.0


def test_with_measured_joints_it_falls_on_a_servo_of_40_rad_per_s():
    run = run_on_servos(OMEGA, motors(40.0, 0.0), 200.0, {"joints": "measured"})
    assert "leaves the ground" in run.ended


def test_from_encoders_alone_with_wrong_friction_it_crawls_on_the_slowest_and_latest_servo():
    assert step(40.0, 0.01, 100.0, **believing(BELIEFS["×1.3, ×0.7"])) > 35.0


@pytest.mark.exhaustive
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("delay", DELAYS_S)
@pytest.mark.parametrize("bandwidth", BANDWIDTHS)
def test_every_servo_of_the_table(bandwidth, delay, rate):
    assert step(bandwidth, delay, rate) > 40.0
    for friction in BELIEFS.values():
        assert step(bandwidth, delay, rate, **believing(friction)) > 35.0


@pytest.mark.exhaustive
@pytest.mark.parametrize(("omega", "right", "wrong"), [(2.5, 77.0, 40.0), (4.0, 100.0, 60.0), (12.0, 41.0, 35.0)])
def test_other_frequencies_on_the_slow_servo(omega, right, wrong):
    assert step(*SLOW_SERVO, 200.0, omega, **believing(BELIEFS["right"])) > right
    for friction in BELIEFS.values():
        assert step(*SLOW_SERVO, 200.0, omega, **believing(friction)) > wrong


@pytest.mark.exhaustive
def test_stiffer_joints_carry_12_rad_per_s_where_the_papers_gains_fall():
    fallen = run_on_servos(12.0, motors(40.0, 0.01), 100.0, believing(BELIEFS["×0.7, ×1.3"]))
    assert fallen.ended
    assert step(40.0, 0.01, 100.0, 12.0, k_p=K_PS[1], **believing(BELIEFS["×0.7, ×1.3"])) > 45.0
