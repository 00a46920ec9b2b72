"""The safety supervisor: limits every command once per tick and decides when to disable torque.

A plain state machine over observations and commands, the same for every backend, without ROS. Its `report` counts and
explains each change to a command.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from crawler_core.errors import BackendFault
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.safety.joint_efforts import JointEfforts
from crawler_core.safety.joint_setpoints import JointSetpoints, LimitedSetpoints
from crawler_core.safety.state_monitor import StateMonitor
from crawler_core.types import FloatArray, JointCommand, Observation


class MotionState(Enum):
    """The state of motion of the robot."""

    DISABLED = "disabled"  # not enabled yet, or disabled on request: no torque
    ACTIVE = "active"  # commands are followed
    HOLDING = "holding"  # commands are late: the joints hold their position
    RELAXED = "relaxed"  # commands stayed away: no torque, motion needs enable
    ESTOPPED = "e-stopped"  # latched: motion needs reset, then enable
    FAULTED = "faulted"  # latched: motion needs reset, then enable


HOLDOVER_S = 0.02  # without a command, in which the joints coast: a late one should not shake the robot
REST_SPEED = 0.05  # rad/s: an effort-driven joint that is slower is at rest
MAX_ANGLE = 1e9  # rad: beyond it the digits of a float do not tell one tick from the next
LATCHED_STATES = (MotionState.ESTOPPED, MotionState.FAULTED)
MOVING_STATES = (MotionState.ACTIVE, MotionState.HOLDING)


@dataclass
class SupervisorReport:
    """Counters since the start, and the latest sentence of each kind."""

    clamped: int = 0
    rejected: int = 0
    late: int = 0
    last_clamp: str = ""
    last_rejection: str = ""
    fault: str = ""
    remedy: str = ""
    joint: str = ""


class Supervisor:
    """Guards one robot. The caller asks `decide` once per tick; None means: take the torque off."""

    def __init__(self, spec: RobotSpec, dt: float) -> None:
        self.motion = MotionState.DISABLED
        self.report = SupervisorReport()
        self._spec = spec
        self._dt = dt
        # places among the actuated joints: position-driven ones have setpoints, effort-driven ones efforts
        self._position_joints = [k for k, joint in enumerate(spec.actuated) if not joint.is_effort_driven]
        self._effort_joints = [k for k, joint in enumerate(spec.actuated) if joint.is_effort_driven]
        self._effort_limits = [(k, spec.actuated[k].effort) for k in self._position_joints if spec.actuated[k].effort]
        joints = [spec.actuated[k] for k in self._position_joints]
        self._setpoints = JointSetpoints(joints, spec.safety.approach_velocity, dt)
        self._efforts = JointEfforts([spec.actuated[k] for k in self._effort_joints])
        self._monitor = StateMonitor(spec, dt)
        self._last_efforts: list[float] = []  # N·m, of the effort-driven joints
        self._is_commanded = False  # a first command has come since enable
        self._command_age = 0.0  # s since the last command, or since enable
        self._first_timeout = 0.0  # s that the first command may take until the torque goes off

    def set_angle_steps(self, steps: Sequence[float]) -> None:
        """Take the steps (rad) in which the devices of the actuated joints measure their angles."""
        self._monitor.plausibility.set_angle_steps(steps)

    @property
    def has_effort_joints(self) -> bool:
        return bool(self._effort_joints)

    @property
    def setpoints(self) -> FloatArray:
        """Where each actuated joint is held or moved to (rad); NaN for effort-driven ones."""
        position = np.full(len(self._spec.actuated), math.nan)
        position[self._position_joints] = self._setpoints.position
        return position

    def at_rest(self, observation: Observation) -> bool:
        """Return True if the setpoints stand still, and every effort-driven joint with idle damping does."""
        _, speeds = self._measured(observation)
        rows = zip(self._efforts.joints, speeds, strict=True)
        return self._setpoints.at_rest and not any(j.idle_damping > 0.0 and abs(v) > REST_SPEED for j, v in rows)

    def enable(self, observation: Observation, patience: float = 0.0) -> None:
        """Allow motion from the measured positions and velocities; nothing changes where it is allowed already.

        Without a first command the joints are held there. After `relax_after`, or `patience` (s) if that is longer, the
        torque goes off. Raise BackendFault while a stop is latched.
        """
        if self.motion in MOVING_STATES:
            return
        if self.motion in LATCHED_STATES:
            raise BackendFault(f"the robot is {self.motion.value}", remedy="call the reset service, then enable")
        angles = [float(observation.position[i]) for i in self._spec.actuated_indices]
        speeds = [float(observation.velocity[i]) for i in self._spec.actuated_indices]
        if not all(map(math.isfinite, angles)):
            raise BackendFault("the joint angles are not known", remedy="check that every joint reports its angle")
        self._setpoints.start([angles[k] for k in self._position_joints], [speeds[k] for k in self._position_joints])
        self._monitor.reset()
        self._last_efforts = []
        self._is_commanded = False
        self._command_age = 0.0
        self._first_timeout = max(patience, self._spec.safety.relax_after)
        self.motion = MotionState.ACTIVE

    def disable(self) -> None:
        """Stop on request; a latched stop stays latched."""
        if self.motion not in LATCHED_STATES:
            self.motion = MotionState.DISABLED

    def estop(self) -> None:
        """Latch an emergency stop until `reset`."""
        self.motion = MotionState.ESTOPPED
        self.report.fault = "the emergency stop was pressed"
        self.report.remedy = "make sure that it is safe, then call reset and enable"
        self.report.joint = ""

    def fault(self, fault: BackendFault) -> None:
        """Latch a fault for all joints. A later one, which may follow from the first, does not replace it."""
        if self.motion is MotionState.FAULTED:
            return
        if self.motion is not MotionState.ESTOPPED:
            self.motion = MotionState.FAULTED
        self.report.fault = str(fault)
        self.report.remedy = fault.remedy or "remove the cause, then call reset and enable"
        self.report.joint = fault.joint

    def torque_off_failed(self, fault: BackendFault) -> None:
        """Report that the torque of a joint could not be taken off, beside the fault that is latched already."""
        if self.motion not in LATCHED_STATES:
            self.fault(fault)
        elif str(fault) not in self.report.fault:
            self.report.fault = f"{self.report.fault}; also, {fault}"
            self.report.remedy = f"{fault.remedy}; {self.report.remedy}"
            self.report.joint = self.report.joint or fault.joint

    def reset(self) -> None:
        """Clear a latched stop. Motion still needs `enable`."""
        if self.motion in LATCHED_STATES:
            self.motion = MotionState.DISABLED
        self.report.fault = self.report.remedy = self.report.joint = ""

    def reject(self, reason: str) -> None:
        """Count a command that cannot be used; its tick counts as one without a command."""
        self.report.rejected += 1
        self.report.last_rejection = reason

    def report_clamp(self, reason: str) -> None:
        """Count a command that was limited on its way here."""
        self.report.clamped += 1
        self.report.last_clamp = reason

    @property
    def timeout_reason(self) -> str:
        """The reason why the joints are held or without torque, and what to do; empty otherwise."""
        if self.motion not in (MotionState.HOLDING, MotionState.RELAXED):
            return ""
        if self._is_commanded:
            cause, remedy = "commands stopped coming", "check the controller"
        else:
            cause, remedy = "no command has come since motion was enabled", "start the controller"
        if self.motion is MotionState.RELAXED:
            return f"{cause}, so the torque is off: {remedy}, then call enable"
        return f"{cause}, so the joints are held: {remedy}"

    def decide(
        self, observation: Observation, command: JointCommand | None, elapsed: float | None = None, age: float = 0.0
    ) -> JointCommand | None:
        """Return the setpoints for the end of this tick, or None to take the torque off.

        Effort-driven joints get an effort for this tick, and no position or velocity (NaN). Timeouts count `elapsed`,
        the time since the tick before (s), where that is not one tick, from the `age` (s) of the latest command on.
        """
        if self.motion not in MOVING_STATES:
            return None
        elapsed = self._dt if elapsed is None else elapsed
        try:
            self._monitor.check(observation, self._setpoints.position, self._last_efforts, command is not None, elapsed)
        except BackendFault as fault:
            self.fault(fault)
            return None
        if command is None or not self._is_usable(command):
            return self._continue_without_command(observation, elapsed)
        return self._limit(observation, command, age)

    def rest(self, observation: Observation) -> JointCommand:
        """Take one tick of bringing the joints to rest, whatever was commanded."""
        return self._with_idle_efforts(self._setpoints.brake(), observation)

    def _is_usable(self, command: JointCommand) -> bool:
        """Reject a command with numbers that cannot be meant."""
        names, position = self._spec.actuated_names, command.position.tolist()
        bad = [k for k in self._position_joints if not abs(position[k]) <= MAX_ANGLE]
        if bad:
            is_known = all(math.isfinite(position[k]) for k in self._position_joints)
            allowed = "an angle" if is_known else "a finite number"
            self.reject(f"the position of {', '.join(names[k] for k in bad)} is not {allowed}")
            return False
        infinite = [name for name, effort in zip(names, command.effort.tolist(), strict=True) if math.isinf(effort)]
        if infinite:
            self.reject(f"the effort of {', '.join(infinite)} is infinite")
        return not infinite

    def _limit(self, observation: Observation, command: JointCommand, age: float) -> JointCommand:
        """Limit a usable command, and count and explain where it changes."""
        self.motion = MotionState.ACTIVE
        self._is_commanded = True
        self._command_age = age
        position, velocity, effort = command.position.tolist(), command.velocity.tolist(), command.effort.tolist()
        reasons = [self._limit_efforts_beside_positions(effort)]
        if self._effort_joints:
            k = self._position_joints
            limited = self._setpoints.follow([position[i] for i in k], [velocity[i] for i in k])
            efforts, reason = self._efforts.limit(
                [effort[i] for i in self._effort_joints], *self._measured(observation)
            )
            reasons = [limited.reason, *reasons, reason]
            safe = self._assemble(limited, [effort[i] for i in k], efforts)
        else:
            limited = self._setpoints.follow(position, velocity)
            reasons = [limited.reason, *reasons]
            is_same = limited.position is position and limited.velocity is velocity and not any(reasons)
            safe = command if is_same else self._assemble(limited, effort, [])
        if any(reasons):
            self.report.clamped += 1
            self.report.last_clamp = next(filter(None, reasons))
        return safe

    def _limit_efforts_beside_positions(self, effort: list[float]) -> str:
        """Limit, in place, efforts that come beside positions, and return why the first changes.

        A joint without an effort limit in its robot file (0) has that of its device.
        """
        reason = ""
        for k, limit in self._effort_limits:
            if abs(effort[k]) > limit:
                name = self._spec.actuated_names[k]
                reason = reason or (
                    f"{name} was commanded {effort[k]:.3g} N m beside its position, its limit is {limit:g} N m"
                )
                effort[k] = min(max(effort[k], -limit), limit)
        return reason

    def _with_idle_efforts(self, limited: LimitedSetpoints, observation: Observation) -> JointCommand:
        """Return setpoints without commanded efforts: effort-driven joints are braked by their idle damping."""
        none = [math.nan] * len(self._position_joints)
        return self._assemble(limited, none, self._efforts.brake(*self._measured(observation)))

    def _measured(self, observation: Observation) -> tuple[list[float], list[float]]:
        """Return position and velocity of the effort-driven joints."""
        indices = [self._spec.actuated_indices[k] for k in self._effort_joints]
        return [float(observation.position[i]) for i in indices], [float(observation.velocity[i]) for i in indices]

    def _assemble(self, limited: LimitedSetpoints, beside: list[float], efforts: list[float]) -> JointCommand:
        """Return the command for all joints: setpoints and the efforts beside them, and efforts of effort joints."""
        if not self._effort_joints:
            return JointCommand(np.array(limited.position), np.array(limited.velocity), np.array(beside))
        count = len(self._spec.actuated)
        position, velocity, effort = [math.nan] * count, [math.nan] * count, [math.nan] * count
        for k, q, v, feedforward in zip(self._position_joints, limited.position, limited.velocity, beside, strict=True):
            position[k], velocity[k], effort[k] = q, v, feedforward
        for k, value in zip(self._effort_joints, efforts, strict=True):
            effort[k] = value
        self._last_efforts = efforts
        return JointCommand(np.array(position), np.array(velocity), np.array(effort))

    def _continue_without_command(self, observation: Observation, elapsed: float) -> JointCommand | None:
        """Coast over a single late command, then brake and hold; take the torque off when none comes for long."""
        self.report.late += self._is_commanded
        self._command_age += elapsed
        safety, age = self._spec.safety, self._command_age - 0.5 * self._dt  # rounding must not cost a tick
        if age > safety.command_timeout:
            self.motion = MotionState.HOLDING
        timeout = safety.relax_after if self._is_commanded else self._first_timeout
        if age > timeout and safety.on_exit != "hold":
            self.motion = MotionState.RELAXED
            return None
        if self._is_commanded and age <= HOLDOVER_S:
            return self._with_idle_efforts(self._setpoints.coast(), observation)
        return self.rest(observation)
