"""A bench with an emulated board whose time goes only when the test says so: the firmware, without a terminal."""

import math
from dataclasses import replace

import numpy as np

from hw_drivers.board.board_bus import BoardBus
from hw_drivers.board.emulated_board import EmulatedBoard
from hw_drivers.board.settings import BoardJoint, BoardSettings
from hw_drivers.bus.bus import BusFault
from hw_drivers.bus.joint_map import JointMap
from hw_drivers.bus.liveness import Liveness
from hw_drivers.ports.serial_port import SerialPort

TICK = 0.002  # s
STEP = 1e-4  # s between two looks at whether something has come
BYTE = 1e-5  # s on the wire
SETTINGS = BoardSettings(lowest_supply=10.0, highest_supply=14.0)
OWN = BoardJoint(
    counts=1024,
    torque_constant=0.02,
    resistance=0.5,
    max_current=10.0,
    stiffness=2.0,
    damping=0.05,
    search_velocity=5.0,
)


def crank(name="crank", ident=0, **changes):
    """A continuous joint behind a gear of 8, whose motor turns against it."""
    own = replace(OWN, **{key: changes.pop(key) for key in list(changes) if hasattr(OWN, key)})
    joint = JointMap(name, ident, -1, 8.0, 0.3, -math.inf, math.inf, velocity=30.0, effort=1.5, settings=own)
    return replace(joint, **changes)


class Line(SerialPort):
    """The driver's end of a line to the board. `to_board` and `to_driver` see the bytes, and may spoil them."""

    def __init__(self, bench):
        super().__init__("the line", 1_000_000)
        self.bench = bench
        self.to_board = self.to_driver = lambda data: data
        self._came = b""

    def open(self):
        """It is there."""

    def close(self):
        """It stays there."""

    def write(self, data):
        self.bench.sleep(len(data) * BYTE)
        self.bench.board.receive(self.to_board(data))

    def drain(self):
        while self.read(0.0):
            pass

    def read(self, deadline):
        """What has come, letting time go until something has."""
        while not self._came:
            self._came = self.to_driver(self.bench.board.send())
            if self._came or self.bench.now >= deadline:
                break
            self.bench.sleep(STEP)
        data, self._came = self._came, b""
        self.bench.sleep(len(data) * BYTE)
        return data


class Bench:
    """A board, and a bus that drives it."""

    def __init__(self, joints=(), *, settings=SETTINGS, start=0.5):
        self.now = 100.0
        self.joints = list(joints) or [crank()]
        self.board = EmulatedBoard(settings, self.joints, np.broadcast_to(start, len(self.joints)).tolist())
        self.line = Line(self)
        self.bus = BoardBus("board", settings, port=self.line, clock=self.clock, sleep=self.sleep)
        self.liveness = Liveness(0.1)
        self.fault: BusFault | None = None

    def clock(self):
        """The time (s) of the bench."""
        return self.now

    def sleep(self, seconds):
        """Let time go."""
        self.now += seconds
        self.board.advance(seconds)

    def ready(self, enable=True):
        """Set up, and the torque on."""
        self.bus.configure(self.joints)
        self.hold_still()
        if enable:
            self.bus.enable()
        return self

    def hold_still(self):
        """Setpoints where the joints are."""
        self.readings = self.bus.read()
        here = np.array([reading.position for reading in self.readings])
        self.bus.write(here, np.zeros_like(here), np.full_like(here, np.nan))

    def tick(self, position=math.nan, velocity=0.0, effort=math.nan):
        """One cycle as the backend does it; returns the readings and keeps the first fault."""
        end = self.now + TICK
        try:
            self.bus.write(*(np.broadcast_to(wanted, len(self.joints)) for wanted in (position, velocity, effort)))
            self.readings = self.bus.read()
            self.fault = self.fault or self.liveness.check(self.readings, self.now)
        except BusFault as fault:
            self.fault = self.fault or fault
            return self.readings
        self.sleep(max(0.0, end - self.now))
        return self.readings

    def hold(self, seconds):
        """Cycles that keep the joints where they are; ends at a fault. Returns how long it took (s)."""
        here = [reading.position for reading in self.readings]
        begun = self.now
        while self.now < begun + seconds and self.fault is None:
            self.tick(here)
        return self.now - begun
