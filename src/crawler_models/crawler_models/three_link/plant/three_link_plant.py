"""The three-link robot as a plant for the model backend.

World axes: x points opposite to the paper's x, so that the robot crawls to +x with foot 1 in front; z is the paper's y;
y is to the left, and the paper's counter-clockwise angles are positive about it. The base link is the central link.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from crawler_core.types import BaseState, Contact, ContactSource, FloatArray
from crawler_models.interface.plant import PlantFault
from crawler_models.three_link.equations.closed_chain import Planar
from crawler_models.three_link.equations.contact_law import HybridFault
from crawler_models.three_link.equations.dynamics import joint_torques
from crawler_models.three_link.equations.foot_mode import ROS_MODE
from crawler_models.three_link.equations.three_link import ThreeLink
from crawler_models.three_link.plant import tick
from crawler_models.three_link.plant.base_state import base_from_foot_1, base_state, to_world


class ThreeLinkPlant:
    """Joints follow their setpoints exactly; the feet stick and slip by the paper's hybrid dynamics.

    At reset the base stands at x = 0. Contact forces and efforts are those at the end of the last interval.
    """

    joint_names = ("joint_1", "joint_2")
    actuated = ("joint_1", "joint_2")

    def __init__(self, robot: ThreeLink, position: ArrayLike) -> None:
        """Stand still with the joints at ``position`` (rad)."""
        self._robot = robot
        self.reset(position)

    def reset(self, position: ArrayLike) -> None:
        """Stand still with the base at x = 0; raises ValueError when the robot would not stand on its two feet."""
        q = _pair("position", position)
        state = tick.standing(self._robot, q)
        if state.chain.d < 1e-6 or min(state.forces.f1y, state.forces.f2y) <= 0.0 or state.chain.e1.imag >= 0.0:
            raise ValueError(f"The robot does not stand on both feet with its joints at {q[0]:.4g}, {q[1]:.4g} rad.")
        self._now = tick.standing(self._robot, q, x1=-base_from_foot_1(self._robot, state.chain).real)

    def advance(self, position: ArrayLike, velocity: ArrayLike, effort: ArrayLike, dt: float) -> None:
        """Move the joints to the setpoints within ``dt`` (s) on a cubic Hermite; ``effort`` is not used.

        Raises ValueError for a setpoint or ``dt`` that is not a usable number. Raises PlantFault when a foot would
        leave the ground or the rigid-body dynamics have no unique answer; the state then stays as it was.
        """
        q, dq = _pair("position", position), _pair("velocity", velocity)
        if not (math.isfinite(dt) and dt > 0.0):
            raise ValueError(f"The time step is {dt!r} s; a positive finite number is needed.")
        try:
            state = tick.advance(self._robot, self._now, q, dq, dt)
        except HybridFault as fault:
            raise PlantFault(str(fault), remedy="choose a slower or flatter gait, or a physics backend") from fault
        except ArithmeticError as fault:
            raise PlantFault(f"The setpoints {q} rad, {dq} rad/s are out of the equations' reach.") from fault
        if not all(map(math.isfinite, (state.x1, state.v1, *state.forces))):
            raise PlantFault(f"The setpoints {q} rad, {dq} rad/s are out of the equations' reach.")
        self._now = state

    def joints(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Position (rad), velocity (rad/s), and the torque (N m) that the motion takes."""
        s = self._now
        effort = joint_torques(self._robot, s.chain, s.ddq, s.a, s.forces)
        return np.array(s.q), np.array(s.dq), np.array(effort)

    def base(self) -> BaseState:
        """The central link's centre."""
        return base_state(self._robot, self._now)

    def contacts(self) -> tuple[Contact, Contact]:
        """Foot 1 (front), then foot 2."""
        s = self._now
        v2 = 0.0 if s.mode[1] == 0 else s.v1 + s.chain.d1
        return (
            _contact("foot_1", s.mode[0], s.forces.f1x + 1j * s.forces.f1y, s.v1 + 0j),
            _contact("foot_2", s.mode[1], s.forces.f2x + 1j * s.forces.f2y, v2 + 0j),
        )


def _contact(foot: str, mode: int, force: Planar, slip: Planar) -> Contact:
    return Contact(foot, ROS_MODE[mode], ContactSource.SIMULATED, to_world(force), to_world(slip))


def _pair(name: str, values: ArrayLike) -> tuple[float, float]:
    try:
        first, second = map(float, values)  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        raise ValueError(f"The {name} of joint_1 and joint_2 is {values!r}; two numbers are needed.") from error
    if not (math.isfinite(first) and math.isfinite(second)):
        raise ValueError(f"The {name} of joint_1 and joint_2 is {first}, {second}; finite numbers are needed.")
    return first, second
