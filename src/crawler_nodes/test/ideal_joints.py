"""A backend whose joints are where they are commanded to be."""

import time
from dataclasses import dataclass, replace

import numpy as np

from crawler_core.errors import BackendFault
from crawler_core.parameters import parameter
from crawler_core.types import BaseState, Contact, ContactMode, ContactSource, Observation

HOME = np.radians([110.0, 110.0])
PATIENT = {"rate": 500.0, "lockstep_timeout": 60.0}  # who is slow is not late


@dataclass(frozen=True)
class IdealSettings:
    gain: float = parameter(1.0, lower=0.0, upper=1.0, doc="1: joints follow exactly")


class IdealBackend:
    """Joints that are where they are told; a base that gains a millimetre per tick."""

    simulated = True
    kind = "ideal"

    def __init__(self, spec, settings, dt):
        self.told = HOME
        self.ticks = 0
        self.dt_ns = round(dt * 1e9)
        self.relaxed = 0
        self.closed = False
        self.broken = ""

    def open(self):
        if self.broken:
            raise BackendFault(self.broken, remedy="mend it")

    def observe(self):
        if self.broken:
            raise BackendFault(self.broken, remedy="mend it", joint="joint_2")
        contacts = tuple(
            Contact(foot, ContactMode.STICK, ContactSource.SIMULATED, (0.0, 0.0, 1.0), (0.0, 0.0, 0.0))
            for foot in ("foot_1", "foot_2")
        )
        base = BaseState((1e-3 * self.ticks, 0.0, 0.1), (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        return Observation(self.ticks * self.dt_ns, self.told.copy(), np.zeros(2), np.full(2, np.nan), base, contacts)

    def apply(self, command):
        self.told = command.position
        return command

    def advance(self, dt):
        self.ticks += 1

    def relax(self):
        self.relaxed += 1

    def close(self):
        self.closed = True


class RealTime(IdealBackend):
    """The same joints, whose time passes by itself."""

    simulated = False

    def observe(self):
        return replace(super().observe(), time_ns=time.time_ns())
