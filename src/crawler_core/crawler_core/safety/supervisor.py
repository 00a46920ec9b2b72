"""The safety supervisor: decides every tick what the joints are really told, and when they are told nothing more.

It is a plain state machine over observations and commands, the same for every backend, and knows neither ROS nor time
beyond what it is given. Whatever it does to a command is counted and explained in `report`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

import numpy as np

from crawler_core.errors import BackendFault
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.safety.joint_setpoints import JointSetpoints
from crawler_core.safety.torque_limits import TorqueLimits, brake_torque, clamp_text, limit_torque
from crawler_core.types import FloatArray, JointCommand, Observation


class MotionState(Enum):
    """Whether the joints may move."""

    DISABLED = "disabled"  # not enabled yet, or disabled on request: no torque
    ACTIVE = "active"  # commands are followed
    HOLDING = "holding"  # commands are late: the joints are kept where they are
    RELAXED = "relaxed"  # commands stayed away: no torque, motion needs enable
    ESTOPPED = "e-stopped"  # latched: motion needs reset, then enable
    FAULTED = "faulted"  # latched: motion needs reset, then enable


COAST = 0.02  # s that the joints go on as they were without a command: a late one should not shake the robot
STILL = 0.05  # rad/s: an effort-driven joint that is slower has been braked
FARTHEST = 1e9  # rad: an angle beyond it is no angle, and its digits would not tell one tick from the next
LATCHED_STATES = (MotionState.ESTOPPED, MotionState.FAULTED)
MOVING_STATES = (MotionState.ACTIVE, MotionState.HOLDING)


@dataclass
class SupervisorReport:
    """Counters since the start, and the latest sentence for each kind of event."""

    clamped: int = 0
    rejected: int = 0
    late: int = 0
    last_clamp: str = ""
    last_rejection: str = ""
    fault: str = ""
    remedy: str = ""
    joint: str = ""


class Supervisor:
    """Guards one robot. The caller asks `decide` once a tick; None means: take the torque off."""

    def __init__(self, spec: RobotSpec, dt: float) -> None:
        self.motion = MotionState.DISABLED
        self.report = SupervisorReport()
        self._spec = spec
        self._dt = dt
        self._indices = np.array(spec.actuated_indices, dtype=int)
        # joints that are driven by position have setpoints, which all that follows is about; the others have efforts
        self._pushed = [k for k, joint in enumerate(spec.actuated) if joint.is_effort_driven]
        placed = [k for k, joint in enumerate(spec.actuated) if not joint.is_effort_driven]
        self._placed: list[int] | slice = placed if self._pushed else slice(None)  # a slice costs nothing
        self._joints = tuple(spec.actuated[k] for k in placed)
        self._numbered = tuple(zip(placed, self._joints, strict=True))
        self._setpoints = JointSetpoints(self._joints, spec.safety.approach_velocity, dt)
        self._torque = TorqueLimits.of([spec.actuated[k] for k in self._pushed])
        self._commanded = False  # a first command has come since enable
        self._silent = 0.0  # s since the last command, or since enable
        self._patience = 0.0  # s that the first command may take until the torque goes off
        self._seen = -1  # ns, the stamp of the last observation
        self._stale = 0.0  # s for which it has been the same
        self._astray = np.zeros(len(self._joints))  # s for which each joint has been away from its setpoint

    @property
    def has_effort_joints(self) -> bool:
        """Whether the robot has joints that are driven by effort."""
        return bool(self._pushed)

    def at_rest(self, observation: Observation) -> bool:
        """Whether the setpoints stand still, and so does every effort-driven joint that has a brake."""
        if not self._setpoints.at_rest:
            return False
        speed = np.abs(observation.velocity[self._indices[self._pushed]])
        return not (speed[self._torque.brake > 0.0] > STILL).any()

    def enable(self, observation: Observation, patience: float = 0.0) -> None:
        """Allow motion, going on as the joints are measured to move; where it is allowed already nothing changes.

        Without a first command the joints are held there, and after `relax_after`, or `patience` (s) where that is
        longer, the torque goes off. Raises BackendFault while a stop is latched.
        """
        if self.motion in MOVING_STATES:
            return
        if self.motion in LATCHED_STATES:
            raise BackendFault(f"the robot is {self.motion.value}", remedy="call the reset service, then enable")
        measured = observation.position[self._indices]
        if not np.isfinite(measured).all():
            raise BackendFault("the joint angles are not known", remedy="check that every joint reports its angle")
        self._setpoints.start(measured[self._placed], observation.velocity[self._indices][self._placed])
        self._commanded = False
        self._silent = self._stale = 0.0
        self._patience = max(patience, self._spec.safety.relax_after)
        self._astray[:] = 0.0
        self.motion = MotionState.ACTIVE

    def disable(self) -> None:
        """Stop on request; a latched stop stays latched."""
        if self.motion not in LATCHED_STATES:
            self.motion = MotionState.DISABLED

    def estop(self) -> None:
        """Emergency stop: latches until `reset`."""
        self.motion = MotionState.ESTOPPED
        self.report.fault = "the emergency stop was pressed"
        self.report.remedy = "make sure that it is safe, then call reset and enable"
        self.report.joint = ""

    def fault(self, fault: BackendFault) -> None:
        """A fault on one joint or on the bus latches all joints. What follows from the first does not replace it."""
        if self.motion is MotionState.FAULTED:
            return
        if self.motion is not MotionState.ESTOPPED:
            self.motion = MotionState.FAULTED
        self.report.fault = str(fault)
        self.report.remedy = fault.remedy or "remove the cause, then call reset and enable"
        self.report.joint = fault.joint

    def torque_off_failed(self, fault: BackendFault) -> None:
        """The torque of a joint could not be taken off: a fault, said beside the one that it follows from."""
        if self.motion not in LATCHED_STATES:
            self.fault(fault)
        elif str(fault) not in self.report.fault:
            self.report.fault = f"{self.report.fault}; besides, {fault}"
            self.report.remedy = f"{fault.remedy}; {self.report.remedy}"
            self.report.joint = self.report.joint or fault.joint

    def reset(self) -> None:
        """Clear a latched stop. MotionState still needs `enable`."""
        if self.motion in LATCHED_STATES:
            self.motion = MotionState.DISABLED
        self.report.fault = self.report.remedy = self.report.joint = ""

    def reject(self, reason: str) -> None:
        """Note a command that could not be used; its tick counts as one without a command."""
        self.report.rejected += 1
        self.report.last_rejection = reason

    @property
    def timeout_reason(self) -> str:
        """Why the joints are held or without torque, and what to do; empty where they are not."""
        if self.motion not in (MotionState.HOLDING, MotionState.RELAXED):
            return ""
        if self._commanded:
            said, remedy = "commands stopped coming", "check the controller"
        else:
            said, remedy = "no command has come since motion was enabled", "start the controller"
        if self.motion is MotionState.RELAXED:
            return f"{said}, so the torque is off: {remedy}, then call enable"
        return f"{said}, so the joints are held: {remedy}"

    def decide(
        self, observation: Observation, command: JointCommand | None, elapsed: float | None = None
    ) -> JointCommand | None:
        """What the joints shall have reached at the end of this tick, or None to take the torque off.

        Of effort-driven joints it has the effort for this tick, and no position or velocity (NaN). Timeouts go by
        `elapsed`, the time since the tick before (s), where that is not one tick.
        """
        passed = self._dt if elapsed is None else elapsed
        if self.motion in MOVING_STATES:
            self._watch(observation, command, passed)
        if self.motion not in MOVING_STATES:
            return None
        if command is not None and self._unusable(command):
            command = None
        return self._without_command(observation, passed) if command is None else self._follow(observation, command)

    def rest(self, observation: Observation) -> JointCommand:
        """One tick of bringing the joints to rest, whatever was commanded."""
        return self._braking(self._setpoints.brake(), observation)

    def _unusable(self, command: JointCommand) -> bool:
        """Whether a command has numbers that cannot be meant; then it is refused."""
        if all(abs(p) <= FARTHEST for p in command.position.tolist()) and not any(
            map(math.isinf, command.effort.tolist())
        ):
            return False  # as at nearly every tick, and found quickly
        position = command.position[self._placed]
        usable = np.abs(position) <= FARTHEST
        if not usable.all():
            names = [joint.name for joint, good in zip(self._joints, usable, strict=True) if not good]
            what = "an angle" if np.isfinite(position).all() else "a finite number"
            self.reject(f"the position of {', '.join(names)} is not {what}")
            return True
        endless = np.isinf(command.effort)
        if endless.any():
            names = [name for name, bad in zip(self._spec.actuated_names, endless, strict=True) if bad]
            self.reject(f"the effort of {', '.join(names)} is infinite")
            return True
        return False

    def _follow(self, observation: Observation, whole: JointCommand) -> JointCommand:
        self.motion = MotionState.ACTIVE
        self._commanded = True
        self._silent = 0.0
        whole, hard = self._within_effort(whole)
        safe, text = self._setpoints.follow(self._of_placed(whole))
        text = text or hard
        if self._pushed:
            effort, pushed = self._push(observation, whole.effort[self._pushed])
            safe, text = self._with_efforts(safe, effort), text or pushed
        if text:
            self.report.clamped += 1
            self.report.last_clamp = text
        return safe

    def _within_effort(self, command: JointCommand) -> tuple[JointCommand, str]:
        """The command, with the efforts that go beside positions within what the joints may, and which was not.

        A joint whose robot file gives no limit (0) has that of its device.
        """
        efforts = command.effort.tolist()
        hard = [k for k, joint in self._numbered if joint.effort and abs(efforts[k]) > joint.effort]
        if not hard:
            return command, ""
        allowed = command.effort.copy()
        for k in hard:
            most = self._spec.actuated[k].effort
            allowed[k] = min(max(allowed[k], -most), most)
        joint, wanted = self._spec.actuated[hard[0]], efforts[hard[0]]
        said = f"{joint.name} was commanded {wanted:.3g} N m beside its position, its limit is {joint.effort:g} N m"
        return JointCommand(command.position, command.velocity, allowed), said

    def _push(self, observation: Observation, wanted: FloatArray) -> tuple[FloatArray, str]:
        """The efforts that are allowed of those wanted, where NaN brakes, and why they are others."""
        position, velocity = self._measured(observation)
        given = np.isfinite(wanted)
        braking = brake_torque(position, velocity, self._torque)
        allowed = limit_torque(np.where(given, wanted, braking), position, velocity, self._torque)
        cut = given & (allowed != wanted)
        if not cut.any():
            return allowed, ""
        k = int(np.argmax(cut))
        return allowed, clamp_text(k, wanted[k], position[k], velocity[k], self._torque)

    def _braking(self, safe: JointCommand, observation: Observation) -> JointCommand:
        """`safe`, with effort-driven joints braked."""
        if not self._pushed:
            return safe
        return self._with_efforts(safe, brake_torque(*self._measured(observation), self._torque))

    def _measured(self, observation: Observation) -> tuple[FloatArray, FloatArray]:
        """Position and velocity of the effort-driven joints."""
        indices = self._indices[self._pushed]
        return observation.position[indices], observation.velocity[indices]

    def _of_placed(self, command: JointCommand) -> JointCommand:
        """What a command says of the joints that are driven by position."""
        if not self._pushed:
            return command
        k = self._placed
        return JointCommand(command.position[k], command.velocity[k], command.effort[k])

    def _with_efforts(self, safe: JointCommand, effort: FloatArray) -> JointCommand:
        """A command for all joints of one for those driven by position and the efforts of the others."""
        position, velocity, efforts = (np.full(len(self._indices), np.nan) for _ in range(3))
        position[self._placed], velocity[self._placed] = safe.position, safe.velocity
        efforts[self._placed], efforts[self._pushed] = safe.effort, effort
        return JointCommand(position, velocity, efforts)

    def _without_command(self, observation: Observation, passed: float) -> JointCommand | None:
        self.report.late += self._commanded
        self._silent += passed
        safety, over = self._spec.safety, self._silent - 0.5 * self._dt  # rounding must not cost a tick
        if over > safety.command_timeout:
            self.motion = MotionState.HOLDING
        if over > (safety.relax_after if self._commanded else self._patience) and safety.on_exit != "hold":
            self.motion = MotionState.RELAXED
            return None
        if self._commanded and over <= COAST:
            return self._braking(self._setpoints.coast(), observation)
        return self.rest(observation)

    def _watch(self, observation: Observation, command: JointCommand | None, passed: float) -> None:
        """Latch a fault when a joint's angle is unknown, old, or stays away from its setpoint.

        An effort-driven joint has no setpoint; with a command its velocity must be known, which its limits go by.
        """
        self._stale = self._stale + passed if observation.time_ns == self._seen else 0.0
        self._seen = observation.time_ns
        if self._stale - 0.5 * self._dt > self._spec.safety.command_timeout:
            self.fault(
                BackendFault(
                    "the device reports nothing new: its states have stopped",
                    remedy="check the device, its cable and its power",
                )
            )
            return
        if self._near(observation):
            self._astray[:] = 0.0
            return
        measured = observation.position[self._indices]
        known = np.isfinite(measured)
        if not known.all():
            self._blind("angle", self._spec.actuated_names[int(np.argmin(known))])
            return
        if self._pushed and command is not None:
            known = np.isfinite(self._measured(observation)[1])
            if not known.all():
                self._blind("velocity", self._torque.joints[int(np.argmin(known))].name)
                return
        error = np.abs(measured[self._placed] - self._setpoints.position)
        away = error > self._spec.safety.tracking_tolerance
        if not away.any():
            self._astray[:] = 0.0
            return
        self._astray = np.where(away, self._astray + passed, 0.0)
        if (self._astray > self._spec.safety.tracking_time).any():
            i = int(np.argmax(self._astray))
            name = self._joints[i].name
            self.fault(
                BackendFault(
                    f"{name} does not follow: it is {np.degrees(error[i]):.0f} degrees away from its setpoint",
                    remedy=f"check that {name} is free to move, powered and not overloaded",
                    joint=name,
                )
            )

    def _near(self, observation: Observation) -> bool:
        """Whether every joint is known to be where it should: what nearly every tick finds, and finds quickly."""
        if self._pushed:
            return False
        angles, tolerance = observation.position.tolist(), self._spec.safety.tracking_tolerance
        return all(
            abs(angles[i] - setpoint) <= tolerance
            for i, setpoint in zip(self._spec.actuated_indices, self._setpoints.position.tolist(), strict=True)
        )

    def _blind(self, what: str, name: str) -> None:
        self.fault(
            BackendFault(f"the {what} of {name} is not a number", remedy=f"check the sensor of {name}", joint=name)
        )
