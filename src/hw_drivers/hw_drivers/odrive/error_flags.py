"""The error flags of an axis, with their meanings and remedies."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ErrorFlag:
    """One bit of `axis_error`."""

    name: str
    bit: int
    meaning: str
    remedy: str


WATCHDOG_TIMER_EXPIRED = 0x01000000
ESTOP_REQUESTED = 0x02000000
INVERTER_OVER_TEMP = 0x00004000
MOTOR_OVER_TEMP = 0x00002000
SYSTEM_LEVEL = 0x00000002
INITIALIZING = 0x00000001
DRV_FAULT = 0x00000020
ERROR_FLAGS = (
    ErrorFlag("INITIALIZING", INITIALIZING, "the drive is still starting", "wait a second and reset"),
    ErrorFlag(
        "SYSTEM_LEVEL",
        SYSTEM_LEVEL,
        "the drive's firmware reports an internal error",
        "power the drive off and on; if it returns, update its firmware",
    ),
    ErrorFlag(
        "TIMING_ERROR",
        0x00000004,
        "the drive's control loop missed its deadline",
        "turn off drive features that are not needed, or update its firmware",
    ),
    ErrorFlag(
        "MISSING_ESTIMATE",
        0x00000008,
        "the drive has no valid position or velocity estimate",
        "check the encoder's cable and magnet, and calibrate the encoder",
    ),
    ErrorFlag(
        "BAD_CONFIG",
        0x00000010,
        "the drive's configuration is incomplete or contradictory",
        "run the drive's own set-up tool and save",
    ),
    ErrorFlag(
        "DRV_FAULT",
        DRV_FAULT,
        "the gate driver reports a fault",
        "check the motor's phases for a short; the drive may be damaged",
    ),
    ErrorFlag(
        "MISSING_INPUT",
        0x00000040,
        "an input that the controller needs has no value",
        "check the drive's configured input and its cable",
    ),
    ErrorFlag(
        "DC_BUS_OVER_VOLTAGE",
        0x00000100,
        "the supply voltage is too high",
        "fit a brake resistor, or brake more gently: the motor feeds its energy back",
    ),
    ErrorFlag(
        "DC_BUS_UNDER_VOLTAGE",
        0x00000200,
        "the supply voltage is too low",
        "charge the battery, or check the supply and its wires",
    ),
    ErrorFlag(
        "DC_BUS_OVER_CURRENT",
        0x00000400,
        "the drive takes more current than its supply limit",
        "lower the joint's effort, or raise dc_max_positive_current if the supply can give it",
    ),
    ErrorFlag(
        "DC_BUS_OVER_REGEN_CURRENT",
        0x00000800,
        "the motor feeds back more current than the supply may take",
        "fit a brake resistor, or lower the joint's acceleration",
    ),
    ErrorFlag(
        "CURRENT_LIMIT_VIOLATION",
        0x00001000,
        "the motor current ran over its limit",
        "check the motor's calibration and its current controller's bandwidth",
    ),
    ErrorFlag(
        "MOTOR_OVER_TEMP",
        MOTOR_OVER_TEMP,
        "the motor is too hot",
        "let it cool down; then lower the load or the joint's effort",
    ),
    ErrorFlag(
        "INVERTER_OVER_TEMP",
        INVERTER_OVER_TEMP,
        "the drive is too hot",
        "let it cool down; then lower the load or cool the drive better",
    ),
    ErrorFlag(
        "VELOCITY_LIMIT_VIOLATION",
        0x00008000,
        "the motor ran faster than its limit",
        "check the velocity gains, or what drives the joint from outside",
    ),
    ErrorFlag(
        "POSITION_LIMIT_VIOLATION",
        0x00010000,
        "the motor left its position limits",
        "bring the joint back into its range by hand",
    ),
    ErrorFlag(
        "REQUESTED_CURRENT_TOO_HIGH",
        0x00020000,
        "more current is asked for than the drive can measure",
        "lower the joint's effort or max_current in the joint map",
    ),
    ErrorFlag(
        "WATCHDOG_TIMER_EXPIRED",
        WATCHDOG_TIMER_EXPIRED,
        "the drive's watchdog found no command in time and took the torque off",
        "check the CAN cable and the computer's load",
    ),
    ErrorFlag(
        "ESTOP_REQUESTED",
        ESTOP_REQUESTED,
        "the drive's emergency stop was requested",
        "make sure that it is safe, release the stop and reset",
    ),
    ErrorFlag(
        "SPINOUT_DETECTED",
        0x04000000,
        "the motor's electrical power does not match its movement",
        "check the encoder's coupling, and calibrate its offset",
    ),
    ErrorFlag(
        "BRAKE_RESISTOR_DISARMED",
        0x08000000,
        "the brake resistor is configured but disarmed",
        "check the brake resistor's wires and its configured resistance",
    ),
    ErrorFlag(
        "THERMISTOR_DISCONNECTED",
        0x10000000,
        "the motor's thermistor does not answer",
        "check its cable, or disable it in the drive",
    ),
    ErrorFlag(
        "CALIBRATION_ERROR",
        0x40000000,
        "a calibration failed",
        "calibrate the motor and the encoder again, with the joint free to turn",
    ),
)
# procedure_result of a request that the axis rejected
PROCEDURE_RESULTS = {
    13: "the axis may not do that in its present state",
    14: "the motor or its encoder is not calibrated",
}
KNOWN_BITS = sum(flag.bit for flag in ERROR_FLAGS)


def explain(axis_error: int) -> tuple[str, str]:
    """Return the meanings and the remedies of the flags; both empty without an error."""
    found = [flag for flag in ERROR_FLAGS if axis_error & flag.bit]
    meanings = [f"{flag.meaning} ({flag.name})" for flag in found]
    remedies = [flag.remedy for flag in found]
    if unknown := axis_error & ~KNOWN_BITS:
        meanings.append(f"it reports flags unknown to firmware 0.6: 0x{unknown:08x}")
        remedies.append("read about them with the drive's own tool")
    return "; ".join(meanings), "; ".join(remedies)
