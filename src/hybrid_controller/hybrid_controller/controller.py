"""The controller without ROS: returns the setpoints for each state, with or without a reference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import Contact, SensorReading
from crawler_models.estimation.base_motion import BaseMotion
from hybrid_controller.estimation.foot_events import FootEvents
from hybrid_controller.laws.law import Law, Measured, Setpoint
from hybrid_controller.reference.horizon import ReferencePoint
from hybrid_controller.reference.reference_buffer import ReferenceBuffer
from hybrid_controller.reference.setpoint_ramp import SetpointRamp


class Status(IntEnum):
    """State of the controller; the values are those of crawler_interfaces/ControllerState."""

    WAITING = 0
    TRACKING = 1
    STOPPING = 2
    STOPPED = 3


class ControlOutput(NamedTuple):
    """Setpoint for one state, and the reference that it follows."""

    setpoint: Setpoint
    now: ReferencePoint | None = None  # at the start of the tick; None without a reference
    ahead: ReferencePoint | None = None  # at its end


class Controller:
    """Follows the newest horizon. Without one it ramps the joints to rest; a new one is approached smoothly.

    Effort-driven joints get the law's effort whenever there is a reference, and none otherwise.
    """

    def __init__(self, spec: RobotSpec, law: Law, dt_ns: int) -> None:
        self.law = law
        self.reference = ReferenceBuffer(spec, dt_ns)
        self.status = Status.WAITING
        self.approaching = False  # the setpoints have not reached the reference yet
        self.law_in_force = False  # the law alone made the last setpoints
        self.state_invalid = False  # the last state had a number that is not finite
        self._spec = spec
        self._dt = dt_ns * 1e-9
        self._effort_driven = [i for i, joint in enumerate(spec.actuated) if joint.is_effort_driven]
        self._none_saturated = [False] * len(spec.actuated)
        self._no_effort = [math.nan] * len(spec.actuated) if self._effort_driven else []
        self._read_sensors = {sensor.name for sensor in spec.sensors if sensor.kind in law.reads_sensors}
        self._foot_events = FootEvents()
        self._ramp: SetpointRamp | None = None  # set while the setpoints do not come from the law alone
        self._last: Setpoint | None = None

    def restart(self) -> None:
        """Reset everything but the newest horizon: time went back."""
        self.status = Status.WAITING
        self.approaching = False
        self.law.restart()
        self._foot_events = FootEvents()
        self.reference.restart()
        self._ramp = self._last = None

    def reset_reference(self) -> None:
        """Reset everything, the reference too: motion is not enabled any more, and the next horizon starts afresh."""
        self.restart()
        self.reference.clear()

    def hold_measured(self, position: list[float]) -> ControlOutput | None:
        """Return setpoints that hold the measured joints, while motion is not enabled.

        The reference is reset: motion continues from here with the next horizon. Returns None as long as no state had
        finite angles.
        """
        if self._last is None or not self.reference.is_empty:
            self.reset_reference()
        if math.isfinite(sum(position)):
            self._last = Setpoint(list(position), [0.0] * len(position), self._none_saturated, self._no_effort)
        self._ramp, self.law_in_force, self.status = None, False, Status.STOPPED
        return None if self._last is None else ControlOutput(self._last)

    def step(
        self,
        time_ns: int,
        position: list[float],
        velocity: list[float],
        contacts: Sequence[Contact] = (),
        odometry: Sequence[BaseMotion] = (),
        readings: Sequence[SensorReading] = (),
    ) -> ControlOutput | None:
        """Return the setpoints for a state; None as long as there has been no reference.

        `readings` are those of all sensors: the law gets the kinds that it reads. A state with a number that is not
        finite brings the joints to rest.
        """
        self.law_in_force = False
        self.state_invalid = not math.isfinite(sum(position) + sum(velocity))
        events = () if self.state_invalid else self._foot_events.update(contacts)
        read = [one for one in readings if one.sensor in self._read_sensors] if self._read_sensors else ()
        measured = Measured(time_ns, position, velocity, contacts, odometry, events, read)
        if not self.state_invalid:
            self.law.observe(measured)
        if self.state_invalid or not self.reference.covers_tick(time_ns):
            return None if self._last is None else self._stop(self._last)
        now, ahead, jumps = self.reference.tick_points(time_ns)
        if self._last is None:
            self._ramp = SetpointRamp(self._spec, self._dt, position, [0.0] * len(position))
        elif jumps and self._ramp is None:
            self._ramp = SetpointRamp(self._spec, self._dt, self._last.position, self._last.velocity)
        self.status = Status.TRACKING
        self.approaching = self._ramp is not None and not self._ramp.has_converged(now)
        if self._ramp is not None and self.approaching:
            self._last = self._approach(self._ramp, measured, now, ahead)
        else:
            self._ramp = None
            self.law_in_force = True
            self._last = self._compute_law(measured, now, ahead)
        return ControlOutput(self._last, now, ahead)

    def _compute_law(self, measured: Measured, now: ReferencePoint, ahead: ReferencePoint) -> Setpoint:
        commanded = self._last or Setpoint(measured.position, measured.velocity, self._none_saturated)
        return self.law.compute(measured, commanded, now, ahead)

    def _approach(self, ramp: SetpointRamp, measured: Measured, now: ReferencePoint, ahead: ReferencePoint) -> Setpoint:
        """Return the ramp's setpoints, and the law's for effort-driven joints."""
        ramp.approach(now, ahead)
        position, velocity = ramp.setpoint
        if not self._effort_driven:
            return Setpoint(position, velocity, self._none_saturated)
        law, saturated = self._compute_law(measured, now, ahead), list(self._none_saturated)
        for i in self._effort_driven:
            position[i], velocity[i], saturated[i] = law.position[i], law.velocity[i], law.saturated[i]
        return Setpoint(position, velocity, saturated, law.effort)

    def _stop(self, last: Setpoint) -> ControlOutput:
        """Take one tick of bringing the joints to rest."""
        if self._ramp is None:
            self._ramp = SetpointRamp(self._spec, self._dt, last.position, last.velocity)
        self.approaching = False
        self._ramp.brake()
        self.status = Status.STOPPED if self._ramp.at_rest else Status.STOPPING
        self._last = Setpoint(*self._ramp.setpoint, self._none_saturated, self._no_effort)
        return ControlOutput(self._last)
