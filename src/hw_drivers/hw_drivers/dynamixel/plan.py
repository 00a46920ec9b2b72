"""What a servo has to be for its joint: checked without a bus, and written to it by `setup`."""

from __future__ import annotations

import math
from dataclasses import dataclass

from crawler_core.errors import UserError
from hw_drivers.bus.bus import JointMap
from hw_drivers.dynamixel.settings import DynamixelJoint
from hw_drivers.dynamixel.tables import (
    CURRENT_POSITION_MODE,
    EXTENDED_MODE,
    MAX_TURNS,
    MODELS,
    POSITION_MODE,
    RAD_PER_TICK,
    TICKS_PER_TURN,
    ServoModel,
)

TURN_RAD = RAD_PER_TICK * TICKS_PER_TURN  # rad


@dataclass(frozen=True)
class ServoPlan:
    """How one servo is to be set up."""

    joint: JointMap
    model_name: str
    model: ServoModel
    mode: int  # operating mode
    lowest: (
        int  # ticks, of the mode and not of the joint: a joint found outside its limits must be led back, not thrown
    )
    highest: int  # ticks
    current: int  # units; 0: not limited by us
    temperature_limit: float  # °C

    def ticks(self, angle: float) -> int:
        """The goal position for a joint's angle (rad)."""
        return min(max(round(self.joint.to_motor(angle) / RAD_PER_TICK), self.lowest), self.highest)


def plan_servo(joint: JointMap) -> ServoPlan:
    """The plan for a joint. Raises UserError, one sentence, where no such servo can do what the robot file asks."""
    own: DynamixelJoint = joint.own
    if not own.model:
        raise UserError(f"hardware.joints.{joint.joint}.model is missing: give one of {', '.join(MODELS)}.")
    model = MODELS[own.model]
    if not 0 <= joint.id <= 252:
        raise UserError(f"hardware.joints.{joint.joint}.id = {joint.id} is not allowed: servos have ids from 0 to 252.")
    if joint.velocity * joint.gear > model.no_load:
        most = model.no_load / joint.gear
        raise UserError(
            f"{joint.joint} may turn at {joint.velocity:.3g} rad/s, but an {own.model} reaches {most:.3g} rad/s: "
            f"lower hardware.joints.{joint.joint}.velocity, or choose a faster servo."
        )
    many_turns = _many_turns(joint, own.model)
    current = _current(joint, own, model)
    mode = CURRENT_POSITION_MODE if current else EXTENDED_MODE if many_turns else POSITION_MODE
    lowest, highest = (
        (0, TICKS_PER_TURN - 1)
        if mode == POSITION_MODE
        else (-MAX_TURNS * TICKS_PER_TURN, MAX_TURNS * TICKS_PER_TURN - 1)
    )
    return ServoPlan(joint, own.model, model, mode, lowest, highest, current, own.temperature_limit)


def _many_turns(joint: JointMap, model: str) -> bool:
    """Whether the joint needs more than one turn of its servo. Raises UserError where its limits are out of reach."""
    low, high = sorted((joint.to_motor(joint.lower), joint.to_motor(joint.upper)))
    if not math.isfinite(high - low):
        return True
    if high - low >= TURN_RAD:
        if max(-low, high) > MAX_TURNS * TURN_RAD:
            raise UserError(f"{joint.joint} needs more than the {MAX_TURNS} turns that an {model} can count.")
        return True
    if low < 0.0 or high > TURN_RAD - RAD_PER_TICK:
        raise UserError(
            f"the limits of {joint.joint} are {math.degrees(low):.1f} to {math.degrees(high):.1f} degrees at the servo,"
            f" outside the 0 to 359.9 degrees of an {model}: remount its horn, or change "
            f"hardware.joints.{joint.joint}.zero_deg."
        )
    return False


def _current(joint: JointMap, own: DynamixelJoint, model: ServoModel) -> int:
    if not own.current_limit:
        return 0
    if not model.current_unit:
        raise UserError(f"an {own.model} measures no current: leave hardware.joints.{joint.joint}.current_limit out.")
    most = model.current_most * model.current_unit
    if own.current_limit > most:
        raise UserError(
            f"hardware.joints.{joint.joint}.current_limit = {own.current_limit:g} is not allowed: "
            f"an {own.model} takes at most {most:.2f} A."
        )
    return max(1, round(own.current_limit / model.current_unit))
