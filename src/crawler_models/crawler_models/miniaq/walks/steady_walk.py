"""MinIAQ's steady walk: walk until the strides repeat."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crawler_core.gait_metrics.ground_path import GroundPath, measure_ground_path
from crawler_core.motion import PeriodicMotion
from crawler_core.types import FloatArray
from crawler_models.miniaq.equations.dynamics import rotation
from crawler_models.miniaq.equations.quadruped import Quadruped
from crawler_models.miniaq.walks.walk import Walk, walk

SAMPLES_PER_STRIDE = 400  # of a stride
BLOCK_STRIDES = (5, 10, 10)  # strides that are walked at once, until the last one repeats an earlier one
STATE_TOLERANCE = 1e-4  # m, rad, m/s, rad/s between states that are the same; the integration is off by 1e-6
MEAN_WALK_STRIDES = 30  # strides of a walk that does not repeat; it is steady in the mean if its two halves agree
HALVES_TOLERANCE = 0.05  # of the larger, of what the halves may differ by
HALVES_FLOOR = 5e-3  # m and rad in a stride, below which they may differ by a share of this instead
SETTLING_STRIDES = 10  # strides of a walk whose sides turn at different paces: it never repeats but by chance
MOST, ROUND = 40, 0.02  # strides until both sides have turned whole turns, but for so much of one


@dataclass(frozen=True)
class Steady:
    """Strides that stand for all that follow."""

    walk: Walk  # of these strides alone
    begin: float  # s, in the motion's time
    strides: int
    after: int  # strides from the start until the first that is like one of them


def steady_walk(robot: Quadruped, motion: PeriodicMotion) -> Steady:
    """From standing with the cranks of `motion`, which turns them evenly, at its phase 0.

    Raises Fallen, and ValueError where the robot cannot walk so or its walk does not become steady.
    """
    paces = np.abs(motion.sample(0.0).velocity)
    if np.ptp(paces) > 1e-6 * paces.max():
        return _mean_walk(robot, motion, paces / paces.max())
    state, done = None, 0
    for block in BLOCK_STRIDES:
        walked = _walked(robot, motion, done, block, state)
        ends = _states(walked)
        for strides in range(1, block + 1):
            apart = np.abs(ends[strides:] - ends[:-strides]).max(axis=1)
            if apart[-1] < STATE_TOLERANCE:
                after = int(np.flatnonzero(np.append(True, apart >= STATE_TOLERANCE))[-1])
                first = block - strides
                return Steady(_part(walked, first), (done + first) * motion.period, strides, done + after)
        state, done = last_state(walked), done + block
    walked = _walked(robot, motion, done, MEAN_WALK_STRIDES, state)
    halves = [
        np.array(way_of(part))
        for part in (_part(walked, 0, MEAN_WALK_STRIDES // 2), _part(walked, MEAN_WALK_STRIDES // 2))
    ]
    size = np.maximum(np.abs(halves).max(axis=0), 0.5 * MEAN_WALK_STRIDES * HALVES_FLOOR)
    if (np.abs(halves[0] - halves[1]) > HALVES_TOLERANCE * size).any():
        raise ValueError("The walk does not become steady: its strides do not repeat, and their mean wanders.")
    return Steady(walked, done * motion.period, MEAN_WALK_STRIDES, done)


def _mean_walk(robot: Quadruped, motion: PeriodicMotion, paces: FloatArray) -> Steady:
    """Average the walk of cranks with different `paces` (shares of the fastest), over all phases in which they meet."""
    turned = np.outer(np.arange(1, MOST + 1), paces)
    off = np.abs(turned - np.round(turned)).max(axis=1)
    round_ones = np.flatnonzero(off[BLOCK_STRIDES[0] - 1 :] < ROUND) + BLOCK_STRIDES[0]
    strides = int(round_ones[0]) if len(round_ones) else MOST
    state = last_state(_walked(robot, motion, 0, SETTLING_STRIDES, None))
    walked = _walked(robot, motion, SETTLING_STRIDES, strides, state)
    return Steady(walked, SETTLING_STRIDES * motion.period, strides, SETTLING_STRIDES)


def way_of(walked: Walk) -> GroundPath:
    """Return the path of the centre of mass along the body's heading."""
    return measure_ground_path(walked.position[:, :2], walked.rpy[:, 2])


def last_state(walked: Walk) -> FloatArray:
    """The twelve states from which a walk goes on."""
    R = rotation(walked.rpy[-1])
    return np.concatenate([walked.position[-1], walked.rpy[-1], walked.velocity[-1] @ R, walked.angular[-1]])


def _walked(robot: Quadruped, motion: PeriodicMotion, done: int, strides: int, state: FloatArray | None) -> Walk:
    """So many strides after those that are `done`."""
    crank, rates, _ = motion.sample(done * motion.period)
    return walk(robot, crank, rates, strides * motion.period, every=motion.period / SAMPLES_PER_STRIDE, start=state)


def _states(walked: Walk) -> FloatArray:
    """Return the states between strides, without position and heading; a row for each."""
    at = slice(None, None, SAMPLES_PER_STRIDE)
    R = rotation(walked.rpy[at])
    velocity = np.einsum("nji,nj->ni", R, walked.velocity[at])
    pose = (walked.position[at, 2:], walked.rpy[at, :2], velocity, walked.angular[at])
    cranks = walked.crank[at]
    return np.column_stack([*pose, np.cos(cranks), np.sin(cranks)])


def _part(walked: Walk, first: int, last: int | None = None) -> Walk:
    """From the beginning of a stride to another's."""
    end = None if last is None else last * SAMPLES_PER_STRIDE + 1
    return Walk(*(values[first * SAMPLES_PER_STRIDE : end] for values in vars(walked).values()))
