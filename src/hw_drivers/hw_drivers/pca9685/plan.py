"""Conversion between angles, pulses and counts. Pure functions, checked before any torque."""

from __future__ import annotations

import math
from dataclasses import dataclass

from crawler_core.errors import UserError
from hw_drivers.bus.joint_map import JointMap
from hw_drivers.pca9685.registers import CHANNELS, FULL, HIGHEST_PRE_SCALE, LOWEST_PRE_SCALE, STEPS_PER_CYCLE
from hw_drivers.pca9685.settings import Pca9685Joint, Pca9685Settings

MICRO = 1e-6


def prescale(frequency: float, oscillator: float) -> int:
    """Return PRE_SCALE for a PWM frequency (Hz), equation 1 of the data sheet. Raises UserError where none exists."""
    value = round(oscillator / (STEPS_PER_CYCLE * frequency)) - 1
    if not LOWEST_PRE_SCALE <= value <= HIGHEST_PRE_SCALE:
        low, high = (oscillator / (STEPS_PER_CYCLE * (limit + 1)) for limit in (HIGHEST_PRE_SCALE, LOWEST_PRE_SCALE))
        raise UserError(f"a frequency of {frequency:g} Hz is not possible: the board has {low:.3g} to {high:.4g} Hz.")
    return value


def count_time(pre_scale: int, oscillator: float) -> float:
    """Return the time (s) of one of the 4096 steps."""
    return (pre_scale + 1) / oscillator


def pulse_registers(count: int) -> bytes:
    """Return ON and OFF of a channel whose pulse starts with the cycle and is `count` steps long."""
    return bytes([0, 0, count & 0xFF, count >> 8])


def pulse_count(registers: bytes) -> int | None:
    """Return the length (steps) of a channel's pulse, or None where it gives no pulses."""
    on = registers[0] | (registers[1] & 0x0F) << 8
    off = registers[2] | (registers[3] & 0x0F) << 8
    if (registers[1] | registers[3]) & FULL or on == off:
        return None
    return (off - on) % STEPS_PER_CYCLE


@dataclass(frozen=True)
class ServoPlan:
    joint: JointMap
    settings: Pca9685Joint
    step: float  # s of one count

    @property
    def channel(self) -> int:
        return self.joint.id

    def count(self, angle: float) -> int:
        """Return the pulse (steps) for the joint's angle (rad)."""
        return round(self.pulse(angle) * MICRO / self.step)

    def pulse(self, angle: float) -> float:
        """Return the pulse (µs) for the joint's angle (rad), within the calibrated ones."""
        servo = self.settings
        share = (math.degrees(self.joint.to_motor(angle)) - servo.low_deg) / (servo.high_deg - servo.low_deg)
        return servo.low_us + min(max(share, 0.0), 1.0) * (servo.high_us - servo.low_us) + servo.trim_us

    def angle(self, count: int) -> float:
        """Return the joint's angle (rad) for a pulse (steps)."""
        servo = self.settings
        share = (count * self.step / MICRO - servo.trim_us - servo.low_us) / (servo.high_us - servo.low_us)
        return self.joint.to_joint(math.radians(servo.low_deg + share * (servo.high_deg - servo.low_deg)))


def plan_servo(joint: JointMap, bus: Pca9685Settings) -> ServoPlan:
    """Plan the channel of a joint. Raises UserError for a value that it cannot take."""
    servo: Pca9685Joint = joint.settings
    key = joint.key
    joint.check_id(CHANNELS - 1, "the board has the channels")
    if joint.is_continuous:
        raise UserError(f"{joint.joint} is continuous, but a hobby servo cannot turn for ever: use another motor.")
    if not servo.low_deg < servo.high_deg:
        raise UserError(f"{key}.low_deg = {servo.low_deg:g} must be less than high_deg = {servo.high_deg:g}.")
    if servo.low_us == servo.high_us:
        raise UserError(f"{key}.low_us and high_us are both {servo.low_us:g}: give the pulses that were measured.")
    for limit in (joint.lower, joint.upper):
        wanted = math.degrees(joint.to_motor(limit))
        if not servo.low_deg - 1e-6 <= wanted <= servo.high_deg + 1e-6:
            raise UserError(
                f"{joint.joint} may go to {math.degrees(limit):.1f} degrees, which is {wanted:.1f} at the servo, but "
                f"it is calibrated from {servo.low_deg:g} to {servo.high_deg:g}: narrow the joint's limits, or correct "
                f"zero_deg, direction, low_deg and high_deg in {key}."
            )
    if not joint.lower <= math.radians(servo.rest_deg) <= joint.upper:
        raise UserError(
            f"{key}.rest_deg = {servo.rest_deg:g} must be the angle at which the joint rests at the start, within "
            f"{math.degrees(joint.lower):g} to {math.degrees(joint.upper):g}."
        )
    step = count_time(prescale(bus.frequency, bus.oscillator), bus.oscillator)
    longest, cycle = max(servo.low_us, servo.high_us) + servo.trim_us, STEPS_PER_CYCLE * step / MICRO
    if min(servo.low_us, servo.high_us) + servo.trim_us <= 0.0 or longest >= cycle:
        raise UserError(
            f"the pulses of {joint.joint} must lie between 0 and {cycle:.0f} us, the time between two of them: correct "
            f"low_us, high_us and trim_us in {key}, or the frequency."
        )
    return ServoPlan(joint, servo, step)
