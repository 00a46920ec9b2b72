"""The faults of a board and of its motors, with their meanings and remedies."""

from __future__ import annotations

from hw_drivers.board.messages import BoardFault, MotorFault
from hw_drivers.bus.error_table import ErrorTable

UNKNOWN_REMEDY = "look the fault up in the board's documents"
BOARD_FAULTS = ErrorTable(
    {
        BoardFault.LINK_LOST: (
            "it got no setpoints for its watchdog's time and took the torque off",
            "check the cable, and lighten the load of this computer",
        ),
        BoardFault.ESTOP: ("its emergency stop was called", "remove the cause"),
        BoardFault.ESTOP_INPUT: ("its emergency stop is pressed", "release it"),
        BoardFault.UNDER_VOLTAGE: ("its supply is too low", "charge the battery, or look for a thin cable"),
        BoardFault.OVER_VOLTAGE: ("its supply is too high", "lower it; motors that brake feed it, too"),
        BoardFault.LATE: ("its loop came late", "take less out of its firmware"),
    },
    unknown_remedy=UNKNOWN_REMEDY,
)
MOTOR_FAULTS = ErrorTable(
    {
        MotorFault.OVER_CURRENT: (
            "too much current",
            "look for a short circuit, and check the resistance in the robot file",
        ),
        MotorFault.HOT: ("overheating", "let it cool down"),
        MotorFault.OVER_SPEED: ("too fast", "check its encoder, its wiring and its load"),
        MotorFault.ENCODER: ("its encoder is wrong or has lost counts", "check the encoder's cable"),
        MotorFault.INDEX_NOT_FOUND: ("its index was not found", "check the index and the direction of the search"),
        MotorFault.STALLED: ("it is stalled", "free the joint"),
    },
    unknown_remedy=UNKNOWN_REMEDY,
)
