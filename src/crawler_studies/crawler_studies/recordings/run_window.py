"""A number of ticks of a run: strides along the heading, loads of motors and feet, and work."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from crawler_core.gait_metrics.footfall import Footfall, intended_contacts, stride_ends
from crawler_core.gait_metrics.ground_path import measure_ground_path
from crawler_core.gait_metrics.heading import WORLD_HEADING, Heading
from crawler_core.motion import PeriodicMotion
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import Contact, ContactMode, FloatArray, Observation
from crawler_studies.recordings.footsteps import Footsteps

TIPPED_COSINE = 0.5  # of a base's tilt: it has fallen beyond 60 degrees


@dataclass(frozen=True)
class Strides:
    """Sums over some whole strides."""

    count: float
    time: float  # s
    advance: float  # m, along the heading
    drift: float  # m, to the left of the heading
    turn: float  # rad, to the left

    @property
    def step(self) -> float:
        """Mean length of a stride, m."""
        return self.advance / self.count

    @property
    def period(self) -> float:
        """Mean duration of a stride, s."""
        return self.time / self.count


class RunWindow:
    """Ticks of a run that are added one by one, after the state before the first."""

    def __init__(self, spec: RobotSpec, dt: float, before: Observation) -> None:
        self._spec = spec
        self._dt = dt
        self._states = [before]
        self.peak_torque = 0.0  # N m, of any motor
        self.peak_power = 0.0  # W, of any motor, driving or braking
        self.peak_speed = 0.0  # rad/s, of any motor
        self.work = 0.0  # J, of all motors while they drive
        self.least_forward_speed = math.inf  # m/s, of the base
        self.peak_force = 0.0  # N, normal, on any foot
        self.friction_used = 0.0  # largest ratio of tangential to normal force on a foot that sticks
        self.slip = 0.0  # m, of all feet
        self.friction_work = 0.0  # J, of all feet
        self._damping = np.array([joint.damping for joint in spec.actuated])  # N m s/rad, inside of the motors
        self._axes = 2 if "y" in spec.base_motion else 1  # the ground's plane, or its x alone

    def add(self, state: Observation) -> None:
        """Add the state after a tick."""
        self._states.append(state)
        motors = self._spec.actuated_indices
        efforts, rates = state.effort[motors], state.velocity[motors]
        powers = (efforts - self._damping * rates) * rates
        self.peak_torque = max(self.peak_torque, float(np.abs(efforts).max()))
        self.peak_power = max(self.peak_power, float(np.abs(powers).max()))
        self.peak_speed = max(self.peak_speed, float(np.abs(rates).max()))
        self.work += self._dt * float(powers.clip(0.0).sum())
        if state.base is not None:
            heading = Heading.of(state.base.quaternion) if "yaw" in self._spec.base_motion else WORLD_HEADING
            self.least_forward_speed = min(self.least_forward_speed, heading.forward(*state.base.linear[:2]))
        for contact in state.contacts:
            self._add_contact(contact)

    def _add_contact(self, contact: Contact) -> None:
        work = sum(contact.force[i] * contact.slip_velocity[i] for i in range(self._axes))
        self.friction_work -= self._dt * work
        normal = contact.force[2]
        self.peak_force = max(self.peak_force, normal)
        if contact.mode is ContactMode.STICK and normal > 0.0:
            self.friction_used = max(self.friction_used, math.hypot(*contact.force[: self._axes]) / normal)
        elif contact.mode is not ContactMode.OPEN:
            self.slip += self._dt * math.hypot(*contact.slip_velocity[: self._axes])

    @property
    def time(self) -> float:
        """s"""
        return (len(self._states) - 1) * self._dt

    @property
    def normal_forces(self) -> FloatArray:
        """N, (ticks, feet)."""
        return np.array([[contact.force[2] for contact in state.contacts] for state in self._states[1:]])

    @property
    def attitude(self) -> FloatArray:
        """Roll and pitch of the base, rad, and the cosine of its tilt, (ticks, 3)."""
        w, x, y, z = np.array([state.base.quaternion for state in self._states[1:] if state.base is not None]).T
        upright = 1.0 - 2.0 * (x * x + y * y)
        roll = np.arctan2(2.0 * (w * x + y * z), upright)
        pitch = np.arcsin(np.clip(2.0 * (w * y - z * x), -1.0, 1.0))
        return np.column_stack((roll, pitch, upright))

    def measure_footfall(self, gait: PeriodicMotion, periods: float) -> Footfall:
        """Measure the footfall beside what `gait` intends, in so many periods or between the events of a foot.

        Time counts from the gait's phase 0. Raises UserError where the contacts are unknown.
        """
        steps = Footsteps.of(self._spec, self._states)
        ends = steps.times[self._event_indices()]
        if self._spec.stride.event == "period":
            ends = np.linspace(steps.times[0], steps.times[-1], round(periods) + 1)
        return steps.measure_footfall(ends, intended_contacts(gait, steps.times))

    def measure_strides(self, periods: float) -> Strides | None:
        """Measure the window as so many periods of the gait, or from the first to the last event of the stride's foot.

        Returns None where there are not two events.
        """
        if self._spec.stride.event == "period":
            return self._strides_between(0, len(self._states) - 1, periods)
        indices = self._event_indices()
        return self._strides_between(indices[0], indices[-1], len(indices) - 1) if len(indices) > 1 else None

    def _event_indices(self) -> list[int]:
        stride = self._spec.stride
        if stride.event == "period":
            return []
        foot = self._spec.foot_names.index(stride.foot)
        down = np.array([state.contacts[foot].mode != ContactMode.OPEN for state in self._states])
        return stride_ends(np.linspace(0.0, self.time, len(down)), down, stride)

    def _strides_between(self, first: int, last: int, count: float) -> Strides:
        bases = [state.base for state in self._states[first : last + 1] if state.base is not None]
        yaw = np.zeros(len(bases))
        if "yaw" in self._spec.base_motion:
            yaw = np.unwrap([Heading.of(base.quaternion).yaw for base in bases])
        path = measure_ground_path([base.position[:2] for base in bases], yaw)
        return Strides(count, (last - first) * self._dt, path.forward, path.lateral, path.turn)
