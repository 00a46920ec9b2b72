"""The snake's wave against the numbers of its paper, and the closed wave against geometry."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler_models.snake import Wave, alpha_limit

# Table 1: alpha_max in degrees, f and d_unit at the last point below it of a grid of 0.01 rad
TABLE_1 = [
    (4, 74.6, 0.53, 2.40),
    (5, 58.5, 0.52, 2.87),
    (6, 48.2, 0.52, 3.35),
    (7, 41.1, 0.52, 3.79),
    (8, 35.8, 0.53, 4.31),
    (9, 31.7, 0.53, 4.82),
    (10, 28.5, 0.53, 5.25),
    (11, 25.9, 0.54, 5.87),
]
# Table 2: f and d_unit; 0.956 in print is a misprint of 0.986
TABLE_2 = [
    (4, 30, 0.218, 0.455),
    (4, 45, 0.333, 0.986),
    (4, 58, 0.430, 1.567),
    (5, 30, 0.283, 0.858),
    (5, 45, 0.424, 1.824),
    (5, 58, 0.519, 2.831),
]

waves = st.integers(4, 20).flatmap(
    lambda n: st.builds(
        Wave,
        n=st.just(n),
        alpha=st.floats(0.02, 0.995).map(lambda share: share * alpha_limit(n)),
        closed=st.booleans(),
    )
)


@pytest.mark.parametrize(("n", "alpha_deg", "f", "d_unit"), TABLE_1)
def test_table_1_to_the_printed_digit(n, alpha_deg, f, d_unit):
    assert round(math.degrees(alpha_limit(n)), 1) == alpha_deg
    wave = Wave(n, math.floor(100 * alpha_limit(n)) / 100)
    assert round(wave.f, 2) == f
    assert round(wave.d_unit, 2) == d_unit


@pytest.mark.parametrize(("n", "alpha_deg", "f", "d_unit"), TABLE_2)
def test_table_2_within_its_last_digit(n, alpha_deg, f, d_unit):
    wave = Wave(n, math.radians(alpha_deg))
    assert wave.f == pytest.approx(f, abs=0.0012)
    assert wave.d_unit == pytest.approx(d_unit, abs=0.0012)


def reading(n, alpha, signs, previous, last):
    """f of one reading of (8) and (9): six signs of terms, and two indices of the last row of (9)."""
    j1, j2, ji, jl, p1, tn = signs
    beta = math.pi / n
    phi = -alpha * np.sin(np.arange(1, n) * beta)
    theta = -0.5 * phi.sum()
    s = np.linspace(0.0, 1.0, 401)
    rise = np.sin(0.5 * math.pi * s)
    angle = np.zeros((n + 2, len(s)))
    angle[1] = theta + j1 * theta * rise
    angle[2] = angle[1] + p1 * phi[0] + j2 * (theta - phi[0]) * rise
    turn = {i: ji * alpha * np.sin((i - 1) * beta - beta * s) for i in range(3, n + 1)}
    turn[n + 1] = jl * (-theta + phi[-1]) * rise
    for i in range(3, n + 1):
        angle[i] = angle[i - 1] + turn[i]
    angle[n + 1] = angle[n - 1 if previous else n] + tn * theta + turn[n if last else n + 1]  # theta_n is - theta_1
    chain = np.exp(1j * angle[1:]).sum(axis=0)
    start = np.exp(1j * (theta + np.concatenate(([0.0], np.cumsum(phi))))).sum() + 1.0
    return float(np.abs(chain - start.real).max())


def test_of_256_readings_of_8_and_9_one_gives_the_printed_f():
    sign = (1, -1)
    fits = [
        (signs, previous, last)
        for *signs, previous, last in itertools.product(sign, sign, sign, sign, sign, sign, (0, 1), (0, 1))
        if all(abs(reading(n, math.radians(a), signs, previous, last) - f) < 0.0012 for n, a, f, _ in TABLE_2)
    ]
    # as printed but for J_3 to J_n = - alpha sin, + phi_1 in the second row of (9), theta_n and J_(n+1) in its last
    assert fits == [([-1, 1, -1, 1, 1, 1], 0, 0)]


def test_the_step_of_figure_3_strays_as_far_as_the_paper_says():
    wave = Wave(6, math.radians(30.0))
    assert wave.worst.x == pytest.approx(0.2113, abs=5e-5)
    assert wave.worst.y == pytest.approx(-0.3022, abs=5e-5)
    assert wave.f == pytest.approx(0.3463, abs=5e-5)
    tilt = np.degrees(wave.angles(np.linspace(0.0, 1.0, 201)).value.sum(axis=-1))  # of the links ahead
    assert np.abs(tilt).max() == pytest.approx(3.4, abs=0.05)


@given(waves)
@settings(derandomize=True, deadline=None, max_examples=60)
def test_a_step_ends_in_the_shape_it_began_with_one_link_further(wave):
    begin, end = wave.angles(np.array([0.0, 1.0])).value
    np.testing.assert_allclose(end[1:], begin[:-1], atol=1e-12)
    assert end[0] == pytest.approx(0.0, abs=1e-12)  # (3): link 1 lies down,
    assert begin[-1] == pytest.approx(0.0, abs=1e-12)  # and the links ahead lay


@given(waves, st.floats(0.02, 0.98))
@settings(derandomize=True, deadline=None, max_examples=100)
def test_derivatives_are_those_of_the_angles(wave, s):
    h = 1e-4
    before, at, after = (wave.angles(s + k * h) for k in (-1, 0, 1))
    # central differences: h² / 6 times third derivatives of below 200, the closed wave's near its flattest shapes
    np.testing.assert_allclose((after.value - before.value) / (2 * h), at.first, atol=1e-6)
    np.testing.assert_allclose((after.first - before.first) / (2 * h), at.second, atol=1e-5)


@given(st.integers(4, 20), st.floats(0.02, 0.995))
@settings(derandomize=True, deadline=None, max_examples=60)
def test_the_closed_wave_keeps_length_level_and_direction_and_all_else_of_the_papers(n, share):
    paper, closed = (Wave(n, share * alpha_limit(n), closed) for closed in (False, True))
    assert closed.f < 1e-12
    assert closed.d_unit == paper.d_unit
    s = np.linspace(0.0, 1.0, 101)
    angles = closed.angles(s).value
    np.testing.assert_allclose(angles.sum(axis=-1), 0.0, atol=1e-12)  # the links ahead stay level
    np.testing.assert_array_equal(angles[:, 2:n], paper.angles(s).value[:, 2:n])  # J_3 to J_n are the serpenoid's
    np.testing.assert_allclose(angles[[0, -1]], paper.angles(s[[0, -1]]).value, atol=1e-12)
    height = np.cumsum(np.sin(np.cumsum(angles, axis=-1)), axis=-1)
    assert height.min() > -1e-12  # it never reaches through the ground
    mirrored = closed.angles(1.0 - s).value[:, ::-1]
    np.testing.assert_allclose(angles, mirrored, atol=1e-12)


@pytest.mark.parametrize(("n", "alpha_deg"), [(4, 74.6), (6, 48.3), (11, 25.9), (5, 0.0), (5, -3.0)])
def test_an_amplitude_out_of_14_is_refused_with_the_limit(n, alpha_deg):
    with pytest.raises(ValueError, match=rf"{math.degrees(alpha_limit(n)):.2f}°"):
        Wave(n, math.radians(alpha_deg))


def test_a_wave_of_three_links_is_refused():
    with pytest.raises(ValueError, match="at least 4"):
        Wave(3, 0.3)
