"""The kinds of bus that there are. A new one is one line here."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from crawler_core.errors import unknown_name
from hw_drivers.bus import BusKind

# module:object, imported only where a robot has such a bus, so that the others need not have its library
KINDS: Mapping[str, str] = {
    "dynamixel": "hw_drivers.dynamixel.kind:KIND",
    "odrive": "hw_drivers.odrive.kind:KIND",
    "pca9685": "hw_drivers.pca9685.kind:KIND",
}


def bus_kind(name: str) -> BusKind:
    """The kind of bus called `name`. Raises UserError where there is none."""
    if name not in KINDS:
        raise unknown_name("kind of bus", name, KINDS)
    module, attribute = KINDS[name].split(":")
    kind: BusKind = getattr(importlib.import_module(module), attribute)
    return kind
