"""A bench with emulated ODrives whose time goes only when the test says so."""

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from hw_drivers.bus.bus import BusFault
from hw_drivers.bus.joint_map import JointMap
from hw_drivers.bus.liveness import Liveness
from hw_drivers.odrive.emulated_axis import EmulatedAxis
from hw_drivers.odrive.emulator import OdriveEmulator, axis_hardware
from hw_drivers.odrive.odrive_bus import OdriveBus
from hw_drivers.odrive.plan import TURN_RAD
from hw_drivers.odrive.settings import OdriveJoint, OdriveSettings

TICK = 0.005  # s
SETTINGS = OdriveSettings()
OWN = OdriveJoint(torque_constant=0.05, max_current=20.0)


def crank(name="crank", ident=1, **changes):
    """A continuous joint behind a gear of 8, whose motor turns against it."""
    own = replace(OWN, **{key: changes.pop(key) for key in list(changes) if hasattr(OWN, key)})
    joint = JointMap(name, ident, -1, 8.0, 0.3, -math.inf, math.inf, velocity=10.0, effort=1.5, settings=own)
    return replace(joint, **changes)


class Bench:
    """Drives, and a bus that drives them. `twins` are further drives, by node id, that belong to no joint."""

    def __init__(self, joints=(), *, settings=SETTINGS, start=0.5, twins: Iterable[int] = (), **hardware):
        self.now = 100.0
        self.joints = list(joints) or [crank()]
        parts = [replace(axis_hardware(settings, joint, i), **hardware) for i, joint in enumerate(self.joints)]
        self.axes = [
            EmulatedAxis(part, joint.to_motor(start) / TURN_RAD, self.now)
            for part, joint in zip(parts, self.joints, strict=True)
        ]
        self.axes += [
            EmulatedAxis(replace(parts[0], node_id=ident, serial_number=bytes(6)), 0.0, self.now) for ident in twins
        ]
        self.emulator = OdriveEmulator(self.axes, self.joints, clock=self.clock)
        self.bus = OdriveBus("can", replace(settings, port=self.emulator.port), clock=self.clock, sleep=self.sleep)
        self.liveness = Liveness(0.1)
        self.fault: BusFault | None = None

    def __enter__(self):
        self.bus.open()
        return self

    def __exit__(self, *_):
        self.bus.close()
        self.emulator.close()

    def clock(self):
        """The time (s) of the bench."""
        return self.now

    def sleep(self, seconds):
        """Let time go, in steps that the emulated drives see."""
        end = self.now + seconds
        while self.now < end - 1e-9:
            self.now = min(self.now + 0.001, end)
            self.emulator.advance()

    def ready(self, enable=True):
        """Set up, and the torque on."""
        self.bus.configure(self.joints)
        if enable:
            self.bus.enable()
        return self

    def tick(self, position, velocity=0.0, effort=math.nan):
        """One cycle as the backend does it; returns the readings and keeps the first fault that they show."""
        self.bus.write(*(np.broadcast_to(wanted, len(self.joints)) for wanted in (position, velocity, effort)))
        return self.look()

    def look(self):
        """A cycle without a setpoint."""
        self.sleep(TICK)
        readings = self.bus.read()
        self.fault = self.fault or self.liveness.check(readings, self.now)
        return readings

    def hold(self, seconds):
        """Cycles that keep the joints where they are; ends at a fault. Returns how long it took (s)."""
        here = [reading.position for reading in self.bus.read()]
        begun = self.now
        while self.now < begun + seconds and self.fault is None:
            self.tick(here)
        return self.now - begun
