"""Setpoints for every tick from commands of any rate: a stream of setpoints, or a trajectory of points.

Times are the run's (ns), joints those of `RobotSpec.actuated`. A joint that a command leaves out (NaN) stays at its
last command. Efforts are not interpolated.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.safety.approach import BRAKING_SHARE, JointMotion
from crawler_core.types import FloatArray, JointCommand

SECOND_NS = 1_000_000_000
LAG_PERIODS = 1.5  # of a stream until a setpoint is reached, and a tick: the next one may be half a period late
MIN_BLEND_S = 1.0  # from standing to a stream of commands
BLEND_PEAK = 1.875  # the largest speed of a blend, in times its mean
SMOOTHING = 0.125  # share of the latest interval in the period of a stream
NEVER_NS = -(10**18)


@dataclass(frozen=True)
class CommandedTrajectory:
    """Points for some joints; NaN in all of a joint's positions leaves it where it is."""

    time_ns: NDArray[np.int64]  # from the start of the trajectory, increasing
    position: FloatArray  # rad, a row for each point
    velocity: FloatArray  # rad/s; NaN where none is given: then the joint moves evenly


class CommandInterpolator:
    """Interpolates the commands of one node.

    A setpoint that answers a state is reached at the end of the tick after that state, as a controller's is. Any other
    one is reached a tick and 1.5 periods of the stream after it was sent, so that messages may come unevenly, and is in
    force for the robot's `command_timeout`. A trajectory is in force until another command comes; it holds the joints
    at its end.
    """

    def __init__(self, spec: RobotSpec, dt_s: float) -> None:
        safety = spec.safety
        self._none = np.full(len(spec.actuated), math.nan)
        self._rules = _Rules(
            round(dt_s * SECOND_NS),
            round(safety.command_timeout * SECOND_NS),
            safety.approach_velocity,
            np.array([joint.velocity for joint in spec.actuated]),
            np.array([joint.acceleration for joint in spec.actuated]),
        )
        self._motion: _Stream | _TrajectoryMotion | None = None

    def clear(self) -> None:
        """Forget all commands."""
        self._motion = None

    def interval_s(self, now_ns: int) -> float:
        """Return the time since the last setpoint of a stream; infinity where there was none."""
        return self._motion.age_ns(now_ns) / SECOND_NS if isinstance(self._motion, _Stream) else math.inf

    def is_under_way(self, now_ns: int) -> bool:
        """Return whether a trajectory has not reached its end yet."""
        return isinstance(self._motion, _TrajectoryMotion) and now_ns < self._motion.end_ns

    def add_setpoints(
        self, now_ns: int, sent_ns: int, setpoints: JointCommand, held: FloatArray, *, is_answer: bool = False
    ) -> list[int]:
        """Take a command of a stream. Joints that were never commanded are `held` there.

        An answer was sent, by its stamp, at the time of its state. Return the joints that the command asks for more
        than their limits allow: they come to it gently.
        """
        stream = self._motion
        if isinstance(stream, _Stream) and 0 < stream.latest_ns - now_ns < self._rules.timeout_ns:
            now_ns = stream.latest_ns  # the run's time between two states is only nearly known
        if not isinstance(stream, _Stream) or now_ns < stream.latest_ns:
            start = held if stream is None else stream.at(now_ns)[0]
            stream = self._motion = _Stream(now_ns, start, self._none)
        return np.flatnonzero(stream.add(now_ns, sent_ns, setpoints, self._rules, is_answer)).tolist()

    def start_trajectory(self, now_ns: int, start_ns: int, trajectory: CommandedTrajectory, held: FloatArray) -> None:
        """Take a trajectory that begins at `start_ns`, from where the joints are commanded to be."""
        before = (held, np.zeros_like(held)) if self._motion is None else self._motion.at(now_ns)
        self._motion = _TrajectoryMotion(start_ns, trajectory, before)

    def sample(self, now_ns: int) -> tuple[JointCommand | None, float]:
        """Return the setpoints for the end of the tick that begins now, and their age (s). An answer counts once."""
        motion = self._motion
        if motion is None:
            return None, 0.0
        age_ns = motion.age_ns(now_ns)
        if age_ns > self._rules.timeout_ns or not motion.take():
            return None, age_ns / SECOND_NS
        effort = motion.effort_at(now_ns, self._rules.timeout_ns)
        return JointCommand(*motion.at(now_ns + self._rules.dt_ns), effort), age_ns / SECOND_NS


class _Rules(NamedTuple):
    dt_ns: int
    timeout_ns: int
    blend_speed: float  # rad/s
    velocity: FloatArray  # rad/s, the limits of the joints
    acceleration: FloatArray  # rad/s²


class _Stream:
    """Setpoints that come one by one: each joint moves to its latest command, from where it was when that came.

    A joint blends in, with continuous velocity, to its first command and to one that its limits do not allow.
    """

    def __init__(self, now_ns: int, held: FloatArray, none: FloatArray) -> None:
        count = len(held)
        self.latest_ns = now_ns  # when the latest command came
        self._is_answer = self._has_command = False
        self._effort = none
        self._came_ns = np.full(count, NEVER_NS)  # when each joint's latest command came
        self._sent_ns = np.full(count, NEVER_NS)  # when it was sent
        self._period_ns = np.zeros(count)  # between commands, smoothed; 0 where there was one alone
        self._start_ns = self._end_ns = np.full(count, now_ns)
        self._start = self._end = self._blend_from = held, np.zeros(count)
        self._blend_ns = np.full(count, now_ns)
        self._blend_s, self._brake_s = np.full(count, MIN_BLEND_S), np.zeros(count)

    def age_ns(self, now_ns: int) -> int:
        return max(0, now_ns - self.latest_ns)

    def take(self) -> bool:
        """Return whether there are setpoints for this tick: nobody knows where answers would go on."""
        had_command, self._has_command = self._has_command, self._has_command and not self._is_answer
        return had_command

    def add(
        self, now_ns: int, sent_ns: int, setpoints: JointCommand, rules: _Rules, is_answer: bool
    ) -> NDArray[np.bool_]:
        """Take a command. Return which joints it asks for more than their limits allow."""
        given, has_effort = np.isfinite(setpoints.position), np.isfinite(setpoints.effort)
        continues = given & (now_ns - self._came_ns <= rules.timeout_ns)
        interval_ns = sent_ns - self._sent_ns
        follows = continues & (interval_ns > 0)
        last_period_ns = np.where(self._period_ns > 0.0, self._period_ns, interval_ns)
        period_ns = np.where(follows, last_period_ns + SMOOTHING * (interval_ns - last_period_ns), self._period_ns)
        lag_ns = rules.dt_ns + (0.0 if is_answer else LAG_PERIODS) * np.where(continues, period_ns, 0.0)
        end_ns = np.maximum(sent_ns + lag_ns, now_ns + rules.dt_ns)
        implied = (setpoints.position - self._end[0]) / np.maximum(interval_ns, 1) * SECOND_NS
        unknown = math.nan if is_answer else 0.0
        velocity = np.where(follows, unknown if is_answer else implied, np.where(continues, self._end[1], unknown))
        velocity = np.where(np.isfinite(setpoints.velocity), setpoints.velocity, velocity)
        start = self._path_at(now_ns)
        start = start[0], np.nan_to_num(start[1])
        jumps = continues & _exceeds(start, (setpoints.position, velocity), (end_ns - now_ns) / SECOND_NS, rules)
        jumps &= not is_answer  # the supervisor approaches it
        begins = (given & ~continues) | jumps
        self._blend_in(now_ns, begins, setpoints.position, rules)
        velocity = np.where(jumps, 0.0, velocity)
        start = np.where(begins, setpoints.position, start[0]), np.where(begins, 0.0, start[1])
        self._start = np.where(given, start[0], self._start[0]), np.where(given, start[1], self._start[1])
        self._start_ns = np.where(given, now_ns, self._start_ns)
        self._end = np.where(given, setpoints.position, self._end[0]), np.where(given, velocity, self._end[1])
        self._end_ns = np.where(given, end_ns.astype(np.int64), self._end_ns)
        self._period_ns = np.where(given, np.where(continues, period_ns, 0.0), self._period_ns)
        self._effort = np.where(given | has_effort, setpoints.effort, self._effort)
        self._came_ns = np.where(given | has_effort, now_ns, self._came_ns)
        self._sent_ns = np.where(given | has_effort, sent_ns, self._sent_ns)
        self.latest_ns, self._is_answer, self._has_command = now_ns, is_answer, True
        return jumps

    def _blend_in(self, now_ns: int, begins: NDArray[np.bool_], position: FloatArray, rules: _Rules) -> None:
        """Let some joints blend from their motion of now to a path that begins at `position`."""
        if not begins.any():
            return
        now = self.at(now_ns)
        place, speed = np.where(begins, now[0], self._blend_from[0]), np.where(begins, now[1], self._blend_from[1])
        self._blend_from = place, np.nan_to_num(speed)
        self._blend_ns = np.where(begins, now_ns, self._blend_ns)
        far_s = BLEND_PEAK * np.abs(position - place) / rules.blend_speed
        self._blend_s = np.where(begins, np.maximum(far_s, MIN_BLEND_S), self._blend_s)
        brake_s = np.abs(self._blend_from[1]) / (BRAKING_SHARE * rules.acceleration)
        self._brake_s = np.where(begins, brake_s, self._brake_s)

    def effort_at(self, now_ns: int, timeout_ns: int) -> FloatArray:
        return np.where(now_ns - self._came_ns <= timeout_ns, self._effort, math.nan)

    def at(self, time_ns: int) -> JointMotion:
        position, velocity = self._path_at(time_ns)
        since_s = np.maximum(time_ns - self._blend_ns, 0) / SECOND_NS
        s = np.minimum(since_s / self._blend_s, 1.0)
        if (s == 1.0).all():
            return position, velocity
        share, change = s**3 * (10.0 - 15.0 * s + 6.0 * s**2), 30.0 * (s * (1.0 - s)) ** 2 / self._blend_s
        from_position, from_velocity = self._braking(since_s)
        away = position - from_position
        blended = from_position + share * away
        blended_velocity = from_velocity + share * (velocity - from_velocity) + change * away
        return np.where(s < 1.0, blended, position), np.where(s < 1.0, blended_velocity, velocity)

    def _braking(self, since_s: FloatArray) -> JointMotion:
        """Return where the motion from which the joints blend has come to: it brakes evenly."""
        (position, velocity), brake_s = self._blend_from, np.maximum(self._brake_s, 1e-9)
        t = np.minimum(since_s, self._brake_s)
        return position + velocity * t * (1.0 - 0.5 * t / brake_s), velocity * np.maximum(1.0 - since_s / brake_s, 0.0)

    def _path_at(self, time_ns: int) -> JointMotion:
        """Return the commanded motion; it stands still once it has come to the latest command."""
        span_s = np.maximum(self._end_ns - self._start_ns, 1) / SECOND_NS
        since_s = np.maximum(time_ns - self._start_ns, 0) / SECOND_NS
        mean = (self._end[0] - self._start[0]) / span_s
        end = self._end[0], np.where(np.isnan(self._end[1]), mean, self._end[1])  # answers need not have a velocity
        position, velocity = _cubic(self._start, end, span_s, since_s)
        is_there, is_over = time_ns >= self._end_ns, time_ns > self._end_ns
        position = np.where(is_there, self._end[0], position)
        velocity = np.where(is_there, self._end[1], velocity)
        return position, np.where(is_over, 0.0, velocity)


class _TrajectoryMotion:
    """A trajectory from the setpoints at its start."""

    def __init__(self, start_ns: int, trajectory: CommandedTrajectory, before: JointMotion) -> None:
        self._none = np.full(len(before[0]), math.nan)
        self.end_ns = start_ns + int(trajectory.time_ns[-1])
        left_out = np.isnan(trajectory.position)
        self._time_ns = np.concatenate(([start_ns], start_ns + trajectory.time_ns))
        self._position = np.vstack((before[0], np.where(left_out, before[0], trajectory.position)))
        self._velocity = np.vstack((before[1], np.where(left_out, 0.0, trajectory.velocity)))

    def age_ns(self, _now_ns: int) -> int:
        return 0

    def take(self) -> bool:
        return True

    def effort_at(self, _now_ns: int, _timeout_ns: int) -> FloatArray:
        return self._none

    def at(self, time_ns: int) -> JointMotion:
        if time_ns >= self.end_ns:
            return self._position[-1], np.zeros_like(self._none)
        if time_ns < self._time_ns[0]:
            return self._position[0], np.zeros_like(self._none)
        k = int(np.searchsorted(self._time_ns, time_ns, side="right")) - 1
        span_s = (self._time_ns[k + 1] - self._time_ns[k]) / SECOND_NS
        since_s = (time_ns - self._time_ns[k]) / SECOND_NS
        start, end = ((self._position[i], self._velocity[i]) for i in (k, k + 1))
        even = (end[0] - start[0]) / span_s
        is_even = np.isnan(start[1]) | np.isnan(end[1])
        position, velocity = _cubic(start, end, span_s, since_s)
        return np.where(is_even, start[0] + even * since_s, position), np.where(is_even, even, velocity)


def _exceeds(start: JointMotion, end: JointMotion, span_s: FloatArray, rules: _Rules) -> NDArray[np.bool_]:
    """Return for each joint whether a cubic between two ends takes more than its limits allow."""
    (p0, v0), (p1, v1) = start, end
    rise = (p1 - p0) / span_s
    begin, stop = (6.0 * rise - 4.0 * v0 - 2.0 * v1) / span_s, (4.0 * v1 + 2.0 * v0 - 6.0 * rise) / span_s
    speed = np.maximum(np.abs(rise), np.abs(v1))
    return (np.maximum(np.abs(begin), np.abs(stop)) > rules.acceleration) | (speed > rules.velocity)


def _cubic(start: JointMotion, end: JointMotion, span_s: Any, since_s: Any) -> JointMotion:
    """Return a cubic between two ends, `since_s` after the first, and its derivative."""
    (p0, v0), (p1, v1) = start, end
    s, rise = since_s / span_s, (p1 - p0) / span_s
    position = p0 + since_s * (v0 + s * (3.0 * rise - 2.0 * v0 - v1 + s * (v0 + v1 - 2.0 * rise)))
    return position, v0 + s * (2.0 * (3.0 * rise - 2.0 * v0 - v1) + 3.0 * s * (v0 + v1 - 2.0 * rise))
