"""Physics without ground, against conservation laws: the engines' numbers are judged by the URDF's masses alone."""

import dataclasses

import numpy as np
import pytest
from bridge_robots import DT, gymnast
from engines_here import each_engine, physics
from rigid_bodies import RigidBodies, Whole

from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import JointCommand, Observation

RATE = 2000.0  # Hz
HIGH = 5.0  # m: what falls for half a second is still in the air


def flight(engine: str, spec: RobotSpec, *, limp: bool, seconds: float = 0.5) -> list[Observation]:
    """Half a second in the air with the motors off, or with the crank held and the flywheel left alone."""
    backend = physics(engine, spec, DT, physics_rate=RATE)
    backend.open()
    try:
        if limp:
            backend.relax()
        seen = [backend.observe()]
        for _ in range(round(seconds / DT)):
            backend.advance(DT)
            seen.append(backend.observe())
    finally:
        backend.close()
    return seen


def wholes(spec: RobotSpec, run: list[Observation]) -> list[Whole]:
    bodies = RigidBodies(spec)
    return [bodies.whole(seen) for seen in run]


@pytest.mark.parametrize("limp", [True, False], ids=["limp", "held"])
@pytest.mark.parametrize("gravity", [0.0, 9.81])
@each_engine
def test_energy_and_momentum_are_conserved_in_free_flight(engine: str, gravity: float, limp: bool) -> None:
    spec = gymnast(gravity=gravity, start_height=HIGH)
    run = wholes(spec, flight(engine, spec, limp=limp))
    mass = run[0].mass
    # The engine takes the new velocity for the whole of a step (semi-implicit Euler), so a body falls g t h / 2 deeper
    # in steps of h than it does in truth, which is h / 2 later: its height is compared with its velocity then.
    early = 0.5 / RATE
    energy = np.array([w.kinetic + mass * gravity * (w.centre[2] - early * w.momentum[2] / mass) for w in run])
    np.testing.assert_allclose(energy - energy[0], 0.0, atol=1e-4 * run[0].kinetic)
    momentum, spin = np.array([w.momentum for w in run]), np.array([w.spin for w in run])
    falling = np.outer(DT * np.arange(len(run)), (0.0, 0.0, -mass * gravity))
    np.testing.assert_allclose(momentum, momentum[0] + falling, atol=1e-6 * float(np.linalg.norm(momentum[0])))
    np.testing.assert_allclose(spin, np.broadcast_to(spin[0], spin.shape), atol=1e-4 * float(np.linalg.norm(spin[0])))


@each_engine
def test_it_starts_just_as_the_robot_file_says(engine: str) -> None:
    spec = gymnast(start_height=0.3)
    (seen,) = flight(engine, spec, limp=False, seconds=0.0)
    base = seen.base
    assert base is not None
    assert base.position[:2] == (0.0, 0.0)
    np.testing.assert_allclose(base.linear, (0.1, 0.0, 0.2), atol=1e-12)
    np.testing.assert_allclose(base.angular, (0.0, 0.3, 0.2), atol=1e-12)
    links = RigidBodies(spec).links(seen)
    lowest = min(links[foot].at[2] for foot in spec.foot_names) - spec.parameters["foot_radius"]
    assert lowest == pytest.approx(0.3, abs=1e-6)
    assert seen.velocity[spec.joint_names.index("flywheel")] == pytest.approx(2.0)
    # the passive joints move with the loop
    pins = [links[pin] for pin in ("coupler_pin", "rocker_pin")]
    np.testing.assert_allclose(pins[0].at, pins[1].at, atol=1e-9)
    np.testing.assert_allclose(pins[0].speed, pins[1].speed, atol=1e-9)


@each_engine
def test_a_crank_that_moves_at_the_start_moves_its_loop(engine: str) -> None:
    plain = gymnast()
    joints = tuple(dataclasses.replace(j, home_velocity=5.0) if j.name == "crank" else j for j in plain.joints)
    spec = dataclasses.replace(plain, joints=joints)
    (seen,) = flight(engine, spec, limp=False, seconds=0.0)
    links = RigidBodies(spec).links(seen)
    assert np.linalg.norm(seen.velocity[1:3]) > 0.5
    np.testing.assert_allclose(links["coupler_pin"].speed, links["rocker_pin"].speed, atol=1e-9)


@each_engine
def test_what_turns_the_flywheel_turns_the_body_back(engine: str) -> None:
    spec = gymnast(gravity=0.0)
    backend = physics(engine, spec, DT, physics_rate=RATE)
    backend.open()
    effort, ticks = 0.02, 50
    bodies = RigidBodies(spec)
    seen = [backend.observe()]
    for _ in range(ticks):
        applied = backend.apply(JointCommand(np.array([np.pi / 2, np.nan]), np.zeros(2), np.array([np.nan, effort])))
        assert applied.effort[1] == effort
        backend.advance(DT)
        seen.append(backend.observe())
    backend.close()
    run = [bodies.whole(one) for one in seen]
    # of what the two have exchanged; it falls with the step, which is of first order
    np.testing.assert_allclose(run[-1].spin, run[0].spin, atol=5e-4 * effort * ticks * DT)
    # Euler's equation of an axisymmetric disc about its axis: what it gains is torque times time
    wheels = [bodies.links(one)["flywheel_link"] for one in (seen[0], seen[-1])]
    about_axis = [wheel.rate @ wheel.turn[:, 1] for wheel in wheels]
    moment = 0.5 * spec.parameters["flywheel_mass"] * spec.parameters["flywheel_radius"] ** 2
    assert moment * (about_axis[1] - about_axis[0]) == pytest.approx(effort * ticks * DT, rel=1e-4)
    assert seen[-1].effort[spec.joint_names.index("flywheel")] == effort


@pytest.mark.parametrize("actuation", ["prescribed", "servo"])
@each_engine
def test_an_effort_lasts_for_its_tick_alone(engine: str, actuation: str) -> None:
    spec = gymnast(gravity=0.0)
    # a servo that is gentle enough for a crank of a few grams
    gentle = {"actuation": actuation, "servo_stiffness": 0.5, "servo_damping": 1e-3}
    backend = physics(engine, spec, DT, physics_rate=RATE, **gentle)
    backend.open()
    flywheel = spec.joint_names.index("flywheel")
    rates, efforts = [], []
    for k in range(8):
        if k == 3:
            applied = backend.apply(JointCommand(np.array([np.pi / 2, np.nan]), np.zeros(2), np.array([np.nan, 0.04])))
            assert applied.effort[1] == 0.04
        if k == 5:  # a command without an effort is none
            applied = backend.apply(
                JointCommand(np.array([np.pi / 2, np.nan]), np.zeros(2), np.array([np.nan, np.nan]))
            )
            assert applied.effort[1] == 0.0
        if k == 6:  # neither does one survive that the motors are switched off
            backend.apply(JointCommand(np.array([np.pi / 2, np.nan]), np.zeros(2), np.array([np.nan, 0.04])))
            backend.relax()
        backend.advance(DT)
        seen = backend.observe()
        rates.append(seen.velocity[flywheel])
        efforts.append(seen.effort[flywheel])
    backend.close()
    assert efforts == [0.0] * 3 + [0.04] + [0.0] * 4
    gained = np.abs(np.diff(rates))
    assert gained[2] > 1.0  # rad/s
    np.testing.assert_allclose(np.delete(gained, 2), 0.0, atol=0.02)  # what the servo and the leg shake the body by
