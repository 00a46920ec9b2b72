"""A robot's buses before any run: who is there, where the joints' zeros are, and their torque off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from crawler_core.errors import UserError
from hw_drivers.backend.hardware_map import BusMap
from hw_drivers.bus.bus import Bus, BusFault, Device, FindsZeros


@dataclass(frozen=True)
class ScanResult:
    """One device, or one joint whose device is missing."""

    bus: str
    id: int
    joint: str  # empty where no joint has this device
    device: Device | None  # None where it does not answer


@contextmanager
def opened(bus: BusMap) -> Iterator[Bus]:
    """A bus with its port open. Raises UserError."""
    driver = bus.kind.make(bus.name, bus.settings)
    try:
        driver.open()
        yield driver
    finally:
        driver.close()


def scan(buses: Sequence[BusMap]) -> list[ScanResult]:
    """Everything that answers, and every joint whose motor does not. Raises UserError and BusFault."""
    found = []
    for bus in buses:
        with opened(bus) as driver:
            devices = {device.id: device for device in driver.scan()}
        joints = {joint.id: joint.joint for joint in bus.joints}
        found += [
            ScanResult(bus.name, ident, joints.get(ident, ""), devices.get(ident))
            for ident in sorted({*devices, *joints})
        ]
    return found


def find_zeros(buses: Sequence[BusMap]) -> list[str]:
    """Turn the joints whose zeros their devices have forgotten until they know them; which ones those were.

    Raises UserError and BusFault.
    """
    found: list[str] = []
    for bus in buses:
        with opened(bus) as driver:
            if isinstance(driver, FindsZeros):
                found += driver.find_zeros(bus.joints)
    return found


def release_all(buses: Sequence[BusMap]) -> list[BusFault]:
    """Torque off on every joint of every bus, each tried whatever fails before it. Raises nothing of theirs."""
    faults: list[BusFault] = []
    for bus in buses:
        driver = bus.kind.make(bus.name, bus.settings)
        try:
            driver.open()
        except UserError as error:
            faults.append(BusFault(str(error).rstrip("."), remedy="switch the power of the motors off"))
            continue
        try:
            driver.configure(bus.joints)  # switches the torque off too, but stops at the first device that is not well
        except (UserError, BusFault):
            pass
        finally:
            faults += driver.release()
            driver.close()
    return faults
