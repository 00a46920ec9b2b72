"""A simulated backend whose motors lag and whose encoders and buses are imperfect."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import replace
from typing import ClassVar, Protocol, cast, runtime_checkable

import numpy as np

from crawler_core.errors import UserError
from crawler_core.loop.backend import Backend
from crawler_core.reality.joint_motors import JointMotors
from crawler_core.reality.reality import IDEAL, Reality
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.sensors.sensor_spec import DEFAULT_PROFILE
from crawler_core.types import FloatArray, JointCommand, Observation

BACKLASH_SPEED_RAD_S = 0.05  # from which on a motor has taken up most of its gear's play


class RealisticBackend:
    """Puts motors between the commands and a simulated backend, and encoders between its joints and the observations.

    A command reaches its motor after `command_delay`. The motors' true angles move the simulation. Measured joints are
    those of `state_delay` ago, with the errors of their encoders. The base and the contacts stay the truth.
    """

    simulated: ClassVar[bool] = True

    def __init__(self, backend: Backend, spec: RobotSpec, reality: Reality, dt: float, seed: int = 0) -> None:
        """`dt` is the tick in s; two runs with one `seed` have the same errors."""
        self.backend = backend
        self.kind = backend.kind
        self._spec = spec
        self._reality = reality
        self._dt_ns = round(dt * 1e9)
        self._seed = seed
        self._motors = JointMotors(spec, reality, dt)
        self._delay_ticks = reality.state_delay / dt
        self._actuated = np.array(spec.actuated_indices)
        # of loops: they have no encoders, and the loop closure solver computes them from the measured joints
        self._passive = [i for i, joint in enumerate(spec.joints) if spec.loops and not joint.actuated]

    def open(self) -> None:
        """Open the simulation, with every motor where its joint is."""
        self.backend.open()
        self._random = np.random.default_rng([self._seed, 1])
        zero_error = self._random.standard_normal(len(self._actuated))
        self._zero_error: FloatArray = self._reality.zero_error * zero_error
        self._true: deque[Observation] = deque(maxlen=math.ceil(self._delay_ticks) + 1)
        self._measured: Observation | None = None
        self._measured_ns = 0  # of the last measurement that was not lost
        self._is_relaxed = True
        self._observe_truth()

    def observe(self) -> Observation:
        """Return the true base and contacts with the measured joints; asking again returns the same."""
        measured = self._measured
        assert measured is not None
        return measured

    def truth(self) -> Observation:
        """The present state with the joints as they are."""
        return self._true[-1]

    def apply(self, command: JointCommand) -> JointCommand:
        """Hand a command to the motors, which answer it after their delay."""
        if self._is_relaxed:
            truth = self._true[-1]
            self._motors.start(truth.position[self._actuated], truth.velocity[self._actuated])
            self._is_relaxed = False
        self._motors.command(command)
        return command

    def advance(self, dt: float) -> None:
        """Turn the motors for one tick, and the simulation with them."""
        if not self._is_relaxed:
            self.backend.apply(self._motors.advance(self._true[-1].velocity[self._actuated]))
        self.backend.advance(dt)
        self._observe_truth()

    def relax(self) -> None:
        """Take the torque off every joint."""
        self.backend.relax()
        self._is_relaxed = True

    def close(self) -> None:
        self.backend.close()

    def _observe_truth(self) -> None:
        self._true.append(self.backend.observe())
        self._measured = self._measure()

    def _measure(self) -> Observation:
        """Return what the encoders say now, or what they said before where this measurement is lost."""
        reality, truth, before = self._reality, self._true[-1], self._measured
        noise = self._random.standard_normal((2, len(self._actuated)))
        is_lost = self._random.random() < reality.loss
        if is_lost and before is not None:
            measured_ns = (self._measured_ns,) * len(self._actuated)
            joints = replace(truth, position=before.position, velocity=before.velocity, effort=before.effort)
            return replace(joints, measured_ns=measured_ns)
        self._measured_ns = truth.time_ns
        position, velocity = self._delayed()
        i = self._actuated
        angle, rate = position[i], velocity[i]
        angle = angle + self._zero_error + reality.position_noise * noise[0]
        angle = angle + 0.5 * reality.backlash * np.tanh(rate / BACKLASH_SPEED_RAD_S)
        position[i] = _rounded(angle, math.tau / reality.encoder_counts if reality.encoder_counts else 0.0)
        velocity[i] = _rounded(rate + reality.velocity_noise * noise[1], reality.velocity_step)
        position[self._passive] = velocity[self._passive] = np.nan
        return replace(truth, position=position, velocity=velocity)

    def _delayed(self) -> tuple[FloatArray, FloatArray]:
        """Return the true joints of `state_delay` ago, between two ticks where it is no multiple of the tick."""
        ticks = min(self._delay_ticks, len(self._true) - 1.0)
        whole = min(int(ticks), max(len(self._true) - 2, 0))
        share = ticks - whole
        new = self._true[-1 - whole]
        if share == 0.0:
            return new.position.copy(), new.velocity.copy()
        old = self._true[-2 - whole]
        return (
            new.position + share * (old.position - new.position),
            new.velocity + share * (old.velocity - new.velocity),
        )


def _rounded(values: FloatArray, step: float) -> FloatArray:
    return step * np.round(values / step) if step else values


@runtime_checkable
class ImperfectDevices(Protocol):
    """Ability of a backend whose own devices have the imperfections, as emulated motors do."""

    default_profile: ClassVar[str]

    def set_reality(self, reality: Reality, seed: int) -> None:
        """Use these imperfections from the next `open` on."""
        ...


def profile_of(backend: Backend, profile: str) -> str:
    """Return the profile of a backend: the one asked for, or the backend's own in place of `DEFAULT_PROFILE`."""
    if profile != DEFAULT_PROFILE:
        return profile
    return backend.default_profile if isinstance(backend, ImperfectDevices) else "ideal"


def make_realistic(backend: Backend, spec: RobotSpec, profile: str, dt: float, seed: int = 0) -> Backend:
    """Return the backend with the imperfections that the robot file describes in a profile.

    Raise UserError for a profile on real motors, or one that the robot file does not describe.
    """
    chosen = profile_of(backend, profile)
    if profile not in (DEFAULT_PROFILE, "ideal"):
        if not (backend.simulated or isinstance(backend, ImperfectDevices)):
            raise UserError(f"backend.reality = '{profile}' is not allowed with {backend.kind}: it is for simulations.")
        if chosen not in spec.realities:
            raise UserError(
                f"backend.reality = '{profile}' needs reality.{profile} in the robot file, and '{spec.name}' has "
                f"{', '.join(spec.realities) or 'no reality'}: add it, or use ideal."
            )
    reality = spec.reality(chosen)
    if isinstance(backend, ImperfectDevices):
        backend.set_reality(reality, seed)
        return backend
    if reality == IDEAL:
        return backend
    return cast("Backend", RealisticBackend(backend, spec, reality, dt, seed))  # its kind is that of the simulation
