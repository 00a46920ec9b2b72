"""The snake as a plant for the model backend: quasi-static, without inertia.

Joints follow their setpoints exactly. After each interval the chain lies settled on the ground, and what its shape
moved along the ground has slid where that cost the least friction. So the advance and the slip are predictions;
nothing is anchored. The base is link 1, the tail, with its frame at P_0.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from crawler_core.types import BaseState, Contact, ContactMode, ContactSource, FloatArray
from crawler_models.snake.ground.posture import settle
from crawler_models.snake.ground.slide import STICK_SPEED_M_S, Slide, slide
from crawler_models.snake.ground.statics import loads, torques
from crawler_models.snake.snake import Snake


class SnakePlant:
    """Velocities are the means over the last interval; forces and torques those at its end."""

    def __init__(self, snake: Snake, position: ArrayLike) -> None:
        """Lie still with the joints at ``position`` (rad)."""
        self._snake = snake
        self.joint_names = tuple(f"joint_{i}" for i in range(1, snake.links))
        self.actuated = self.joint_names
        self._feet = tuple(f"foot_{i}" for i in range(snake.links + 1))
        self.reset(position)

    def reset(self, position: ArrayLike) -> None:
        """Lie still with P_0 at x = 0; raises ValueError for a position that is not one number for each joint."""
        q = self._numbers("position", position)
        # it starts with its two tips level, from where it sinks
        tip = np.exp(1j * np.concatenate(([0.0], np.cumsum(q)))).sum()
        self._settled = settle(q, self._snake.length, -math.atan2(tip.imag, tip.real) if abs(tip) > 1e-9 else 0.0)
        self._x = 0.0  # of P_0, m
        self._q, self._dq = q, np.zeros_like(q)
        self._normal = loads(self._snake, self._settled)
        still = np.zeros(self._snake.links + 1)
        self._slide = Slide(0.0, np.where(self._normal > 0.0, still, np.nan), still)
        self._moving = (0.0, 0.0, 0.0)  # of the base: m/s along x and z, rad/s counter-clockwise

    def advance(self, position: ArrayLike, velocity: ArrayLike, effort: ArrayLike, dt: float) -> None:
        """Bring the joints to ``position`` within ``dt`` (s); ``effort`` is not used.

        Raises ValueError for a setpoint or ``dt`` that is not a usable number.
        """
        q, dq = self._numbers("position", position), self._numbers("velocity", velocity)
        if not (math.isfinite(dt) and dt > 0.0):
            raise ValueError(f"The time step is {dt!r} s; a positive finite number is needed.")
        before, now = self._settled, settle(q, self._snake.length, self._settled.pitch)
        normal = loads(self._snake, now)
        slid = slide((now.x - before.x) / dt, normal, self._snake.friction)
        turned = math.remainder(now.pitch - before.pitch, 2.0 * math.pi)
        self._x += slid.shift * dt
        self._moving = (slid.shift, float(now.z[0] - before.z[0]) / dt, turned / dt)
        self._settled, self._normal, self._slide = now, normal, slid
        self._q, self._dq = q, dq

    def joints(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Position (rad), velocity (rad/s), and the torque (N m) that holds the snake's weight and thrust."""
        effort = torques(self._snake, self._settled, self._normal, self._slide.force)
        return self._q.copy(), self._dq.copy(), effort

    def base(self) -> BaseState:
        """The frame of link 1."""
        half = 0.5 * self._settled.pitch
        along, up, turning = self._moving
        return BaseState(
            position=(self._x, 0.0, float(self._settled.z[0])),
            # counter-clockwise in the paper's plane is about -y
            quaternion=(math.cos(half), 0.0, -math.sin(half), 0.0),
            linear=(along, 0.0, up),
            angular=(0.0, -turning, 0.0),
        )

    def contacts(self) -> tuple[Contact, ...]:
        """P_0 to P_N."""
        return tuple(
            Contact(foot, _mode(n, v), ContactSource.SIMULATED, (f, 0.0, n), (0.0 if math.isnan(v) else v, 0.0, 0.0))
            for foot, n, v, f in zip(
                self._feet,
                self._normal.tolist(),
                self._slide.velocity.tolist(),
                self._slide.force.tolist(),
                strict=True,
            )
        )

    def _numbers(self, name: str, values: ArrayLike) -> FloatArray:
        try:
            array = np.array(values, dtype=float)
        except (TypeError, ValueError) as error:
            raise ValueError(f"The {name} of the joints is {values!r}; numbers are needed.") from error
        if array.shape != (len(self.joint_names),):
            raise ValueError(f"The {name} has the shape {array.shape}; {len(self.joint_names)} joints need numbers.")
        if not np.isfinite(array).all():
            raise ValueError(f"The {name} of the joints is {array}; finite numbers are needed.")
        return array


def _mode(normal: float, velocity: float) -> ContactMode:
    if normal <= 0.0:
        return ContactMode.OPEN
    if abs(velocity) <= STICK_SPEED_M_S:
        return ContactMode.STICK
    return ContactMode.SLIP_POS if velocity > 0.0 else ContactMode.SLIP_NEG
