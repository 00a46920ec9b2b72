"""The quadruped in physics, in its equations and on mock motors: conformance, its motors, and how it stands."""

import dataclasses
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from bodies import InMuJoCo, InPyBullet, InTheModel
from engines_here import physics, quickest_engine
from rigid_bodies import RigidBodies
from test_conformance import FakeTime
from transforms3d.euler import quat2euler

from crawler_core.conformance.backend_conformance import BackendConformance
from crawler_core.loop.backend import Backend
from crawler_core.loop.backend_settings import own_robot_settings
from crawler_core.parameters import build
from crawler_core.robot.robot_file import load_robot
from crawler_core.robot.robot_spec import RobotSpec, StartSpec
from crawler_core.types import FloatArray, JointCommand, Observation
from sim_bridge.mock.mock_backend import MockBackend, MockSettings
from sim_bridge.model_backend import ModelBackend, ModelSettings

ROBOT = Path(__file__).parents[2] / "crawler_description/robots/miniaq/robot.yaml"
DT = 0.002  # s, the tick
NONE = np.full(4, np.nan)
STEPS = {"physics_rate": 4000.0, "stick_speed": 0.01}


def miniaq(**overrides: float) -> RobotSpec:
    return load_robot(str(ROBOT), overrides)


def settings_of(kind: str, cls: Any) -> Any:
    return build(cls, own_robot_settings(miniaq(), kind, cls), section="backend")


class MiniaqConformance(BackendConformance):
    dt = DT

    def make_spec(self) -> RobotSpec:
        return miniaq()


class TestInPyBullet(MiniaqConformance, InPyBullet):
    settings: ClassVar[Mapping[str, Any]] = {**STEPS, "solver_iterations": 50}
    loop_tolerance = 2e-6  # m that the engine's constraints let a loop gape by


class TestInMuJoCo(MiniaqConformance, InMuJoCo):
    settings = STEPS
    loop_tolerance = 2e-6


class TestInTheModel(MiniaqConformance, InTheModel):
    pass


class TestOnMockMotors(MiniaqConformance):
    def make_backend(self, spec: RobotSpec, dt: float) -> Backend:
        self.time = FakeTime()
        return MockBackend(spec, settings_of("mock", MockSettings), dt, clock=self.time.read, sleep=self.time.sleep)

    def wait(self, seconds: float) -> None:
        self.time.sleep(seconds)


def made(kind: str, spec: RobotSpec) -> Backend:
    return ModelBackend(spec, ModelSettings(), DT) if kind == "model" else physics(kind, spec, DT, **STEPS)


def cranks(spec: RobotSpec, seen: Observation) -> FloatArray:
    return seen.velocity[spec.actuated_indices]


# motors


@quickest_engine
def test_in_physics_a_motor_turns_as_fast_as_its_own_damping_lets_it(engine: str) -> None:
    """In the air without gravity; the leg's own 0.2 g speed it up and down within a turn."""
    spec = dataclasses.replace(miniaq(gravity=0.0), start=StartSpec(height=0.1))
    backend = made(engine, spec)
    backend.open()
    turned = []
    for k in range(1000):
        backend.apply(JointCommand(NONE, NONE, np.full(4, 2e-3)))
        backend.advance(DT)
        if k in (499, 999):
            turned.append(backend.observe().position[spec.actuated_indices])
    backend.close()
    assert (turned[1] - turned[0]) / (500 * DT) == pytest.approx(2e-3 / spec.parameters["motor_damping"], rel=0.002)


def test_a_mock_motor_comes_up_to_the_same_speed_by_an_exponential() -> None:
    spec, time = miniaq(), FakeTime()
    backend = MockBackend(spec, settings_of("mock", MockSettings), DT, clock=time.read, sleep=time.sleep)
    backend.open()
    damping = spec.parameters["motor_damping"]
    for k in range(1, 6):
        backend.apply(JointCommand(NONE, NONE, np.full(4, 2e-3)))
        time.sleep(DT)
        wanted = 2e-3 / damping * -math.expm1(-damping / spec.parameters["rotor_inertia"] * k * DT)
        assert cranks(spec, backend.observe()) == pytest.approx([wanted] * 4, rel=1e-9)
    backend.close()


# feet


@quickest_engine
def test_it_stands_in_physics_as_the_statics_say(engine: str) -> None:
    weights = {}
    for kind in ("model", engine):
        backend = made(kind, miniaq())
        backend.open()
        seen = backend.observe()
        weights[kind] = np.array([contact.force[2] for contact in seen.contacts])
        assert seen.base is not None
        roll, pitch, _ = quat2euler(seen.base.quaternion)
        assert (roll, pitch) == pytest.approx((0.0, 0.0), abs=1e-3)
        backend.close()
    assert weights["model"].sum() == pytest.approx(0.023 * 9.81, rel=1e-6)
    # the engine's legs weigh something, and stand with it 0.04 mm behind the equations' centre of mass
    assert weights[engine] == pytest.approx(weights["model"], rel=0.02)


@quickest_engine
def test_in_physics_the_forces_that_are_reported_of_the_feet_are_what_moves_the_robot(engine: str) -> None:
    """Momentum is their impulse, and that of the weight."""
    spec = miniaq()
    bodies, backend = RigidBodies(spec), made(engine, spec)
    backend.open()
    impulse, speeds = np.zeros(3), []
    for _ in range(200):
        backend.apply(JointCommand(NONE, NONE, np.array([1.5e-3, 2e-3, 1.5e-3, 2e-3])))
        backend.advance(DT)
        seen = backend.observe()
        impulse += DT * (np.sum([contact.force for contact in seen.contacts], axis=0) - [0.0, 0.0, 0.023 * 9.81])
        whole = bodies.whole(seen)
        speeds.append(np.linalg.norm(whole.momentum))
        assert whole.momentum == pytest.approx(impulse, abs=5e-5)
    backend.close()
    assert max(speeds) > 2e-3  # kg m/s
