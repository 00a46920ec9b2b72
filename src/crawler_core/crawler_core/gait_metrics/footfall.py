"""Footfall: contact times and impulses of the feet over whole cycles, compared with the gait's intended contacts.

A sample stands for the time since the one before it, as the forces of a backend do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crawler_core.gait_metrics.classical_gaits import NearestGait, nearest_gait
from crawler_core.motion import Motion
from crawler_core.robot.robot_spec import StrideSpec
from crawler_core.types import FloatArray

BoolArray = NDArray[np.bool_]
MIN_PHASE_CONCENTRATION = 0.02  # of 1: a foot whose contacts are spread more evenly over the cycle has no phase


@dataclass(frozen=True)
class Footfall:
    """The footfall over some whole cycles. Arrays have an entry for each foot."""

    feet: tuple[str, ...]
    time: float  # s, of all cycles
    cycles: int
    duty: FloatArray  # share of the time on the ground
    feet_down_shares: FloatArray  # share of the time with no foot on the ground, one, two, ... all of them
    forward: FloatArray  # N s, forward impulse of the ground on a foot in a cycle; NaN where unknown
    backward: FloatArray  # N s, backward, positive
    backward_share: FloatArray  # share of the time in which the ground pushes it backward; NaN where unknown
    mismatch_shares: FloatArray | None  # share of the time in which contact and intention differ; None: no intention
    phases: FloatArray  # fraction of a cycle by which mid-stance comes before its end; NaN where there is none
    nearest: NearestGait | None  # for four feet

    @property
    def period(self) -> float:
        """The time of a cycle (s)."""
        return self.time / self.cycles

    @property
    def feet_down(self) -> float:
        """The mean number of feet on the ground."""
        return float(self.duty.sum())

    def share_with_at_least(self, count: int) -> float:
        """Return the share of the time with `count` feet or more on the ground."""
        return float(self.feet_down_shares[count:].sum())

    @property
    def drag(self) -> FloatArray:
        """The share of backward impulse in all impulse along the heading, for each foot; NaN without impulse."""
        total = self.forward + self.backward
        return np.divide(self.backward, total, out=np.full(len(total), math.nan), where=total > 0.0)

    @property
    def total_drag(self) -> float:
        """The same share for all feet together."""
        forward, backward = float(self.forward.sum()), float(self.backward.sum())
        return backward / (forward + backward) if forward + backward > 0.0 else math.nan

    @property
    def numbers(self) -> dict[str, float]:
        """The values for studies, by the keys of a model's columns; four feet also give front and hind duty."""
        pairs = {"duty_front": self.duty[:2], "duty_hind": self.duty[2:]} if len(self.feet) == 4 else {}
        return {
            "mismatch": self.mismatch,
            "drag_share": self.total_drag,
            "pushed_back_share": float(self.backward_share.sum() / self.duty.sum()) if self.duty.any() else math.nan,
            "feet_down": self.feet_down,
            "three_down_share": self.share_with_at_least(3),
            **{key: float(duty.mean()) for key, duty in pairs.items()},
        }

    @property
    def mismatch(self) -> float:
        """The share of all feet's time in which contact and intention differ; NaN without intention."""
        return math.nan if self.mismatch_shares is None else float(self.mismatch_shares.mean())


def measure_footfall(
    times: ArrayLike,
    down: ArrayLike,
    forward: ArrayLike,
    cycle_ends: ArrayLike,
    feet: Sequence[str],
    intended: ArrayLike | None = None,
) -> Footfall:
    """Return the footfall between the first and the last of `cycle_ends` (s), the ends of the cycles.

    `times` (n, s) rise. `down` (n, feet) is contact with the ground, `forward` (n, feet, N) the ground's force along
    the heading, `intended` (n, feet) the contact that the gait intends. Raise ValueError where the times contain no
    whole cycle.
    """
    t, ends = np.asarray(times, dtype=float), np.asarray(cycle_ends, dtype=float)
    if len(ends) < 2 or len(t) < 2 or ends[-1] > t[-1] + 1e-9 or ends[0] < t[0] - 1e-9:
        raise ValueError("there is no whole cycle of the gait within these times.")
    weight = np.append(0.0, np.diff(np.clip(t, ends[0], ends[-1])))
    inside = weight > 0.0
    weight, t = weight[inside], t[inside]
    time, cycles = float(weight.sum()), len(ends) - 1
    here = np.asarray(down, dtype=bool)[inside]
    along = np.asarray(forward, dtype=float)[inside]
    along = np.where(np.isnan(along) & ~here, 0.0, along)  # in the air it is known
    count = here.sum(axis=1)
    duty = weight @ here / time
    phases = _mid_stance(t, here, weight, ends)
    return Footfall(
        feet=tuple(feet),
        time=time,
        cycles=cycles,
        duty=duty,
        feet_down_shares=np.array([weight @ (count == k) for k in range(len(feet) + 1)]) / time,
        forward=weight @ along.clip(min=0.0) / cycles,
        backward=weight @ (-along).clip(min=0.0) / cycles,
        backward_share=np.where(np.isnan(along).any(axis=0), math.nan, weight @ (here & (along < 0.0)) / time),
        mismatch_shares=None
        if intended is None
        else weight @ (here != np.asarray(intended, dtype=bool)[inside]) / time,
        phases=phases,
        nearest=nearest_gait(phases.tolist(), duty),
    )


def whole_cycles(begin: float, end: float, period: float) -> FloatArray:
    """Return the ends (s) of the whole cycles of `period` (s) within a time; the first begins with it."""
    count = math.floor((end - begin) / period + 1e-9)
    return np.asarray(begin + period * np.arange(count + 1), dtype=float)


def stride_ends(times: FloatArray, down: BoolArray, stride: StrideSpec) -> list[int]:
    """Return the samples that end a stride by an event of a foot, given when that foot is `down` (n)."""
    wanted = stride.event == "touch_down"
    ends: list[int] = []
    for k in np.flatnonzero((down[1:] == wanted) & (down[:-1] != wanted)) + 1:
        if not ends or times[k] - times[ends[-1]] >= stride.min_interval - 1e-9:
            ends.append(int(k))
    return ends


def intended_contacts(motion: Motion, times: FloatArray) -> BoolArray | None:
    """Return the contacts that a motion intends at samples at `times` (s), in the middle of the time of each sample.

    None for a motion without intended contacts.
    """
    meant = getattr(motion, "intended", None)
    if meant is None:
        return None
    middles = np.append(times[0], 0.5 * (times[1:] + times[:-1]))
    return np.asarray(meant(middles), dtype=bool)


def cycle_phase(cycle_ends: FloatArray, times: FloatArray) -> FloatArray:
    """Return the phases of `times` in their cycles, from 0 to 1; NaN outside of all cycles."""
    k = np.clip(np.searchsorted(cycle_ends, times, side="right") - 1, 0, len(cycle_ends) - 2)
    phase = (times - cycle_ends[k]) / (cycle_ends[k + 1] - cycle_ends[k])
    return np.where((times >= cycle_ends[0]) & (times <= cycle_ends[-1]), phase, math.nan)


def mean_cycle(times: FloatArray, values: ArrayLike, cycle_ends: FloatArray, bins: int) -> FloatArray:
    """Return the mean of `values` (n, ...) over all cycles, in `bins` equal parts of a cycle; NaN in an empty part."""
    phase = cycle_phase(cycle_ends, times)
    inside = np.isfinite(phase)
    place = np.minimum((phase[inside] * bins).astype(int), bins - 1)
    chosen = np.asarray(values, dtype=float)[inside]
    total = np.zeros((bins, *chosen.shape[1:]))
    np.add.at(total, place, chosen)
    count = np.bincount(place, minlength=bins).astype(float).reshape(bins, *[1] * (chosen.ndim - 1))
    return np.divide(total, count, out=np.full(total.shape, math.nan), where=count > 0.0)


def _mid_stance(times: FloatArray, here: BoolArray, weight: FloatArray, cycle_ends: FloatArray) -> FloatArray:
    """Return the phase around which the contacts of each foot lie, as the fraction of a cycle that it is ahead."""
    circle = weight * np.exp(2j * np.pi * np.nan_to_num(cycle_phase(cycle_ends, times)))
    centre, total = circle @ here, weight @ here
    lean = np.divide(np.abs(centre), total, out=np.zeros(len(total)), where=total > 0.0)
    return np.where(lean > MIN_PHASE_CONCENTRATION, (-np.angle(centre) / (2.0 * np.pi)) % 1.0, math.nan)
