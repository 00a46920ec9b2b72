"""Faults in what emulated motors report about themselves."""

from __future__ import annotations

from dataclasses import replace

from crawler_core.sensors.joint_fault import JOINT_FAULTS, JOINT_FAULTS_DOC, JointFault
from hw_drivers.bus.bus import Reading

COLD_C = -40.0
READING_FAULTS = (*JOINT_FAULTS, "no_supply", "high_supply", "cold")
READING_FAULTS_DOC = f"{JOINT_FAULTS_DOC}; no_supply, high_supply, cold: it reports 0 V, twice its voltage, -40 °C"


class ReadingFault:
    """Spoils the readings of one joint from now on, or those of all."""

    def __init__(self, kind: str, joint: str) -> None:
        """`joint` is its name; empty: all."""
        self._kind, self._joint = kind, joint
        self._encoders: dict[str, JointFault] = {}

    def spoil(self, reading: Reading) -> Reading:
        """Return a reading as it is under the fault."""
        if self._joint not in ("", reading.joint):
            return reading
        if self._kind == "high_supply":
            return replace(reading, voltage=2.0 * reading.voltage)
        if self._kind == "no_supply":
            return replace(reading, voltage=0.0)
        if self._kind == "cold":
            return replace(reading, temperature=COLD_C)
        encoder = self._encoders.setdefault(reading.joint, JointFault(self._kind))
        angle, rate = encoder.spoil(reading.position, reading.velocity, round(1e9 * reading.time))
        return replace(reading, position=angle, velocity=rate)
