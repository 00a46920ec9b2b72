"""When each foot is on the ground and which way the ground pushes it there, against what the gait meant.

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
PHASELESS = 0.02  # of 1, by which a foot's time on the ground leans to a phase: less is none


@dataclass(frozen=True)
class Footfall:
    """What the feet did in some whole cycles. Arrays have an entry for each foot."""

    feet: tuple[str, ...]
    time: float  # s that the cycles took
    cycles: int
    duty: FloatArray  # share of the time on the ground
    at_once: FloatArray  # share of the time with no foot on the ground, one, two, ... all of them
    forward: FloatArray  # N s that the ground gives a foot forward in a cycle; NaN where not known
    backward: FloatArray  # N s backward, positive
    backward_share: FloatArray  # share of the time in which it pushes backward; NaN likewise
    missed: FloatArray | None  # share of the time in which it is not where it is meant to be; None: nothing is meant
    phases: FloatArray  # by which fraction of a cycle mid-stance comes before its end; NaN where there is none
    nearest: NearestGait | None  # of four feet

    @property
    def period(self) -> float:
        """s of a cycle"""
        return self.time / self.cycles

    @property
    def feet_down(self) -> float:
        """On the ground in the mean."""
        return float(self.duty.sum())

    def at_least(self, count: int) -> float:
        """Share of the time with `count` feet or more on the ground."""
        return float(self.at_once[count:].sum())

    @property
    def drag(self) -> FloatArray:
        """Of each foot, the backward impulse as a share of all along the heading; NaN where there is none."""
        total = self.forward + self.backward
        return np.divide(self.backward, total, out=np.full(len(total), math.nan), where=total > 0.0)

    @property
    def drag_of_all(self) -> float:
        """Likewise of all feet."""
        forward, backward = float(self.forward.sum()), float(self.backward.sum())
        return backward / (forward + backward) if forward + backward > 0.0 else math.nan

    @property
    def numbers(self) -> dict[str, float]:
        """What studies keep of it, by the keys of a model's columns; of front and hind feet where there are four."""
        pairs = {"duty_front": self.duty[:2], "duty_hind": self.duty[2:]} if len(self.feet) == 4 else {}
        return {
            "mismatch": self.mismatch,
            "drag_share": self.drag_of_all,
            "pushed_back_share": float(self.backward_share.sum() / self.duty.sum()) if self.duty.any() else math.nan,
            "feet_down": self.feet_down,
            "three_down_share": self.at_least(3),
            **{key: float(duty.mean()) for key, duty in pairs.items()},
        }

    @property
    def mismatch(self) -> float:
        """Share of all feet's time in which they are not where they are meant to be; NaN where nothing is meant."""
        return math.nan if self.missed is None else float(self.missed.mean())


def measure_footfall(
    times: ArrayLike,
    down: ArrayLike,
    forward: ArrayLike,
    cuts: ArrayLike,
    feet: Sequence[str],
    intended: ArrayLike | None = None,
) -> Footfall:
    """What the `feet` did between the first and the last of `cuts` (s), where one cycle ends and the next begins.

    `times` (n, s) rise; `down` (n, feet) says whether a foot is on the ground, `forward` (n, feet, N) how the ground
    pushes it along the heading, `intended` (n, feet) whether it is meant to be down. Raises ValueError where there is
    no whole cycle within the times.
    """
    t, ends = np.asarray(times, dtype=float), np.asarray(cuts, dtype=float)
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
        at_once=np.array([weight @ (count == k) for k in range(len(feet) + 1)]) / time,
        forward=weight @ along.clip(min=0.0) / cycles,
        backward=weight @ (-along).clip(min=0.0) / cycles,
        backward_share=np.where(np.isnan(along).any(axis=0), math.nan, weight @ (here & (along < 0.0)) / time),
        missed=None if intended is None else weight @ (here != np.asarray(intended, dtype=bool)[inside]) / time,
        phases=phases,
        nearest=nearest_gait(phases.tolist(), duty),
    )


def whole_cycles(begin: float, end: float, period: float) -> FloatArray:
    """Where the whole cycles of `period` (s) within a time begin and end, the first at its beginning."""
    count = math.floor((end - begin) / period + 1e-9)
    return np.asarray(begin + period * np.arange(count + 1), dtype=float)


def stride_ends(times: FloatArray, down: BoolArray, stride: StrideSpec) -> list[int]:
    """Which samples end a stride that is cut by an event of a foot, given when that foot is `down` (n)."""
    wanted = stride.event == "touch_down"
    ends: list[int] = []
    for k in np.flatnonzero((down[1:] == wanted) & (down[:-1] != wanted)) + 1:
        if not ends or times[k] - times[ends[-1]] >= stride.min_interval - 1e-9:
            ends.append(int(k))
    return ends


def intended_contacts(motion: Motion, times: FloatArray) -> BoolArray | None:
    """Whether the motion means each foot to be down while samples at `times` (s) are taken, in the middle of the time
    that each stands for; None where it says nothing of feet."""
    meant = getattr(motion, "intended", None)
    if meant is None:
        return None
    middles = np.append(times[0], 0.5 * (times[1:] + times[:-1]))
    return np.asarray(meant(middles), dtype=bool)


def cycle_phase(cuts: FloatArray, times: FloatArray) -> FloatArray:
    """Fractions of the cycles that `times` lie in, 0 at each cut; NaN outside of all."""
    k = np.clip(np.searchsorted(cuts, times, side="right") - 1, 0, len(cuts) - 2)
    phase = (times - cuts[k]) / (cuts[k + 1] - cuts[k])
    return np.where((times >= cuts[0]) & (times <= cuts[-1]), phase, math.nan)


def mean_cycle(times: FloatArray, values: ArrayLike, cuts: FloatArray, bins: int) -> FloatArray:
    """The mean of `values` (n, ...) over all cycles, in so many equal parts of a cycle; NaN where a part has none."""
    phase = cycle_phase(cuts, times)
    inside = np.isfinite(phase)
    place = np.minimum((phase[inside] * bins).astype(int), bins - 1)
    chosen = np.asarray(values, dtype=float)[inside]
    total = np.zeros((bins, *chosen.shape[1:]))
    np.add.at(total, place, chosen)
    count = np.bincount(place, minlength=bins).astype(float).reshape(bins, *[1] * (chosen.ndim - 1))
    return np.divide(total, count, out=np.full(total.shape, math.nan), where=count > 0.0)


def _mid_stance(times: FloatArray, here: BoolArray, weight: FloatArray, cuts: FloatArray) -> FloatArray:
    """The phase round which each foot's time on the ground lies, as the fraction of a cycle that it is ahead."""
    circle = weight * np.exp(2j * np.pi * np.nan_to_num(cycle_phase(cuts, times)))
    centre, total = circle @ here, weight @ here
    lean = np.divide(np.abs(centre), total, out=np.zeros(len(total)), where=total > 0.0)
    return np.where(lean > PHASELESS, (-np.angle(centre) / (2.0 * np.pi)) % 1.0, math.nan)
