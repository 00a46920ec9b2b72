"""Actuated joints without physics: position servos with a lag, and effort-driven rotors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from crawler_core.robot.robot_spec import JointSpec
from crawler_core.types import FloatArray, JointCommand
from sim_bridge.mock.rotor import Rotor


class MockServos:
    """Moves the actuated joints by the clock: straight to each setpoint within a tick, or as free rotors.

    `stuck` is the index of a joint that does not move, or None.
    """

    def __init__(
        self,
        joints: Sequence[JointSpec],
        lag: float,
        rotor_inertia: float,
        rotor_damping: float,
        dt_ns: int,
        now_ns: int,
    ) -> None:
        """Stand at home. `lag` (s) is that of the servos; inertia (kg·m²) and damping (N·m·s/rad) are the rotors'."""
        self.position: FloatArray = np.array([joint.home for joint in joints])
        self.velocity = np.zeros(len(joints))  # mean since the last update
        self._effort = np.full(len(joints), np.nan)
        self._lag, self._dt_ns = lag, dt_ns
        self._rotating = [k for k, joint in enumerate(joints) if joint.is_effort_driven]
        self._effort[self._rotating] = 0.0
        self._rotors = [
            Rotor(rotor_inertia, rotor_damping + joint.damping, joint.home, joint.home_velocity)
            for joint in joints
            if joint.is_effort_driven
        ]
        self._start = self._goal = self.position
        self._commanded_ns = self._updated_ns = self._rotors_ns = now_ns

    def command(self, command: JointCommand, now_ns: int, stuck: int | None) -> FloatArray:
        """Send the servos to the setpoints within one tick, and push the rotors for as long. Return the efforts."""
        self._update_rotors(now_ns, stuck)
        self._start = self._reference(now_ns)
        self._goal = command.position.copy()
        self._effort[self._rotating] = np.nan_to_num(command.effort[self._rotating])
        self._commanded_ns = now_ns
        return self._effort.copy()

    def release(self, now_ns: int, stuck: int | None) -> None:
        """Take the torque off: without gravity the servos stay where they are, and rotors run down."""
        self.update(now_ns, stuck)
        self._effort[self._rotating] = 0.0
        self._start = self._goal = self.position
        self._commanded_ns = now_ns

    def effort(self, now_ns: int) -> FloatArray:
        """Return the efforts (N·m), which end with the tick; NaN for servos."""
        has_ended = now_ns - self._commanded_ns > self._dt_ns
        return self._effort * 0.0 if has_ended else self._effort

    def update(self, now_ns: int, stuck: int | None) -> None:
        self._update_rotors(now_ns, stuck)
        elapsed = 1e-9 * (now_ns - self._updated_ns)
        if elapsed <= 0.0:
            return
        before, reference = self.position, self._reference(now_ns)
        left = math.exp(-elapsed / self._lag) if self._lag else 0.0
        self.position = reference + left * (before - reference)
        self.position[self._rotating] = [rotor.angle for rotor in self._rotors]
        if stuck is not None:
            self.position[stuck] = before[stuck]
        self.velocity = (self.position - before) / elapsed
        self.velocity[self._rotating] = [rotor.speed for rotor in self._rotors]
        self._updated_ns = now_ns

    def _update_rotors(self, now_ns: int, stuck: int | None) -> None:
        """Advance the rotors to `now_ns`: under their effort as long as its tick lasts, then without."""
        pushed_ns = max(0, min(now_ns, self._commanded_ns + self._dt_ns) - self._rotors_ns)
        free_ns = now_ns - self._rotors_ns - pushed_ns
        for i, k in enumerate(self._rotating):
            rotor = self._rotors[i].after(1e-9 * pushed_ns, self._effort[k]).after(1e-9 * free_ns, 0.0)
            self._rotors[i] = replace(self._rotors[i], speed=0.0) if k == stuck else rotor
        self._rotors_ns = now_ns

    def _reference(self, now_ns: int) -> FloatArray:
        share = min((now_ns - self._commanded_ns) / self._dt_ns, 1.0)
        return self._start + share * (self._goal - self._start)
