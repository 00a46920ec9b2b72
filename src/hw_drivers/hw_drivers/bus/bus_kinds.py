"""The kinds of bus that there are. A new one is one line here."""

from __future__ import annotations

from contextlib import suppress

from crawler_core.errors import UserError
from crawler_core.registry import Table
from hw_drivers.bus.bus import BusKind

# only those that a robot has are imported, so that the others need not have their library
KINDS: Table[BusKind] = Table(
    "kind of bus",
    {
        "board": "hw_drivers.board.board_bus:BUS_KIND",
        "dynamixel": "hw_drivers.dynamixel.dynamixel_bus:BUS_KIND",
        "odrive": "hw_drivers.odrive.odrive_bus:BUS_KIND",
        "pca9685": "hw_drivers.pca9685.pca9685_bus:BUS_KIND",
    },
)


def effort_kinds() -> list[str]:
    """The kinds that drive joints by effort; without those whose library is missing."""
    found = []
    for name in KINDS:
        with suppress(UserError):
            if KINDS[name].by_effort:
                found.append(name)
    return found
