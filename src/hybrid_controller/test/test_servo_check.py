"""Runs that the law (19) refuses or warns of, before anything moves."""

import math
from dataclasses import replace
from types import SimpleNamespace

import pytest

from crawler_core.errors import UserError
from crawler_core.parameters import build
from crawler_core.reality.reality import IDEAL, Reality
from hybrid_controller.laws.three_link.hybrid_parameters import HybridParameters
from hybrid_controller.laws.three_link.servo_check import believed_servo, check_servos

SLOW = Reality(bandwidth=40.0, command_delay=0.005, state_delay=0.005)


def check(crawler, omega, motors, rate=200.0, **parameters):
    return check_servos(crawler, SimpleNamespace(period=math.tau / omega), HybridParameters(**parameters), motors, rate)


@pytest.mark.parametrize(
    ("omega", "motors", "rate"), [(8.0, SLOW, 100.0), (20.0, IDEAL, 500.0), (12.0, Reality(60.0), 200.0)]
)
def test_with_its_own_setpoints_it_holds_on_slow_servos_and_fast_gaits(crawler, omega, motors, rate):
    assert check(crawler, omega, motors, rate) == ""


def test_where_a_foot_would_lift_a_sentence_says_so_with_what_helps(crawler):
    with pytest.raises(UserError) as error:
        check(crawler, 12.0, SLOW)
    assert str(error.value) == (
        "under this law a foot would leave the ground: servos of 40 rad/s with 10 ms of delay at 200 Hz follow 62 ms "
        "late, and 42 ms are allowed at 12 rad/s with controller.k_p = 80: use controller.k_p=300, a slower gait or "
        "the control law joint_tracking."
    )
    assert check(crawler, 12.0, SLOW, k_p=300.0) == ""


def test_a_larger_gain_on_contacts_allows_less(crawler):
    late = Reality(bandwidth=40.0, command_delay=0.005)
    assert check(crawler, 8.0, late, k_v=20.0) == ""
    with pytest.raises(UserError, match=r"with controller\.k_p = 80 and k_v = 40: use controller\.k_p=300"):
        check(crawler, 8.0, late, k_v=40.0)


def test_beyond_what_stiffer_joints_carry_a_slower_gait_is_left(crawler):
    with pytest.raises(
        UserError, match=r"with controller\.k_p = 300: use a slower gait or the control law joint_tracking"
    ):
        check(crawler, 18.0, SLOW, k_p=300.0)


def test_play_that_moves_the_links_takes_stiffer_joints(crawler):
    typical = crawler.reality("typical")
    with pytest.raises(UserError, match=r"and with play in their gears follow .* use controller\.k_p=160"):
        check(crawler, 8.0, typical)
    assert check(crawler, 8.0, typical, k_p=160.0) == ""
    assert check(crawler, 8.0, replace(typical, backlash=0.0)) == ""


def test_measured_joints_on_slow_servos_are_refused_with_their_margin(crawler):
    with pytest.raises(
        UserError, match=r"phase margin of -\d+ degrees, and it must be above 0: use controller\.joints="
    ):
        check(crawler, 8.0, Reality(bandwidth=60.0), joints="measured")
    assert "phase margin of 11 degrees" in check(crawler, 8.0, Reality(bandwidth=100.0), joints="measured")
    assert check(crawler, 8.0, IDEAL, joints="measured") == ""


def test_a_servo_that_is_given_goes_before_the_robot_file(crawler):
    typical = crawler.reality("typical")
    lag = 2.0 / typical.bandwidth + typical.command_delay + typical.state_delay
    assert believed_servo(crawler, HybridParameters()).lag == pytest.approx(lag)
    given = HybridParameters(servo_bandwidth=50.0, servo_delay=0.003)
    assert believed_servo(crawler, given, SLOW).lag == pytest.approx(0.043)
    assert believed_servo(crawler, HybridParameters(), IDEAL).lag == 0.0
    assert math.isinf(believed_servo(crawler, HybridParameters(), IDEAL).bandwidth)


def test_a_delay_without_a_bandwidth_is_one_sentence():
    with pytest.raises(UserError, match=r"controller\.servo_delay = 0\.01 needs controller\.servo_bandwidth too"):
        build(HybridParameters, {"servo_delay": 0.01}, section="controller")
