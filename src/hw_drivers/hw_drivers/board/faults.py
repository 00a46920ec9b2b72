"""The faults of a board and of its motors, with their meanings and remedies."""

from __future__ import annotations

from collections.abc import Mapping

from hw_drivers.board.messages import BoardFault, MotorFault

# meaning and remedy of each fault
BOARD_FAULTS: Mapping[int, tuple[str, str]] = {
    BoardFault.LINK_LOST: (
        "it got no setpoints for its watchdog's time and took the torque off",
        "check the cable, and lighten the load of this computer",
    ),
    BoardFault.ESTOP: ("its emergency stop was called", "remove the cause"),
    BoardFault.ESTOP_INPUT: ("its emergency stop is pressed", "release it"),
    BoardFault.UNDER_VOLTAGE: ("its supply is too low", "charge the battery, or look for a thin cable"),
    BoardFault.OVER_VOLTAGE: ("its supply is too high", "lower it; motors that brake feed it, too"),
    BoardFault.LATE: ("its loop came late", "take less out of its firmware"),
}
MOTOR_FAULTS: Mapping[int, tuple[str, str]] = {
    MotorFault.OVER_CURRENT: (
        "too much current",
        "look for a short circuit, and check the resistance in the robot file",
    ),
    MotorFault.HOT: ("overheating", "let it cool down"),
    MotorFault.OVER_SPEED: ("too fast", "check its encoder, its wiring and its load"),
    MotorFault.ENCODER: ("its encoder is wrong or has lost counts", "check the encoder's cable"),
    MotorFault.INDEX_NOT_FOUND: ("its index was not found", "check the index and the direction of the search"),
    MotorFault.STALLED: ("it is stalled", "free the joint"),
}


def explain(flags: int, meanings: Mapping[int, tuple[str, str]]) -> tuple[tuple[str, ...], str]:
    """Return the meanings of all flags, and the remedy for the first; nothing for no flags."""
    known = [meanings[flag] for flag in meanings if flags & flag]
    unknown = flags & ~sum(meanings)
    words = tuple(word for word, _ in known) + ((f"fault 0x{unknown:x}",) if unknown else ())
    return words, known[0][1] if known else "look the fault up in the board's documents" if unknown else ""
