"""The kinds of bus that there are. A new one is one line here."""

from __future__ import annotations

from contextlib import suppress

from crawler_core.errors import UserError
from crawler_core.table import Table
from hw_drivers.bus import BusKind

# only those that a robot has are imported, so that the others need not have their library
KINDS: Table[BusKind] = Table(
    "kind of bus",
    {
        "board": "hw_drivers.board.kind:KIND",
        "dynamixel": "hw_drivers.dynamixel.kind:KIND",
        "odrive": "hw_drivers.odrive.kind:KIND",
        "pca9685": "hw_drivers.pca9685.kind:KIND",
    },
)


def kinds_by_effort() -> list[str]:
    """The kinds that drive joints by effort; without those whose library is missing."""
    found = []
    for name in KINDS:
        with suppress(UserError):
            if KINDS[name].by_effort:
                found.append(name)
    return found
