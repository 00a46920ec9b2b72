"""The PyBullet backend: the robot as rigid bodies on frictional ground."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from crawler_core.backend_entry import BackendEntry
from crawler_core.errors import BackendFault
from crawler_core.parameters import parameter
from crawler_core.robot import RobotSpec
from crawler_core.types import JointCommand, Observation
from sim_bridge.bullet_world import BulletWorld
from sim_bridge.feet import ContactAverage
from sim_bridge.hermite import HermiteWeights, Weights, hermite_weights

CAMERA_PERIOD = 1.0 / 30.0  # s of simulated time


@dataclass(frozen=True)
class PyBulletSettings:
    """How the physics is computed. The robot itself is in its robot file."""

    physics_rate: float = parameter(
        2000.0, unit="Hz", low=100.0, high=20000.0, constant=True, doc="steps per second, at least one per tick"
    )
    actuation: str = parameter(
        "prescribed",
        choices=("prescribed", "servo"),
        constant=True,
        doc="prescribed: joints follow exactly, as in the equations; servo: a spring and damper with limited torque",
    )
    servo_stiffness: float = parameter(10.0, unit="N·m/rad", low=0.0, high=1e4, constant=True, doc="of every servo")
    servo_damping: float = parameter(0.1, unit="N·m·s/rad", low=0.0, high=1e3, constant=True, doc="of every servo")
    servo_effort_scale: float = parameter(
        1.0, low=0.0, high=10.0, constant=True, doc="a servo's torque limit over the joint's effort in the robot file"
    )
    stick_speed: float = parameter(
        5e-4,
        unit="m/s",
        low=1e-6,
        high=0.1,
        constant=True,
        doc="a foot on the ground that is slower counts as sticking",
    )
    solver_iterations: int = parameter(
        300, low=10, high=10000, constant=True, doc="at most, per step; few steps need them"
    )
    gui: bool = parameter(False, constant=True, doc="open PyBullet's window")


class PyBulletBackend:
    """Steps PyBullet so that every setpoint is reached at the end of its tick, on a cubic between setpoints.

    The joints hold their home pose from `open` to the first `apply`.
    """

    simulated: ClassVar[bool] = True
    kind: ClassVar[str] = "pybullet"

    def __init__(self, spec: RobotSpec, settings: PyBulletSettings, dt: float) -> None:
        """`dt` is the tick's length in seconds."""
        self._spec = spec
        self._settings = settings
        self._steps = max(1, math.ceil(settings.physics_rate * dt - 1e-6))
        self._dt = dt
        self._weights = hermite_weights(self._steps, dt)
        self._contacts = ContactAverage(spec.foot_names, settings.stick_speed)
        self._torque_limit = [settings.servo_effort_scale * joint.effort for joint in spec.actuated]
        self._prescribed = settings.actuation == "prescribed"
        self._rest = [0.0] * len(spec.actuated)
        self._unknown = np.full(len(spec.actuated), np.nan)
        self._world: BulletWorld | None = None

    def open(self) -> None:
        """Load the robot and stand it on the ground. Raises UserError where something that it takes is missing."""
        self.close()
        self._world = world = BulletWorld(
            self._spec,
            step=self._dt / self._steps,
            solver_iterations=self._settings.solver_iterations,
            gui=self._settings.gui,
        )
        self._time_ns = 0
        self._limp = False
        self._camera_due_ns = 0
        if not self._prescribed:
            world.free()
        home = [joint.home for joint in self._spec.actuated]
        self._start, self._start_velocity = home, self._rest  # setpoints at the start of the tick,
        self._goal, self._goal_velocity = home, self._rest  # and at its end
        self._feedforward = self._rest
        self._effort = self._rest  # mean over the last tick, of servos
        self._contacts.begin()
        self._contacts.add(world.contact_points(), world.foot_of_link)

    def observe(self) -> Observation:
        """The state after the last step. Contact forces, and efforts of servos, are averages over the last tick."""
        world = self._opened()
        base, joints = world.read()
        effort = np.array([state[3] for state in joints])
        if not self._prescribed:
            effort[self._spec.actuated_indices] = self._effort
        position = np.array([state[0] for state in joints])
        if not (np.isfinite(position).all() and math.isfinite(sum(base.position))):
            raise BackendFault("the simulation diverged", remedy="raise physics_rate, or lower servo_damping")
        return Observation(
            time_ns=self._time_ns,
            position=position,
            velocity=np.array([state[1] for state in joints]),
            effort=effort,
            base=base,
            contacts=self._contacts.contacts(world.foot_states()),
        )

    def apply(self, command: JointCommand) -> JointCommand:
        """Take setpoints for the end of the next tick. Prescribed joints take no effort; servos add it to their own."""
        if self._limp:
            self._start, self._start_velocity = self._measured()
            self._limp = False
        self._goal = command.position.tolist()
        self._goal_velocity = command.velocity.tolist()
        if self._prescribed:
            return JointCommand(command.position, command.velocity, self._unknown)
        self._feedforward = np.nan_to_num(command.effort).tolist()
        return command

    def advance(self, dt: float) -> None:
        """Step the physics through `dt` seconds, which must be the tick's length."""
        world = self._opened()
        if abs(dt - self._dt) > 1e-9:
            raise ValueError(f"advance({dt!r}) is not the tick of {self._dt!r} s that this backend was made for.")
        stepping, client = world.bullet.stepSimulation, world.client
        self._contacts.begin()
        torques = []
        for weights in self._weights:
            if not self._limp:
                if self._prescribed:
                    world.drive(self._reference(weights.position))
                else:
                    torques.append(self._servo_torques(world, weights))
                    world.push(torques[-1])
            stepping(physicsClientId=client)
            self._contacts.add(world.contact_points(), world.foot_of_link)
        self._effort = [math.fsum(column) / len(torques) for column in zip(*torques, strict=True)] or self._rest
        self._start, self._start_velocity = self._goal, self._goal_velocity
        self._goal_velocity = self._rest  # without a new command the joints stay
        self._time_ns += round(dt * 1e9)
        if self._settings.gui and self._time_ns >= self._camera_due_ns:
            self._camera_due_ns = self._time_ns + round(CAMERA_PERIOD * 1e9)
            world.look_at(world.read()[0].position)

    def relax(self) -> None:
        """Switch the motors off: the robot sinks until it lies on the ground or in its joint limits."""
        if self._world is not None:
            self._world.free()
            self._limp = True

    def close(self) -> None:
        """End the simulation."""
        if self._world is not None:
            self._world.close()
            self._world = None

    def _opened(self) -> BulletWorld:
        if self._world is None:
            raise BackendFault("the pybullet backend is not open", remedy="configure it first")
        return self._world

    def _measured(self) -> tuple[list[float], list[float]]:
        states = self._opened().actuated_states()
        return [state[0] for state in states], [state[1] for state in states]

    def _reference(self, weights: Weights) -> list[float]:
        a, b, c, d = weights
        rows = zip(self._start, self._start_velocity, self._goal, self._goal_velocity, strict=True)
        return [a * p + b * v + c * q + d * w for p, v, q, w in rows]

    def _servo_torques(self, world: BulletWorld, weights: HermiteWeights) -> list[float]:
        stiffness, damping = self._settings.servo_stiffness, self._settings.servo_damping
        rows = zip(
            world.actuated_states(),
            self._reference(weights.position),
            self._reference(weights.velocity),
            self._feedforward,
            self._torque_limit,
            strict=True,
        )
        return [
            min(max(stiffness * (q - state[0]) + damping * (v - state[1]) + effort, -limit), limit)
            for state, q, v, effort, limit in rows
        ]


ENTRY = BackendEntry("sim_bridge", "pybullet_backend", PyBulletBackend, PyBulletSettings)
