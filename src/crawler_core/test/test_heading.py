"""Forward and sideways on the ground, for bases that yaw, pitch and roll."""

import math

import pytest
from transforms3d.euler import euler2quat

from crawler_core.gait_metrics.heading import WORLD_HEADING, Heading


@pytest.mark.parametrize("yaw", [-3.0, -1.0, 0.0, 0.4, 2.5])
@pytest.mark.parametrize(("pitch", "roll"), [(0.0, 0.0), (0.7, -0.3), (-1.2, 0.9)])
def test_forward_is_where_the_bases_x_axis_points_on_the_ground(yaw, pitch, roll):
    heading = Heading.of(euler2quat(yaw, pitch, roll, "rzyx"))
    assert heading.yaw == pytest.approx(yaw, abs=1e-12)
    assert heading.forward(math.cos(yaw), math.sin(yaw)) == pytest.approx(1.0, abs=1e-12)
    assert heading.lateral(-math.sin(yaw), math.cos(yaw)) == pytest.approx(1.0, abs=1e-12)


def test_an_upright_x_axis_points_nowhere_on_the_ground():
    assert Heading.of(euler2quat(0.0, math.pi / 2.0, 0.0, "rzyx")).forward(1.0, 0.0) == pytest.approx(1.0)


def test_without_yaw_forward_is_x_to_the_last_digit():
    assert WORLD_HEADING.forward(0.1, math.nan) == 0.1
    assert WORLD_HEADING.lateral(math.nan, 0.1) == 0.1
