"""The ideal_path path of Fig. 3(b) as the paper describes it: a half sine of stance, and a flat arc of flight."""

from __future__ import annotations

import numpy as np

from crawler_core.types import FloatArray
from crawler_studies.bolt.design.mechanism_goal import MechanismGoal


def ideal_path(goal: MechanismGoal, crank: FloatArray) -> FloatArray:
    """f_des, x + i y (m) in the body's frame, at the crank's angles (rad).

    The crank turns backward: stance begins at `touch_down` with the foot ahead and goes on at smaller angles. Along x
    the foot goes by a cosine of the crank's angle from end to end, so that it turns back without a jump.
    """
    since = np.mod(np.radians(goal.touch_down) - crank, 2.0 * np.pi)
    stance = np.radians(goal.stance)
    down = since < stance
    phase = np.pi * np.where(down, since / stance, (since - stance) / (2.0 * np.pi - stance))
    x = goal.centre_x + 0.5 * goal.stride * np.where(down, np.cos(phase), -np.cos(phase))
    y = goal.centre_y + np.where(down, -goal.depth, goal.rise) * np.sin(phase)
    return np.asarray(x + 1j * y)


def turn(goal: MechanismGoal, count: int) -> FloatArray:
    """So many angles (rad) of one turn of the crank, from touch-down on, the way it turns."""
    return np.radians(goal.touch_down) - 2.0 * np.pi * np.arange(count) / count
