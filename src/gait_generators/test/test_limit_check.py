"""Limits of a gait, found before anything moves."""

import math

import numpy as np
import pytest

from crawler_core.errors import UserError
from crawler_core.motion import Sample
from gait_generators.kinds.gait_registry import make_gait
from gait_generators.kinds.harmonic import HARMONIC_HINTS
from gait_generators.kinds.limit_check import check_limits
from gait_generators.transitions.hold import Hold
from gait_generators.transitions.phase_shifted_gait import PhaseShiftedGait
from gait_generators.transitions.transition import plan_transition


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (
            {"phi0": 160.0},
            "joint_1 would reach 178.0° at t = 1.074 s, its limit is 172.0°: lower gait.amplitude or gait.phi0.",
        ),
        (
            {"phi0": 60.0},
            "joint_1 would reach 42.0° at t = 3.491 s, its limit is 50.0°: lower gait.amplitude or raise gait.phi0.",
        ),
        (
            {"omega": 40.0},
            "joint_1 would move at 12.6 rad/s at t = 0.074 s, its limit is 12.0 rad/s: "
            "lower gait.omega or gait.amplitude.",
        ),
        (
            {"omega": 37.0},
            "joint_1 would accelerate at 430.1 rad/s² at t = 0.038 s, its limit is 400.0 rad/s²: "
            "lower gait.omega or gait.amplitude.",
        ),
    ],
)
def test_the_sentence_names_joint_value_limit_and_remedy(crawler, values, sentence):
    with pytest.raises(UserError) as refused:
        check_limits(crawler, make_gait(crawler, "harmonic", values))
    assert str(refused.value) == sentence


def test_a_gait_that_touches_its_limit_is_allowed(crawler):
    check_limits(crawler, make_gait(crawler, "harmonic", {"phi0": 150.0, "amplitude": 22.0}))


def test_continuous_joints_have_no_position_limit(cranks):
    check_limits(cranks, make_gait(cranks, "harmonic", {"phi0": 180.0, "amplitude": 90.0}))


@pytest.mark.parametrize("omega", [0.05, 1.3, 8.0, 33.0])
@pytest.mark.parametrize("pose", [50.0, 110.0, 172.0])
def test_a_blend_from_any_pose_keeps_the_joints_within_their_rates(crawler, omega, pose):
    gait = make_gait(crawler, "harmonic", {"omega": omega})
    blend = plan_transition(
        crawler, Hold(np.radians([pose, pose])), PhaseShiftedGait(gait, 0.0, np.zeros(2)), 0.0, gait.period
    )
    t = np.linspace(0.0, blend.end, 5001)
    _, velocity, acceleration = blend.sample(t)
    assert np.abs(velocity).max() <= 12.0 * (1 + 1e-3)  # sampled seven times as densely as the check does
    assert np.abs(acceleration).max() <= 400.0 * (1 + 1e-3)


def test_an_easy_blend_takes_one_period_but_not_more_than_two_seconds(crawler):
    pose = Hold(np.radians([110.0, 110.0]))
    for omega, expected in ((8.0, 2 * math.pi / 8.0), (0.3, 2.0)):
        gait = make_gait(crawler, "harmonic", {"omega": omega})
        blend = plan_transition(crawler, pose, PhaseShiftedGait(gait, 0.0, np.zeros(2)), 0.0, gait.period)
        assert blend.duration == pytest.approx(expected)


class Turning:
    """Cranks that turn for ever, beyond the highest speed that they have."""

    period = 2.0 * math.pi / 13.0
    limit_hints = HARMONIC_HINTS

    def sample(self, t):
        angle = 13.0 * np.asarray(t)[..., np.newaxis] * np.ones(2)
        return Sample(angle, np.full(angle.shape, 13.0), np.zeros(angle.shape))


def test_where_no_blend_keeps_the_rates_it_says_so(cranks):
    gait = Turning()
    with pytest.raises(UserError, match="no transition from the present motion into this gait keeps the joints"):
        plan_transition(cranks, Hold(np.zeros(2)), PhaseShiftedGait(gait, 0.0, np.zeros(2)), 0.0, gait.period)
