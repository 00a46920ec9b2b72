"""Dynamixel as a kind of bus."""

from __future__ import annotations

from hw_drivers.bus import BusKind
from hw_drivers.dynamixel.driver import DynamixelBus
from hw_drivers.dynamixel.settings import DynamixelJoint, DynamixelSettings

KIND = BusKind(DynamixelSettings, DynamixelJoint, DynamixelBus, "hw_drivers.dynamixel.emulator:emulate")
