"""MinIAQ as a plant for the model backend: the paper's body and feet, with cranks that efforts turn.

The paper's cranks turn at constant speed. Here each obeys J dw/dt = effort - B w + what the ground's force on its foot
does to it. World axes are the paper's.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from crawler_core.types import BaseState, Contact, ContactMode, ContactSource, FloatArray
from crawler_models.interface.plant import PlantFault
from crawler_models.miniaq.compiled.equations import CRANK, OMEGA, RATE, V, feet_along, numbers
from crawler_models.miniaq.compiled.march import FINE, LOAD_COLUMNS, march
from crawler_models.miniaq.equations.dynamics import feet, rotation
from crawler_models.miniaq.equations.four_bar import pins, turns
from crawler_models.miniaq.equations.quadruped import LEG_NAMES, Quadruped
from crawler_models.miniaq.walks.statics import standing
from crawler_models.miniaq.walks.walk import DIVERGED_REASON, FIRST_STEP, REASON_OF_END, require_usable

STEP_TOLERANCE = 1e-6  # of a step, relative
SLOW_DOWN_REMEDY = "drive it slower (gait.frequency), or with another gait"


class QuadrupedPlant:
    """The cranks are pushed; everything else follows. Contact forces are means over the last interval."""

    joint_names = tuple(f"{joint}_{leg}" for leg in LEG_NAMES for joint in ("crank", "coupler", "rocker"))
    actuated = tuple(f"crank_{leg}" for leg in LEG_NAMES)

    def __init__(self, robot: Quadruped, crank: ArrayLike) -> None:
        """Stand still with the cranks at `crank` (rad).

        Raises ValueError for a four-bar that cannot turn, and where the robot cannot stand.
        """
        require_usable(robot)
        self._robot, self._numbers = robot, numbers(robot, driven=True)
        self.reset(crank)

    def reset(self, position: ArrayLike) -> None:
        """Stand still with the cranks at `position` (rad); raises ValueError where the robot cannot."""
        crank = _four("position", "rad", position)
        still = standing(self._robot, crank)
        self._state = np.concatenate([still[:6], crank, still[6:], np.zeros(4)])
        self._force = feet(self._robot, still, crank, np.zeros(4)).force
        self._effort, self._step = np.zeros(4), FIRST_STEP

    def advance(self, position: ArrayLike, velocity: ArrayLike, effort: ArrayLike, dt: float) -> None:
        """Push the cranks with `effort` (N m) for `dt` seconds; the setpoints are not used.

        Raises ValueError for an effort or `dt` that is not a usable number. Raises PlantFault when the robot falls; the
        state then stays as it was.
        """
        torque = _four("effort", "N·m", effort)
        if not (math.isfinite(dt) and dt > 0.0):
            raise ValueError(f"The time step is {dt!r} s; a positive finite number is needed.")
        state, forces = self._state.copy(), np.empty((1, LOAD_COLUMNS))
        ended, _, step, _ = march(
            self._numbers, state, torque, float(dt), self._step, STEP_TOLERANCE, np.empty((1, len(state))), forces
        )
        if ended != FINE:
            raise PlantFault(REASON_OF_END.get(ended, DIVERGED_REASON), remedy=SLOW_DOWN_REMEDY)
        self._state, self._effort, self._step = state, torque, step
        self._force = forces[0, :12].reshape(4, 3)

    def joints(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Position (rad), velocity (rad/s), and the effort (N m) that pushes each crank."""
        crank, rate = self._state[CRANK:V], self._state[RATE:]
        p, by = pins(self._robot, crank), turns(self._robot, crank)
        DC, AC = p.C - p.D, p.C - p.A
        # the bars swing less than half a turn about forward, so their angles have no jumps
        coupler, rocker = -np.angle(DC), -np.angle(AC)
        w_3, w_4 = (rate * ((by.C - by.D) / (-1j * DC)).real, rate * (by.C / (-1j * AC)).real)
        position = np.stack([crank, coupler - crank, rocker], axis=-1)
        velocity = np.stack([rate, w_3 - rate, w_4], axis=-1)
        effort = np.stack([self._effort, np.zeros(4), np.zeros(4)], axis=-1)
        return position.ravel(), velocity.ravel(), effort.ravel()

    def base(self) -> BaseState:
        """The body, at its centre of mass."""
        y = self._state
        R = rotation(y[3:6])
        return BaseState(
            _vector(y[:3]), _quaternion(*y[3:6].tolist()), _vector(R @ y[V:OMEGA]), _vector(R @ y[OMEGA:RATE])
        )

    def contacts(self) -> tuple[Contact, ...]:
        """The feet: OPEN where one was in the air during the whole of the last interval."""
        y = self._state
        moves = np.empty((4, 3))
        feet_along(self._numbers, y, moves)
        moves = moves @ rotation(y[3:6]).T
        forward = moves[:, :2] @ np.array([math.cos(y[5]), math.sin(y[5])])
        return tuple(
            Contact(
                f"foot_{leg}",
                self._mode(force, slides, along),
                ContactSource.SIMULATED,
                _vector(force),
                (slides[0], slides[1], 0.0),
            )
            for leg, force, slides, along in zip(LEG_NAMES, self._force, moves.tolist(), forward.tolist(), strict=True)
        )

    def _mode(self, force: FloatArray, slides: list[float], along: float) -> ContactMode:
        if force[2] <= 0.0:
            return ContactMode.OPEN
        if math.hypot(slides[0], slides[1]) < self._robot.V_s:  # so slow that its friction falls with its speed
            return ContactMode.STICK
        return ContactMode.SLIP_POS if along > 0.0 else ContactMode.SLIP_NEG


def _four(name: str, unit: str, values: ArrayLike) -> FloatArray:
    array = np.array(values, dtype=float)
    if array.shape != (4,) or not np.isfinite(array).all():
        raise ValueError(f"The {name} of the cranks is {array} {unit}; four finite numbers are needed.")
    return array


def _vector(values: FloatArray) -> tuple[float, float, float]:
    x, y, z = values.tolist()
    return x, y, z


def _quaternion(roll: float, pitch: float, yaw: float) -> tuple[float, float, float, float]:
    """Return the quaternion of (11): yaw, then pitch, then roll; w first."""
    (s_f, s_t, s_p), (c_f, c_t, c_p) = (
        np.sin(np.array([roll, pitch, yaw]) / 2),
        np.cos(np.array([roll, pitch, yaw]) / 2),
    )
    w, x = c_f * c_t * c_p + s_f * s_t * s_p, s_f * c_t * c_p - c_f * s_t * s_p
    y, z = c_f * s_t * c_p + s_f * c_t * s_p, c_f * c_t * s_p - s_f * s_t * c_p
    return float(w), float(x), float(y), float(z)
