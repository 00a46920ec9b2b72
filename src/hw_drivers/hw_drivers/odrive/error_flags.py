"""The error flags of an axis, with their meanings and remedies."""

from __future__ import annotations

from hw_drivers.bus.error_table import ErrorTable

SYSTEM_LEVEL = 0x00000002
DRV_FAULT = 0x00000020
INVERTER_OVER_TEMP = 0x00004000
WATCHDOG_TIMER_EXPIRED = 0x01000000
ESTOP_REQUESTED = 0x02000000
AXIS_ERRORS = ErrorTable(
    {
        0x00000001: ("the drive is still starting (INITIALIZING)", "wait a second and reset"),
        SYSTEM_LEVEL: (
            "the drive's firmware reports an internal error (SYSTEM_LEVEL)",
            "power the drive off and on; if it returns, update its firmware",
        ),
        0x00000004: (
            "the drive's control loop missed its deadline (TIMING_ERROR)",
            "turn off drive features that are not needed, or update its firmware",
        ),
        0x00000008: (
            "the drive has no valid position or velocity estimate (MISSING_ESTIMATE)",
            "check the encoder's cable and magnet, and calibrate the encoder",
        ),
        0x00000010: (
            "the drive's configuration is incomplete or contradictory (BAD_CONFIG)",
            "run the drive's own set-up tool and save",
        ),
        DRV_FAULT: (
            "the gate driver reports a fault (DRV_FAULT)",
            "check the motor's phases for a short; the drive may be damaged",
        ),
        0x00000040: (
            "an input that the controller needs has no value (MISSING_INPUT)",
            "check the drive's configured input and its cable",
        ),
        0x00000100: (
            "the supply voltage is too high (DC_BUS_OVER_VOLTAGE)",
            "fit a brake resistor, or brake more gently: the motor feeds its energy back",
        ),
        0x00000200: (
            "the supply voltage is too low (DC_BUS_UNDER_VOLTAGE)",
            "charge the battery, or check the supply and its wires",
        ),
        0x00000400: (
            "the drive takes more current than its supply limit (DC_BUS_OVER_CURRENT)",
            "lower the joint's effort, or raise dc_max_positive_current if the supply can give it",
        ),
        0x00000800: (
            "the motor feeds back more current than the supply may take (DC_BUS_OVER_REGEN_CURRENT)",
            "fit a brake resistor, or lower the joint's acceleration",
        ),
        0x00001000: (
            "the motor current ran over its limit (CURRENT_LIMIT_VIOLATION)",
            "check the motor's calibration and its current controller's bandwidth",
        ),
        0x00002000: (
            "the motor is too hot (MOTOR_OVER_TEMP)",
            "let it cool down; then lower the load or the joint's effort",
        ),
        INVERTER_OVER_TEMP: (
            "the drive is too hot (INVERTER_OVER_TEMP)",
            "let it cool down; then lower the load or cool the drive better",
        ),
        0x00008000: (
            "the motor ran faster than its limit (VELOCITY_LIMIT_VIOLATION)",
            "check the velocity gains, or what drives the joint from outside",
        ),
        0x00010000: (
            "the motor left its position limits (POSITION_LIMIT_VIOLATION)",
            "bring the joint back into its range by hand",
        ),
        0x00020000: (
            "more current is asked for than the drive can measure (REQUESTED_CURRENT_TOO_HIGH)",
            "lower the joint's effort or max_current in the joint map",
        ),
        WATCHDOG_TIMER_EXPIRED: (
            "the drive's watchdog found no command in time and took the torque off (WATCHDOG_TIMER_EXPIRED)",
            "check the CAN cable and the computer's load",
        ),
        ESTOP_REQUESTED: (
            "the drive's emergency stop was requested (ESTOP_REQUESTED)",
            "make sure that it is safe, release the stop and reset",
        ),
        0x04000000: (
            "the motor's electrical power does not match its movement (SPINOUT_DETECTED)",
            "check the encoder's coupling, and calibrate its offset",
        ),
        0x08000000: (
            "the brake resistor is configured but disarmed (BRAKE_RESISTOR_DISARMED)",
            "check the brake resistor's wires and its configured resistance",
        ),
        0x10000000: (
            "the motor's thermistor does not answer (THERMISTOR_DISCONNECTED)",
            "check its cable, or disable it in the drive",
        ),
        0x40000000: (
            "a calibration failed (CALIBRATION_ERROR)",
            "calibrate the motor and the encoder again, with the joint free to turn",
        ),
    },
    unknown_remedy="read about it with the drive's own tool",
)
# procedure_result of a request that the axis rejected
PROCEDURE_RESULTS = {
    13: "the axis may not do that in its present state",
    14: "the motor or its encoder is not calibrated",
}
