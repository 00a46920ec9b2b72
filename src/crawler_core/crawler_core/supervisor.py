"""The safety supervisor: decides every tick what the joints are really told, and when they are told nothing more.

It is a plain state machine over observations and commands, the same for every backend, and knows neither ROS nor time
beyond the ticks it is given. Whatever it does to a command is counted and explained in `report`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

import numpy as np

from crawler_core.errors import BackendFault
from crawler_core.limits import JointLimits, approach, brake, limit_command
from crawler_core.robot import RobotSpec
from crawler_core.torque import TorqueLimits, brake_torque, clamp_text, limit_torque
from crawler_core.types import FloatArray, JointCommand, Observation


class MotionState(Enum):
    """Whether the joints may move."""

    DISABLED = "disabled"  # not enabled yet, or disabled on request: no torque
    ACTIVE = "active"  # commands are followed
    HOLDING = "holding"  # commands are late: the joints are kept where they are
    RELAXED = "relaxed"  # commands stayed away: no torque, motion needs enable
    ESTOPPED = "e-stopped"  # latched: motion needs reset, then enable
    FAULTED = "faulted"  # latched: motion needs reset, then enable


ABRUPT = 0.5  # of a joint's acceleration limit: a command that asks more of the first tick is approached
COAST = 0.02  # s that the joints go on as they were without a command: a late one should not shake the robot
STILL = 0.05  # rad/s: an effort-driven joint that is slower has been braked
LATCHED = (MotionState.ESTOPPED, MotionState.FAULTED)


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
        self.motion = MotionState.DISABLED
        self.report = Report()
        self._spec = spec
        self._dt = dt
        self._indices = np.array(spec.actuated_indices, dtype=int)
        # joints that are driven by position have setpoints, which all that follows is about; the others have efforts
        self._pushed = [k for k, joint in enumerate(spec.actuated) if joint.by_effort]
        placed = [k for k, joint in enumerate(spec.actuated) if not joint.by_effort]
        self._placed: list[int] | slice = placed if self._pushed else slice(None)  # a slice costs nothing
        self._joints = tuple(spec.actuated[k] for k in placed)
        self._limits = JointLimits.of_joints(self._joints)
        self._whole_turn = np.array([math.tau if joint.continuous else math.inf for joint in self._joints])
        self._skipped: FloatArray | None = None  # rad, whole turns that commands are ahead of joints that turn for ever
        self._torque = TorqueLimits.of([spec.actuated[k] for k in self._pushed])
        self._no_effort = np.full(len(self._joints), np.nan)
        self._position: FloatArray = np.array([joint.home for joint in self._joints])
        self._velocity: FloatArray = np.zeros(len(self._joints))
        self._acceleration: FloatArray = np.zeros(len(self._joints))
        self._approaching = np.ones(len(self._joints), dtype=bool)  # joints that are still far from their command
        self._asked: FloatArray | None = None  # the last command of an approach
        self._commanded = False  # a first command has come since enable
        self._silent = 0  # ticks since the last command
        self._coast_for = round(COAST / dt)
        self._hold_after = round(spec.safety.command_timeout / dt)
        self._relax_after = round(spec.safety.relax_after / dt)
        self._seen = -1  # ns, the stamp of the last observation
        self._stale = 0  # ticks for which it has been the same
        self._astray = np.zeros(len(self._joints))  # s for which each joint has been away from its setpoint

    @property
    def pushes(self) -> bool:
        """Whether the robot has joints that are driven by effort."""
        return bool(self._pushed)

    def at_rest(self, observation: Observation) -> bool:
        """Whether the setpoints stand still, and so does every effort-driven joint that has a brake."""
        if self._velocity.any():
            return False
        speed = np.abs(observation.velocity[self._indices[self._pushed]])
        return not (speed[self._torque.brake > 0.0] > STILL).any()

    def enable(self, observation: Observation) -> None:
        """Allow motion, starting from the measured pose. Raises BackendFault while a stop is latched."""
        if self.motion in LATCHED:
            raise BackendFault(f"the robot is {self.motion.value}", remedy="call the reset service, then enable")
        measured = observation.position[self._indices]
        if not np.isfinite(measured).all():
            raise BackendFault("the joint angles are not known", remedy="check that every joint reports its angle")
        self._position = measured[self._placed].copy()
        self._velocity = np.zeros_like(self._position)
        self._acceleration = np.zeros_like(self._position)
        self._approach()
        self._commanded = False
        self._silent = 0
        self._astray[:] = 0.0
        self._stale = 0
        self.motion = MotionState.ACTIVE

    def disable(self) -> None:
        """Stop on request; a latched stop stays latched."""
        if self.motion not in LATCHED:
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

    def not_relaxed(self, fault: BackendFault) -> None:
        """The torque of a joint could not be taken off: a fault, said beside the one that it follows from."""
        if self.motion not in LATCHED:
            self.fault(fault)
        elif str(fault) not in self.report.fault:
            self.report.fault = f"{self.report.fault}; besides, {fault}"
            self.report.remedy = f"{fault.remedy}; {self.report.remedy}"
            self.report.joint = self.report.joint or fault.joint

    def reset(self) -> None:
        """Clear a latched stop. MotionState still needs `enable`."""
        if self.motion in LATCHED:
            self.motion = MotionState.DISABLED
        self.report.fault = self.report.remedy = self.report.joint = ""

    def refuse(self, reason: str) -> None:
        """Note a command that could not be used; its tick counts as one without a command."""
        self.report.refused += 1
        self.report.last_refusal = reason

    def decide(self, observation: Observation, command: JointCommand | None) -> JointCommand | None:
        """What the joints shall have reached at the end of this tick, or None to take the torque off.

        Of effort-driven joints it has the effort for this tick, and no position or velocity (NaN).
        """
        if self.motion in (MotionState.ACTIVE, MotionState.HOLDING):
            self._watch(observation, command)
        if self.motion not in (MotionState.ACTIVE, MotionState.HOLDING):
            return None
        if command is not None and self._unusable(command):
            command = None
        return self._without_command(observation) if command is None else self._follow(observation, command)

    def rest(self, observation: Observation) -> JointCommand:
        """One tick of bringing the joints to rest, whatever was commanded."""
        self._position, self._velocity = brake(self._position, self._velocity, self._limits, self._dt)
        return self._braking(JointCommand(self._position, self._velocity, self._no_effort), observation)

    def _unusable(self, command: JointCommand) -> bool:
        """Whether a command has numbers that cannot be meant; then it is refused."""
        if all(map(math.isfinite, command.position.tolist())) and not any(map(math.isinf, command.effort.tolist())):
            return False  # as at nearly every tick, and found quickly
        position = command.position[self._placed]
        if not np.isfinite(position).all():
            names = [joint.name for joint, p in zip(self._joints, position, strict=True) if not np.isfinite(p)]
            self.refuse(f"the position of {', '.join(names)} is not a finite number")
            return True
        endless = np.isinf(command.effort)
        if endless.any():
            names = [name for name, bad in zip(self._spec.actuated_names, endless, strict=True) if bad]
            self.refuse(f"the effort of {', '.join(names)} is infinite")
            return True
        return False

    def _follow(self, observation: Observation, whole: JointCommand) -> JointCommand:
        if self.motion is MotionState.HOLDING:
            self.motion = MotionState.ACTIVE
            self._approach()
        command = self._nearest_turn(self._of_placed(whole))
        self._commanded = True
        self._silent = 0
        near, speed = command, self._limits.velocity
        if self._approaching.any():
            near, speed = self._nearer(command)
        safe, changed = limit_command(near, self._position, self._limits, speed, self._dt)
        text = self._clamp_text(command, safe) if changed or near is not command else ""
        self._acceleration = (safe.velocity - self._velocity) / self._dt
        self._position, self._velocity = safe.position, safe.velocity
        if self._pushed:
            effort, pushed = self._push(observation, whole.effort[self._pushed])
            safe, text = self._with_efforts(safe, effort), text or pushed
        if text:
            self.report.clamped += 1
            self.report.last_clamp = text
        return safe

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

    def _nearest_turn(self, command: JointCommand) -> JointCommand:
        """The command, with whole turns taken off that a continuous joint has missed while it was stopped."""
        if self._asked is None and self._approaching.any():  # an approach begins
            turns = np.rint((command.position - self._position) / self._whole_turn)
            self._skipped = turns * math.tau if turns.any() else None
        if self._skipped is None:
            return command
        return JointCommand(command.position - self._skipped, command.velocity, command.effort)

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

    def _without_command(self, observation: Observation) -> JointCommand | None:
        if self._commanded:
            self.report.late += 1
            self._silent += 1
            if self._silent > self._hold_after:
                self.motion = MotionState.HOLDING
            if self._silent > self._relax_after and self._spec.safety.on_exit != "hold":
                self.motion = MotionState.RELAXED
                return None
            if self._silent <= self._coast_for:
                return self._braking(self._coast(), observation)
        return self.rest(observation)

    def _coast(self) -> JointCommand:
        velocity = self._velocity + self._acceleration * self._dt
        onward = JointCommand(self._position + 0.5 * (self._velocity + velocity) * self._dt, velocity, self._no_effort)
        safe, _ = limit_command(onward, self._position, self._limits, self._limits.velocity, self._dt)
        self._position, self._velocity = safe.position, safe.velocity
        return safe

    def _approach(self) -> None:
        self._approaching = np.ones_like(self._approaching)
        self._asked = None

    def _clamp_text(self, wanted: JointCommand, safe: JointCommand) -> str:
        """Why a joint does not get the setpoint that it was commanded; empty where that is no violation."""
        # being brought to a far command slowly is the plan
        cut = (wanted.position != safe.position) & ~self._approaching
        cut |= np.abs(wanted.velocity) > self._limits.velocity
        outside = (wanted.position < self._limits.lower) | (wanted.position > self._limits.upper)
        cut |= outside
        if not cut.any():
            return ""
        i = int(np.argmax(cut))
        joint = self._joints[i]
        if outside[i]:
            return (
                f"{joint.name} was commanded to {np.degrees(wanted.position[i]):.1f} degrees, outside "
                f"{np.degrees(joint.lower):.1f} to {np.degrees(joint.upper):.1f}"
            )
        return f"{joint.name} was commanded faster than {joint.velocity:g} rad/s"

    def _watch(self, observation: Observation, command: JointCommand | None) -> None:
        """Latch a fault when a joint's angle is unknown, old, or stays away from its setpoint.

        An effort-driven joint has no setpoint; with a command its velocity must be known, which its limits go by.
        """
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
        error = np.abs(measured[self._placed] - self._position)
        away = error > self._spec.safety.tracking_tolerance
        if not away.any():
            self._astray[:] = 0.0
            return
        self._astray = np.where(away, self._astray + self._dt, 0.0)
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
            for i, setpoint in zip(self._spec.actuated_indices, self._position.tolist(), strict=True)
        )

    def _blind(self, what: str, name: str) -> None:
        self.fault(
            BackendFault(f"the {what} of {name} is not a number", remedy=f"check the sensor of {name}", joint=name)
        )
