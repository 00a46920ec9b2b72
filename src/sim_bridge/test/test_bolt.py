"""The running leg in physics, in its equations and on mock servos: conformance, flight, its spring, and a run."""

import dataclasses
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import yaml
from bodies import InMuJoCo, InPyBullet, InTheModel
from engines_here import each_engine, physics
from rigid_bodies import RigidBodies
from test_conformance import FakeTime

from crawler_core.conformance.backend_conformance import BackendConformance
from crawler_core.linkages.loop_closure_solver import make_loop_closure_solver
from crawler_core.loop.backend import Backend
from crawler_core.robot.robot_file import load_robot
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import ContactMode, JointCommand, Observation
from crawler_models.bolt.equations.leg import Leg
from crawler_models.bolt.equations.six_bar import passive_angles
from sim_bridge.mock.mock_backend import MockBackend, MockSettings
from sim_bridge.model_backend import ModelBackend, ModelSettings

DT = 0.001  # s, the tick
NONE = JointCommand(*(np.full(1, np.nan) for _ in range(3)))


DIRECTORY = Path(__file__).parents[2] / "crawler_description/robots/bolt"


def bolt(**overrides: float) -> RobotSpec:
    """The leg of this source tree, thrown into the air with its crank turning."""
    thrown = yaml.safe_load((DIRECTORY / "thrown_start.yaml").read_text())["robot"]
    return load_robot(str(DIRECTORY / "robot.yaml"), {**thrown, **overrides})


STEPS = {"physics_rate": bolt().section("backends")["physics"]["physics_rate"]}


def made(kind: str, spec: RobotSpec, dt: float) -> Backend:
    """A physics engine by its name, or the model."""
    return ModelBackend(spec, ModelSettings(), dt) if kind == "model" else physics(kind, spec, dt, **STEPS)


each_kind = pytest.mark.parametrize("kind", [*each_engine.args[1], "model"])


class BoltConformance(BackendConformance):
    dt = DT

    def make_spec(self) -> RobotSpec:
        return bolt()


class TestInPyBullet(BoltConformance, InPyBullet):
    settings = STEPS
    loop_tolerance = 2e-5  # m that the engine's constraints let a loop gape by at 20 rad/s of the crank


class TestInMuJoCo(BoltConformance, InMuJoCo):
    settings = STEPS
    loop_tolerance = 2e-5


class TestInTheModel(BoltConformance, InTheModel):
    pass


class TestOnMockServos(BoltConformance):
    def make_backend(self, spec: RobotSpec, dt: float) -> Backend:
        self.time = FakeTime()
        return MockBackend(spec, MockSettings(), dt, clock=self.time.read, sleep=self.time.sleep)

    def wait(self, seconds: float) -> None:
        self.time.sleep(seconds)


def pushed(backend: Backend, seconds: float, effort: Callable[[float], float] = lambda _: 0.0) -> list[Observation]:
    """What is seen while the crank gets `effort` (N·m), a function of the time (s)."""
    backend.open()
    try:
        seen = [backend.observe()]
        for k in range(round(seconds / DT)):
            backend.apply(dataclasses.replace(NONE, effort=np.array([effort(k * DT)])))
            backend.advance(DT)
            seen.append(backend.observe())
    finally:
        backend.close()
    return seen


def flight(kind: str, **overrides: float) -> tuple[RobotSpec, list[Observation]]:
    """0.3 s in the air from 1 m up, with a push on the crank that changes its sign."""
    spec = bolt(start_height=1.0, **overrides)
    return spec, pushed(made(kind, spec, DT), 0.3, lambda t: 8.0 * math.sin(40.0 * t))


@each_kind
def test_the_passive_joints_are_those_of_the_six_bar_in_closed_form(kind: str) -> None:
    spec, run = flight(kind)
    leg = Leg.from_parameters(spec.parameters)
    turned = run[-1].position[0] - run[0].position[0]
    assert turned < -math.pi
    wrong = [
        np.angle(np.exp(1j * (seen.position[1:] - passive_angles(leg, seen.position[0])))).tolist() for seen in run
    ]
    # the engines' constraints give way a little: 10 um on a bar of 50 mm
    assert np.abs(wrong).max() < (1e-12 if kind == "model" else 3e-4)
    rates = np.gradient([passive_angles(leg, seen.position[0]) for seen in run], DT, axis=0)
    told = np.array([seen.velocity[1:] for seen in run])
    apart = np.abs(told - rates)[2:-2]
    assert np.percentile(apart, 99) < 1.0  # rad/s, of up to 60: the angle of the HFE link jumps by a turn now and then


@each_engine
def test_loops_hold_in_flight_and_energy_is_what_the_crank_is_given(engine: str) -> None:
    spec, run = flight(engine)
    closure = make_loop_closure_solver(spec)
    assert closure is not None
    assert max(closure.residual(seen.position) for seen in run) < 2e-6  # m
    bodies = RigidBodies(spec)
    energy = [whole.kinetic + whole.mass * 9.81 * whole.centre[2] for whole in map(bodies.whole, run)]
    rates = np.array([seen.velocity[0] for seen in run])
    efforts = np.array([seen.effort[0] for seen in run])
    work = DT * np.cumsum(efforts[1:] * 0.5 * (rates[1:] + rates[:-1]))
    kinetic = bodies.whole(run[0]).kinetic
    assert np.abs(energy[1:] - energy[0] - work).max() < 0.001 * kinetic


@each_engine
@pytest.mark.parametrize("rotor", [0.1, 0.0])
def test_physics_turns_the_crank_as_the_equations_do(engine: str, rotor: float) -> None:
    """Without a rotor nothing but the bars' inertia, a sixtieth, is between a push and the crank's speed."""
    if rotor:
        runs = [flight(kind, rotor_inertia=rotor)[1] for kind in (engine, "model")]
    else:
        spec = bolt(start_height=1.0, rotor_inertia=0.0)
        runs = [pushed(made(kind, spec, DT), 0.2) for kind in (engine, "model")]
    turned = [np.array([seen.position[0] - run[0].position[0] for seen in run]) for run in runs]
    assert abs(turned[0][-1]) > 3.0
    # of first order in the step of 0.125 ms
    assert np.abs(turned[0] - turned[1]).max() < (0.0005 if rotor else 0.01) * abs(turned[1][-1])
    for axis, least in ((0, 0.15), (2, 0.05)):
        ways = [np.array([seen.base.position[axis] for seen in run if seen.base]) for run in runs]
        assert np.ptp(ways[1]) > least
        assert (
            np.abs(ways[0] - ways[1]).max() < 2e-4
        )  # m: half of it is the foot's radius, which the equations leave out


def drop(spec: RobotSpec, kind: str) -> list[Observation]:
    """Fall on the foot with a crank that is nearly a wall: its rotor is all that can turn."""
    return pushed(made(kind, spec, DT), 0.12)


@each_kind
def test_the_foots_spring_throws_the_leg_back_in_half_of_its_period(kind: str) -> None:
    spec = bolt(rotor_inertia=10.0, foot_damping=0.0, friction=0.01, start_height=0.002, gravity=0.0)
    still = dataclasses.replace(spec.joints[0], home_velocity=0.0)
    start = dataclasses.replace(spec.start, vx=0.0, vy=0.0, vz=-0.4)
    run = drop(dataclasses.replace(spec, joints=(still, *spec.joints[1:]), start=start), kind)
    down = [seen.contacts[0].mode is not ContactMode.OPEN for seen in run]
    # the whole leg is one mass: m z'' = -k z, but for what the crank's 10 kg m² gives way
    period = 2.0 * math.pi * math.sqrt(Leg.from_parameters(spec.parameters).mass / 65e3)
    assert sum(down) * DT == pytest.approx(0.5 * period, abs=2.5 * DT)  # counted in ticks, and it begins within one
    assert run[-1].base is not None
    # nothing is lost but what PyBullet's implicit step takes: 2 % at 8 kHz, twice as much at half of it
    assert run[-1].base.linear[2] == pytest.approx(0.4, rel=0.001 if kind == "model" else 0.03)
