"""The feet in a run or a recording, sample by sample, and where one cycle ends and the next begins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crawler_core.errors import UserError
from crawler_core.gait_metrics.footfall import BoolArray, Footfall, footfall, stride_ends, whole_cycles
from crawler_core.gait_metrics.ground_path import Way, way
from crawler_core.gait_metrics.heading import Heading
from crawler_core.robot.robot_spec import RobotSpec, StrideSpec
from crawler_core.types import ContactMode, FloatArray, Observation


@dataclass(frozen=True)
class Footsteps:
    """What was seen, a row for each sample. A sample stands for the time since the one before."""

    feet: tuple[str, ...]
    times: FloatArray  # s, (n,)
    down: BoolArray  # (n, feet)
    forward: FloatArray  # N, of the ground on each foot along the heading, (n, feet); NaN where not known
    places: FloatArray  # m, of the base in the ground's plane, (n, 2); NaN where not known
    yaw: FloatArray  # rad, unwrapped, (n,); 0 of a base that cannot yaw

    @staticmethod
    def of(spec: RobotSpec, seen: Sequence[Observation]) -> Footsteps:
        """Of what a backend told. Raises UserError where it knows nothing of the feet."""
        yaws = "yaw" in spec.base_motion
        bases = [one.base for one in seen if one.base is not None]
        if len(bases) != len(seen):
            bases = []
        yaw = np.array([Heading.of(base.quaternion).yaw for base in bases]) if bases and yaws else np.zeros(len(seen))
        modes = np.array([[contact.mode for contact in one.contacts] for one in seen])
        forces = np.array([[contact.force for contact in one.contacts] for one in seen])
        places = np.array([base.position[:2] for base in bases]) if bases else np.full((len(seen), 2), np.nan)
        times = np.array([one.time_ns for one in seen]) * 1e-9
        return Footsteps.read(spec.foot_names, times, modes, forces, places, np.unwrap(yaw))

    @staticmethod
    def read(
        feet: Sequence[str],
        times: FloatArray,
        modes: np.ndarray,
        forces: FloatArray,
        places: FloatArray,
        yaw: FloatArray,
    ) -> Footsteps:
        """From the modes (n, feet) and the forces (n, feet, 3, N) in the world. Raises UserError for unknown ones."""
        if modes.shape != (len(times), len(feet)) or (modes == ContactMode.UNKNOWN).all(axis=0).any():
            raise UserError(
                "nothing is known of the feet: whoever moved the robot did not tell which are on the ground."
            )
        down = (modes != ContactMode.OPEN) & (modes != ContactMode.UNKNOWN)
        forward = forces[..., 0] * np.cos(yaw)[:, np.newaxis]
        turned = np.sin(yaw)[:, np.newaxis]
        forward = np.where(turned == 0.0, forward, forward + forces[..., 1] * turned)
        return Footsteps(tuple(feet), times, down, forward, places, yaw)

    def cuts(self, stride: StrideSpec, period: float, begin: float, start: float | None = None) -> FloatArray:
        """Where cycles end, from `begin` (s) on: every `period`, or with an event of a foot, as the robot file says.

        `start` (s) is a phase 0 of the gait, where it is known.
        """
        if stride.cut == "period":
            first = begin if start is None else start + period * math.ceil((begin - start) / period - 1e-9)
            return whole_cycles(first, float(self.times[-1]), period)
        ends = self.times[stride_ends(self.times, self.down[:, self.feet.index(stride.foot)], stride)]
        return ends[ends >= begin]

    def footfall(self, cuts: FloatArray, intended: BoolArray | None = None) -> Footfall:
        """Between the first and the last of `cuts`. Raises UserError where there is no whole cycle."""
        try:
            return footfall(self.times, self.down, self.forward, cuts, self.feet, intended)
        except ValueError as error:
            raise UserError(str(error)) from None

    def way(self, begin: float, end: float) -> Way:
        """Of the base between two times (s)."""
        times = np.array([begin, *self.times[(self.times > begin) & (self.times < end)], end])
        x, y, yaw = (np.interp(times, self.times, values) for values in (*self.places.T, self.yaw))
        return way(np.column_stack((x, y)), yaw)
