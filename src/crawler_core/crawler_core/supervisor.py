"""The safety supervisor: decides every tick what the joints are really told, and when they are told nothing more.

It is a plain state machine over observations and commands, the same for every backend, and knows neither ROS nor time
beyond the ticks it is given. Whatever it does to a command is counted and explained in `report`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from crawler_core.errors import BackendFault
from crawler_core.limits import JointLimits, approach, brake, limit_command
from crawler_core.robot import RobotSpec
from crawler_core.types import FloatArray, JointCommand, Observation


class Motion(Enum):
    """Whether the joints may move."""

    DISABLED = "disabled"  # not enabled yet, or disabled on request: no torque
    ACTIVE = "active"  # commands are followed
    HOLDING = "holding"  # commands are late: the joints are kept where they are
    RELAXED = "relaxed"  # commands stayed away: no torque, motion needs enable
    ESTOPPED = "e-stopped"  # latched: motion needs reset, then enable
    FAULTED = "faulted"  # latched: motion needs reset, then enable


ABRUPT = 0.5  # of a joint's acceleration limit: a command that asks more of the first tick is approached
COAST = 0.02  # s that the joints go on as they were without a command: a late one should not shake the robot
LATCHED = (Motion.ESTOPPED, Motion.FAULTED)


@dataclass
class Report:
    """Counters since the start, and the latest sentence for each kind of event."""

    clamped: int = 0
    refused: int = 0
    late: int = 0
    last_clamp: str = ""
    last_refusal: str = ""
    fault: str = ""
    remedy: str = ""
    joint: str = ""


class Supervisor:
    """Guards one robot. The caller asks `decide` once a tick; None means: take the torque off."""

    def __init__(self, spec: RobotSpec, dt: float) -> None:
        self.motion = Motion.DISABLED
        self.report = Report()
        self._spec = spec
        self._dt = dt
        self._limits = JointLimits.of(spec)
        self._indices = np.array(spec.actuated_indices, dtype=int)
        self._no_effort = np.full(len(spec.actuated), np.nan)
        self._position: FloatArray = np.array([joint.home for joint in spec.actuated])
        self._velocity: FloatArray = np.zeros(len(spec.actuated))
        self._acceleration: FloatArray = np.zeros(len(spec.actuated))
        self._approaching = np.ones(len(spec.actuated), dtype=bool)  # joints that are still far from their command
        self._asked: FloatArray | None = None  # the last command of an approach
        self._commanded = False  # a first command has come since enable
        self._silent = 0  # ticks since the last command
        self._coast_for = round(COAST / dt)
        self._hold_after = round(spec.safety.command_timeout / dt)
        self._relax_after = round(spec.safety.relax_after / dt)
        self._seen = -1  # ns, the stamp of the last observation
        self._stale = 0  # ticks for which it has been the same
        self._astray = np.zeros(len(spec.actuated))  # s for which each joint has been away from its setpoint

    @property
    def at_rest(self) -> bool:
        """Whether the setpoints stand still."""
        return not self._velocity.any()

    def enable(self, observation: Observation) -> None:
        """Allow motion, starting from the measured pose. Raises BackendFault while a stop is latched."""
        if self.motion in LATCHED:
            raise BackendFault(f"the robot is {self.motion.value}", remedy="call the reset service, then enable")
        measured = observation.position[self._indices]
        if not np.isfinite(measured).all():
            raise BackendFault("the joint angles are not known", remedy="check that every joint reports its angle")
        self._position = measured.copy()
        self._velocity = np.zeros_like(measured)
        self._acceleration = np.zeros_like(measured)
        self._approach()
        self._commanded = False
        self._silent = 0
        self._astray[:] = 0.0
        self._stale = 0
        self.motion = Motion.ACTIVE

    def disable(self) -> None:
        """Stop on request; a latched stop stays latched."""
        if self.motion not in LATCHED:
            self.motion = Motion.DISABLED

    def estop(self) -> None:
        """Emergency stop: latches until `reset`."""
        self.motion = Motion.ESTOPPED
        self.report.fault = "the emergency stop was pressed"
        self.report.remedy = "make sure that it is safe, then call reset and enable"
        self.report.joint = ""

    def fault(self, fault: BackendFault) -> None:
        """A fault on one joint or on the bus latches all joints. What follows from the first does not replace it."""
        if self.motion is Motion.FAULTED:
            return
        if self.motion is not Motion.ESTOPPED:
            self.motion = Motion.FAULTED
        self.report.fault = str(fault)
        self.report.remedy = fault.remedy or "remove the cause, then call reset and enable"
        self.report.joint = fault.joint

    def not_relaxed(self, fault: BackendFault) -> None:
        """The torque of a joint could not be taken off: a fault, said beside the one that it follows from."""
        if self.motion not in LATCHED:
            self.fault(fault)
        elif str(fault) not in self.report.fault:
            self.report.fault = f"{self.report.fault}; besides, {fault}"
            self.report.remedy = f"{fault.remedy}; {self.report.remedy}"
            self.report.joint = self.report.joint or fault.joint

    def reset(self) -> None:
        """Clear a latched stop. Motion still needs `enable`."""
        if self.motion in LATCHED:
            self.motion = Motion.DISABLED
        self.report.fault = self.report.remedy = self.report.joint = ""

    def refuse(self, reason: str) -> None:
        """Note a command that could not be used; its tick counts as one without a command."""
        self.report.refused += 1
        self.report.last_refusal = reason

    def decide(self, observation: Observation, command: JointCommand | None) -> JointCommand | None:
        """What the joints shall have reached at the end of this tick, or None to take the torque off."""
        if self.motion in (Motion.ACTIVE, Motion.HOLDING):
            self._watch(observation)
        if self.motion not in (Motion.ACTIVE, Motion.HOLDING):
            return None
        if command is not None and not np.isfinite(command.position).all():
            names = [j.name for j, p in zip(self._spec.actuated, command.position, strict=True) if not np.isfinite(p)]
            self.refuse(f"the position of {', '.join(names)} is not a finite number")
            command = None
        return self._without_command() if command is None else self._follow(command)

    def rest(self) -> JointCommand:
        """One tick of bringing the joints to rest, whatever was commanded."""
        self._position, self._velocity = brake(self._position, self._velocity, self._limits, self._dt)
        return JointCommand(self._position, self._velocity, self._no_effort)

    def _follow(self, command: JointCommand) -> JointCommand:
        if self.motion is Motion.HOLDING:
            self.motion = Motion.ACTIVE
            self._approach()
        self._commanded = True
        self._silent = 0
        near, speed = command, self._limits.velocity
        if self._approaching.any():
            near, speed = self._nearer(command)
        safe, changed = limit_command(near, self._position, self._limits, speed, self._dt)
        if changed or near is not command:
            self._note_clamp(command, safe)
        self._acceleration = (safe.velocity - self._velocity) / self._dt
        self._position, self._velocity = safe.position, safe.velocity
        return safe

    def _nearer(self, command: JointCommand) -> tuple[JointCommand, FloatArray]:
        """The command for joints that have come up with theirs, something gentle for the others; the speed allowed."""
        asked, self._asked = self._asked, command.position
        moved = np.zeros_like(command.position) if asked is None else (command.position - asked) / self._dt
        rate = np.where(np.isfinite(command.velocity), command.velocity, moved)
        before = command.position - rate * self._dt  # where the command comes from
        most = ABRUPT * self._limits.acceleration * self._dt
        speed = np.minimum(self._limits.velocity, np.abs(rate) + self._spec.safety.approach_velocity)
        caught = (
            (np.abs(self._position - before) <= most * self._dt)
            & (np.abs(self._velocity - rate) <= most)
            & (np.abs(self._position - command.position) <= speed * self._dt)
        )
        approaching = self._approaching = self._approaching & ~caught
        if not approaching.any():
            return command, self._limits.velocity
        position, velocity = approach(
            self._position,
            self._velocity,
            (before, rate),
            (command.position, rate),
            self._limits,
            self._spec.safety.approach_velocity,
            self._dt,
        )
        near = JointCommand(
            np.where(approaching, position, command.position),
            np.where(approaching, velocity, command.velocity),
            command.effort,
        )
        return near, np.where(approaching, speed, self._limits.velocity)

    def _without_command(self) -> JointCommand | None:
        if self._commanded:
            self.report.late += 1
            self._silent += 1
            if self._silent > self._hold_after:
                self.motion = Motion.HOLDING
            if self._silent > self._relax_after and self._spec.safety.on_exit != "hold":
                self.motion = Motion.RELAXED
                return None
            if self._silent <= self._coast_for:
                return self._coast()
        return self.rest()

    def _coast(self) -> JointCommand:
        velocity = self._velocity + self._acceleration * self._dt
        onward = JointCommand(self._position + 0.5 * (self._velocity + velocity) * self._dt, velocity, self._no_effort)
        safe, _ = limit_command(onward, self._position, self._limits, self._limits.velocity, self._dt)
        self._position, self._velocity = safe.position, safe.velocity
        return safe

    def _approach(self) -> None:
        self._approaching = np.ones_like(self._approaching)
        self._asked = None

    def _note_clamp(self, wanted: JointCommand, safe: JointCommand) -> None:
        # being brought to a far command slowly is the plan, not a violation
        cut = (wanted.position != safe.position) & ~self._approaching
        cut |= np.abs(wanted.velocity) > self._limits.velocity
        outside = (wanted.position < self._limits.lower) | (wanted.position > self._limits.upper)
        cut |= outside
        if not cut.any():
            return
        self.report.clamped += 1
        i = int(np.argmax(cut))
        joint = self._spec.actuated[i]
        if outside[i]:
            self.report.last_clamp = (
                f"{joint.name} was commanded to {np.degrees(wanted.position[i]):.1f} degrees, outside "
                f"{np.degrees(joint.lower):.1f} to {np.degrees(joint.upper):.1f}"
            )
        else:
            self.report.last_clamp = f"{joint.name} was commanded faster than {joint.velocity:g} rad/s"

    def _watch(self, observation: Observation) -> None:
        """Latch a fault when a joint's angle is unknown, old, or stays away from its setpoint."""
        self._stale = self._stale + 1 if observation.time_ns == self._seen else 0
        self._seen = observation.time_ns
        if self._stale > self._hold_after:
            self.fault(
                BackendFault(
                    "the device reports nothing new: its states have stopped",
                    remedy="check the device, its cable and its power",
                )
            )
            return
        measured = observation.position[self._indices]
        error = np.abs(measured - self._position)
        if not np.isfinite(error).all():
            name = self._spec.actuated_names[int(np.argmax(~np.isfinite(error)))]
            self.fault(
                BackendFault(f"the angle of {name} is not a number", remedy=f"check the sensor of {name}", joint=name)
            )
            return
        away = error > self._spec.safety.tracking_tolerance
        if not away.any():
            self._astray[:] = 0.0
            return
        self._astray = np.where(away, self._astray + self._dt, 0.0)
        if (self._astray > self._spec.safety.tracking_time).any():
            i = int(np.argmax(self._astray))
            name = self._spec.actuated_names[i]
            self.fault(
                BackendFault(
                    f"{name} does not follow: it is {np.degrees(error[i]):.0f} degrees away from its setpoint",
                    remedy=f"check that {name} is free to move, powered and not overloaded",
                    joint=name,
                )
            )
