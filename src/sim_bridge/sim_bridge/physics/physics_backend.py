"""The physics backends' common part: setpoints, servos and contacts of a robot in a world, whichever engine it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from crawler_core.errors import BackendFault
from crawler_core.gait_metrics.heading import WORLD_HEADING, Heading
from crawler_core.parameters import parameter
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import JointCommand, Observation
from sim_bridge.physics.contact_average import ContactAverage
from sim_bridge.physics.hermite_weights import HermiteWeights, Weights, hermite_weights
from sim_bridge.physics.world import World

CAMERA_PERIOD = 1.0 / 30.0  # s of simulated time


@dataclass(frozen=True)
class PhysicsSettings:
    """How physics is computed, for any engine. The robot itself is in its robot file."""

    like: ClassVar[str] = "physics"  # what a robot file says under backends.physics holds for every engine

    physics_rate: float = parameter(
        2000.0, unit="Hz", lower=100.0, upper=20000.0, constant=True, doc="steps per second, at least one per tick"
    )
    actuation: str = parameter(
        "prescribed",
        choices=("prescribed", "servo"),
        constant=True,
        doc="prescribed: joints follow exactly, as in the equations; servo: a spring and damper with limited torque",
    )
    servo_stiffness: float = parameter(10.0, unit="N·m/rad", lower=0.0, upper=1e4, constant=True, doc="of every servo")
    servo_damping: float = parameter(0.1, unit="N·m·s/rad", lower=0.0, upper=1e3, constant=True, doc="of every servo")
    servo_effort_scale: float = parameter(
        1.0,
        lower=0.0,
        upper=10.0,
        constant=True,
        doc="a servo's torque limit over the joint's effort in the robot file",
    )
    stick_speed: float = parameter(
        5e-4,
        unit="m/s",
        lower=1e-6,
        upper=0.1,
        constant=True,
        doc="a foot on the ground that is slower counts as sticking",
    )


class PhysicsBackend:
    """Steps a world so that every setpoint is reached at the end of its tick, on a cubic between setpoints.

    An engine's backend inherits it and makes the world.

    Joints driven by position hold their home pose from `open` to the first `apply`; those driven by effort give none
    but during the tick after an `apply`.
    """

    simulated: ClassVar[bool] = True
    kind: ClassVar[str]

    def __init__(self, spec: RobotSpec, settings: PhysicsSettings, dt: float) -> None:
        """`dt` is the tick's length in seconds."""
        self._spec = spec
        self._settings = settings
        self._steps = max(1, math.ceil(settings.physics_rate * dt - 1e-6))
        self._dt = dt
        self._weights = hermite_weights(self._steps, dt)
        self._contacts = ContactAverage(spec.foot_names, settings.stick_speed)
        self._prescribed = settings.actuation == "prescribed"
        by_effort = [joint.is_effort_driven for joint in spec.actuated]
        self._by_effort = np.array(by_effort, dtype=bool)
        # places in `spec.actuated`: of joints driven by position, and of those that are pushed
        self._places = [i for i, effort in enumerate(by_effort) if not effort]
        self._pushed = [i for i, effort in enumerate(by_effort) if effort or not self._prescribed]
        self._pushed_joints = [spec.actuated_indices[i] for i in self._pushed]
        self._torque_limit = [settings.servo_effort_scale * spec.actuated[i].effort for i in self._places]
        self._home = [spec.actuated[i].home for i in self._places]
        self._rest = [0.0] * len(self._places)
        self._idle = [0.0] * len(self._pushed)
        self._unknown = np.full(len(spec.actuated), np.nan)
        self._yaws = "yaw" in spec.base_motion
        self._world: World | None = None

    def make_world(self, pushed: Sequence[int], step: float) -> World:
        """The engine's world; `pushed` are places in `spec.actuated`, `step` is in seconds. Raises UserError."""
        raise NotImplementedError

    def open(self) -> None:
        """Load the robot and let it start. Raises UserError where something that it takes is missing."""
        self.close()
        self._world = world = self.make_world(self._pushed, self._dt / self._steps)
        self._time_ns = 0
        self._limp = False
        self._camera_due_ns = 0
        self._start, self._start_velocity = self._home, self._rest  # setpoints at the start of the tick,
        self._goal, self._goal_velocity = self._home, self._rest  # and at its end
        self._command = self._idle  # efforts of the pushed joints during the tick; servos add them to their own
        self._effort = self._idle  # what they gave, mean over the last tick
        self._contacts.begin()
        world.touch(self._contacts)

    def observe(self) -> Observation:
        """The state after the last step. Contact forces, and efforts of servos, are averages over the last tick."""
        world = self._opened()
        base, position, velocity, effort = world.state()
        for joint, given in zip(self._pushed_joints, self._effort, strict=True):
            effort[joint] = given
        if not math.isfinite(sum(position) + sum(base.position)):
            raise BackendFault("the simulation diverged", remedy="raise physics_rate, or lower servo_damping")
        return Observation(
            time_ns=self._time_ns,
            position=np.array(position),
            velocity=np.array(velocity),
            effort=np.array(effort),
            base=base,
            contacts=self._contacts.contacts(
                world.feet(), Heading.of(base.quaternion) if self._yaws else WORLD_HEADING
            ),
        )

    def apply(self, command: JointCommand) -> JointCommand:
        """Take setpoints for the end of the next tick, and efforts for the whole of it.

        Prescribed joints take no effort; servos add it to their own.
        """
        if self._limp:
            self._start, self._start_velocity = self._measured()
            self._limp = False
        self._goal = command.position[self._places].tolist()
        self._goal_velocity = command.velocity[self._places].tolist()
        if not self._pushed:
            return JointCommand(command.position, command.velocity, self._unknown)
        effort = np.nan_to_num(command.effort)
        self._command = effort[self._pushed].tolist()
        left = self._unknown if self._prescribed else command.effort
        return JointCommand(command.position, command.velocity, np.where(self._by_effort, effort, left))

    def advance(self, dt: float) -> None:
        """Step the physics through `dt` seconds, which must be the tick's length."""
        world = self._opened()
        if abs(dt - self._dt) > 1e-9:
            raise ValueError(f"advance({dt!r}) is not the tick of {self._dt!r} s that this backend was made for.")
        self._contacts.begin()
        torques = []
        for weights in self._weights:
            if not self._limp:
                if self._prescribed and self._places:
                    world.drive(self._reference(weights.position))
                if self._pushed:
                    torques.append(self._torques(world, weights))
                    world.push(torques[-1])
            world.step(self._contacts)
        self._effort = [math.fsum(column) / len(torques) for column in zip(*torques, strict=True)] or self._idle
        self._start, self._start_velocity = self._goal, self._goal_velocity
        self._goal_velocity = self._rest  # without a new command the joints stay,
        self._command = self._without_command()  # and an effort has ended
        self._time_ns += round(dt * 1e9)
        if world.window and self._time_ns >= self._camera_due_ns:
            self._camera_due_ns = self._time_ns + round(CAMERA_PERIOD * 1e9)
            world.look_at(world.state()[0].position)

    def relax(self) -> None:
        """Switch the motors off: the robot sinks until it lies on the ground or in its joint limits."""
        if self._world is not None:
            self._world.free()
            self._limp = True
            self._command = self._idle

    def close(self) -> None:
        """End the simulation."""
        if self._world is not None:
            self._world.close()
            self._world = None

    def _opened(self) -> World:
        if self._world is None:
            raise BackendFault(f"the {self.kind} backend is not open", remedy="configure it first")
        return self._world

    def _measured(self) -> tuple[list[float], list[float]]:
        states = self._opened().actuated()
        return [states[i][0] for i in self._places], [states[i][1] for i in self._places]

    def _reference(self, weights: Weights) -> list[float]:
        a, b, c, d = weights
        rows = zip(self._start, self._start_velocity, self._goal, self._goal_velocity, strict=True)
        return [a * p + b * v + c * q + d * w for p, v, q, w in rows]

    def _without_command(self) -> list[float]:
        """What the pushed joints are told in the next tick without a command: servos what they were told before."""
        if self._prescribed:
            return self._idle
        return [0.0 if by_effort else told for told, by_effort in zip(self._command, self._by_effort, strict=True)]

    def _torques(self, world: World, weights: HermiteWeights) -> list[float]:
        """The efforts of the pushed joints in this step: those commanded, and of servos a spring and damper besides."""
        if self._prescribed:
            return self._command
        stiffness, damping = self._settings.servo_stiffness, self._settings.servo_damping
        states, torques = world.actuated(), list(self._command)
        rows = zip(
            self._places,
            self._reference(weights.position),
            self._reference(weights.velocity),
            self._torque_limit,
            strict=True,
        )
        for i, q, v, limit in rows:
            at, moving = states[i]
            wanted = stiffness * (q - at) + damping * (v - moving) + torques[i]
            torques[i] = min(max(wanted, -limit), limit)
        return torques
