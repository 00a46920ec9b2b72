"""The feet in a run or a recording, sample by sample, and the ends of its gait cycles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crawler_core.errors import UserError
from crawler_core.gait_metrics.footfall import BoolArray, Footfall, measure_footfall, stride_ends, whole_cycles
from crawler_core.gait_metrics.ground_path import GroundPath, measure_ground_path
from crawler_core.gait_metrics.heading import Heading
from crawler_core.robot.robot_spec import RobotSpec, StrideSpec
from crawler_core.types import ContactMode, FloatArray, Observation


@dataclass(frozen=True)
class Footsteps:
    """A row for each sample. A sample stands for the time since the one before."""

    feet: tuple[str, ...]
    times: FloatArray  # s, (n,)
    down: BoolArray  # (n, feet)
    forward: FloatArray  # N, of the ground on each foot along the heading, (n, feet); NaN where not known
    places: FloatArray  # m, of the base in the ground's plane, (n, 2); NaN where not known
    yaw: FloatArray  # rad, unwrapped, (n,); 0 of a base that cannot yaw

    @staticmethod
    def of(spec: RobotSpec, states: Sequence[Observation]) -> Footsteps:
        """Return the footsteps in a backend's states. Raises UserError where it has no contacts."""
        bases = [state.base for state in states if state.base is not None]
        known = bool(bases) and len(bases) == len(states)
        yaw, places = np.zeros(len(states)), np.full((len(states), 2), np.nan)
        if known:
            places = np.array([base.position[:2] for base in bases])
        if known and "yaw" in spec.base_motion:
            yaw = np.array([Heading.of(base.quaternion).yaw for base in bases])
        modes = np.array([[contact.mode for contact in state.contacts] for state in states])
        forces = np.array([[contact.force for contact in state.contacts] for state in states])
        times = np.array([state.time_ns for state in states]) * 1e-9
        return Footsteps.from_contacts(spec.foot_names, times, modes, forces, places, np.unwrap(yaw))

    @staticmethod
    def from_contacts(
        feet: Sequence[str],
        times: FloatArray,
        modes: np.ndarray,
        forces: FloatArray,
        places: FloatArray,
        yaw: FloatArray,
    ) -> Footsteps:
        """Return the footsteps by the modes (n, feet) and the forces (n, feet, 3, N) in the world.

        Raises UserError for a foot whose modes are unknown.
        """
        if modes.shape != (len(times), len(feet)) or (modes == ContactMode.UNKNOWN).all(axis=0).any():
            raise UserError(
                "the feet cannot be analysed: their contacts are unknown. Take a run on a backend that reports them."
            )
        down = (modes != ContactMode.OPEN) & (modes != ContactMode.UNKNOWN)
        forward = forces[..., 0] * np.cos(yaw)[:, np.newaxis]
        sine = np.sin(yaw)[:, np.newaxis]
        forward = np.where(sine == 0.0, forward, forward + forces[..., 1] * sine)
        return Footsteps(tuple(feet), times, down, forward, places, yaw)

    def cycle_ends(self, stride: StrideSpec, period: float, begin: float, start: float | None = None) -> FloatArray:
        """Return the ends of the cycles (s) from `begin` (s) on: every `period`, or at the stride's event.

        `start` (s) is a phase 0 of the gait, where it is known. Raises UserError for cycles shorter than a sample.
        """
        if stride.event == "period":
            first = begin if start is None else start + period * math.ceil((begin - start) / period - 1e-9)
            last = float(self.times[-1])
            if not last - first <= period * len(self.times):
                raise UserError(
                    f"the feet cannot be analysed: {len(self.times)} samples in {last - first:g} s are less than one "
                    f"in each cycle of {period:g} s. Take a recording whose stamps have no gaps."
                )
            return whole_cycles(first, last, period)
        ends = self.times[stride_ends(self.times, self.down[:, self.feet.index(stride.foot)], stride)]
        return ends[ends >= begin]

    def measure_footfall(self, cycle_ends: FloatArray, intended: BoolArray | None = None) -> Footfall:
        """Measure the cycles between the first and the last of `cycle_ends`. Raises UserError where there is none."""
        try:
            return measure_footfall(self.times, self.down, self.forward, cycle_ends, self.feet, intended)
        except ValueError as error:
            raise UserError(str(error)) from None

    def measure_ground_path(self, begin: float, end: float) -> GroundPath:
        """Measure the way of the base between two times (s)."""
        times = np.array([begin, *self.times[(self.times > begin) & (self.times < end)], end])
        x, y, yaw = (np.interp(times, self.times, values) for values in (*self.places.T, self.yaw))
        return measure_ground_path(np.column_stack((x, y)), yaw)
