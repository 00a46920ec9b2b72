"""States that a backend publishes again while no command answers them."""

import math

import numpy as np

from crawler_core.robot.robot_file import load_robot
from crawler_core.types import Observation
from crawler_models.estimation.robot_estimator import RobotEstimator

DT_S = 0.005


def test_a_state_that_comes_again_does_not_change_the_estimate():
    spec = load_robot("three_link")
    once, twice = RobotEstimator(spec), RobotEstimator(spec)
    for k in range(400):
        phase = 4.0 * k * DT_S
        angles = 1.9 + 0.2 * np.array([math.sin(phase), math.sin(phase + 0.5)])
        rates = 0.8 * np.array([math.cos(phase), math.cos(phase + 0.5)])
        seen = Observation(round(k * DT_S * 1e9), angles, rates, np.full(2, np.nan))
        once.update(seen)
        for _ in range(2):
            twice.update(seen)
    first, second = once.estimate(), twice.estimate()
    assert first == second
    assert first is not None
    assert abs(first.base.position[0]) > 0.001  # it has moved, which a restart forgets
