"""MinIAQ's foot on the ground: (15) and (16) at the paper's Table II."""

from dataclasses import replace

import numpy as np
import pytest
from miniaq_cases import ROBOT

from crawler_models.miniaq.compiled import contact as fast
from crawler_models.miniaq.compiled.equations import numbers
from crawler_models.miniaq.equations.contact import friction_coefficient, friction_per_speed, normal_force, step

SPEEDS = np.concatenate([np.linspace(1e-6, 0.012, 60), [0.05, 1.0]])  # m/s
DEPTHS = np.linspace(1e-6, 2.5e-4, 40)  # m


def test_friction_has_the_papers_curve():
    found = friction_coefficient(ROBOT, 1e-3 * np.array([0.5, 1.0, 5.0, 10.0]))
    np.testing.assert_allclose(found, [-0.275, -0.4, -0.3583, -0.3], atol=5e-5)  # the digits given


def test_friction_is_odd_and_constant_beyond_the_dynamic_speed():
    np.testing.assert_allclose(friction_coefficient(ROBOT, -SPEEDS), -friction_coefficient(ROBOT, SPEEDS), atol=1e-15)
    assert friction_coefficient(ROBOT, 7.0) == -ROBOT.mu_d


def test_a_foot_that_rests_has_the_slope_of_one_that_all_but_rests():
    rests, slow = friction_per_speed(ROBOT, [0.0, 1e-6])
    assert rests == -1.5 * ROBOT.mu_s / ROBOT.V_s
    assert slow == pytest.approx(rests, rel=1e-6)  # the next term is a third of (V / V_s)²


def test_the_spring_alone_is_k_times_the_depth_squared():
    # 1150 N/mm² at 0.01 mm; no damping at no speed
    assert normal_force(ROBOT, 1e-5, 0.0) == pytest.approx(1150.0 * 0.01**2, rel=1e-12)
    assert normal_force(ROBOT, -1e-5, -1.0) == 0.0


def test_damping_opposes_sinking_and_is_full_from_its_depth_on():
    for depth, damping in ((1e-4, 588.0), (5e-4, 588.0), (5e-5, 294.0)):
        lost = normal_force(ROBOT, depth, -0.01) - normal_force(ROBOT, depth, 0.0)
        assert lost == pytest.approx(0.01 * damping, rel=1e-9)


def test_only_where_it_may_pull_does_the_ground_hold_a_foot_that_leaves():
    assert normal_force(ROBOT, 5e-5, 0.1) < 0.0
    assert normal_force(replace(ROBOT, pulls=False), 5e-5, 0.1) == 0.0


def test_the_step_is_level_at_both_ends():
    x = np.array([-1.0, 0.0, 1e-7, 1.0, 2.0 - 1e-7, 2.0, 5.0])
    np.testing.assert_allclose(step(x, 0.0, 3.0, 2.0, 7.0), [3.0, 3.0, 3.0, 5.0, 7.0, 7.0, 7.0], atol=1e-12)


@pytest.mark.parametrize("pulls", [True, False])
def test_the_compiled_laws_are_these_and_know_their_slopes(pulls):
    robot = replace(ROBOT, pulls=pulls)
    n, h = numbers(robot, driven=False), 1e-9
    for depth in DEPTHS:
        for rise in (-0.05, 0.0, 0.002, 0.3):
            force, by_depth, by_rise = fast.normal_force(n, depth, rise)
            assert force == pytest.approx(float(normal_force(robot, depth, rise)), rel=1e-12, abs=1e-15)
            ahead, behind = normal_force(robot, depth + h, rise), normal_force(robot, depth - h, rise)
            assert by_depth == pytest.approx((ahead - behind) / (2.0 * h), rel=1e-4, abs=0.1)  # rounding over h
            ahead, behind = normal_force(robot, depth, rise + h), normal_force(robot, depth, rise - h)
            assert by_rise == pytest.approx((ahead - behind) / (2.0 * h), rel=1e-5, abs=1e-5)
    for speed in SPEEDS:
        per_speed, slope = fast.friction(n, speed**2)
        assert per_speed == pytest.approx(float(friction_per_speed(robot, speed)), rel=1e-12)
        width = 1e-4 * speed
        ahead, behind = friction_per_speed(robot, speed + width), friction_per_speed(robot, speed - width)
        by_half_square = (ahead - behind) / (2.0 * width * speed)
        assert slope == pytest.approx(by_half_square, rel=1e-4, abs=1e-6 * abs(per_speed) / (width * speed))
