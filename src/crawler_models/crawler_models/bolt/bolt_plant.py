"""BOLT as a plant for the model backend: the exact reduced equations, with the foot on its spring or rigid.

World x is the paper's x, z its y; joint angles are the paper's q1 to q5, and turn about -y.
"""

from __future__ import annotations

import cmath
import math

import numpy as np
from numpy.typing import ArrayLike

from crawler_core.types import BaseState, Contact, ContactMode, ContactSource, FloatArray
from crawler_models.bolt.compiled import advance as interval
from crawler_models.bolt.compiled.compliant import OPEN, SLIP_NEG, SLIP_POS, STICK
from crawler_models.bolt.compiled.reduced import pack, posture, reduced
from crawler_models.bolt.equations.leg import Leg
from crawler_models.bolt.simulation.running import TURN_RAD
from crawler_models.bolt.simulation.sampled_run import REASON_OF_END, STEPS_PER_TICK, Start
from crawler_models.interface.plant import PlantFault

CONTACT_MODE_OF_FOOT = {STICK: ContactMode.STICK, SLIP_POS: ContactMode.SLIP_POS, SLIP_NEG: ContactMode.SLIP_NEG}
REMEDY_FOR_REASON = {
    interval.OPENS: "check the lengths robot.*_length of the mechanism",
    interval.BURIED: "begin with more speed or height (robot.start_height), or retune controller.*",
    interval.ENDLESS: "set robot.foot_stiffness to 65000, the spring of the real foot",
    interval.JAMMED: "set robot.foot_stiffness to 65000, the spring of the real foot, or lower robot.friction",
}


class BoltPlant:
    """The crank is pushed; everything else follows. Contact forces are means over the last interval."""

    joint_names = ("crank", "hfe", "kfe", "hip", "knee")
    actuated = ("crank",)

    def __init__(self, leg: Leg, start: Start) -> None:
        """Begin as `start` says."""
        self._packed, self._start = pack(leg), start
        self.reset([start.angle])

    def reset(self, position: ArrayLike) -> None:
        """Begin again with the crank at `position` (rad), in the air or moving as the start says.

        Raises ValueError where the mechanism does not close there.
        """
        (angle,) = np.asarray(position, dtype=float)
        if not math.isfinite(angle):
            raise ValueError(f"The crank's position is {angle}; a finite number is needed.")
        s = self._start
        self._state = Start(float(angle), s.rate, s.height, s.vx, s.vz).state(self._packed)
        self._mode = OPEN
        self._record = np.zeros(interval.RECORD_WIDTH)
        self._effort, self._dt = 0.0, 1.0

    def advance(self, position: ArrayLike, velocity: ArrayLike, effort: ArrayLike, dt: float) -> None:
        """Push the crank with `effort` (N m) for `dt` seconds; the setpoints are not used.

        Raises ValueError for an effort or `dt` that is not a usable number. Raises PlantFault when the leg falls or its
        equations end; the state then stays as it was.
        """
        (torque,) = np.asarray(effort, dtype=float)
        if not math.isfinite(torque):
            raise ValueError(f"The crank's effort is {torque} N·m; a finite number is needed.")
        if not (math.isfinite(dt) and dt > 0.0):
            raise ValueError(f"The time step is {dt!r} s; a positive finite number is needed.")
        state, record = self._state.copy(), np.zeros(interval.RECORD_WIDTH)
        steps = max(1, math.ceil(STEPS_PER_TICK * dt * 1000.0 - 1e-6))
        mode, ended = interval.advance(self._packed, state, self._mode, float(torque), dt, steps, record)
        if ended != interval.FINE:
            sentence = REASON_OF_END[ended]
            raise PlantFault(f"{sentence[0].upper()}{sentence[1:]}.", remedy=REMEDY_FOR_REASON[ended])
        self._state, self._mode, self._record = state, mode, record
        self._effort, self._dt = float(torque), dt

    def joints(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Position (rad), velocity (rad/s), and the effort (N m) that pushes the crank."""
        q1, rate = float(self._state[4]), float(self._state[5])
        _, _, _, _, bars, turns = posture(self._packed, q1)
        # the bars swing less than half a turn about forward, so their angles have no jumps
        a2, a3, a4, a5 = (cmath.phase(bar) for bar in bars)
        t2, t3, t4, t5 = turns
        position = np.array([q1, a2 - q1, math.remainder(a3 - a2, TURN_RAD), a4, math.remainder(a5 - a4, TURN_RAD)])
        velocity = rate * np.array([1.0, t2 - 1.0, t3 - t2, t4, t5 - t4])
        return position, velocity, np.array([self._effort, 0.0, 0.0, 0.0, 0.0])

    def base(self) -> BaseState:
        """The body, at the crank's axis."""
        x, y, vx, vy, q1, rate = self._state.tolist()
        centre, moving, *_ = posture(self._packed, q1)
        at, v = complex(x, y) - centre, complex(vx, vy) - rate * moving
        return BaseState((at.real, 0.0, at.imag), (1.0, 0.0, 0.0, 0.0), (v.real, 0.0, v.imag), (0.0, 0.0, 0.0))

    def contacts(self) -> tuple[Contact, ...]:
        """The foot: OPEN where it was in the air during the whole of the last interval."""
        _, _, vx, vy, q1, rate = self._state.tolist()
        along, up = (self._record[[interval.IMPULSE_X, interval.IMPULSE_Y]] / self._dt).tolist()
        slides = complex(vx, vy) + rate * reduced(self._packed, q1)[3]
        mode = ContactMode.OPEN if up <= 0.0 else CONTACT_MODE_OF_FOOT[int(self._record[interval.LAST])]
        force = (0.0, 0.0, 0.0) if up <= 0.0 else (along, 0.0, up)
        return (Contact("foot", mode, ContactSource.SIMULATED, force, (slides.real, 0.0, slides.imag)),)
