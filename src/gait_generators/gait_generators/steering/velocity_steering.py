"""Turns a velocity command into a gait and the rates of its phases, within the gait's range and the joints' limits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from crawler_core.errors import UserError
from crawler_core.registry import import_object
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import FloatArray
from crawler_models.interface.velocity_map import MakeVelocityMap, VelocityMap, VelocityRange
from crawler_models.model_registry import model_of
from gait_generators.kinds.gait import SteeredGait
from gait_generators.kinds.gait_phase import steered
from gait_generators.kinds.gait_registry import GAITS, make_gait
from gait_generators.kinds.limit_check import LIMIT_SAMPLES, keeps_rate_limits
from gait_generators.steering.velocity_command import VelocityCommand

LIMIT_STEPS = 24  # bisections of the share of a velocity that the joints can do
TOLERANCE = 1e-9  # of a speed at the end of the range
STANDING_SHARE = 0.5  # of the slowest speed, below which the robot stands still instead


class SteeredCommand(NamedTuple):
    """Execution of a velocity command."""

    gait: SteeredGait
    rate: FloatArray  # rad/s, of the gait's phases; 0: at rest
    executed: VelocityCommand
    notes: Mapping[str, str]  # what the robot cannot do and does instead: sentences by kind


class VelocitySteering:
    """Steers one gait of one robot."""

    def __init__(self, spec: RobotSpec, gait: str, values: Mapping[str, Any]) -> None:
        """`values` are all parameters of the gait. It may take some seconds. Raises UserError where there is no map."""
        self._spec, self._gait, self._values = spec, gait, dict(values)
        self._map = _make_map(spec, gait, values, self._make)
        self.range = self._reachable_range()

    def execute(self, command: VelocityCommand, trim: float = 0.0) -> SteeredCommand:
        """Return the motion for a command; for what is not possible the nearest that is, with a note.

        The motion is that for a speed which is larger by the share `trim`, within the range.
        """
        notes = {"sideways": command.note} if command.note else {}
        forward = self._limit_speed(command.forward, notes)
        yaw = self._limit_yaw(command.yaw, notes)
        if forward == 0.0 and yaw == 0.0:
            gait = self._make({})
            return SteeredCommand(gait, np.zeros(len(gait.start)), VelocityCommand(0.0, 0.0), notes)
        gait, rate, share = self._within_limits(self._trimmed(forward, trim), yaw)
        if not trim and share < 1.0 - TOLERANCE:
            notes["too_fast"] = (
                f"cmd_vel asks for {forward:.3g} m/s with {yaw:.3g} rad/s: the joints of {self._spec.name} cannot, and "
                f"it goes the same curve at {share * forward:.3g} m/s"
            )
        executed = VelocityCommand(forward, yaw) if trim else VelocityCommand(share * forward, share * yaw)
        return SteeredCommand(gait, rate, executed, notes)

    def _limit_speed(self, speed: float, notes: dict[str, str]) -> float:
        """Return the speed that the gait makes instead of `speed` (m/s)."""
        limits = self.range
        fastest, way = (limits.forward, "forward") if speed > 0.0 else (limits.backward, "backward")
        size = abs(speed)
        if size == 0.0:
            return 0.0
        if not fastest:
            kind, can, made = "direction", f"cannot go {way}, and the robot stands still", 0.0
        elif size < STANDING_SHARE * limits.slowest:
            kind, can, made = "too_slow", f"makes at least {limits.slowest:.3g}, and the robot stands still", 0.0
        elif size < limits.slowest:
            kind, can, made = "too_slow", f"makes {limits.slowest:.3g} instead, its slowest", limits.slowest
        elif size > fastest * (1.0 + TOLERANCE):
            kind, can, made = "too_fast", f"makes {fastest:.3g} {way}, its fastest", fastest
        else:
            return speed
        notes[kind] = f"cmd_vel asks for {speed:.3g} m/s: the gait {self._gait} of {self._spec.name} {can}"
        return math.copysign(made, speed) if made else 0.0

    def _trimmed(self, speed: float, trim: float) -> float:
        fastest = self.range.forward if speed > 0.0 else self.range.backward
        return math.copysign(min(max(abs(speed) * (1.0 + trim), self.range.slowest), fastest), speed) if trim else speed

    def _limit_yaw(self, yaw: float, notes: dict[str, str]) -> float:
        fastest = self.range.yaw
        if abs(yaw) <= fastest * (1.0 + TOLERANCE):
            return yaw
        can = f"turns at {fastest:.3g} at most" if fastest else "cannot turn, and goes straight on"
        notes["turn"] = f"cmd_vel asks for {yaw:.3g} rad/s: the gait {self._gait} of {self._spec.name} {can}"
        return math.copysign(fastest, yaw) if fastest else 0.0

    def _within_limits(self, forward: float, yaw: float) -> tuple[SteeredGait, FloatArray, float]:
        """Return the gait and the rates for the largest share of the velocity that keeps the joints' limits."""
        gait, rate, keeps = self._motion(forward, yaw)
        if keeps:
            return gait, rate, 1.0
        low, high = 0.0, 1.0
        for _ in range(LIMIT_STEPS):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self._motion(middle * forward, middle * yaw)[2] else (low, middle)
        gait, rate, _ = self._motion(low * forward, low * yaw)
        return gait, rate, low

    def _motion(self, forward: float, yaw: float) -> tuple[SteeredGait, FloatArray, bool]:
        """Return the gait for a velocity, the rates of its phases, and whether it keeps the joints' rate limits."""
        try:
            wanted = self._map.motion_for(forward, yaw)
            gait = self._make(wanted.parameters)
        except UserError:
            return self._make({}), np.zeros(1), False
        times = np.linspace(0.0, gait.period, LIMIT_SAMPLES, endpoint=False)
        return gait, wanted.direction * gait.rate, keeps_rate_limits(self._spec, gait, times)

    def _reachable_range(self) -> VelocityRange:
        """Return the map's range, as far as the joints' limits allow it."""
        found = self._map.range
        ends = {"forward": (found.forward, 0.0), "backward": (-found.backward, 0.0), "yaw": (0.0, found.yaw)}
        shares = {name: self._within_limits(*end)[2] for name, end in ends.items() if any(end)}
        return found._replace(**{name: share * getattr(found, name) for name, share in shares.items()})

    def _make(self, changed: Mapping[str, Any]) -> SteeredGait:
        return steered(make_gait(self._spec, self._gait, {**self._values, **changed}))


def _make_map(spec: RobotSpec, gait: str, values: Mapping[str, Any], make: Any) -> VelocityMap:
    """Return the map of the robot's equations, else that of the gait. Raises UserError where there is none."""
    reference = model_of(spec).velocity_map
    makers: list[MakeVelocityMap] = []
    if reference:
        makers.append(import_object(reference, what=f"the velocity map of '{spec.name}'"))
    if (own := GAITS[gait].velocity_map) is not None:
        makers.append(own)
    for maker in makers:
        if (found := maker(spec, gait, values, make)) is not None:
            return found
    raise UserError(
        f"cmd_vel cannot drive the gait '{gait}' of {spec.name}: neither its equations nor the gait have a map of its "
        "speed (velocity_map). Choose another gait."
    )
