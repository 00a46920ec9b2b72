"""What a coarse absolute encoder tells of an angle and its speed."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybrid_controller.estimation.coarse_encoder import CoarseEncoder

TURN = 2.0 * math.pi


def read(counts, angles, dt, quantised=False):
    """What is known after each of `angles`, `dt` seconds apart."""
    encoder, grid = CoarseEncoder(counts), TURN / counts
    known = []
    for k, angle in enumerate(angles):
        encoder.read(k * dt, math.floor(angle / grid) * grid if quantised else angle)
        known.append((encoder.angle, encoder.speed))
    return np.array(known).T


@given(st.integers(4, 4096), st.sampled_from((-40.0, -15.7, 3.0, 15.7, 40.0)), st.floats(-20.0, 20.0))
def test_of_an_even_turn_it_knows_the_angle_within_a_count_and_a_tick_and_the_speed_from_the_edges(counts, rate, start):
    dt = 0.002
    t = np.arange(0.0, 3.0, dt)
    angle, speed = read(counts, start + rate * t, dt)
    settled = t > 6.0 * TURN / counts / abs(rate) + 6.0 * dt
    # an edge is seen up to a tick late, and so are four of them, between which the speed is taken
    error = np.abs(angle - start - rate * t)[settled]
    assert error.max() <= TURN / counts + 3.0 * abs(rate) * dt
    late = min(0.5, dt * abs(rate) * counts / TURN / 4.0 + 0.26)
    assert np.abs(speed[settled] - rate).max() <= late * abs(rate) + 1e-9
    assert np.mean(error) <= abs(rate) * dt + 1e-9


@given(st.integers(4, 400), st.floats(-30.0, 30.0))
def test_an_angle_that_is_on_the_grid_already_tells_the_same(counts, rate):
    t = np.arange(0.0, 1.0, 0.005)
    np.testing.assert_allclose(
        read(counts, 0.3 + rate * t, 0.005), read(counts, 0.3 + rate * t, 0.005, quantised=True), atol=1e-12
    )


def test_one_that_stops_is_slower_the_longer_nothing_changes_and_stays_within_its_count():
    dt, counts = 0.002, 18
    angles = [15.0 * dt * k for k in range(200)] + [15.0 * dt * 200] * 500
    angle, speed = read(counts, angles, dt)
    grid = TURN / counts
    assert speed[150] == pytest.approx(15.0, rel=0.05)
    assert speed[-1] <= grid / (500 * dt) * 1.05
    low = math.floor(angles[-1] / grid) * grid
    assert low <= angle[-1] <= low + grid


def test_one_that_trembles_at_an_edge_has_no_speed():
    angles = [0.001 * (-1) ** k for k in range(100)]
    _, speed = read(18, angles, 0.002)
    assert not speed.any()
