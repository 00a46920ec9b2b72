"""A blend has no jump in position, velocity or acceleration."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gait_generators.kinds.harmonic import Harmonic
from gait_generators.transitions.blend import Blend
from gait_generators.transitions.hold import Hold
from gait_generators.transitions.phase_shifted_gait import PhaseShiftedGait

gaits = st.builds(
    Harmonic,
    omega=st.floats(0.05, 20.0),
    amplitude=st.floats(0.0, 1.0),
    phi0=st.floats(0.5, 2.5),
    psi=st.floats(-3.0, 3.0),
)
motions = gaits | st.builds(lambda a, b: Hold(np.array([a, b])), st.floats(0.5, 2.5), st.floats(0.5, 2.5))


@given(motions, gaits, st.floats(0.0, 5.0), st.floats(0.1, 3.0))
def test_it_meets_both_motions_up_to_the_acceleration(old, new, start, duration):
    blend = Blend(old, new, start, duration)
    for motion, t in ((old, start), (new, blend.end)):
        for a, b in zip(blend.sample(t), motion.sample(t), strict=True):
            assert a == pytest.approx(b, abs=1e-9 * (1.0 + np.abs(b).max()))


@given(motions, gaits, st.floats(0.1, 3.0), st.floats(-0.2, 1.2))
def test_its_derivatives_are_those_of_its_positions(old, new, duration, phase):
    blend = Blend(old, new, 0.0, duration)
    h = 1e-5 * duration
    t = phase * duration
    before, at, after = (blend.sample(t + k * h) for k in (-1, 0, 1))
    # within h of an end the jerk has a step, which a difference sees as h / 4 times it; with |q| < 4 and omega < 20
    # the jerk is below 60 * 4 / duration^3 + 20^3
    tolerance = h * (300.0 / duration**3 + 2e4)
    assert (after.position - before.position) / (2 * h) == pytest.approx(at.velocity, abs=tolerance * max(h, 1e-3))
    assert (after.velocity - before.velocity) / (2 * h) == pytest.approx(at.acceleration, abs=tolerance)


def test_outside_the_blend_it_is_the_one_or_the_other_motion_bit_for_bit():
    old, new = Hold(np.array([1.0, 2.0])), Harmonic(8.0, 0.3, 1.9, 0.35)
    blend = Blend(old, new, 1.0, 0.5)
    before, after = np.linspace(0.0, 1.0, 20), np.linspace(1.5, 9.0, 50)
    for a, b in zip(blend.sample(before), old.sample(before), strict=True):
        assert (a == b).all()
    for a, b in zip(blend.sample(after), new.sample(after), strict=True):
        assert (a == b).all()


def test_a_continuous_joint_stays_on_the_revolution_that_it_is_on(cranks):
    gait = Harmonic(1.0, 0.3, 1.9, 0.0)
    placed = PhaseShiftedGait.after(cranks, Hold(np.array([1.9 + 6 * np.pi, 1.5 - 4 * np.pi])), gait, start=3.0)
    assert placed.sample(3.0).position == pytest.approx([1.9 + 6 * np.pi, 1.9 - 4 * np.pi])


def test_a_limited_joint_is_never_taken_round(crawler):
    gait = Harmonic(1.0, 0.3, 1.9, 0.0)
    placed = PhaseShiftedGait.after(crawler, Hold(np.array([1.9 + 2 * np.pi, 1.9])), gait, start=3.0)
    assert placed.sample(3.0).position == pytest.approx([1.9, 1.9])
