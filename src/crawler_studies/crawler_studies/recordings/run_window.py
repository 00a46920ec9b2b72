"""Some ticks of a run in physics, and what the robot did in them: strides along its heading, forces, work."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from crawler_core.gait_metrics.footfall import Footfall, intended_by, stride_ends
from crawler_core.gait_metrics.ground_path import way
from crawler_core.gait_metrics.heading import AHEAD, Heading
from crawler_core.motion import PeriodicMotion
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import Contact, ContactMode, FloatArray, Observation
from crawler_studies.recordings.footsteps import Footsteps


@dataclass(frozen=True)
class Strides:
    """The mean of some whole strides."""

    count: float
    time: float  # s, of all of them
    advance: float  # m, along the heading, of all of them
    drift: float  # m to the left of it, likewise
    turn: float  # rad, likewise

    @property
    def step(self) -> float:
        """m"""
        return self.advance / self.count

    @property
    def period(self) -> float:
        """s"""
        return self.time / self.count


class RunWindow:
    """Filled tick by tick, from what is seen before the first."""

    def __init__(self, spec: RobotSpec, dt: float, before: Observation) -> None:
        self._spec = spec
        self._dt = dt
        self._seen = [before]
        self.torque = 0.0  # N·m, the largest of any motor
        self.power = 0.0  # W, the largest of any motor, driving or braking
        self.rate = 0.0  # rad/s, the largest of any motor
        self.work = 0.0  # J, of all motors while they drive
        self.slowest = math.inf  # m/s, the base forward
        self.force = 0.0  # N, the largest that the ground pushes a foot up with
        self.friction = 0.0  # the largest share of that which a sticking foot is pushed along the ground with
        self.slip = 0.0  # m, of all feet
        self.friction_work = 0.0  # J, of all feet
        self._damping = np.array(
            [joint.damping for joint in spec.actuated]
        )  # N·m·s/rad that motors keep for themselves
        self._ways = 2 if "y" in spec.base_motion else 1  # the ground's plane, or its x alone

    def add(self, seen: Observation) -> None:
        """A tick has passed."""
        self._seen.append(seen)
        motors = self._spec.actuated_indices
        efforts, rates = seen.effort[motors], seen.velocity[motors]
        powers = (efforts - self._damping * rates) * rates
        self.torque = max(self.torque, float(np.abs(efforts).max()))
        self.power = max(self.power, float(np.abs(powers).max()))
        self.rate = max(self.rate, float(np.abs(rates).max()))
        self.work += self._dt * float(powers.clip(0.0).sum())
        if seen.base is not None:
            heading = Heading.of(seen.base.quaternion) if "yaw" in self._spec.base_motion else AHEAD
            self.slowest = min(self.slowest, heading.along(*seen.base.linear[:2]))
        for contact in seen.contacts:
            self._touch(contact)

    def _touch(self, contact: Contact) -> None:
        work = sum(contact.force[i] * contact.slip_velocity[i] for i in range(self._ways))
        self.friction_work -= self._dt * work
        up = contact.force[2]
        self.force = max(self.force, up)
        if contact.mode is ContactMode.STICK and up > 0.0:
            self.friction = max(self.friction, math.hypot(*contact.force[: self._ways]) / up)
        elif contact.mode is not ContactMode.OPEN:
            self.slip += self._dt * math.hypot(*contact.slip_velocity[: self._ways])

    @property
    def time(self) -> float:
        """s"""
        return (len(self._seen) - 1) * self._dt

    @property
    def forces(self) -> FloatArray:
        """The normal force on each foot in each tick, N."""
        return np.array([[contact.force[2] for contact in seen.contacts] for seen in self._seen[1:]])

    @property
    def attitude(self) -> FloatArray:
        """Roll and pitch of the base in each tick, rad, and the cosine of its z axis to the upright; (ticks, 3)."""
        w, x, y, z = np.array([seen.base.quaternion for seen in self._seen[1:] if seen.base is not None]).T
        upright = 1.0 - 2.0 * (x * x + y * y)
        roll = np.arctan2(2.0 * (w * x + y * z), upright)
        pitch = np.arcsin(np.clip(2.0 * (w * y - z * x), -1.0, 1.0))
        return np.column_stack((roll, pitch, upright))

    def footfall(self, gait: PeriodicMotion, periods: float) -> Footfall:
        """Of the window as so many periods, or between the events of a foot, beside what `gait` means.

        Time counts from the gait's phase 0. Raises UserError where nothing is known of the feet.
        """
        steps = Footsteps.of(self._spec, self._seen)
        cuts = steps.times[self._events()]
        if self._spec.stride.cut == "period":
            cuts = np.linspace(steps.times[0], steps.times[-1], round(periods) + 1)
        return steps.footfall(cuts, intended_by(gait, steps.times))

    def strides(self, periods: float) -> Strides | None:
        """The window as so many periods of the gait; or where the robot says so, from the first to the last event of
        its foot, and None where there are not two of them."""
        if self._spec.stride.cut == "period":
            return self._between(0, len(self._seen) - 1, periods)
        marks = self._events()
        return self._between(marks[0], marks[-1], len(marks) - 1) if len(marks) > 1 else None

    def _events(self) -> list[int]:
        stride = self._spec.stride
        if stride.cut == "period":
            return []
        foot = self._spec.foot_names.index(stride.foot)
        down = np.array([seen.contacts[foot].mode != ContactMode.OPEN for seen in self._seen])
        return stride_ends(np.linspace(0.0, self.time, len(down)), down, stride)

    def _between(self, first: int, last: int, count: float) -> Strides:
        here = [seen.base for seen in self._seen[first : last + 1] if seen.base is not None]
        yaws = "yaw" in self._spec.base_motion
        yaw = np.unwrap([Heading.of(base.quaternion).yaw for base in here]) if yaws else np.zeros(len(here))
        moved = way([base.position[:2] for base in here], yaw)
        return Strides(count, (last - first) * self._dt, moved.ahead, moved.left, moved.turn)
