"""Faults in the supplies and temperatures that motors report."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from hw_drivers.backend.hardware_map import BusMap
from hw_drivers.bus.bus import BusFault, Reading

MIN_TEMPERATURE_C = -20.0  # a broken wire to a thermistor reads as colder
MAX_TEMPERATURE_C = 150.0  # no motor reports more: its magnets and its lacquer are gone by then
IMPLAUSIBLE_TIME_S = 0.5  # for which a value is out of its range: a peak of the load lasts less


class DevicePlausibility:
    """Checks the supply of each motor against the range of its device, and its temperature against any motor's.

    Values that a device does not report are NaN, and pass.
    """

    def __init__(self, buses: Iterable[BusMap]) -> None:
        rows = ((bus, joint) for bus in buses for joint in bus.joints)
        self._supplies = {joint.joint: bus.kind.supply_range(bus.settings, joint) for bus, joint in rows}
        self.reset()

    def reset(self) -> None:
        """Forget how long values have been out of their ranges."""
        self._since: dict[tuple[str, str], float] = {}  # s, by joint and quantity

    def check(self, readings: Sequence[Reading]) -> BusFault | None:
        """Return the first fault that these readings show."""
        for reading in readings:
            low, high = self._supplies[reading.joint]
            if self._is_out("supply", reading, reading.voltage, low, high):
                return _supply_fault(reading, low, high)
            if self._is_out("temperature", reading, reading.temperature, MIN_TEMPERATURE_C, MAX_TEMPERATURE_C):
                return _temperature_fault(reading)
        return None

    def _is_out(self, quantity: str, reading: Reading, value: float, low: float, high: float) -> bool:
        """Return True once a value has been out of its range for IMPLAUSIBLE_TIME_S."""
        key = (reading.joint, quantity)
        if math.isnan(value) or low <= value <= high:
            self._since.pop(key, None)
            return False
        return reading.time - self._since.setdefault(key, reading.time) >= IMPLAUSIBLE_TIME_S


def _supply_fault(reading: Reading, low: float, high: float) -> BusFault:
    joint = reading.joint
    return BusFault(
        f"the motor of {joint} reports a supply of {reading.voltage:.1f} V: it needs {low:g} to {high:g} V",
        remedy=f"check the battery, the supply and the cable to {joint}, then call reset and enable",
        joint=joint,
    )


def _temperature_fault(reading: Reading) -> BusFault:
    joint, low, high = reading.joint, MIN_TEMPERATURE_C, MAX_TEMPERATURE_C
    return BusFault(
        f"the motor of {joint} reports {reading.temperature:.0f} °C: {low:g} to {high:g} °C are plausible, "
        "and its overheating could not be noticed",
        remedy=f"check the temperature sensor of {joint} and its cable, then call reset and enable",
        joint=joint,
    )
