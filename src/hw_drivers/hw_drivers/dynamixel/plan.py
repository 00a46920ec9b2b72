"""The set-up of one joint's servo: checked without a bus, written to the servo by `setup`."""

from __future__ import annotations

import math
from dataclasses import dataclass

from crawler_core.errors import UserError
from hw_drivers.bus.joint_map import TURN_RAD, JointMap
from hw_drivers.dynamixel.settings import DynamixelJoint
from hw_drivers.dynamixel.tables import (
    CURRENT_POSITION_MODE,
    EXTENDED_MODE,
    MAX_ID,
    MAX_TURNS,
    MODELS,
    POSITION_MODE,
    RAD_PER_TICK,
    TICKS_PER_TURN,
    ServoModel,
)


@dataclass(frozen=True)
class ServoPlan:
    joint: JointMap
    model_name: str
    model: ServoModel
    mode: int  # operating mode
    # ticks, limits of the mode: tighter ones would throw a joint that stands outside of its limits back
    lowest: int
    highest: int
    current: int  # units; 0: not limited by us
    temperature_limit: float  # °C

    def ticks(self, angle: float) -> int:
        """Return the goal position for a joint's angle (rad)."""
        return min(max(round(self.joint.to_motor(angle) / RAD_PER_TICK), self.lowest), self.highest)


def plan_servo(joint: JointMap) -> ServoPlan:
    """Plan the servo of a joint. Raises UserError where no such servo can do what the robot file asks."""
    servo: DynamixelJoint = joint.settings
    if not servo.model:
        raise UserError(f"{joint.key}.model is missing: give one of {', '.join(MODELS)}.")
    model = MODELS[servo.model]
    joint.check_id(MAX_ID, "servo ids are")
    if joint.velocity * joint.gear > model.no_load:
        max_velocity = model.no_load / joint.gear
        raise UserError(
            f"{joint.joint} may turn at {joint.velocity:.3g} rad/s, but an {servo.model} reaches "
            f"{max_velocity:.3g} rad/s: lower {joint.key}.velocity, or choose a faster servo."
        )
    needs_many_turns = _needs_many_turns(joint, servo.model)
    current = _current(joint, servo, model)
    mode = CURRENT_POSITION_MODE if current else EXTENDED_MODE if needs_many_turns else POSITION_MODE
    lowest, highest = (
        (0, TICKS_PER_TURN - 1)
        if mode == POSITION_MODE
        else (-MAX_TURNS * TICKS_PER_TURN, MAX_TURNS * TICKS_PER_TURN - 1)
    )
    return ServoPlan(joint, servo.model, model, mode, lowest, highest, current, servo.temperature_limit)


def _needs_many_turns(joint: JointMap, model: str) -> bool:
    """Return True if the joint needs more than one turn of its servo. Raises UserError for limits out of reach."""
    low, high = sorted((joint.to_motor(joint.lower), joint.to_motor(joint.upper)))
    if not math.isfinite(high - low):
        return True
    if high - low >= TURN_RAD:
        if max(-low, high) > MAX_TURNS * TURN_RAD:
            raise UserError(
                f"{joint.joint} needs more than the {MAX_TURNS} turns that an {model} counts: narrow its limits."
            )
        return True
    if low < 0.0 or high > TURN_RAD - RAD_PER_TICK:
        raise UserError(
            f"the limits of {joint.joint} are {math.degrees(low):.1f} to {math.degrees(high):.1f} degrees at the servo,"
            f" outside the 0 to 359.9 degrees of an {model}: remount its horn, or change "
            f"{joint.key}.zero_deg."
        )
    return False


def _current(joint: JointMap, servo: DynamixelJoint, model: ServoModel) -> int:
    if not servo.current_limit:
        return 0
    if not model.current_unit:
        raise UserError(f"an {servo.model} measures no current: leave {joint.key}.current_limit out.")
    max_current = model.max_current * model.current_unit
    if servo.current_limit > max_current:
        raise UserError(
            f"{joint.key}.current_limit = {servo.current_limit:g} is not allowed: "
            f"an {servo.model} takes at most {max_current:.2f} A: lower it."
        )
    return max(1, round(servo.current_limit / model.current_unit))
