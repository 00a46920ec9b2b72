"""The Fourier gait against numeric differentiation, and against the servo whose lag it leads."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from crawler_core.errors import UserError
from gait_generators.kinds.fourier import Fourier
from gait_generators.kinds.gait_registry import make_gait
from gait_generators.kinds.limit_check import check_limits
from gait_generators.shapes.shape import Shape


@st.composite
def fouriers(draw):
    joints, harmonics = draw(st.integers(1, 5)), draw(st.integers(1, 6))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    cos, sin = random.uniform(-0.5, 0.5, (2, joints, harmonics))
    names = tuple(f"joint_{j}" for j in range(joints))
    return Fourier(draw(st.floats(0.05, 40.0)), Shape(names, random.uniform(0.0, 3.0, joints), cos, sin))


@given(fouriers(), st.floats(0.0, 1.0))
def test_derivatives_are_those_of_the_positions(gait, phase):
    t, h = phase * gait.period, 1e-4 / gait.omega
    before, at, after = (gait.sample(t + k * h) for k in (-1, 0, 1))
    # central differences: h^2 / 6 times the third derivative, at most 2 * 0.5 * (1 + ... + 6^3) omega^3 = 441 omega^3
    tolerance = 1e-6 * gait.omega
    assert (after.position - before.position) / (2 * h) == pytest.approx(at.velocity, abs=tolerance)
    change = (after.velocity - before.velocity) / (2 * h)
    assert change == pytest.approx(at.acceleration, abs=30 * tolerance * gait.omega)  # the fourth derivative is larger


@given(fouriers(), st.floats(0.0, 1.0))
def test_it_repeats_after_its_period(gait, phase):
    first, second = gait.sample(phase * gait.period), gait.sample((phase + 1.0) * gait.period)
    assert first.position == pytest.approx(second.position, abs=1e-9)


@given(fouriers())
def test_samples_have_the_shape_of_the_times_and_an_axis_of_joints(gait):
    for t in (0.3, np.zeros(4), np.zeros((2, 3))):
        for values in gait.sample(t):
            assert values.shape == (*np.shape(t), len(gait.shape.joints))


def test_the_coefficients_are_those_of_the_series():
    shape = Shape(("a",), np.array([1.9]), np.array([[0.1, 0.2]]), np.array([[0.3, -0.4]]))
    t = 0.37
    x = 5.0 * t
    series = 1.9 + 0.1 * math.cos(x) + 0.3 * math.sin(x) + 0.2 * math.cos(2 * x) - 0.4 * math.sin(2 * x)
    assert Fourier(5.0, shape).sample(t).position == pytest.approx([series], abs=1e-15)


@given(fouriers(), st.floats(0.0, 6.0), st.floats(0.0, 1.0))
def test_a_shifted_shape_is_the_same_motion_begun_later(gait, phase, when):
    later = Fourier(gait.omega, gait.shape.shifted(phase))
    t = when * gait.period
    assert later.sample(t).position == pytest.approx(gait.sample(t + phase / gait.omega).position, abs=1e-9)


@pytest.mark.parametrize("omega", [3.2, 8.0, 16.0])
def test_a_servo_with_the_lag_that_is_led_follows_the_intended_shape(crawler, omega):
    """tau q' = reference - q, integrated from the intended pose: what is left is the integrator's error."""
    lag = 0.02
    intended = make_gait(crawler, "fourier", {"omega": omega})
    reference = make_gait(crawler, "fourier", {"omega": omega, "servo_lag": lag})
    times = np.linspace(0.0, 2.0 * intended.period, 200)
    servo = solve_ivp(
        lambda t, q: (reference.sample(t).position - q) / lag,
        (0.0, times[-1]),
        intended.sample(0.0).position,
        t_eval=times,
        method="DOP853",
        rtol=1e-10,
        atol=1e-12,
    )
    followed, wanted = servo.y.T, intended.sample(times).position
    assert followed == pytest.approx(wanted, abs=1e-7)  # the integrator's, between its steps
    assert np.abs(reference.sample(times).position - wanted).max() > math.radians(2.0)  # so much it must lead


def lagging(shape, lag):
    """The shape that a first-order servo of time constant tau settles to; `lag` is omega tau."""
    lead = lag * np.arange(1, shape.harmonics + 1)
    size = 1.0 + lead**2
    return Shape(shape.joints, shape.mean, (shape.cos - lead * shape.sin) / size, (shape.sin + lead * shape.cos) / size)


@pytest.mark.parametrize("omega", [3.2, 16.0])
def test_lagging_is_what_a_servo_makes_of_an_uncompensated_reference(crawler, omega):
    lag = 0.02
    reference: Any = make_gait(crawler, "fourier", {"omega": omega})
    lagged = Fourier(omega, lagging(reference.shape, omega * lag))
    settled = 30.0 * lag  # exp(-30) of the start is left
    times = settled + np.linspace(0.0, reference.period, 100)
    servo = solve_ivp(
        lambda t, q: (reference.sample(t).position - q) / lag,
        (0.0, times[-1]),
        reference.sample(0.0).position,
        t_eval=times,
        method="DOP853",
        rtol=1e-10,
        atol=1e-12,
    )
    followed = servo.y.T
    assert followed == pytest.approx(lagged.sample(times).position, abs=1e-7)


def test_a_reference_that_leads_too_far_is_refused_with_what_would_help(crawler):
    gait = make_gait(crawler, "fourier", {"omega": 16.0, "servo_lag": 0.1})
    with pytest.raises(UserError, match=r"lower gait\.omega or gait\.servo_lag, or choose another gait\.shape\.$"):
        check_limits(crawler, gait)
