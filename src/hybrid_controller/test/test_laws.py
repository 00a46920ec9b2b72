"""The control laws."""

import math

import pytest

from crawler_core.errors import UserError
from hybrid_controller.laws.joint_tracking import JointTracking, JointTrackingParameters
from hybrid_controller.laws.law import Measured, Setpoint
from hybrid_controller.laws.law_registry import LAWS, law_name
from hybrid_controller.laws.setpoint_clamp import SetpointClamp
from hybrid_controller.reference.horizon import ReferencePoint


def test_joint_tracking_passes_on_what_comes_at_the_end_of_the_tick(crawler):
    law = JointTracking(crawler, JointTrackingParameters(), 0.005)
    ahead = ReferencePoint([1.9, 1.8], [0.5, -0.5], [3.0, 4.0])
    measured = Measured(0, [1.0, 1.0], [0.0, 0.0], ())
    commanded = Setpoint([1.0, 1.0], [0.0, 0.0], [False, False])
    setpoint = law.compute(measured, commanded, ReferencePoint([1.8, 1.8], [0.0, 0.0], [0.0, 0.0]), ahead)
    assert setpoint == Setpoint([1.9, 1.8], [0.5, -0.5], [False, False])


def test_what_exceeds_a_limit_is_cut_and_flagged_joint_by_joint(crawler):
    clamp = SetpointClamp(crawler)
    upper = math.radians(172.0)
    assert clamp([3.1, 1.9], [0.0, 0.0]) == Setpoint([upper, 1.9], [0.0, 0.0], [True, False])
    assert clamp([1.9, 1.9], [1.0, -20.0]) == Setpoint([1.9, 1.9], [1.0, -12.0], [False, True])
    assert clamp([upper, 1.9], [12.0, 0.0]) == Setpoint([upper, 1.9], [12.0, 0.0], [False, False])


def test_a_law_is_chosen_by_name(crawler):
    assert law_name(crawler, None) in LAWS
    with pytest.raises(UserError, match="there is no control law 'joint_trakking': did you mean 'joint_tracking'"):
        law_name(crawler, "joint_trakking")
