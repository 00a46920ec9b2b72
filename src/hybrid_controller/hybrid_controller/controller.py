"""The controller without ROS: what is answered to each state, whatever comes or stays away."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import Contact
from hybrid_controller.estimation.foot_events import FootEvents
from hybrid_controller.laws.law import BaseMotion, Law, Measured, Setpoint
from hybrid_controller.reference.horizon import Horizon, ReferencePoint
from hybrid_controller.reference.setpoint_ramp import SetpointRamp

ODOMETRY_DELAY = 20_000_000  # ns after its stamp that odometry is used, so that in lockstep its arrival is no chance


class Status(IntEnum):
    """What the controller does; the values are those of crawler_interfaces/ControllerState."""

    WAITING = 0
    TRACKING = 1
    STOPPING = 2
    STOPPED = 3


class ControlOutput(NamedTuple):
    """The answer to one state."""

    setpoint: Setpoint
    now: ReferencePoint | None  # the reference, where there is one
    ahead: ReferencePoint | None


class Controller:
    """Follows the newest horizon. Without one it brings the joints to rest; with a new one it catches up smoothly.

    Joints that are driven by effort get the law's whenever there is a horizon, and none otherwise.
    """

    def __init__(self, spec: RobotSpec, law: Law, dt_ns: int) -> None:
        self.law = law
        self.status = Status.WAITING
        self.approaching = False
        self.in_force = False  # the law itself made the last answer
        self.state_invalid = False  # the last state had a number that is not finite
        self._spec = spec
        self._dt_ns = dt_ns
        self._dt = dt_ns * 1e-9
        self._by_effort = [i for i, joint in enumerate(spec.actuated) if joint.is_effort_driven]
        self._reach = [math.inf if joint.is_effort_driven else joint.velocity * self._dt for joint in spec.actuated]
        self._free = [False] * len(spec.actuated)
        self._no_effort = [math.nan] * len(spec.actuated) if self._by_effort else []
        self._events = FootEvents()
        self._newest: Horizon | None = None
        self._used: Horizon | None = None  # the one that the last answer came from
        self._glide: SetpointRamp | None = None  # set while the setpoints do not come from the law
        self._last: Setpoint | None = None

    def take(self, horizon: Horizon) -> None:
        """A new horizon."""
        self._newest = horizon

    def restart(self) -> None:
        """Forget everything but the newest horizon: time has gone back."""
        self.status = Status.WAITING
        self.approaching = False
        self.law.restart()
        self._events = FootEvents()
        self._used = self._glide = self._last = None

    def reset_reference(self) -> None:
        """Motion is not allowed any more: what was planned and told is over, and a next horizon begins anew."""
        self.restart()
        self._newest = None

    def hold_measured(self, position: list[float]) -> ControlOutput | None:
        """The answer to a state while motion is not allowed: the joints stay where they are measured.

        Whatever was planned is forgotten: after it the joints go on from there, with the next horizon. None where
        their angles have never been known.
        """
        if self._newest is not None or self._last is None:
            self.reset_reference()
        if math.isfinite(sum(position)):
            self._last = Setpoint(list(position), [0.0] * len(position), self._free, self._no_effort)
        self._glide, self.in_force, self.status = None, False, Status.STOPPED
        return None if self._last is None else ControlOutput(self._last, None, None)

    def has_reference(self, time_ns: int) -> bool:
        """Whether the tick that begins now has a reference from its start to its end."""
        horizon = self._newest
        return horizon is not None and horizon.begin_ns <= time_ns and time_ns + self._dt_ns < horizon.end_ns

    def horizon_remaining(self, time_ns: int) -> float:
        """Seconds of reference still in hand."""
        return 0.0 if self._newest is None else max(0.0, (self._newest.end_ns - time_ns) * 1e-9)

    def step(
        self,
        time_ns: int,
        position: list[float],
        velocity: list[float],
        contacts: Sequence[Contact] = (),
        odometry: Sequence[BaseMotion] = (),
    ) -> ControlOutput | None:
        """The answer to a state; None while there has been no reference and hence nothing to do.

        A state with a number that is not finite is not acted upon: the joints are brought to rest.
        """
        self.in_force = False
        self.state_invalid = not math.isfinite(sum(position) + sum(velocity))
        events = () if self.state_invalid else self._events.update(contacts)
        measured = Measured(time_ns, position, velocity, contacts, odometry, events)
        if not self.state_invalid:
            self.law.observe(measured)
        if self.state_invalid or not self.has_reference(time_ns):
            return None if self._last is None else self._stop()
        horizon = self._newest
        assert horizon is not None
        now, ahead = horizon.at(time_ns), horizon.at(time_ns + self._dt_ns)
        if horizon is not self._used:
            self._change_horizon(horizon, time_ns, now, position)
        self.status = Status.TRACKING
        if self._glide is not None:
            if not self._glide.converged(now):
                self.approaching = True
                self._glide.approach(now, ahead)
                self._last = self._gliding(self._glide, measured, now, ahead)
                return ControlOutput(self._last, now, ahead)
            self.approaching = False
            self._glide = None
        self.in_force = True
        self._last = self._ask(measured, now, ahead)
        return ControlOutput(self._last, now, ahead)

    def _ask(self, measured: Measured, now: ReferencePoint, ahead: ReferencePoint) -> Setpoint:
        commanded = self._last or Setpoint(measured.position, measured.velocity, self._free)
        return self.law.compute(measured, commanded, now, ahead)

    def _gliding(self, glide: SetpointRamp, measured: Measured, now: ReferencePoint, ahead: ReferencePoint) -> Setpoint:
        position, velocity = glide.setpoint
        if not self._by_effort:
            return Setpoint(position, velocity, self._free)
        lawful, saturated = self._ask(measured, now, ahead), list(self._free)
        for i in self._by_effort:
            position[i], velocity[i], saturated[i] = lawful.position[i], lawful.velocity[i], lawful.saturated[i]
        return Setpoint(position, velocity, saturated, lawful.effort)

    def _change_horizon(self, horizon: Horizon, time_ns: int, now: ReferencePoint, position: list[float]) -> None:
        """Approach the first horizon from the measured pose, and one that jumps from where the joints are."""
        used, self._used = self._used, horizon
        if self._last is None:
            self._glide = self._glide_from(position, [0.0] * len(position))
        elif self._glide is None and (used is None or not used.covers(time_ns) or self._jumps(used.at(time_ns), now)):
            self._glide = self._glide_from(self._last.position, self._last.velocity)

    def _jumps(self, before: ReferencePoint, after: ReferencePoint) -> bool:
        pairs = zip(before.position, after.position, self._reach, strict=True)
        return any(abs(b - a) > reach for a, b, reach in pairs)

    def _stop(self) -> ControlOutput:
        if self._glide is None:
            assert self._last is not None
            self._glide = self._glide_from(self._last.position, self._last.velocity)
        self.approaching = False
        self._glide.brake()
        self.status = Status.STOPPED if self._glide.at_rest else Status.STOPPING
        self._last = Setpoint(*self._glide.setpoint, self._free, self._no_effort)
        return ControlOutput(self._last, None, None)

    def _glide_from(self, position: list[float], velocity: list[float]) -> SetpointRamp:
        return SetpointRamp(self._spec, self._dt, position, velocity)
