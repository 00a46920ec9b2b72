"""The gaits of the three-link crawler against their paper and against numeric differentiation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gait_generators.kinds.gait_registry import make_gait
from gait_generators.kinds.harmonic import Harmonic
from gait_generators.kinds.time_scaled import TimeScaled

harmonics = st.builds(
    Harmonic,
    omega=st.floats(0.05, 40.0),
    amplitude=st.floats(0.0, 1.5),
    phi0=st.floats(0.0, math.pi),
    psi=st.floats(-6.0, 6.0),
)
scaled = st.builds(
    TimeScaled,
    omega=st.floats(0.05, 40.0),
    amplitude=st.floats(0.0, 1.5),
    phi0=st.floats(0.0, math.pi),
    psi=st.floats(-6.0, 6.0),
    alpha=st.floats(0.0, 0.999),
    upsilon=st.floats(-6.0, 6.0),
)


@given(harmonics | scaled, st.floats(0.0, 1.0))
def test_derivatives_are_those_of_the_positions(gait, phase):
    t = phase * gait.period
    h = 1e-4 / gait.omega
    before, at, after = (gait.sample(t + k * h) for k in (-1, 0, 1))
    # central differences: h^2 / 6 times the third derivative, which alpha < 1 keeps below 15 A omega^3
    tolerance = 1e-7 * gait.omega
    assert (after.position - before.position) / (2 * h) == pytest.approx(at.velocity, abs=tolerance)
    assert (after.velocity - before.velocity) / (2 * h) == pytest.approx(at.acceleration, abs=tolerance * gait.omega)


@given(harmonics | scaled, st.floats(0.0, 1.0))
def test_a_gait_repeats_after_its_period(gait, phase):
    first, second = gait.sample(phase * gait.period), gait.sample((phase + 1.0) * gait.period)
    assert first.position == pytest.approx(second.position, abs=1e-9)


def test_the_harmonic_gait_is_equation_5():
    gait = Harmonic(omega=8.0, amplitude=math.radians(18.0), phi0=math.radians(110.0), psi=math.radians(20.0))
    t = 0.3
    expected = [
        110.0 + 18.0 * math.sin(8.0 * t + math.radians(10.0)),
        110.0 + 18.0 * math.sin(8.0 * t - math.radians(10.0)),
    ]
    assert np.degrees(gait.sample(t).position) == pytest.approx(expected, abs=1e-12)


def test_the_time_scaled_gait_is_equation_8():
    gait = TimeScaled(3.2, math.radians(18.0), math.radians(110.0), math.radians(98.75), 0.5, math.radians(40.0))
    t = 0.7
    expected = []
    for sign in (1.0, -1.0):
        xi = 3.2 * t + sign * math.radians(98.75) / 2.0
        expected.append(110.0 + 18.0 * math.sin(xi + 0.5 * math.sin(xi + math.radians(40.0))))
    assert np.degrees(gait.sample(t).position) == pytest.approx(expected, abs=1e-12)


def test_without_scaling_the_time_scaled_gait_is_the_harmonic_one():
    values = (8.0, 0.3, 1.9, 0.35)
    t = np.linspace(0.0, 2.0, 50)
    plain, scaled = Harmonic(*values).sample(t), TimeScaled(*values, alpha=0.0, upsilon=1.0).sample(t)
    for a, b in zip(plain, scaled, strict=True):
        assert a == pytest.approx(b, abs=1e-13)


@pytest.mark.parametrize("name", ["fourier", "harmonic", "time_scaled"])
def test_samples_have_the_shape_of_the_times_and_an_axis_of_joints(crawler, name):
    gait = make_gait(crawler, name, {})
    for t in (0.3, np.zeros(4), np.zeros((2, 3))):
        for values in gait.sample(t):
            assert values.shape == (*np.shape(t), 2)
