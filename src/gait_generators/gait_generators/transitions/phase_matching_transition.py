"""Transition into a gait with continuously turning joints, by a change of their pace that does not overshoot.

A weighted mean of two motions that drift apart is faster than both. Here each turning joint continues its old motion
until the moment from which a smooth change of pace alone brings it into the gait's phase.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from crawler_core.motion import Motion, Sample, ease
from crawler_core.types import FloatArray
from gait_generators.kinds.gait import Gait
from gait_generators.transitions.blend import Blend
from gait_generators.transitions.phase_shifted_gait import PhaseShiftedGait

TURN_RAD = 2.0 * np.pi
SEARCH_STEPS = 720  # a turn, between which the crossing is bracketed
BISECTIONS = 60  # of such a step, far below the rounding of an angle


@dataclass(frozen=True)
class PhaseMatchingTransition:
    """`old`, then `new` at a pace that changes from the old one to 1 within `duration` of `begins`, joint by joint.

    Joints that do not turn blend.
    """

    old: Motion
    new: PhaseShiftedGait
    start: float  # s
    duration: float  # s of each joint's change of pace
    joints: tuple[int, ...]  # the turning ones
    begins: tuple[float, ...]  # s, at which each of them starts to change its pace
    pace: tuple[float, ...]  # before that, as a share of the gait's own

    @property
    def end(self) -> float:
        """Return the time (s) from which on the motion is `new`."""
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
    """Return the joints that make a turn within a period of the gait."""
    gained = gait.sample(gait.period).position - gait.sample(0.0).position
    return tuple(np.flatnonzero(np.abs(gained) > 0.5 * TURN_RAD).tolist())


def match_phases(
    old: Motion, new: PhaseShiftedGait, start: float, duration: float, joints: tuple[int, ...], max_wait: float
) -> PhaseMatchingTransition | None:
    """Return the transition in which each of `joints` takes `duration` for its change of pace.

    Returns None if a joint's old motion neither rests nor has a constant rate like its new one, or if a joint would
    wait longer than `max_wait` (s) for its phase.
    """
    begins, paces, turns = [], [], new.turns.copy()
    for j in joints:
        found = _match_joint(old, new, start, duration, j, max_wait)
        if found is None:
            return None
        begin, pace, lead = found
        begins.append(begin)
        paces.append(pace)
        turns[j] -= TURN_RAD * np.round(lead / TURN_RAD)
    shifted = PhaseShiftedGait(new.gait, new.start, turns)
    return PhaseMatchingTransition(old, shifted, start, duration, joints, tuple(begins), tuple(paces))


def _match_joint(
    old: Motion, new: PhaseShiftedGait, start: float, duration: float, j: int, max_wait: float
) -> tuple[float, float, float] | None:
    """Return when joint j starts to change its pace, its pace until then, and the gait's lead (rad) at that moment."""
    pace = _pace_before(old, new, start, j)
    if pace is None:
        return None
    lag = 0.5 * (1.0 - pace) * duration  # s that the change of pace loses

    def lead(when: Any) -> FloatArray:
        at = np.asarray(when, dtype=float)
        return np.asarray(new.sample(at + lag).position[..., j] - old.sample(at).position[..., j])

    # the gait passes the joint once in the time in which one makes a turn relative to the other
    window = new.gait.period / abs(1.0 - pace) if pace != 1.0 else 0.0
    if window > max_wait:
        return None
    begin = _first_whole_turn(lead, start, window)
    return None if begin is None else (begin, pace, float(lead(begin)))


def _pace_before(old: Motion, new: PhaseShiftedGait, start: float, j: int) -> float | None:
    """Return the rate of joint j in `old`, as a share of its rate in `new`; None where one of the rates varies."""
    times = start + np.linspace(0.0, new.gait.period, SEARCH_STEPS)
    old_rate = old.sample(times).velocity[..., j]
    new_rate = new.sample(times).velocity[..., j]
    if not old_rate.any():
        return 0.0
    if np.ptp(old_rate) > 0.0 or np.ptp(new_rate) > 0.0:
        return None
    return float(old_rate[0] / new_rate[0])


def _first_whole_turn(lead: Callable[[Any], FloatArray], start: float, window: float) -> float | None:
    """Return the first time (s) from `start` within `window` at which `lead` (rad) is a whole number of turns."""
    times = start + window * np.linspace(0.0, 1.0, SEARCH_STEPS + 1)
    turns = lead(times) / TURN_RAD
    if abs(turns[0] - np.round(turns[0])) < 1e-12:
        return start
    crossings = np.flatnonzero(np.floor(turns[1:]) != np.floor(turns[:-1]))
    if not len(crossings):
        return None
    k = crossings[0]
    low, high = float(times[k]), float(times[k + 1])
    level = max(np.floor(turns[k]), np.floor(turns[k + 1])) * TURN_RAD
    rising = bool(lead(high) > lead(low))
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        if bool(lead(middle) < level) is rising:
            low = middle
        else:
            high = middle
    return high


def _inner(at: FloatArray, begin: float, duration: float, pace: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the new motion's own time, its pace and the change of its pace, while the pace goes from `pace` to 1."""
    x = np.clip((at - begin) / duration, 0.0, 1.0)
    missing = 1.0 - pace
    rise, slope, _ = ease(x, missing)
    # with the integral of the quintic, which is a half at the end
    inner = begin + duration * (0.5 * missing + pace * x + missing * x**4 * (2.5 - 3.0 * x + x**2))
    return inner, pace + rise, slope / duration
