"""A board as a kind of bus."""

from __future__ import annotations

from hw_drivers.board.driver import BoardBus
from hw_drivers.board.settings import BoardJoint, BoardSettings
from hw_drivers.bus import BusKind

KIND = BusKind(BoardSettings, BoardJoint, BoardBus, "hw_drivers.board.emulator:emulate", by_effort=True, places=True)
