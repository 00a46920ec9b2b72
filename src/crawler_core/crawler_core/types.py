"""What flows round the ring: observations from a backend, commands to it. SI units throughout."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Vector = tuple[float, float, float]


class ContactMode(IntEnum):
    """What a foot does on the ground; the values are those of crawler_interfaces/ContactState."""

    UNKNOWN = 0
    OPEN = 1
    STICK = 2
    SLIP_POS = 3
    SLIP_NEG = 4


class ContactSource(IntEnum):
    """How a contact mode came to be known; the values are those of crawler_interfaces/ContactState."""

    PLANNED = 1
    SIMULATED = 2
    ESTIMATED = 3
    MEASURED = 4


@dataclass(frozen=True, slots=True)
class Contact:
    """One foot. Vectors are in the world frame; NaN where unknown."""

    foot: str
    mode: ContactMode
    source: ContactSource
    force: tuple[float, float, float]  # N, from the ground on the foot, averaged over the tick
    slip_velocity: tuple[float, float, float]  # m/s, of the contact point over the ground


@dataclass(frozen=True, slots=True)
class BaseState:
    """The base link in the world frame."""

    position: tuple[float, float, float]  # m
    quaternion: tuple[float, float, float, float]  # w, x, y, z, as transforms3d orders it
    linear: tuple[float, float, float]  # m/s, world frame
    angular: tuple[float, float, float]  # rad/s, world frame


@dataclass(frozen=True, slots=True)
class Observation:
    """What a backend knows at one instant. Arrays follow the order of `RobotSpec.joints`."""

    time_ns: int  # simulations count from 0; hardware gives ROS time
    position: FloatArray  # rad
    velocity: FloatArray  # rad/s
    effort: FloatArray  # N·m, NaN where unknown
    base: BaseState | None = None
    contacts: tuple[Contact, ...] = ()


@dataclass(frozen=True, slots=True)
class JointCommand:
    """What the actuated joints shall have reached at the end of the tick, in the order of `RobotSpec.actuated`."""

    position: FloatArray  # rad
    velocity: FloatArray  # rad/s
    effort: FloatArray  # N·m, NaN where none is commanded
