"""The configuration of one joint's motor, checked without a board, and the conversion between joint and wire."""

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
from hw_drivers.bus.joint_map import TURN_RAD, JointMap

VELOCITY_HEADROOM = 1.25  # the board's speed limit over the joint's, which the supervisor enforces
INDEX_SEARCH_TURNS = 1.25  # in which an index must come


@dataclass(frozen=True)
class MotorPlan:
    """The configuration of one motor. Angles on the wire are the output shaft's, counted from the index."""

    joint: JointMap
    settings: BoardJoint
    max_torque: float  # N·m

    @property
    def number(self) -> int:
        return self.joint.id

    def configuration(self) -> ConfigureMotor:
        """Make the message that configures it."""
        joint, motor = self.joint, self.settings
        limited = not joint.is_continuous
        ends = sorted(self.units(end) for end in (joint.lower, joint.upper)) if limited else (-1, 1)
        flags = (
            MotorFlag.REVERSE_MOTOR * motor.reverse_motor
            | MotorFlag.REVERSE_ENCODER * motor.reverse_encoder
            | MotorFlag.ON_OUTPUT * motor.on_output
            | MotorFlag.LIMITED * limited
            | MotorFlag.REGULATED * motor.regulated
        )
        return ConfigureMotor(
            motor=self.number,
            encoder=Encoder[motor.encoder.upper()],
            flags=flags,
            counts=motor.counts,
            gear=joint.gear,
            torque_constant=motor.torque_constant,
            resistance=motor.resistance,
            current=motor.max_current,
            torque=self.max_torque,
            velocity=VELOCITY_HEADROOM * joint.velocity,
            stiffness=motor.stiffness,
            damping=motor.damping,
            index=wrap_angle(self.index_turn * round(TURN_RAD / ANGLE_UNIT_RAD)),
            lower=ends[0],
            upper=ends[1],
            hottest=min(round(motor.temperature_limit), ANY_TEMPERATURE),
            stall=round(1e3 * motor.stall_time),
        )

    @property
    def index_turn(self) -> int:
        """Turn of the output shaft that holds its index: of a joint with limits, the last turn that it reaches."""
        if self.settings.encoder == "absolute" or self.joint.is_continuous:
            return 0
        return math.floor(max(self.shaft(self.joint.lower), self.shaft(self.joint.upper)) / TURN_RAD)

    def shaft(self, angle: float) -> float:
        """Return the output shaft's angle (rad) for a joint's."""
        return self.joint.to_motor(angle) / self.joint.gear

    def units(self, angle: float) -> int:
        """Return the output shaft's angle on the wire for a joint's."""
        return wrap_angle(round(self.shaft(angle) / ANGLE_UNIT_RAD))

    def angle(self, units: int) -> float:
        """Return the joint's angle (rad) for an unwrapped one of the output shaft."""
        return self.joint.to_joint(units * ANGLE_UNIT_RAD * self.joint.gear)

    def rate(self, velocity: float) -> float:
        """Convert a rate (rad/s) or torque (N·m) between joint and output shaft, in either direction."""
        return self.joint.direction * velocity

    def effort(self, current: float) -> float:
        """Return the joint's torque (N·m), without friction, for the motor's current (A)."""
        return self.rate(current * self.settings.torque_constant * self.joint.gear)

    def start_offset(self, units: int) -> int:
        """Return the units, whole turns, to add to an angle that the board starts with.

        The board knows an angle within a turn. A continuous joint starts at the angle nearest to 0.
        """
        if not self.joint.is_continuous:
            return 0
        return -self.joint.direction * round(self.angle(units) / TURN_RAD) * round(TURN_RAD / ANGLE_UNIT_RAD)

    def setpoint(self, position: float, velocity: float, effort: float, offset: int = 0) -> MotorSetpoint:
        """Return the setpoint for `position` (rad) at `velocity` (rad/s), with an effort (N·m); NaN is none.

        An effort-driven joint gets the effort alone. `offset`: see `start_offset`.
        """
        torque = self.rate(_nan_to_zero(effort))
        if self.joint.is_effort_driven:
            return MotorSetpoint(MotorMode.TORQUE, max(-self.max_torque, min(torque, self.max_torque)))
        return MotorSetpoint(
            MotorMode.POSITION, torque, self.rate(_nan_to_zero(velocity)), wrap_angle(self.units(position) - offset)
        )


def plan_motor(joint: JointMap) -> MotorPlan:
    """Plan the motor of a joint. Raises UserError for a missing value, or one that no board can take."""
    motor: BoardJoint = joint.settings
    key = joint.key
    joint.check_id(MAX_MOTORS - 1, "a board has motors")
    for name, what in (
        ("counts", "the encoder's counts per turn"),
        ("torque_constant", "the motor's, in N m/A"),
        ("resistance", "the winding's, in ohms"),
        ("max_current", "the limit of motor and bridge, in A"),
    ):
        if not getattr(motor, name):
            raise UserError(f"{key}.{name} is missing: give {what}.")
    if motor.counts < 2:
        raise UserError(f"{key}.counts = {motor.counts} is not allowed: an encoder has 2 counts per turn at least.")
    if motor.encoder == "absolute" and not motor.on_output:
        raise UserError(
            f"{key}.on_output is false, but an absolute encoder gives the joint's angle only behind the gear: "
            "mount it there and write on_output: true, or take a quadrature encoder with an index."
        )
    if not (joint.is_effort_driven or (motor.stiffness and motor.damping)):
        raise UserError(
            f"{joint.joint} is driven by position, but its stiffness or damping is missing: "
            f"give {key}.stiffness in N m/rad and {key}.damping in N m s/rad."
        )
    plan = MotorPlan(joint, motor, joint.effort or motor.torque_constant * motor.max_current * joint.gear)
    if motor.encoder == "quadrature" and not joint.is_continuous:
        lowest = min(plan.shaft(joint.lower), plan.shaft(joint.upper))
        last_index = plan.index_turn * TURN_RAD
        if not last_index - TURN_RAD < lowest <= last_index:
            raise UserError(
                f"{joint.joint} passes its index {'more than once' if lowest <= last_index else 'never'} "
                f"between its limits, but must once: the index is where its motor's angle is 0 or whole turns of the "
                f"joint from there, so move it and {key}.zero_deg, or change the limits."
            )
    joint.check_current(motor.torque_constant, motor.max_current)
    return plan


def encoder_step(joint: JointMap) -> float:
    """Return the angle (rad) of the joint between two counts of its encoder."""
    motor: BoardJoint = joint.settings
    return TURN_RAD / (motor.counts * (1.0 if motor.on_output else joint.gear))


def configure_board(settings: BoardSettings, name: str, plans: list[MotorPlan]) -> ConfigureBoard:
    """Make the message that configures the board. Raises UserError where its supply limits are missing."""
    if not settings.lowest_supply < settings.highest_supply:
        raise UserError(
            f"hardware.buses.{name}.lowest_supply and highest_supply are missing or the wrong way round: "
            "give the voltages between which the board's supply is well."
        )
    used = sum(1 << plan.number for plan in plans)
    return ConfigureBoard(round(1e3 * settings.watchdog), used, settings.lowest_supply, settings.highest_supply)


def wrap_angle(units: int) -> int:
    """Return the angle on the wire, which wraps after 4096 turns."""
    return (units + ANGLE_WRAP // 2) % ANGLE_WRAP - ANGLE_WRAP // 2


def _nan_to_zero(value: float) -> float:
    return 0.0 if math.isnan(value) else value
