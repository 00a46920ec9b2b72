"""The same run on several backends that share no code: how far they agree, and where they first differ."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from crawler_core.errors import BackendFault
from crawler_core.gait_metrics.ground_path import forward_distances
from crawler_core.types import ContactMode, FloatArray, Observation
from crawler_studies.recordings.footsteps import Footsteps
from crawler_studies.simulation.robot import start_loop
from crawler_studies.study.study_case import StudyCase

LENGTH_TOLERANCE = 1.5e-4  # m, by which strides may differ however short they are
CONTACT_TOLERANCE = 0.02  # of a stride: contacts may differ for so long, since events fall between ticks
SETTLED_SHARE = 0.5  # of a run; its strides count as settled after it


@dataclass(frozen=True)
class BackendTrace:
    """A run on one backend, tick by tick."""

    backend: str
    times: FloatArray  # s
    forward: FloatArray  # m along the robot's heading, since the start
    modes: NDArray[np.int64]  # ContactMode of each foot, one column a foot
    stride_ends: FloatArray  # s
    ended: str = ""  # the fault that ended the run early

    @property
    def settled(self) -> tuple[float, float]:
        """Mean length (m) and speed (m/s) of the settled strides; NaN where there are none."""
        ends = self.stride_ends[self.stride_ends >= SETTLED_SHARE * self.times[-1]]
        if len(ends) < 2:
            return math.nan, math.nan
        first, last = np.interp(ends[[0, -1]], self.times, self.forward).tolist()
        return (last - first) / (len(ends) - 1), (last - first) / float(ends[-1] - ends[0])


@dataclass(frozen=True)
class BackendComparison:
    """One backend's run beside the first one's."""

    agrees: bool  # the settled strides are as long
    off: float  # difference of the settled strides, as a share of the first one's
    parted: float | None  # s, when a stride first differs by more than is allowed; None: none does
    contact: str  # the first contact that differs, in words; empty: none does


def run_backend(
    case: StudyCase, kind: str, rate: float, seconds: float, progress: Callable[[float], None]
) -> BackendTrace:
    """Run the backend `kind` at `rate` (Hz). `progress` takes the time (s) of each state.

    Raises UserError or BackendFault where the run cannot start.
    """
    states: list[Observation] = []
    ended = ""
    try:
        with start_loop(case, kind, {}, rate) as loop:
            for state in loop.run(math.ceil(seconds * 1e9 / loop.dt_ns - 1e-6)):
                states.append(state)
                progress(state.time_ns * 1e-9)
    except BackendFault as fault:
        if not states:
            raise
        ended = f"{fault}: {fault.remedy}"
    spec, gait = case.at({})
    steps = Footsteps.of(spec, states)
    modes = np.array([[int(contact.mode) for contact in state.contacts] for state in states])
    forward = forward_distances(steps.places, steps.yaw)
    return BackendTrace(kind, steps.times, forward, modes, steps.cycle_ends(spec.stride, gait.period, 0.0), ended)


def compare_traces(first: BackendTrace, other: BackendTrace, feet: Sequence[str], within: float) -> BackendComparison:
    """Compare `other` with `first`; `within` is the allowed difference as a share of a stride."""
    length, other_length = first.settled[0], other.settled[0]
    allowed = max(within * abs(length), LENGTH_TOLERANCE)
    complete = not (first.ended or other.ended)
    agrees = complete and abs(other_length - length) <= allowed
    off = (other_length - length) / length if length else math.nan
    return BackendComparison(agrees, off, _parting_time(first, other, within), _contact_difference(first, other, feet))


def _parting_time(first: BackendTrace, other: BackendTrace, within: float) -> float | None:
    """Return when the ways since the beginning of a stride first differ by more than is allowed, s.

    Each stride begins again in both runs, so that an earlier loss does not count again.
    """
    for (a, b), (c, d) in zip(pairwise(first.stride_ends), pairwise(other.stride_ends), strict=False):
        times = first.times[(first.times >= a) & (first.times <= b)]
        way = np.interp(times, first.times, first.forward) - np.interp(a, first.times, first.forward)
        other_times = c + (times - a) * (d - c) / (b - a)
        other_way = np.interp(other_times, other.times, other.forward) - np.interp(c, other.times, other.forward)
        differs = np.abs(other_way - way) > max(within * float(np.ptp(way)), LENGTH_TOLERANCE)
        if differs.any():
            return float(times[np.argmax(differs)])
    if first.ended or other.ended:
        return float(min(first.times[-1], other.times[-1]))
    return None


def _contact_difference(first: BackendTrace, other: BackendTrace, feet: Sequence[str]) -> str:
    """Describe the first difference of a foot's mode that lasts, at the same time of both runs."""
    count = min(len(first.times), len(other.times))
    if count < 2 or len(first.stride_ends) < 2:
        return ""
    tick, stride = float(first.times[1] - first.times[0]), float(np.diff(first.stride_ends).mean())
    ticks = max(2, math.ceil(CONTACT_TOLERANCE * stride / tick))
    differs = first.modes[:count] != other.modes[:count]
    lasting = np.lib.stride_tricks.sliding_window_view(differs, min(ticks, count), axis=0).all(axis=-1)
    found = np.argwhere(lasting)
    if not len(found):
        return ""
    k, foot = found[0].tolist()
    one, two = (ContactMode(int(run.modes[k, foot])).name.lower() for run in (first, other))
    return f"{feet[foot]} at {first.times[k]:.3f} s: {one}, here {two}"
