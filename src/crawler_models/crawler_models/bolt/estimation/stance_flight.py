"""Estimator of a leg that runs on a rail, upright: its foot holds the base in stance, and gravity moves it in flight.

A switch under the foot or an accelerometer on the body distinguishes stance and flight. Without either the foot is on
the ground as long as the base, thrown as it moves now, would not lift it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from crawler_core.errors import UserError
from crawler_core.parameters import parameter
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import BaseState, Contact, ContactMode, ContactSource, ImuReading, Observation
from crawler_models.estimation.compiled_kinematics import compile_feet
from crawler_models.estimation.estimator_entry import EstimatorEntry
from crawler_models.interface.estimator import Six, StateEstimate

Pair = tuple[float, float]  # forward and up
VELOCITY_CORRECTION = 0.5  # share of an error of the height that is one of the velocity since the last height
MIN_FIX_GAP_S = 0.02
MAX_GAP_S = 0.1  # between two states
HEIGHT_SIGMA_M = 3e-3
UPRIGHT = (1.0, 0.0, 0.0, 0.0)
UNKNOWN = (math.nan, math.nan, math.nan)


@dataclass(frozen=True)
class StanceFlightParameters:
    """Settings of the estimator."""

    distance_error: float = parameter(
        0.05, lower=0.0, upper=10.0, doc="standard deviation of a distance, as a share of the way; for the covariance"
    )
    stance_force: float = parameter(
        10.0, unit="m/s^2", lower=1.0, upper=1e3, doc="specific force of the body upward that shows stance"
    )
    velocity_time: float = parameter(
        0.01, unit="s", lower=0.0, upper=1.0, doc="over which the leg's velocity is averaged in stance"
    )


class StanceFlight:
    """Follows a robot with one foot that moves forward and up only."""

    def __init__(self, spec: RobotSpec, parameters: StanceFlightParameters) -> None:
        if len(spec.feet) != 1 or set(spec.base_motion) != {"x", "z"}:
            raise UserError(
                f"the estimator stance_flight is for one foot and a base that moves in x and z, and {spec.name} has "
                f"{len(spec.feet)} feet and moves in {', '.join(spec.base_motion)}: use foot_kinematics."
            )
        self._foot = spec.foot_names[0]
        self._start = spec.start
        self._gravity = float(spec.parameters.get("gravity", 9.81))
        self._kinematics = compile_feet(spec)
        self._parameters = parameters
        self._imu = {sensor.name for sensor in spec.sensors if sensor.kind == "imu" and sensor.link == spec.base_link}
        self.restart()

    def restart(self) -> None:
        self._time_ns: int | None = None
        self._x = self._z = self._way = 0.0  # m
        self._vx, self._vz = self._start.vx, self._start.vz  # m/s
        self._foot_x = 0.0  # m, of the foot from the base
        self._stance = False
        self._force: Pair | None = None  # m/s², of the accelerometer, forward and up
        self._since_fix = 0.0  # s, since the height was last known

    def update(self, measured: Observation) -> None:
        q, dq = measured.position.tolist(), measured.velocity.tolist()
        if not math.isfinite(sum(q) + sum(dq)):
            return
        ((fx, _, fz, ux, _, uz),), _ = self._kinematics.at(q, dq)
        for reading in measured.readings:
            if isinstance(reading, ImuReading) and reading.sensor in self._imu:
                self._force = reading.linear[0], reading.linear[2]
        if self._time_ns is None:
            self._z = self._start.height - fz
        else:
            h = (measured.time_ns - self._time_ns) * 1e-9
            self._advance(h if 0.0 < h <= MAX_GAP_S else 0.0, (fx, fz), (ux, uz), measured)
        self._time_ns, self._foot_x = measured.time_ns, fx

    def _advance(self, h: float, foot: Pair, speed: Pair, measured: Observation) -> None:
        """Move the base on by `h` (s). `foot` and `speed` are the foot's place and velocity from the base."""
        ax, az = (0.0, -self._gravity) if self._force is None else (self._force[0], self._force[1] - self._gravity)
        x, z = self._x, self._z + h * (self._vz + 0.5 * h * az)
        was_stance, self._stance = self._stance, self._is_stance(measured, z + foot[1])
        has_changed = was_stance is not self._stance
        self._since_fix += h
        if self._stance and was_stance:
            self._x += self._foot_x - foot[0]
        else:
            self._x += h * (self._vx + 0.5 * h * ax)
        self._vx += h * ax
        self._vz += h * az
        self._z = z if self._force is not None or not self._stance else -foot[1]
        if self._stance:
            share = h / (h + self._parameters.velocity_time)
            self._vx += share * (-speed[0] - self._vx)
            if self._force is None:  # the foot's spring gives way, which only an accelerometer shows
                self._vz += share * (-speed[1] - self._vz)
        if has_changed and self._force is not None:  # the spring is at rest: the leg says how high the base is
            error = -foot[1] - self._z
            self._z = -foot[1]
            self._vz += VELOCITY_CORRECTION * error / max(self._since_fix, MIN_FIX_GAP_S)
            self._since_fix = 0.0
        self._way += abs(self._x - x)

    def _is_stance(self, measured: Observation, height: float) -> bool:
        """Return whether the foot is on the ground; `height` (m) is that of the foot of a base in flight."""
        for contact in measured.contacts:
            if contact.foot == self._foot and contact.mode is not ContactMode.UNKNOWN:
                return contact.mode is not ContactMode.OPEN
        if self._force is not None:
            return self._force[1] > self._parameters.stance_force
        return height <= 0.0

    def estimate(self) -> StateEstimate | None:
        if self._time_ns is None:
            return None
        base = BaseState((self._x, 0.0, self._z), UPRIGHT, (self._vx, 0.0, self._vz), (0.0, 0.0, 0.0))
        error = self._parameters.distance_error
        spread, speed = (error * self._way) ** 2, (error * self._vx) ** 2
        pose: Six = (spread, 0.0, HEIGHT_SIGMA_M**2, 0.0, 0.0, 0.0)
        mode = ContactMode.STICK if self._stance else ContactMode.OPEN
        slip = (0.0, 0.0, 0.0) if self._stance else UNKNOWN
        contact = Contact(self._foot, mode, ContactSource.ESTIMATED, UNKNOWN, slip)
        return StateEstimate(base, pose, (speed, 0.0, speed, 0.0, 0.0, 0.0), (contact,))


ESTIMATOR_ENTRY = EstimatorEntry(StanceFlightParameters, StanceFlight)
