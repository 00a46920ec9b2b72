"""A bench with an emulated PWM board whose time goes only when the test says so."""

import math
from dataclasses import replace

import numpy as np

from hw_drivers.bus.bus import BusFault
from hw_drivers.bus.joint_map import JointMap
from hw_drivers.bus.liveness import Liveness
from hw_drivers.pca9685.emulated_pwm_board import EmulatedPwmBoard
from hw_drivers.pca9685.emulator import EmulatedServo, Pca9685Emulator
from hw_drivers.pca9685.pca9685_bus import Pca9685Bus
from hw_drivers.pca9685.settings import Pca9685Joint, Pca9685Settings

TICK = 0.005  # s
SETTINGS = Pca9685Settings()
OWN = Pca9685Joint()
COUNT = 121 + 1  # oscillator cycles of one PWM step at 50 Hz


def servo(name="hip", channel=0, **changes):
    """A joint of ±80 degrees on a servo of ±90."""
    own = replace(OWN, **{key: changes.pop(key) for key in list(changes) if hasattr(OWN, key)})
    limit = math.radians(80.0)
    joint = JointMap(name, channel, 1, 1.0, 0.0, -limit, limit, velocity=10.0, effort=0.5, settings=own)
    return replace(joint, **changes)


class Bench:
    """A board, its servos, and a bus that drives them."""

    def __init__(self, joints=(), *, settings=SETTINGS, start=0.0, oscillator=25e6, address=0x40):
        self.now = 100.0
        self.joints = list(joints) or [servo()]
        self.board = EmulatedPwmBoard(oscillator)
        servos = [EmulatedServo(joint.settings, joint.to_motor(start), self.now) for joint in self.joints]
        self.emulator = Pca9685Emulator(self.board, address, self.joints, servos, clock=self.clock, sleep=self.sleep)
        self.settings = replace(settings, port=self.emulator.port)
        self.bus = self.driver()
        self.liveness = Liveness(0.1)
        self.fault: BusFault | None = None

    def __enter__(self):
        self.bus.open()
        return self

    def __exit__(self, *_):
        self.bus.close()
        self.emulator.close()

    def driver(self):
        """Another driver of the same board."""
        return Pca9685Bus("servos", self.settings, clock=self.clock, sleep=self.sleep)

    def clock(self):
        """The time (s) of the bench."""
        return self.now

    def sleep(self, seconds):
        """Let time go."""
        self.now += seconds

    def ready(self, enable=True):
        """Set up, and the pulses on."""
        self.bus.configure(self.joints)
        if enable:
            self.bus.enable()
        return self

    def tick(self, position):
        """One cycle as the backend does it; returns the readings and keeps the first fault that they show."""
        number = len(self.joints)
        self.bus.write(np.broadcast_to(position, number), np.zeros(number), np.full(number, np.nan))
        self.sleep(TICK)
        readings = self.bus.read()
        self.fault = self.fault or self.liveness.check(readings, self.now)
        return readings

    def hold(self, position, seconds):
        """Cycles with the same setpoint; ends at a fault. Returns how long it took (s)."""
        begun = self.now
        while self.now < begun + seconds and self.fault is None:
            self.tick(position)
        return self.now - begun
