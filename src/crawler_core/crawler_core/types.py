"""The data of the control loop: observations from a backend, commands to it. SI units throughout."""

from __future__ import annotations

import math
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
class SensorReading:
    """One measurement of a sensor that the robot file declares; a subclass for each kind of sensor."""

    sensor: str  # its name in robot.yaml
    time_ns: int  # of the measurement, which is earlier than its arrival


@dataclass(frozen=True, slots=True)
class ImuReading(SensorReading):
    """Angular rate and specific force in the axes of the sensor. At rest the force points up with 1 g."""

    angular: Vector  # rad/s
    linear: Vector  # m/s²


@dataclass(frozen=True, slots=True)
class SwitchReading(SensorReading):
    """A switch under a foot."""

    closed: bool


@dataclass(frozen=True, slots=True)
class ForceReading(SensorReading):
    """The force of the ground on a foot, along the sensor's axis."""

    force: float  # N, positive where the ground pushes


@dataclass(frozen=True, slots=True)
class BatteryReading(SensorReading):
    """The supply of the motors."""

    voltage: float  # V
    current: float = math.nan  # A out of the battery, NaN where unknown


@dataclass(frozen=True, slots=True)
class PoseReading(SensorReading):
    """The pose of a link in the world, as a camera or motion capture gives it."""

    position: Vector  # m
    quaternion: tuple[float, float, float, float]  # w, x, y, z


@dataclass(frozen=True, slots=True)
class Observation:
    """The state of a robot at one instant. Arrays are in the order of `RobotSpec.joints`.

    Joints and readings are measured. The base and the contacts of a simulation are the truth.
    """

    time_ns: int  # simulations count from 0; hardware gives ROS time
    position: FloatArray  # rad
    velocity: FloatArray  # rad/s
    effort: FloatArray  # N·m, NaN where unknown
    base: BaseState | None = None
    contacts: tuple[Contact, ...] = ()
    readings: tuple[SensorReading, ...] = ()  # that have arrived since the observation before
    measured_ns: tuple[int, ...] | None = None  # when each actuated joint was measured; None: at this time


@dataclass(frozen=True, slots=True)
class JointCommand:
    """Setpoints of the actuated joints for the end of the tick, in the order of `RobotSpec.actuated`."""

    position: FloatArray  # rad
    velocity: FloatArray  # rad/s
    effort: FloatArray  # N·m, NaN where none is commanded
