"""The cubic between setpoints."""

import numpy as np
import pytest

from sim_bridge.physics.hermite_weights import hermite_weights


def test_the_weights_reproduce_every_cubic() -> None:
    cubic = np.polynomial.Polynomial([0.3, -1.2, 5.0, 40.0])
    rate, duration, steps = cubic.deriv(), 0.02, 7
    ends = (cubic(0.0), rate(0.0), cubic(duration), rate(duration))
    for k, weights in enumerate(hermite_weights(steps, duration), start=1):
        t = k * duration / steps
        assert np.dot(weights.position, ends) == pytest.approx(cubic(t), rel=1e-12)
        assert np.dot(weights.velocity, ends) == pytest.approx(rate(t), rel=1e-12)


def test_the_last_step_ends_on_the_goal_bit_for_bit() -> None:
    last = hermite_weights(3, 0.005)[-1]
    assert last.position == (0.0, 0.0, 1.0, 0.0)
    assert last.velocity == (0.0, 0.0, 0.0, 1.0)
