"""Common part of the physics backends: setpoints, servos and contacts, for any engine."""

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

CAMERA_PERIOD_NS = round(1e9 / 30.0)  # of simulated time


@dataclass(frozen=True)
class PhysicsSettings:
    """Settings of the physics of any engine. The robot itself is in its robot file."""

    like: ClassVar[str] = "physics"  # a robot file's section backends.physics applies to every engine

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

    An engine's backend inherits it and makes the world. Position-driven joints hold their home pose from `open` to the
    first `apply`. Effort-driven joints have no effort except during the tick after an `apply`.
    """

    simulated: ClassVar[bool] = True
    kind: ClassVar[str]

    def __init__(self, spec: RobotSpec, settings: PhysicsSettings, dt: float) -> None:
        """`dt` is the tick in s."""
        self._spec = spec
        self._settings = settings
        self._steps = max(1, math.ceil(settings.physics_rate * dt - 1e-6))
        self._dt = dt
        self._weights = hermite_weights(self._steps, dt)
        self._contacts = ContactAverage(spec.foot_names, settings.stick_speed)
        self._prescribed = settings.actuation == "prescribed"
        effort_driven = [joint.is_effort_driven for joint in spec.actuated]
        self._effort_driven = np.array(effort_driven, dtype=bool)
        # indices in `spec.actuated`: of position-driven joints, and of those that the world drives by torque
        self._position_driven = [i for i, effort in enumerate(effort_driven) if not effort]
        self._torque_driven = [i for i, effort in enumerate(effort_driven) if effort or not self._prescribed]
        self._torque_joints = [spec.actuated_indices[i] for i in self._torque_driven]  # indices in `spec.joints`
        self._servo_limit = [settings.servo_effort_scale * spec.actuated[i].effort for i in self._position_driven]
        self._home = [spec.actuated[i].home for i in self._position_driven]
        self._at_rest = [0.0] * len(self._position_driven)
        self._no_effort = [0.0] * len(self._torque_driven)
        self._unknown = np.full(len(spec.actuated), np.nan)
        self._can_yaw = "yaw" in spec.base_motion
        self._world: World | None = None

    def make_world(self, torque_driven: Sequence[int], step: float) -> World:
        """Return the engine's world; `torque_driven` are indices in `spec.actuated`, `step` is in s."""
        raise NotImplementedError

    def open(self) -> None:
        """Load the robot in its start. Raises UserError where the engine or a part of the robot is missing."""
        self.close()
        self._world = world = self.make_world(self._torque_driven, self._dt / self._steps)
        self._time_ns = 0
        self._released = False
        self._camera_due_ns = 0
        self._start, self._start_velocity = self._home, self._at_rest  # setpoints at the start of the tick,
        self._goal, self._goal_velocity = self._home, self._at_rest  # and at its end
        self._effort_command = self._no_effort  # of the torque-driven joints over the tick; a servo adds its own
        self._mean_effort = self._no_effort  # of these joints over the last tick
        self._contacts.begin()
        world.add_contact_forces(self._contacts)

    def observe(self) -> Observation:
        """Return the state after the last step. Contact forces and servo efforts are averages over the last tick."""
        world = self._opened()
        base, position, velocity, effort = world.state()
        for joint, mean in zip(self._torque_joints, self._mean_effort, strict=True):
            effort[joint] = mean
        if not math.isfinite(sum(position) + sum(base.position)):
            raise BackendFault("the simulation diverged", remedy="raise physics_rate, or lower servo_damping")
        heading = Heading.of(base.quaternion) if self._can_yaw else WORLD_HEADING
        return Observation(
            time_ns=self._time_ns,
            position=np.array(position),
            velocity=np.array(velocity),
            effort=np.array(effort),
            base=base,
            contacts=self._contacts.contacts(world.foot_motions(), heading),
        )

    def apply(self, command: JointCommand) -> JointCommand:
        """Take setpoints for the end of the next tick, and efforts for the whole of it.

        Prescribed joints take no effort; servos add it to their own.
        """
        if self._released:
            states = self._opened().actuated_states()
            self._start = [states[i][0] for i in self._position_driven]
            self._start_velocity = [states[i][1] for i in self._position_driven]
            self._released = False
        self._goal = command.position[self._position_driven].tolist()
        self._goal_velocity = command.velocity[self._position_driven].tolist()
        if not self._torque_driven:
            return JointCommand(command.position, command.velocity, self._unknown)
        effort = np.nan_to_num(command.effort)
        self._effort_command = effort[self._torque_driven].tolist()
        of_others = self._unknown if self._prescribed else command.effort
        return JointCommand(command.position, command.velocity, np.where(self._effort_driven, effort, of_others))

    def advance(self, dt: float) -> None:
        """Step the physics through `dt` s, which must be the tick."""
        world = self._opened()
        if abs(dt - self._dt) > 1e-9:
            raise ValueError(f"dt = {dt!r} s is not the tick of this backend: it must be {self._dt!r} s.")
        self._contacts.begin()
        torques = []
        for weights in self._weights:
            if not self._released:
                if self._prescribed and self._position_driven:
                    world.prescribe(self._interpolate(weights.position))
                if self._torque_driven:
                    torques.append(self._torques(world, weights))
                    world.apply_torques(torques[-1])
            world.step(self._contacts)
        self._mean_effort = [math.fsum(column) / len(torques) for column in zip(*torques, strict=True)]
        if not torques:
            self._mean_effort = self._no_effort
        self._end_command()
        self._time_ns += round(dt * 1e9)
        if world.has_window and self._time_ns >= self._camera_due_ns:
            self._camera_due_ns = self._time_ns + CAMERA_PERIOD_NS
            world.point_camera(world.state()[0].position)

    def relax(self) -> None:
        """Switch the motors off: the robot sinks until it lies on the ground or in its joint limits."""
        if self._world is not None:
            self._world.release_motors()
            self._released = True
            self._effort_command = self._no_effort

    def close(self) -> None:
        if self._world is not None:
            self._world.close()
            self._world = None

    def _opened(self) -> World:
        if self._world is None:
            raise BackendFault(f"the {self.kind} backend is not open", remedy="configure it first")
        return self._world

    def _end_command(self) -> None:
        """Continue without a command: positions are held, servos keep their added effort, other efforts end."""
        self._start, self._start_velocity = self._goal, self._goal_velocity
        self._goal_velocity = self._at_rest
        if self._prescribed:
            self._effort_command = self._no_effort
        else:
            commands = zip(self._effort_command, self._effort_driven, strict=True)
            self._effort_command = [0.0 if effort_driven else effort for effort, effort_driven in commands]

    def _interpolate(self, weights: Weights) -> list[float]:
        """Return the position-driven joints' reference (rad or rad/s) at one step of the tick."""
        a, b, c, d = weights
        rows = zip(self._start, self._start_velocity, self._goal, self._goal_velocity, strict=True)
        return [a * p + b * v + c * q + d * w for p, v, q, w in rows]

    def _torques(self, world: World, weights: HermiteWeights) -> list[float]:
        """Return the torques (N·m) of one step: commanded efforts, and for servos a spring and damper in addition."""
        if self._prescribed:
            return self._effort_command
        stiffness, damping = self._settings.servo_stiffness, self._settings.servo_damping
        states, torques = world.actuated_states(), list(self._effort_command)
        rows = zip(
            self._position_driven,
            self._interpolate(weights.position),
            self._interpolate(weights.velocity),
            self._servo_limit,
            strict=True,
        )
        for i, q, v, limit in rows:
            position, velocity = states[i]
            wanted = stiffness * (q - position) + damping * (v - velocity) + torques[i]
            torques[i] = min(max(wanted, -limit), limit)
        return torques
