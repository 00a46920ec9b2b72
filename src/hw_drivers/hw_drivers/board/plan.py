"""What a board is told of the motor of a joint: checked without a board, and the way between the joint and the wire."""

from __future__ import annotations

import math
from dataclasses import dataclass

from crawler_core.errors import UserError
from hw_drivers.board.messages import (
    ANGLE_UNIT_RAD,
    ANGLE_WRAP,
    ANY_TEMPERATURE,
    MAX_MOTORS,
    ConfigureBoard,
    ConfigureMotor,
    Encoder,
    MotorFlag,
    MotorMode,
    MotorSetpoint,
)
from hw_drivers.board.settings import BoardJoint, BoardSettings
from hw_drivers.bus.bus import JointMap

TURN_RAD = 2.0 * math.pi  # rad
VELOCITY_HEADROOM = (
    1.25  # of the joint's speed limit, which the supervisor keeps: the board shall only catch what that cannot
)
INDEX_SEARCH_TURNS = 1.25  # turns in which an index must come


@dataclass(frozen=True)
class MotorPlan:
    """How one motor is configured. Angles on the wire are of the output shaft, from the index on."""

    joint: JointMap
    own: BoardJoint
    torque: float  # N·m, the most

    @property
    def number(self) -> int:
        """Of the motor on its board."""
        return self.joint.id

    def configuration(self) -> ConfigureMotor:
        """The message that configures it."""
        joint, own = self.joint, self.own
        limited = math.isfinite(joint.lower)
        ends = sorted(self.units(end) for end in (joint.lower, joint.upper)) if limited else (-1, 1)
        flags = (
            MotorFlag.REVERSE_MOTOR * own.reverse_motor
            | MotorFlag.REVERSE_ENCODER * own.reverse_encoder
            | MotorFlag.ON_OUTPUT * own.on_output
            | MotorFlag.LIMITED * limited
            | MotorFlag.REGULATED * own.regulated
        )
        return ConfigureMotor(
            motor=self.number,
            encoder=Encoder[own.encoder.upper()],
            flags=flags,
            counts=own.counts,
            gear=joint.gear,
            torque_constant=own.torque_constant,
            resistance=own.resistance,
            current=own.max_current,
            torque=self.torque,
            velocity=VELOCITY_HEADROOM * joint.velocity,
            stiffness=own.stiffness,
            damping=own.damping,
            index=wrapped(self.index_turn * round(TURN_RAD / ANGLE_UNIT_RAD)),
            lower=ends[0],
            upper=ends[1],
            hottest=min(round(own.temperature_limit), ANY_TEMPERATURE),
            stall=round(1e3 * own.stall_time),
        )

    @property
    def index_turn(self) -> int:
        """In which turn of the output shaft its index is: of a joint with limits, the last that it reaches."""
        if self.own.encoder == "absolute" or not math.isfinite(self.joint.lower):
            return 0
        return math.floor(max(self.shaft(self.joint.lower), self.shaft(self.joint.upper)) / TURN_RAD)

    def shaft(self, angle: float) -> float:
        """The output shaft's angle (rad) for a joint's."""
        return self.joint.to_motor(angle) / self.joint.gear

    def units(self, angle: float) -> int:
        """The output shaft's angle, as it goes over the wire, for a joint's."""
        return wrapped(round(self.shaft(angle) / ANGLE_UNIT_RAD))

    def angle(self, units: int) -> float:
        """The joint's angle (rad) for an output shaft's that was counted on beyond its wrap."""
        return self.joint.to_joint(units * ANGLE_UNIT_RAD * self.joint.gear)

    def rate(self, velocity: float) -> float:
        """The joint's rate (rad/s) for the output shaft's, and the other way round; likewise torques (N·m)."""
        return self.joint.direction * velocity

    def effort(self, current: float) -> float:
        """The joint's torque (N·m), without friction, for the motor's current."""
        return self.rate(current * self.own.torque_constant * self.joint.gear)

    def aside(self, units: int) -> int:
        """Units by which an angle that the board begins with is to be moved: whole turns, for a joint that has them.

        The board knows an angle within a turn; of a joint that turns for ever the one nearest to 0 is meant.
        """
        if math.isfinite(self.joint.lower):
            return 0
        return -self.joint.direction * round(self.angle(units) / TURN_RAD) * round(TURN_RAD / ANGLE_UNIT_RAD)

    def setpoint(self, position: float, velocity: float, effort: float, aside: int = 0) -> MotorSetpoint:
        """What brings the joint to `position` (rad) at `velocity` (rad/s), with an effort (N·m); NaN is none.

        A joint that is driven by effort gets the effort alone. `aside`: of the board's angles, as above.
        """
        torque = self.rate(_given(effort))
        if self.joint.by_effort:
            return MotorSetpoint(MotorMode.TORQUE, max(-self.torque, min(torque, self.torque)))
        return MotorSetpoint(
            MotorMode.POSITION, torque, self.rate(_given(velocity)), wrapped(self.units(position) - aside)
        )


def plan_motor(joint: JointMap) -> MotorPlan:
    """The plan for a joint. Raises UserError, one sentence, for what no board can do or what is missing."""
    own: BoardJoint = joint.own
    key = f"hardware.joints.{joint.joint}"
    if not 0 <= joint.id < MAX_MOTORS:
        raise UserError(f"{key}.id = {joint.id} is not allowed: a board has motors 0 to {MAX_MOTORS - 1}.")
    for name, what in (
        ("counts", "the encoder's counts per turn"),
        ("torque_constant", "the motor's, in N m/A"),
        ("resistance", "the winding's, in ohms"),
        ("max_current", "what motor and bridge stand, in A"),
    ):
        if not getattr(own, name):
            raise UserError(f"{key}.{name} is missing: give {what}.")
    if own.counts < 2:
        raise UserError(f"{key}.counts = {own.counts} is not allowed: an encoder has 2 counts per turn at least.")
    if own.encoder == "absolute" and not own.on_output:
        raise UserError(
            f"{key}.on_output is false, but an absolute encoder tells the angle of the joint only behind the gear: "
            "mount it there and write on_output: true, or take a quadrature encoder with an index."
        )
    if not (joint.by_effort or (own.stiffness and own.damping)):
        raise UserError(
            f"{joint.joint} is driven by position, so the board needs to know how stiff it is: "
            f"give {key}.stiffness in N m/rad and {key}.damping in N m s/rad."
        )
    plan = MotorPlan(joint, own, joint.effort or own.torque_constant * own.max_current * joint.gear)
    if own.encoder == "quadrature" and math.isfinite(joint.lower):
        least = min(plan.shaft(joint.lower), plan.shaft(joint.upper))
        if not (plan.index_turn - 1) * TURN_RAD < least <= plan.index_turn * TURN_RAD:
            raise UserError(
                f"{joint.joint} passes its index {'more than once' if least <= plan.index_turn * TURN_RAD else 'never'} "
                f"between its limits, but must once: the index is where its motor's angle is 0 or whole turns of the "
                f"joint from there, so move it and {key}.zero_deg, or change the limits."
            )
    most = own.torque_constant * own.max_current * joint.gear
    if joint.effort > most * (1.0 + 1e-9):
        raise UserError(
            f"joints.{joint.joint}.effort = {joint.effort:g} N m needs {joint.effort / most * own.max_current:.3g} A, "
            f"but {key}.max_current is {own.max_current:g} A: lower the one, or raise the other if the motor stands it."
        )
    return plan


def configure_board(settings: BoardSettings, name: str, plans: list[MotorPlan]) -> ConfigureBoard:
    """The message that configures the board. Raises UserError where its supply is not said."""
    if not settings.lowest_supply < settings.highest_supply:
        raise UserError(
            f"hardware.buses.{name}.lowest_supply and highest_supply are missing or the wrong way round: "
            "say within which voltages the board's supply is well."
        )
    used = sum(1 << plan.number for plan in plans)
    return ConfigureBoard(round(1e3 * settings.watchdog), used, settings.lowest_supply, settings.highest_supply)


def wrapped(units: int) -> int:
    """The angle on the wire, which begins again after 4096 turns."""
    return (units + ANGLE_WRAP // 2) % ANGLE_WRAP - ANGLE_WRAP // 2


def _given(value: float) -> float:
    return 0.0 if math.isnan(value) else value
