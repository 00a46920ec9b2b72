"""MinIAQ's walk with cranks that turn at constant speed, as the paper assumes: the model that predicts and draws."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from crawler_core.types import FloatArray
from crawler_models.miniaq.compiled.equations import CRANK, OMEGA, V, numbers
from crawler_models.miniaq.compiled.march import FINE, LIES, LOAD_COLUMNS, TIPPED, march
from crawler_models.miniaq.equations.dynamics import feet, rotation
from crawler_models.miniaq.equations.four_bar import turns_round
from crawler_models.miniaq.equations.quadruped import Quadruped
from crawler_models.miniaq.walks.statics import standing

FIRST_STEP = 1e-5  # s
DIVERGED_REASON = "The equations lose the robot; check the numbers of robot.*."
REASON_OF_END = {
    TIPPED: "The robot tips over: it rolls or pitches by more than 60 degrees.",
    LIES: "The robot falls: its body lies on the ground.",
}


class Fallen(ValueError):
    """The robot has tipped over or lies on its body; the message is a sentence."""


@dataclass(frozen=True)
class Walk:
    """A walk, sampled. Forces and power are means over the interval that ends at the sample; 0 at the first."""

    times: FloatArray  # s, (n,)
    position: FloatArray  # m, of the centre of mass, (n, 3)
    rpy: FloatArray  # rad, roll, pitch (positive: nose down) and yaw, unwrapped, (n, 3)
    velocity: FloatArray  # m/s, in the world, (n, 3)
    angular: FloatArray  # rad/s, along the body's axes, (n, 3)
    crank: FloatArray  # rad, (n, 4)
    foot: FloatArray  # m, in the world, (n, 4, 3)
    foot_velocity: FloatArray  # m/s, in the world, (n, 4, 3)
    force: FloatArray  # N, from the ground, in the world, (n, 4, 3)
    power: FloatArray  # W, that the cranks put in, (n,)


def require_usable(robot: Quadruped) -> None:
    """Raise ValueError for a robot that the equations do not hold for."""
    if not turns_round(robot):
        raise ValueError("The four-bar cannot turn all the way round; lengthen the coupler or shorten the crank.")
    if not 0.0 < robot.V_s < robot.V_d:
        raise ValueError("A foot's speed_static must be above 0 and below its speed_dynamic.")


def walk(
    robot: Quadruped,
    crank: ArrayLike,
    rates: ArrayLike,
    seconds: float,
    every: float = 1e-3,
    tolerance: float = 1e-6,
    start: FloatArray | None = None,
) -> Walk:
    """Let the cranks turn from `crank` (rad) at `rates` (rad/s), and sample `every` so many seconds.

    It begins with the twelve states `start`, or standing still on its feet. `tolerance` is relative, of a step. Raises
    Fallen, and ValueError for a four-bar that cannot turn, a robot that cannot stand, or numbers that are none.
    """
    crank, rates = np.asarray(crank, dtype=float), np.asarray(rates, dtype=float)
    if not (crank.shape == rates.shape == (4,) and np.isfinite(crank).all() and np.isfinite(rates).all()):
        raise ValueError(f"Four cranks need a finite angle and rate each, but these are {crank} rad and {rates} rad/s.")
    if not (0.0 < every <= seconds and tolerance > 0.0):
        raise ValueError(f"{seconds} s, sampled every {every} s with a tolerance of {tolerance}, is no walk.")
    require_usable(robot)
    first = standing(robot, crank) if start is None else np.asarray(start, dtype=float)
    y = np.concatenate([first[:6], crank, first[6:], rates])
    samples = round(seconds / every)
    states, forces = np.empty((samples + 1, len(y))), np.zeros((samples + 1, LOAD_COLUMNS))
    states[0] = y
    ended, taken, _, _ = march(
        numbers(robot, driven=False), y, np.zeros(4), float(every), FIRST_STEP, float(tolerance), states[1:], forces[1:]
    )
    if ended in REASON_OF_END:
        raise Fallen(f"{REASON_OF_END[ended]} That is after {taken * every:.3g} s.")
    if ended != FINE:
        raise ValueError(f"{DIVERGED_REASON} That is after {taken * every:.3g} s.")
    rpy, turned, moves, angular = states[:, 3:6], states[:, CRANK:V], states[:, V:OMEGA], states[:, OMEGA : OMEGA + 3]
    found = feet(robot, np.hstack([states[:, :6], moves, angular]), turned, rates)
    return Walk(
        times=np.arange(samples + 1, dtype=np.float64) * every,
        position=states[:, :3],
        rpy=rpy,
        velocity=np.einsum("nij,nj->ni", rotation(rpy), moves),
        angular=angular,
        crank=turned,
        foot=found.position,
        foot_velocity=found.velocity,
        force=forces[:, :12].reshape(-1, 4, 3),
        power=forces[:, 12],
    )
