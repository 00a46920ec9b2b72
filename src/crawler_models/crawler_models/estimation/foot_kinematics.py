"""Odometry of any robot with feet: the foot that sticks holds the base, through the kinematics of the robot file.

Feet whose contact a sensor measures are believed. Otherwise those that are lowest are on the ground, and of these the
base moves as the feet let it move with the least friction: with two feet the one that carries more sticks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from transforms3d.euler import euler2quat
from transforms3d.quaternions import mat2quat

from crawler_core.errors import UserError
from crawler_core.parameters import parameter
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import BaseState, Contact, ContactMode, ContactSource, ImuReading, Observation, Vector
from crawler_models.estimation.attitude_filter import IDENTITY, AttitudeFilter, Matrix
from crawler_models.estimation.coarse_joints import CoarseJoints
from crawler_models.estimation.compiled_kinematics import FootMotion, compile_feet
from crawler_models.estimation.estimator_entry import EstimatorEntry
from crawler_models.estimation.planar_support import Support, find_support, share_loads
from crawler_models.interface.estimator import Estimator, Six, StateEstimate

PLANAR_MOTIONS = {"x", "z", "pitch"}
UNKNOWN_FORCE: Vector = (math.nan, math.nan, math.nan)
REST_SPEED_RAD_S = 0.01  # of every joint, below which the robot stands still
COARSE_PERIOD_NS = 10_000_000  # between two looks at the feet of a robot with coarse encoders
HEIGHT_SIGMA_M = 5e-4
PITCH_SIGMA_RAD = 0.01
SLIP_SPEED_M_S = 1e-3  # of a foot, from which on it counts as slipping


@dataclass(frozen=True)
class FootKinematicsParameters:
    """Settings of the estimator."""

    distance_error: float = parameter(
        0.15, lower=0.0, upper=10.0, doc="standard deviation of a distance, as a share of the way; for the covariance"
    )
    contact_height: float = parameter(
        0.002, unit="m", lower=1e-6, upper=1.0, doc="above the lowest foot, up to which a foot is on the ground"
    )
    height_noise: float = parameter(
        2e-4, unit="m", lower=0.0, upper=1.0, doc="of feet by noise of the angles, for a robot in the plane"
    )
    encoder_time: float = parameter(
        0.0, unit="s", lower=0.0, upper=10.0, doc="over which coarse encoders are averaged; 0: fine ones, as measured"
    )
    gravity_time: float = parameter(
        1.0, unit="s", lower=0.01, upper=100.0, doc="in which an IMU's roll and pitch follow gravity"
    )
    bias_time: float = parameter(
        20.0, unit="s", lower=0.1, upper=1e4, doc="in which the bias of its gyro is learned while the robot moves"
    )


def make_foot_kinematics(spec: RobotSpec, parameters: FootKinematicsParameters) -> Estimator:
    """Return the estimator for a robot: in the plane, or in three dimensions. Raise UserError without feet."""
    if not spec.feet:
        raise UserError(f"the estimator foot_kinematics needs feet, and {spec.name} has none: use another estimator.")
    if PLANAR_MOTIONS.issuperset(spec.base_motion) and len(spec.feet) > 1 and "pitch" in spec.base_motion:
        return PlanarFootKinematics(spec, parameters)
    return SpatialFootKinematics(spec, parameters)


class PlanarFootKinematics:
    """Follows a robot in the vertical plane that rests on two feet at any time, as slow crawlers do."""

    def __init__(self, spec: RobotSpec, parameters: FootKinematicsParameters) -> None:
        self._names = spec.foot_names
        self._friction = tuple(foot.friction for foot in spec.feet)
        self._kinematics = compile_feet(spec)
        self._distance_error = parameters.distance_error
        self._height = parameters.height_noise
        self.restart()

    def restart(self) -> None:
        self._support: Support | None = None
        self._places: list[float] = []  # m, of the feet forward of the base, on the ground
        self._x = self._way = 0.0  # m
        self._stuck = 0  # the foot that sticks
        self._on_ground: Sequence[int] = ()
        self._feet: Sequence[FootMotion] = ()

    def update(self, measured: Observation) -> None:
        q, dq = measured.position.tolist(), measured.velocity.tolist()
        if not math.isfinite(sum(q) + sum(dq)):
            return
        feet, links = self._kinematics.at(q, dq)
        shares = self._kinematics.mass_shares
        centre = (
            sum(share * link[0] for share, link in zip(shares, links, strict=True)),
            sum(share * link[2] for share, link in zip(shares, links, strict=True)),
        )
        support = find_support([(foot[0], foot[2]) for foot in feet], centre, self._support, self._height)
        if support is None:
            return
        self._support = support
        c, s = math.cos(support.pitch), math.sin(support.pitch)
        places = [c * foot[0] + s * foot[2] for foot in feet]
        touching = self._touching(support, feet, c, s)
        loads = share_loads(places, touching, [c * link[0] + s * link[2] for link in links], shares)
        steps = [old - new for old, new in zip(self._places or places, places, strict=True)]
        stuck = self._stuck_foot(steps, loads, measured.contacts)
        self._x += steps[stuck]
        self._way += abs(steps[stuck])
        self._places, self._stuck, self._feet, self._on_ground = places, stuck, feet, touching

    def _touching(self, support: Support, feet: Sequence[FootMotion], c: float, s: float) -> list[int]:
        """Return the feet on the ground: the two of the support, and those that are no higher than noise."""
        if len(feet) == 2:
            return [support.rear, support.front]
        first = feet[support.rear]
        limit = c * first[2] - s * first[0] + self._height
        return [i for i, foot in enumerate(feet) if c * foot[2] - s * foot[0] <= limit or i == support.front]

    def _stuck_foot(self, steps: Sequence[float], loads: Sequence[float], contacts: Sequence[Contact]) -> int:
        """Return the foot that moves the base with the least friction: the median of the steps, by friction."""
        for contact in contacts:
            if contact.mode is ContactMode.STICK:
                return self._names.index(contact.foot)
        weights = [mu * load for mu, load in zip(self._friction, loads, strict=True)]
        half, passed = 0.5 * sum(weights), 0.0
        order = sorted(range(len(steps)), key=steps.__getitem__)
        for i in order:
            passed += weights[i]
            if passed >= half and weights[i]:
                return i
        return order[-1]

    def estimate(self) -> StateEstimate | None:
        support, stuck, feet, places = self._support, self._stuck, self._feet, self._places
        if support is None:
            return None
        c, s = math.cos(support.pitch), math.sin(support.pitch)

        def velocity(i: int) -> tuple[float, float]:
            return c * feet[i][3] + s * feet[i][5], c * feet[i][5] - s * feet[i][3]

        def height(i: int) -> float:
            return c * feet[i][2] - s * feet[i][0]

        rear, front = support.rear, support.front
        rate = (velocity(front)[1] - velocity(rear)[1]) / (places[front] - places[rear])  # rad/s
        vx = -velocity(stuck)[0] - rate * height(stuck)
        vz = -velocity(stuck)[1] + rate * places[stuck]
        half = 0.5 * support.pitch
        base = BaseState(
            (self._x, 0.0, -height(stuck)),
            (math.cos(half), 0.0, math.sin(half), 0.0),
            (vx, 0.0, vz),
            (0.0, rate, 0.0),
        )
        contacts = []
        for i, name in enumerate(self._names):
            slip = vx + velocity(i)[0] + rate * height(i)
            if i == stuck:
                mode, slip = ContactMode.STICK, 0.0
            elif i in self._on_ground:
                mode = _slip_mode(slip)
            else:
                mode = ContactMode.OPEN
            contacts.append(Contact(name, mode, ContactSource.ESTIMATED, UNKNOWN_FORCE, (slip, 0.0, 0.0)))
        error = self._distance_error
        spread, speed = (error * self._way) ** 2, (error * vx) ** 2
        pose: Six = (spread, 0.0, HEIGHT_SIGMA_M**2, 0.0, PITCH_SIGMA_RAD**2, 0.0)
        return StateEstimate(base, pose, (speed, 0.0, speed, 0.0, PITCH_SIGMA_RAD**2, 0.0), tuple(contacts))


class SpatialFootKinematics:
    """Follows a robot in three dimensions. Its attitude comes from an IMU, or from the feet where it has none."""

    def __init__(self, spec: RobotSpec, parameters: FootKinematicsParameters) -> None:
        self._names = spec.foot_names
        self._friction = tuple(foot.friction for foot in spec.feet)
        self._kinematics = compile_feet(spec)
        self._parameters = parameters
        self._joints = CoarseJoints(spec, parameters.encoder_time) if parameters.encoder_time else None
        self._turns = bool({"roll", "pitch", "yaw"} & set(spec.base_motion))
        self._slides = "y" in spec.base_motion
        imu = next((one for one in spec.sensors if one.kind == "imu" and one.link == spec.base_link), None)
        self._imu = imu.name if imu is not None and self._turns else ""
        gravity = float(spec.parameters.get("gravity", 0.0))
        self._attitude = (
            AttitudeFilter(imu, gravity, parameters.gravity_time, parameters.bias_time)
            if imu is not None and self._turns
            else None
        )
        self.restart()

    def restart(self) -> None:
        if self._attitude is not None:
            self._attitude.restart()
        if self._joints is not None:
            self._joints.restart()
        self._rotation: Matrix = IDENTITY
        self._rate: Vector = (0.0, 0.0, 0.0)  # rad/s, in the base's frame
        self._offsets: list[Vector] = []  # m, of the feet from the base, in the axes of the ground
        self._weights: list[float] = []
        self._x = self._y = self._way = self._yaw_sigma = 0.0
        self._time_ns = -COARSE_PERIOD_NS  # of the feet
        self._lowest = 0.0  # m, of the feet below the base
        self._feet: Sequence[FootMotion] = ()
        self._note = ""

    def update(self, measured: Observation) -> None:
        q, dq = measured.position.tolist(), measured.velocity.tolist()
        if not math.isfinite(sum(q) + sum(dq)):
            return
        self._note = self._update_attitude(measured, max(map(abs, dq)) < REST_SPEED_RAD_S)
        if self._joints is not None:
            self._joints.update(measured)
            if 0 <= measured.time_ns - self._time_ns < COARSE_PERIOD_NS:
                return  # loops take time to close
            self._time_ns = measured.time_ns
            q, dq = self._joints.complete(measured)
        feet, _ = self._kinematics.at(q, dq)
        if self._attitude is None and self._turns and self._offsets:
            self._turn_by_feet(feet)
        offsets = [_rotate(self._rotation, foot[:3]) for foot in feet]
        lowest = min(offset[2] for offset in offsets)
        weights = self._contact_weights(offsets, lowest, measured.contacts)
        if self._offsets:
            shares = [min(new, old) for new, old in zip(weights, self._weights, strict=True)]
            dx = _weighted_median([old[0] - new[0] for old, new in zip(self._offsets, offsets, strict=True)], shares)
            dy = _weighted_median([old[1] - new[1] for old, new in zip(self._offsets, offsets, strict=True)], shares)
            self._x += dx
            self._y += dy if self._slides else 0.0
            self._way += math.hypot(dx, dy)
        self._offsets, self._weights, self._lowest, self._feet = offsets, weights, lowest, feet

    def _update_attitude(self, measured: Observation, at_rest: bool) -> str:
        """Turn with the IMU's readings. Return what is wrong with it."""
        filter_ = self._attitude
        if filter_ is None:
            return ""
        for reading in measured.readings:
            if isinstance(reading, ImuReading) and reading.sensor == self._imu:
                filter_.update(reading, at_rest)
        if not filter_.has_started:
            return f"no reading of {self._imu} yet: the attitude is that of level ground"
        self._rotation, self._rate = filter_.rotation, filter_.rate
        self._yaw_sigma = filter_.yaw_sigma
        return ""

    def _turn_by_feet(self, feet: Sequence[FootMotion]) -> None:
        """Turn about the vertical as the feet on the ground do, in the mean: without an IMU."""
        shares = self._weights
        total = sum(shares)
        if total <= 0.0:
            return
        new = [_rotate(self._rotation, foot[:3]) for foot in feet]
        mx, my, nx, ny = (
            sum(w * place[k] for w, place in zip(shares, places, strict=True)) / total
            for places in (self._offsets, new)
            for k in (0, 1)
        )
        cross = dot = 0.0
        for w, old, now in zip(shares, self._offsets, new, strict=True):
            ax, ay, bx, by = old[0] - mx, old[1] - my, now[0] - nx, now[1] - ny
            cross += w * (bx * ay - by * ax)
            dot += w * (bx * ax + by * ay)
        if dot <= 0.0:
            return
        angle = math.atan2(cross, dot)
        c, s = math.cos(angle), math.sin(angle)
        r = self._rotation
        self._rotation = (
            *(c * r[k] - s * r[k + 3] for k in range(3)),
            *(s * r[k] + c * r[k + 3] for k in range(3)),
            *r[6:],
        )  # type: ignore[assignment]
        self._yaw_sigma += self._parameters.distance_error * abs(angle)

    def _contact_weights(self, offsets: Sequence[Vector], lowest: float, contacts: Sequence[Contact]) -> list[float]:
        """Return how much each foot holds the base: by sensors, or by its height above the lowest foot."""
        height = self._parameters.contact_height
        weights = [
            mu / (1.0 + ((offset[2] - lowest) / height) ** 4)
            for mu, offset in zip(self._friction, offsets, strict=True)
        ]
        for contact in contacts:
            if contact.mode is not ContactMode.UNKNOWN:
                i = self._names.index(contact.foot)
                weights[i] = 0.0 if contact.mode is ContactMode.OPEN else self._friction[i]
        return weights

    def estimate(self) -> StateEstimate | None:
        feet, offsets, weights, lowest = self._feet, self._offsets, self._weights, self._lowest
        if not feet:
            return None
        angular = _rotate(self._rotation, self._rate)
        wx, wy, wz = angular
        speeds = []
        for foot, (x, y, z) in zip(feet, offsets, strict=True):
            ux, uy, uz = _rotate(self._rotation, foot[3:])
            speeds.append((ux + wy * z - wz * y, uy + wz * x - wx * z, uz + wx * y - wy * x))
        vx = -_weighted_median([speed[0] for speed in speeds], weights)
        vy = -_weighted_median([speed[1] for speed in speeds], weights) if self._slides else 0.0
        vz = -speeds[min(range(len(offsets)), key=lambda i: offsets[i][2])][2]
        if self._turns:
            w, i, j, k = mat2quat(np.array(self._rotation).reshape(3, 3)).tolist()
        else:
            w, i, j, k = euler2quat(0.0, 0.0, 0.0).tolist()
        base = BaseState((self._x, self._y, -lowest), (w, i, j, k), (vx, vy, vz), angular)
        contacts = []
        for name, weight, mu, own in zip(self._names, weights, self._friction, speeds, strict=True):
            slip = (vx + own[0], vy + own[1], 0.0)
            forward = slip[0] if abs(slip[0]) > abs(slip[1]) else slip[1]
            mode = ContactMode.OPEN if weight < 0.5 * mu else _slip_mode(forward)
            contacts.append(Contact(name, mode, ContactSource.ESTIMATED, UNKNOWN_FORCE, slip))
        error = self._parameters.distance_error
        spread, speed = (error * self._way) ** 2, (error * math.hypot(vx, vy)) ** 2
        tilt, yaw = PITCH_SIGMA_RAD**2, self._yaw_sigma**2
        pose: Six = (spread, spread, HEIGHT_SIGMA_M**2, tilt, tilt, yaw)
        return StateEstimate(base, pose, (speed, speed, speed, tilt, tilt, tilt), tuple(contacts), self._note)


def _slip_mode(slip: float) -> ContactMode:
    if abs(slip) < SLIP_SPEED_M_S:
        return ContactMode.STICK
    return ContactMode.SLIP_POS if slip > 0.0 else ContactMode.SLIP_NEG


def _weighted_median(values: Sequence[float], weights: Sequence[float]) -> float:
    """Return the value that has half of the weight on either side; 0 without any weight.

    Friction that is proportional to the weights does the least work where the base moves by it.
    """
    half = 0.5 * sum(weights)
    if half <= 0.0:
        return 0.0
    passed = 0.0
    order = sorted(zip(values, weights, strict=True))
    for k, (value, weight) in enumerate(order):
        passed += weight
        if passed > half * (1.0 + 1e-9):
            return value
        if passed > half * (1.0 - 1e-9) and k + 1 < len(order):
            return 0.5 * (value + order[k + 1][0])
    return order[-1][0]


def _rotate(m: Matrix, v: Sequence[float]) -> Vector:
    x, y, z = v
    return m[0] * x + m[1] * y + m[2] * z, m[3] * x + m[4] * y + m[5] * z, m[6] * x + m[7] * y + m[8] * z


ESTIMATOR_ENTRY = EstimatorEntry(FootKinematicsParameters, make_foot_kinematics)
