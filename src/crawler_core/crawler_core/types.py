"""The data of the control loop: observations from a backend, commands to it. SI units throughout."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Vector = tuple[float, float, float]


class ContactMode(IntEnum):
    """The contact of a foot with the ground; the values are those of crawler_interfaces/ContactState."""

    UNKNOWN = 0
    OPEN = 1
    STICK = 2
    SLIP_POS = 3
    SLIP_NEG = 4


class ContactSource(IntEnum):
    """The origin of a contact mode; the values are those of crawler_interfaces/ContactState."""

    PLANNED = 1
    SIMULATED = 2
    ESTIMATED = 3
    MEASURED = 4


@dataclass(frozen=True, slots=True)
class Contact:
    """The contact of one foot. Vectors are in the world frame; NaN where unknown."""

    foot: str
    mode: ContactMode
    source: ContactSource
    force: Vector  # N, from the ground on the foot, averaged over the tick
    slip_velocity: Vector  # m/s, of the contact point over the ground


@dataclass(frozen=True, slots=True)
class BaseState:
    """The base link in the world frame."""

    position: Vector  # m
    quaternion: tuple[float, float, float, float]  # w, x, y, z, as transforms3d orders it
    linear: Vector  # m/s, world frame
    angular: Vector  # rad/s, world frame


@dataclass(frozen=True, slots=True)
class Observation:
    """The state of a robot at one instant. Arrays are in the order of `RobotSpec.joints`."""

    time_ns: int  # simulations count from 0; hardware gives ROS time
    position: FloatArray  # rad
    velocity: FloatArray  # rad/s
    effort: FloatArray  # N·m, NaN where unknown
    base: BaseState | None = None
    contacts: tuple[Contact, ...] = ()


@dataclass(frozen=True, slots=True)
class JointCommand:
    """Setpoints of the actuated joints for the end of the tick, in the order of `RobotSpec.actuated`."""

    position: FloatArray  # rad
    velocity: FloatArray  # rad/s
    effort: FloatArray  # N·m, NaN where none is commanded
