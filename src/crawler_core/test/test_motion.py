"""The quintic between two grid points."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler_core.motion import ease, evaluate_quintic, quintic_coefficients

number = st.floats(-50.0, 50.0)
ends = st.tuples(*[number] * 6)


@settings(derandomize=True, deadline=None)
@given(ends, st.floats(0.001, 0.1))
def test_it_meets_position_velocity_and_acceleration_at_both_ends(values, h):
    q0, v0, a0, q1, v1, a1 = values
    c = quintic_coefficients(h, *(np.array([x]) for x in values))[:, 0].tolist()
    # the acceleration divides what is left of a difference of positions by h squared
    rounding = 1e-12 * 50.0 / h**2
    assert evaluate_quintic(c, h, 0.0) == pytest.approx((q0, v0, a0), abs=rounding)
    assert evaluate_quintic(c, h, 1.0) == pytest.approx((q1, v1, a1), abs=rounding)


def test_it_reproduces_a_polynomial_of_degree_five():
    p = np.polynomial.Polynomial([0.3, -1.0, 2.0, 5.0, -7.0, 11.0])
    h = 0.4
    at = [np.array([x]) for t in (0.0, h) for x in (p(t), p.deriv()(t), p.deriv(2)(t))]
    c = quintic_coefficients(h, *at)[:, 0]
    for t in np.linspace(0.0, h, 7):
        assert evaluate_quintic(c, h, t / h) == pytest.approx((p(t), p.deriv()(t), p.deriv(2)(t)), abs=1e-11)


def test_a_sine_on_the_ten_millisecond_grid_is_met_to_a_nanoradian():
    omega, h = 20.0, 0.01
    t = np.arange(0.0, 0.3, h)
    q, v, a = np.sin(omega * t), omega * np.cos(omega * t), -(omega**2) * np.sin(omega * t)
    c = quintic_coefficients(h, q[:-1], v[:-1], a[:-1], q[1:], v[1:], a[1:])
    middle, _, _ = evaluate_quintic(c, h, 0.5)
    # the remainder of Hermite's formula: h^6 / (64 * 720) times the sixth derivative
    assert np.abs(middle - np.sin(omega * (t[:-1] + h / 2))).max() <= (omega * h) ** 6 / (64 * 720) * 1.01 < 2e-9


def test_the_bits_of_a_cell_do_not_depend_on_its_neighbours():
    rng = np.random.default_rng(1)
    q, v, a = rng.normal(size=(3, 40, 3))
    h = np.full((39, 1), 0.01)
    together = quintic_coefficients(h, q[:-1], v[:-1], a[:-1], q[1:], v[1:], a[1:])
    for k in range(39):
        alone = quintic_coefficients(0.01, q[k], v[k], a[k], q[k + 1], v[k + 1], a[k + 1])
        assert (alone == together[:, k]).all()


def test_floats_and_arrays_give_the_same_bits():
    rng = np.random.default_rng(2)
    c = quintic_coefficients(0.01, *rng.normal(size=(6, 5)))
    arrays = evaluate_quintic(c, 0.01, 0.37)
    for joint in range(5):
        assert evaluate_quintic(c[:, joint].tolist(), 0.01, 0.37) == tuple(x[joint] for x in arrays)


def test_the_smooth_step_is_the_quintic_between_two_rests_with_its_exact_derivatives():
    u = np.linspace(0.0, 1.0, 101)
    q0, zero, height = np.zeros(1), np.zeros(1), np.array([0.7])
    c = quintic_coefficients(1.0, q0, zero, zero, height, zero, zero)
    for own, hermite in zip(ease(u, 0.7), evaluate_quintic(c, 1.0, u), strict=True):
        np.testing.assert_allclose(own, hermite, rtol=0.0, atol=1e-13)  # rounding of terms up to 60 * 0.7
    assert ease(0.0, 0.7) == (0.0, 0.0, 0.0)
    assert ease(1.0, 0.7) == (0.7, 0.0, 0.0)
