"""Work on a robot's buses before any run: scan them, find the joints' zeros, take the torque off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from crawler_core.errors import UserError
from hw_drivers.backend.hardware_map import BusMap
from hw_drivers.bus.bus import POWER_OFF_REMEDY, Bus, BusFault, Device


@dataclass(frozen=True)
class ScanResult:
    """One device, or one joint whose device is missing."""

    bus: str
    id: int
    joint: str  # empty where no joint has this device
    device: Device | None  # None where it does not answer


@contextmanager
def open_bus(bus: BusMap) -> Iterator[Bus]:
    """Open a bus's port for the block. Raises UserError."""
    driver = bus.kind.make(bus.name, bus.settings)
    try:
        driver.open()
        yield driver
    finally:
        driver.close()


def scan_buses(buses: Sequence[BusMap]) -> list[ScanResult]:
    """Return every device that answers, and every joint whose motor does not. Raises UserError and BusFault."""
    results = []
    for bus in buses:
        with open_bus(bus) as driver:
            devices = {device.id: device for device in driver.scan()}
        joints = {joint.id: joint.joint for joint in bus.joints}
        results += [ScanResult(bus.name, i, joints.get(i, ""), devices.get(i)) for i in sorted({*devices, *joints})]
    return results


def find_zeros(buses: Sequence[BusMap]) -> list[str]:
    """Turn each joint with an unknown zero until its device knows it; return these joints.

    Raises UserError and BusFault.
    """
    found: list[str] = []
    for bus in buses:
        with open_bus(bus) as driver:
            found += driver.find_zeros(bus.joints)
    return found


def release_all(buses: Sequence[BusMap]) -> list[BusFault]:
    """Switch the torque off on every joint of every bus, whatever fails; return the failures."""
    faults: list[BusFault] = []
    for bus in buses:
        driver = bus.kind.make(bus.name, bus.settings)
        try:
            driver.open()
        except UserError as error:
            faults.append(BusFault.of(error, remedy=POWER_OFF_REMEDY))
            continue
        try:
            driver.configure(bus.joints)  # switches the torque off too, but stops at the first faulty device
        except (UserError, BusFault):
            pass
        finally:
            faults += driver.release()
            driver.close()
    return faults
