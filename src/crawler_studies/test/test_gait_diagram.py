"""Gait diagrams: the colours stand where the feet are."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from crawler_studies.gait_analysis.gait_diagram import BACKWARD, DOWN, FORWARD, INTENDED, draw_cycle, draw_run

TIMES = np.linspace(0.0, 2.0, 2001)
PHASE = (TIMES - 5e-4) % 1.0
FEET = ("a", "b")
ON = np.column_stack((PHASE < 0.5, np.ones(len(TIMES), dtype=bool)))
PUSH = np.column_stack((np.where(PHASE < 0.25, 1.0, -1.0), np.full(len(TIMES), np.nan)))
MEANT = np.column_stack((PHASE > 0.5, PHASE > 0.5))
UPPER, LOWER = 0.25, 0.7  # of a foot's row: its two bars


def colour(axes, x, y):
    image = axes.images[0]
    left, right, bottom, top = image.get_extent()
    pixels = image.get_array()
    row = int((y - top) / (bottom - top) * pixels.shape[0])
    column = int((x - left) / (right - left) * pixels.shape[1])
    return to_hex(pixels[row, column])


@pytest.mark.parametrize("cycle", [False, True])
def test_bars_are_green_where_the_foot_is_pushed_forward_and_red_where_backward(cycle):
    axes = Figure().subplots()
    if cycle:
        draw_cycle(axes, TIMES, ON, PUSH, MEANT, FEET, np.array([0.0, 1.0, 2.0]))
    else:
        draw_run(axes, TIMES, ON, PUSH, MEANT, FEET)
    assert [colour(axes, x, LOWER) for x in (0.1, 0.4, 0.7)] == [FORWARD, BACKWARD, "#ffffff"]
    assert [colour(axes, x, UPPER) for x in (0.1, 0.7)] == ["#ffffff", INTENDED]
    assert colour(axes, 0.1, 1.0 + LOWER) == DOWN  # nobody knows which way
    assert [label.get_text() for label in axes.get_yticklabels()] == list(FEET)


def test_a_foot_that_is_down_in_some_cycles_is_paler():
    axes = Figure().subplots()
    sometimes = ON & (TIMES < 1.0)[:, np.newaxis]
    draw_cycle(axes, TIMES, sometimes, np.abs(PUSH), None, FEET, np.array([0.0, 1.0, 2.0]))
    strong, pale = (int(text[1:3], 16) for text in (FORWARD, colour(axes, 0.1, LOWER)))
    assert pale == pytest.approx((strong + 255) / 2, abs=1.0)
    assert colour(axes, 0.7, UPPER) == "#ffffff"
