"""The contacts that sensors under the feet measure."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence

from crawler_core.sensors.sensor_spec import FOOT_KINDS, SensorSpec
from crawler_core.types import Contact, ContactMode, ContactSource, ForceReading, SensorReading, SwitchReading, Vector

UNKNOWN_VECTOR = (math.nan, math.nan, math.nan)


class MeasuredContacts:
    """Keeps the latest contact of each foot that has a switch or a force sensor; the others are unknown.

    Such a sensor does not measure whether a foot slips: a foot on the ground has the mode STICK.
    """

    def __init__(self, feet: Sequence[str], sensors: Iterable[SensorSpec]) -> None:
        self._feet = feet
        self._sensors = {sensor.name: sensor for sensor in sensors if sensor.kind in FOOT_KINDS}
        self.restart()

    def restart(self) -> None:
        """Forget every contact."""
        self._contacts: dict[str, Contact] = {}
        self._latest: tuple[Contact, ...] = ()

    def update(self, readings: Iterable[SensorReading], failed: Collection[str] = ()) -> tuple[Contact, ...]:
        """Return the contact of every foot after these readings; none for a robot without such sensors.

        The contacts of the sensors named in `failed` are unknown.
        """
        if not self._sensors:
            return ()
        for name in failed:
            if (sensor := self._sensors.get(name)) and self._contacts.pop(sensor.foot, None):
                self._latest = ()
        for reading in readings:
            if sensor := self._sensors.get(reading.sensor):
                self._contacts[sensor.foot] = _contact(sensor, reading)
                self._latest = ()
        if not self._latest:
            self._latest = tuple(self._contacts.get(foot) or _unknown(foot) for foot in self._feet)
        return self._latest


def _contact(sensor: SensorSpec, reading: SensorReading) -> Contact:
    force: Vector = UNKNOWN_VECTOR
    is_closed = False
    match reading:
        case SwitchReading(closed=closed):
            is_closed = closed
        case ForceReading(force=normal):
            is_closed, force = normal > sensor.threshold, (math.nan, math.nan, normal)
    mode = ContactMode.STICK if is_closed else ContactMode.OPEN
    return Contact(sensor.foot, mode, ContactSource.MEASURED, force, UNKNOWN_VECTOR)


def _unknown(foot: str) -> Contact:
    return Contact(foot, ContactMode.UNKNOWN, ContactSource.MEASURED, UNKNOWN_VECTOR, UNKNOWN_VECTOR)
