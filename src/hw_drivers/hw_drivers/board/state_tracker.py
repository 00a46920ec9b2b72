"""The newest state of a board's motors, and the joints' readings."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hw_drivers.board.messages import NO_TEMPERATURE, NO_VOLTAGE, MotorStatus, StateMessage
from hw_drivers.board.plan import MotorPlan, wrap_angle
from hw_drivers.bus.bus import Reading


class StateTracker:
    """The newest state of the motors of `plans`, with unwrapped angles. The board wraps its angles."""

    def __init__(self, plans: Sequence[MotorPlan]) -> None:
        self.plans = tuple(plans)
        self.state: StateMessage | None = None
        self._time = -math.inf  # s, of its arrival
        self._angles: dict[int, int] = {}  # units
        self._offsets: dict[int, int] = {}  # units between these and the board's: whole turns

    def update(self, state: StateMessage, now: float) -> None:
        """Take a state that came at `now` (s)."""
        self.state, self._time = state, now
        for plan in self.plans:
            if (motor := state.motors.get(plan.number)) is not None:
                offset = self._offsets.setdefault(plan.number, plan.start_offset(motor.angle))
                previous = self._angles.get(plan.number, motor.angle + offset)
                self._angles[plan.number] = previous + wrap_angle(motor.angle + offset - previous)

    def offset(self, plan: MotorPlan) -> int:
        """Return the units between the joint's angle and the board's."""
        return self._offsets.get(plan.number, 0)

    def without_zero(self) -> list[MotorPlan]:
        """Return the motors whose angle the board does not know."""
        motors = self.state.motors if self.state is not None else {}
        return [p for p in self.plans if p.number not in motors or not motors[p.number].status & MotorStatus.HOMED]

    def readings(self) -> tuple[Reading, ...]:
        return tuple(self._reading(plan) for plan in self.plans)

    def _reading(self, plan: MotorPlan) -> Reading:
        joint = plan.joint.joint
        motor = self.state.motors.get(plan.number) if self.state is not None else None
        if motor is None or self.state is None:
            return Reading.missing(joint)
        supply, temperature = self.state.supply, motor.temperature
        return Reading(
            joint,
            self._time,
            plan.angle(self._angles[plan.number]),
            plan.rate(motor.velocity),
            effort=plan.effort(motor.current),
            temperature=math.nan if temperature == NO_TEMPERATURE else float(temperature),
            voltage=math.nan if supply == NO_VOLTAGE else 0.01 * supply,
        )
