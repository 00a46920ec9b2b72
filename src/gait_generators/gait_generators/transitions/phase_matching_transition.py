"""Going into a gait whose joints turn for ever: by a change of their pace, which overshoots nothing.

A mean of two motions that run away from each other is faster than both. Here each turning joint goes on as it was until
the moment from which a smooth change of pace, and nothing else, brings it into the gait's phase.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from crawler_core.motion import Motion, Sample, ease
from crawler_core.types import FloatArray
from gait_generators.kinds.gait import Gait
from gait_generators.transitions.blend import Blend
from gait_generators.transitions.phase_shifted_gait import PhaseShiftedGait

TURN = 2.0 * np.pi
SEARCH = 720  # moments of a turn between which the right one is looked for
HALVINGS = 60  # of such a moment, far below the rounding of an angle


@dataclass(frozen=True)
class PhaseMatchingTransition:
    """`old`, then `new` at a pace that rises from the old one to its own within `duration` of `begins`, joint by joint.

    Joints that do not turn go over in a plain blend.
    """

    old: Motion
    new: PhaseShiftedGait
    start: float  # s
    duration: float  # s of each joint's change of pace
    joints: tuple[int, ...]  # those that turn
    begins: tuple[float, ...]  # s, when each of them begins to change its pace
    pace: tuple[float, ...]  # of the gait's own that it had before

    @property
    def end(self) -> float:
        """When `old` is left behind, s."""
        return max(self.start, *self.begins) + self.duration

    def sample(self, t: Any) -> Sample:
        at = np.asarray(t, dtype=float)
        position, velocity, acceleration = (
            np.array(values) for values in Blend(self.old, self.new, self.start, self.duration).sample(at)
        )
        before, after = self.old.sample(at), self.new.sample(at)
        for j, begin, pace in zip(self.joints, self.begins, self.pace, strict=True):
            inner, rate, change = _inner(at, begin, self.duration, pace)
            q, dq, ddq = (values[..., j] for values in self.new.sample(inner))
            waiting, done = at <= begin, at >= begin + self.duration
            for values, between, old, new in (
                (position, q, before.position, after.position),
                (velocity, dq * rate, before.velocity, after.velocity),
                (acceleration, ddq * rate**2 + dq * change, before.acceleration, after.acceleration),
            ):
                values[..., j] = np.where(waiting, old[..., j], np.where(done, new[..., j], between))
        return Sample(position, velocity, acceleration)


def turning_joints(gait: Gait) -> tuple[int, ...]:
    """The joints that a period of the gait takes round."""
    gained = gait.sample(gait.period).position - gait.sample(0.0).position
    return tuple(np.flatnonzero(np.abs(gained) > 0.5 * TURN).tolist())


def match_phases(
    old: Motion, new: PhaseShiftedGait, start: float, duration: float, joints: tuple[int, ...], longest: float
) -> PhaseMatchingTransition | None:
    """The blend of `joints` that takes `duration` for a change of pace.

    None where there is none: a joint whose old motion neither rests nor is even, as its new one is, or that would have
    to wait longer than `longest` (s) for its phase.
    """
    begins, paces, turns = [], [], new.turns.copy()
    for j in joints:
        found = _begin(old, new, start, duration, j, longest)
        if found is None:
            return None
        begin, pace, apart = found
        begins.append(begin)
        paces.append(pace)
        turns[j] -= TURN * np.round(apart / TURN)
    placed = PhaseShiftedGait(new.gait, new.start, turns)
    return PhaseMatchingTransition(old, placed, start, duration, joints, tuple(begins), tuple(paces))


def _begin(
    old: Motion, new: PhaseShiftedGait, start: float, duration: float, j: int, longest: float
) -> tuple[float, float, float] | None:
    """When joint j begins, its pace until then, and by how many rad the gait is ahead of it at that moment."""
    times = start + np.linspace(0.0, new.gait.period, SEARCH)
    speed = old.sample(times).velocity[..., j]
    fastest = new.sample(times).velocity[..., j]
    resting = not speed.any()
    if not resting and (np.ptp(speed) > 0.0 or np.ptp(fastest) > 0.0):
        return None
    pace = 0.0 if resting else float(speed[0] / fastest[0])
    lag = 0.5 * (1.0 - pace) * duration  # s that the change of pace loses

    def apart(when: Any) -> FloatArray:
        at = np.asarray(when, dtype=float)
        return np.asarray(new.sample(at + lag).position[..., j] - old.sample(at).position[..., j])

    # the gait meets the joint once in the time in which the one turns round as seen from the other
    window = new.gait.period / abs(1.0 - pace) if pace != 1.0 else 0.0
    if window > longest:
        return None
    moments = start + window * np.linspace(0.0, 1.0, SEARCH + 1)
    turned = apart(moments) / TURN
    near = np.abs(turned - np.round(turned)) < 1e-12
    if near[0]:
        return start, pace, float(apart(start))
    crossings = np.flatnonzero(np.floor(turned[1:]) != np.floor(turned[:-1]))
    if not len(crossings):
        return None
    low, high = float(moments[crossings[0]]), float(moments[crossings[0] + 1])
    level = max(np.floor(turned[crossings[0]]), np.floor(turned[crossings[0] + 1])) * TURN
    rising = bool(apart(high) > apart(low))
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if bool(apart(middle) < level) is rising:
            low = middle
        else:
            high = middle
    return high, pace, float(apart(high))


def _inner(at: FloatArray, begin: float, duration: float, pace: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The new motion's own time, how fast that goes, and how fast that changes, while it rises from `pace` to 1."""
    x = np.clip((at - begin) / duration, 0.0, 1.0)
    lacking = 1.0 - pace
    rise, slope, _ = ease(x, lacking)
    # with the integral of the quintic, which is a half at the end
    inner = begin + duration * (0.5 * lacking + pace * x + lacking * x**4 * (2.5 - 3.0 * x + x**2))
    return inner, pace + rise, slope / duration
