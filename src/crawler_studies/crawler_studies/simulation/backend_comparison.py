"""The same run by several backends that know nothing of each other, and the instant at which they part."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crawler_core.errors import BackendFault
from crawler_core.gait_metrics.footfall import stride_ends
from crawler_core.gait_metrics.ground_path import ahead
from crawler_core.gait_metrics.heading import Heading
from crawler_core.loop.backend import Backend
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import ContactMode, FloatArray, Observation
from crawler_studies.simulation.control_loop import ControlLoop
from gait_generators.kinds.gait import Gait
from hybrid_controller.laws.law import Law

FINEST = 1.5e-4  # m, by which strides may differ however short they are
BRIEF = 0.02  # of a stride: contacts may differ for so long, since events fall between ticks
LATER = 0.5  # of a run, from where on its strides count as settled


@dataclass(frozen=True)
class BackendTrace:
    """What one backend made of the run, tick by tick."""

    backend: str
    times: FloatArray  # s
    forward: FloatArray  # m gone along the robot's heading
    modes: NDArray[np.int64]  # ContactMode of each foot, one column a foot
    cuts: FloatArray  # s, where one stride ends and the next begins
    ended: str = ""  # why it ended before its time; empty: it did not

    @property
    def strides(self) -> FloatArray:
        """The length of each, m."""
        return np.diff(np.interp(self.cuts, self.times, self.forward))

    @property
    def settled(self) -> tuple[float, float]:
        """The mean length (m) and the speed (m/s) of the strides in the later half; NaN where there are none."""
        cuts = self.cuts[self.cuts >= LATER * self.times[-1]]
        if len(cuts) < 2:
            return math.nan, math.nan
        begin, end = np.interp(cuts[[0, -1]], self.times, self.forward).tolist()
        return (end - begin) / (len(cuts) - 1), (end - begin) / float(cuts[-1] - cuts[0])


@dataclass(frozen=True)
class TraceComparison:
    """One backend's run beside the first one's."""

    agrees: bool  # whether the settled strides are as long
    off: float  # by how much, as a share of the first one's
    parted: float | None  # s, from when on a stride goes another way by more than is allowed; None: none does
    contact: str  # the first contact that differs, in words; empty: none does


def trace(
    spec: RobotSpec,
    gait: Gait,
    law: Law,
    backend: Backend,
    dt_ns: int,
    seconds: float,
    progress: Callable[[float], None],
) -> BackendTrace:
    """Run for so long; `progress` hears the time. Raises UserError or BackendFault where it cannot start."""
    states: list[Observation] = []
    ended = ""
    try:
        loop = ControlLoop(spec, gait, law, backend, dt_ns)
        states.append(loop.seen)
        for _ in range(math.ceil(seconds * 1e9 / dt_ns - 1e-6)):
            states.append(loop.tick())
            progress(states[-1].time_ns * 1e-9)
    except BackendFault as fault:
        if not states:
            raise
        ended = f"{fault}: {fault.remedy}"
    finally:
        backend.close()
    times = np.array([state.time_ns for state in states]) * 1e-9
    modes = np.array([[int(contact.mode) for contact in state.contacts] for state in states])
    return BackendTrace(backend.kind, times, _forward(spec, states), modes, _cuts(spec, gait, times, modes), ended)


def _forward(spec: RobotSpec, states: Sequence[Observation]) -> FloatArray:
    """The way along the heading: where the base cannot yaw, its x."""
    bases = [state.base for state in states if state.base is not None]
    yaws = "yaw" in spec.base_motion
    yaw = np.unwrap([Heading.of(base.quaternion).yaw for base in bases]) if yaws else np.zeros(len(bases))
    return ahead([base.position[:2] for base in bases], yaw)


def _cuts(spec: RobotSpec, gait: Gait, times: FloatArray, modes: NDArray[np.int64]) -> FloatArray:
    stride = spec.stride
    if stride.cut == "period":
        return np.arange(0.0, times[-1] + 1e-9, gait.period)
    down = modes[:, spec.foot_names.index(stride.foot)] != ContactMode.OPEN
    return times[stride_ends(times, down, stride)]


def compare(first: BackendTrace, other: BackendTrace, feet: Sequence[str], within: float) -> TraceComparison:
    """Whether `other` goes as `first` does; `within` is the share of a stride's way by which they may differ."""
    length, its_length = first.settled[0], other.settled[0]
    allowed = max(within * abs(length), FINEST)
    complete = not (first.ended or other.ended)
    agrees = complete and abs(its_length - length) <= allowed
    off = (its_length - length) / length if length else math.nan
    return TraceComparison(agrees, off, _parted(first, other, within), _contact(first, other, feet))


def _parted(first: BackendTrace, other: BackendTrace, within: float) -> float | None:
    """The first stride in which the ways since its beginning differ by more than is allowed, and when in it.

    Counted from each stride's own beginning in either run, so that what was lost before does not count again.
    """
    for (a, b), (c, d) in zip(itertools.pairwise(first.cuts), itertools.pairwise(other.cuts), strict=False):
        here = first.times[(first.times >= a) & (first.times <= b)]
        way = np.interp(here, first.times, first.forward) - np.interp(a, first.times, first.forward)
        there = c + (here - a) * (d - c) / (b - a)
        its_way = np.interp(there, other.times, other.forward) - np.interp(c, other.times, other.forward)
        apart = np.abs(its_way - way) > max(within * float(np.ptp(way)), FINEST)
        if apart.any():
            return float(here[np.argmax(apart)])
    if first.ended or other.ended:
        return float(min(first.times[-1], other.times[-1]))
    return None


def _contact(first: BackendTrace, other: BackendTrace, feet: Sequence[str]) -> str:
    """The first difference of a foot's mode that lasts, at the same time of both runs."""
    count = min(len(first.times), len(other.times))
    if count < 2 or len(first.cuts) < 2:
        return ""
    ticks = max(2, math.ceil(BRIEF * float(np.diff(first.cuts).mean()) / float(first.times[1] - first.times[0])))
    differ = first.modes[:count] != other.modes[:count]
    lasting = np.lib.stride_tricks.sliding_window_view(differ, min(ticks, count), axis=0).all(axis=-1)
    found = np.argwhere(lasting)
    if not len(found):
        return ""
    k, foot = found[0].tolist()
    one, two = (ContactMode(int(run.modes[k, foot])).name.lower() for run in (first, other))
    return f"{feet[foot]} at {first.times[k]:.3f} s: {one}, here {two}"
