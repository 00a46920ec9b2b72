"""The kinds of bus. A new kind is one line in `KINDS`."""

from __future__ import annotations

from contextlib import suppress

from crawler_core.errors import UserError
from crawler_core.registry import LazyRegistry
from hw_drivers.bus.bus import BusKind

# only the kinds of the robot at hand are imported: the libraries of the others need not be installed
KINDS: LazyRegistry[BusKind] = LazyRegistry(
    "kind of bus",
    {
        "board": "hw_drivers.board.board_bus:BUS_KIND",
        "dynamixel": "hw_drivers.dynamixel.dynamixel_bus:BUS_KIND",
        "odrive": "hw_drivers.odrive.odrive_bus:BUS_KIND",
        "pca9685": "hw_drivers.pca9685.pca9685_bus:BUS_KIND",
    },
)


def effort_kinds() -> list[str]:
    """Return the kinds that drive joints by effort, without those whose library is missing."""
    found = []
    for name in KINDS:
        with suppress(UserError):
            if KINDS[name].supports_effort:
                found.append(name)
    return found
