"""The equations under pretended motors go on whatever the motors do."""

import math

import numpy as np
from hw_robots import three_link

from hw_drivers.emulation.ground import EmulatedGround

HOME = math.radians(110.0)


def test_a_robot_whose_equations_end_is_put_on_its_feet_where_it_is():
    time = 0.0
    ground = EmulatedGround(three_link(), clock=lambda: time)

    def crawl(seconds):
        nonlocal time
        for _ in range(round(seconds / 0.01)):
            time += 0.01
            phase = 4.0 * time + np.radians([10.0, -10.0])
            swing = math.radians(18.0)
            ground.move(HOME + swing * np.sin(phase), 4.0 * swing * np.cos(phase))
        return ground.move(HOME + swing * np.sin(phase), 4.0 * swing * np.cos(phase))[0].position[0]

    reached = crawl(4.0)
    assert reached > 0.01
    time += 0.01
    base, _ = ground.move(np.array([3.0, 0.1]), np.array([500.0, -500.0]))  # nobody's equations hold for that
    assert abs(base.position[0] - reached) < 1e-9
    assert crawl(4.0) > reached + 0.01
