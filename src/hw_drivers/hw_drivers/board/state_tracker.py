"""What a board last said of its motors, and what that means for their joints."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hw_drivers.board.messages import NO_TEMPERATURE, NO_VOLTAGE, MotorStatus, StateMessage
from hw_drivers.board.plan import MotorPlan, wrapped
from hw_drivers.bus.bus import Reading


class StateTracker:
    """The newest state of the motors of `plans`. The board's angles wrap, and begin within a turn; these go on."""

    def __init__(self, plans: Sequence[MotorPlan]) -> None:
        self.plans = tuple(plans)
        self.state: StateMessage | None = None
        self._time = -math.inf  # s, when it came
        self._angles: dict[int, int] = {}  # units
        self._aside: dict[int, int] = {}  # units that these are beside the board's: whole turns

    def take(self, state: StateMessage, now: float) -> None:
        """A state has come at `now` (s)."""
        self.state, self._time = state, now
        for plan in self.plans:
            if (motor := state.motors.get(plan.number)) is not None:
                aside = self._aside.setdefault(plan.number, plan.aside(motor.angle))
                before = self._angles.get(plan.number, motor.angle + aside)
                self._angles[plan.number] = before + wrapped(motor.angle + aside - before)

    def aside(self, plan: MotorPlan) -> int:
        """Units by which the angle told is beside the board's."""
        return self._aside.get(plan.number, 0)

    def lost(self) -> list[MotorPlan]:
        """Those of which the board does not know where they are."""
        motors = self.state.motors if self.state is not None else {}
        return [p for p in self.plans if p.number not in motors or not motors[p.number].status & MotorStatus.HOMED]

    def readings(self) -> tuple[Reading, ...]:
        """The joints' states."""
        return tuple(self._reading(plan) for plan in self.plans)

    def _reading(self, plan: MotorPlan) -> Reading:
        joint = plan.joint.joint
        motor = self.state.motors.get(plan.number) if self.state is not None else None
        if motor is None or self.state is None:
            return Reading(joint, -math.inf, math.nan, math.nan)
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
