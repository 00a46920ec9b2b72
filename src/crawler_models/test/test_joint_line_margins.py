"""Margins of the joint line of (19) on servos that lag, against the roots of the same loop."""

import math

import numpy as np
import pytest

from crawler_models.three_link.feedback.feedback_law import FeedbackLaw
from crawler_models.three_link.feedback.joint_line_margins import joint_line_margins

PAPER = FeedbackLaw()


def test_on_a_servo_of_40_rad_per_s_the_printed_gains_are_unstable_without_any_delay():
    margins = joint_line_margins(PAPER, 40.0, 0.0)
    assert math.degrees(margins.phase) == pytest.approx(-7.0, abs=0.5)
    assert margins.delay < 0.0


def test_an_ideal_servo_leaves_what_the_two_integrators_leave():
    margins = joint_line_margins(PAPER, math.inf, 0.0)
    s = 1j * margins.crossover
    loop = (PAPER.k_d * s + PAPER.k_p) / s**2
    assert abs(loop) == pytest.approx(1.0)
    assert margins.phase == pytest.approx(math.pi + np.angle(loop))


@pytest.mark.parametrize("k_d", [20.0, 100.0])
@pytest.mark.parametrize("bandwidth", [20.0, 40.0, 60.0, 100.0, 200.0])
def test_the_sign_of_the_phase_margin_is_that_of_the_roots(bandwidth, k_d):
    law = FeedbackLaw(k_d=k_d)
    roots = np.roots([1.0, 2.0 * bandwidth, bandwidth**2, bandwidth**2 * law.k_d, bandwidth**2 * law.k_p])
    assert (joint_line_margins(law, bandwidth, 0.0).phase > 0.0) is bool(roots.real.max() < 0.0)


def test_a_delay_as_long_as_the_margin_uses_it_up():
    margins = joint_line_margins(PAPER, 100.0, 0.002)
    assert 0.0 < margins.delay < 0.01
    assert joint_line_margins(PAPER, 100.0, 0.002 + margins.delay).phase == pytest.approx(0.0, abs=1e-9)


def test_without_gains_there_is_no_loop():
    with pytest.raises(ValueError, match="k_p and k_d are both 0"):
        joint_line_margins(FeedbackLaw(k_p=0.0, k_d=0.0), 40.0, 0.0)
