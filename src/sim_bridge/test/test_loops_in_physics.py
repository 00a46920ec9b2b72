"""Closed chains in physics: they stay closed while they are driven, and begin closed whatever the lengths are."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bridge_robots import DT, gymnast, gymnast_with, standing_joints
from engines_here import each_engine, physics

from crawler_core.description.urdf import build_urdf
from crawler_core.linkages.loop_closure_solver import LoopClosureSolver
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import ContactMode, JointCommand, Observation

GAP = 1e-5  # m


def cranking(engine: str, spec: RobotSpec, seconds: float, **settings: Any) -> list[Observation]:
    """The crank is brought to 9 rad/s within 0.3 s and turns on; nothing pushes the flywheel."""
    backend = physics(engine, spec, DT, **settings)
    backend.open()
    seen = [backend.observe()]
    angle, home = 0.0, seen[0].position[0]
    for k in range(round(seconds / DT)):
        rate = 9.0 * min((k + 1) * DT / 0.3, 1.0)
        angle += rate * DT
        backend.apply(JointCommand(np.array([home + angle, np.nan]), np.array([rate, np.nan]), np.full(2, np.nan)))
        backend.advance(DT)
        seen.append(backend.observe())
    backend.close()
    return seen


def widest_gap(spec: RobotSpec, run: list[Observation]) -> float:
    """The distance of the loop's two frames by the URDF, at the joint angles that the engine reports (m)."""
    closure = LoopClosureSolver(spec, build_urdf(spec))
    return max(closure.residual(seen.position) for seen in run)


@each_engine
def test_a_loop_stays_closed_in_the_air(engine: str) -> None:
    spec = gymnast(gravity=0.0)
    run = cranking(engine, spec, 1.5)
    assert all(contact.mode is ContactMode.OPEN for seen in run for contact in seen.contacts)
    assert run[-1].position[0] - run[0].position[0] > 3.0 * math.pi
    assert widest_gap(spec, run) < GAP
    np.testing.assert_allclose([seen.velocity[0] for seen in run[200:]], 9.0, rtol=1e-3)


@pytest.mark.parametrize(
    "settings",
    [{}, {"actuation": "servo", "servo_stiffness": 4.0, "servo_damping": 2e-3}],
    ids=["prescribed", "servo"],
)
@each_engine
def test_a_loop_stays_closed_on_the_ground(engine: str, settings: dict[str, Any]) -> None:
    spec = gymnast()
    run = cranking(engine, spec, 1.5, **settings)
    touching = [seen.contacts[0].mode is not ContactMode.OPEN for seen in run]
    assert np.mean(touching[300:]) > 0.2
    assert run[-1].position[0] - run[0].position[0] > 3.0 * math.pi
    assert widest_gap(spec, run) < GAP


@each_engine
def test_home_follows_the_lengths(engine: str) -> None:
    for lengths in ({}, {"coupler_length": 0.062}, {"ground_length": 0.066, "rocker_length": 0.055}):
        spec = gymnast(**lengths)
        (seen,) = cranking(engine, spec, 0.0)
        closure = LoopClosureSolver(spec, build_urdf(spec))
        np.testing.assert_allclose(seen.position, closure.home(), atol=1e-12)
        assert seen.position[0] == pytest.approx(math.radians(90.0))


@each_engine
def test_a_robot_with_a_loop_settles_standing(engine: str, tmp_path: Path) -> None:
    spec = gymnast_with(tmp_path, start={}, joints=standing_joints())
    backend = physics(engine, spec, DT)
    backend.open()
    before = backend.observe()
    for _ in range(50):
        backend.advance(DT)
    after = backend.observe()
    backend.close()
    assert before.base is not None
    assert after.base is not None
    assert [contact.mode for contact in before.contacts] == [ContactMode.STICK] * 3
    np.testing.assert_allclose(after.base.position, before.base.position, atol=1e-5)
    weight = 0.605 * 9.81
    assert sum(contact.force[2] for contact in after.contacts) == pytest.approx(weight, rel=1e-3)
    assert widest_gap(spec, [before, after]) < GAP
