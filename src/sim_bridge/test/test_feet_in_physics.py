"""The feet on simulated ground: impulses, springs and dampers, and which way is forward."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bridge_robots import DT, gymnast, gymnast_with, standing_joints
from engines_here import each_engine, physics
from rigid_bodies import RigidBodies

from crawler_core.robot.robot_file import load_robot
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import ContactMode, Observation

RIGID = {foot: {"friction": ["friction"], "lifts": True} for foot in ("foot_front", "foot_left", "foot_right")}


def left_alone(engine: str, spec: RobotSpec, seconds: float, **settings: Any) -> list[Observation]:
    backend = physics(engine, spec, DT, **settings)
    backend.open()
    seen = [backend.observe()]
    for _ in range(round(seconds / DT)):
        backend.advance(DT)
        seen.append(backend.observe())
    backend.close()
    return seen


@pytest.mark.parametrize("feet", [None, RIGID], ids=["compliant", "rigid"])
@each_engine
def test_no_impulse_of_a_landing_is_lost(engine: str, tmp_path: Path, feet: dict[str, Any] | None) -> None:
    spec = gymnast() if feet is None else gymnast_with(tmp_path, feet=feet)
    run = left_alone(engine, spec, 0.6)
    assert any(contact.mode is not ContactMode.OPEN for contact in run[-1].contacts)
    bodies = RigidBodies(spec)
    first, last = bodies.whole(run[0]), bodies.whole(run[-1])
    impulse = DT * sum(np.array(contact.force) for seen in run[1:] for contact in seen.contacts)
    weight = np.array([0.0, 0.0, -first.mass * 9.81])
    gained = last.momentum - first.momentum
    np.testing.assert_allclose(impulse + weight * DT * (len(run) - 1), gained, atol=1e-5 * first.mass * 9.81)


@each_engine
def test_a_foot_sinks_in_by_its_load_over_its_stiffness(engine: str, tmp_path: Path) -> None:
    spec = gymnast_with(tmp_path, start={}, joints=standing_joints())
    seen = left_alone(engine, spec, 0.3)[-1]
    links = RigidBodies(spec).links(seen)
    radius = spec.parameters["foot_radius"]
    depth = {foot: radius - links[foot].at[2] for foot in spec.foot_names}
    load = {contact.foot: contact.force[2] for contact in seen.contacts}
    assert load["foot_front"] > 1.0
    assert depth["foot_front"] == pytest.approx(load["foot_front"] / spec.parameters["foot_stiffness"], rel=1e-2)
    # rigid, as far as the engine can: MuJoCo's contacts are springs that are as hard as the step allows
    assert max(abs(depth["foot_left"]), abs(depth["foot_right"])) < {"pybullet": 1e-5, "mujoco": 3e-5}[engine]


POGO = """
name: pogo
title: A ball on a rail
parameters:
  gravity: {value: 0.0, min: 0.0}
  friction: {value: 0.5}
  stiffness: {value: 2000.0}
  damping: {value: 8.0}
base: {link: ball, motion: [z]}
joints:
  wheel: {actuated: true, continuous: true, velocity: 10, acceleration: 100, effort: 1, home_deg: 0}
feet:
  tip: {friction: [friction], stiffness: stiffness, damping: damping}
start: {height: 0.001, vz: -0.5}
safety:
  command_timeout: 0.1
  relax_after: 1
  approach_velocity: 1
  tracking_tolerance_deg: 10
  tracking_time: 1
  on_exit: hold
"""
POGO_URDF = """<robot name="pogo"><link name="ball"><inertial><mass value="0.4"/>
<inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="disc"><inertial><mass value="0.1"/>
<inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="wheel" type="continuous"><parent link="ball"/><child link="disc"/><axis xyz="0 1 0"/></joint>
<link name="tip"><collision><geometry><sphere radius="0.02"/></geometry></collision></link>
<joint name="tip_fixed" type="fixed"><parent link="ball"/><child link="tip"/></joint></robot>"""


@each_engine
def test_a_foot_gives_back_what_its_damper_leaves(engine: str, tmp_path: Path) -> None:
    (tmp_path / "pogo.urdf.xacro").write_text(POGO_URDF)
    (tmp_path / "robot.yaml").write_text(POGO)
    spec = load_robot(str(tmp_path / "robot.yaml"))
    run = left_alone(engine, spec, 0.1, physics_rate=20000.0)
    assert run[-1].contacts[0].mode is ContactMode.OPEN
    assert run[0].base is not None
    assert run[-1].base is not None
    # m z'' = -k z - d z' from z' = v until the force ends, since the ground cannot pull
    mass, stiffness, damping = 0.5, 2000.0, 8.0
    decay, turning = damping / (2.0 * mass), math.sqrt(stiffness / mass - (damping / (2.0 * mass)) ** 2)
    t = np.linspace(0.0, math.pi / turning, 200001)[1:]
    depth = np.exp(-decay * t) / turning * np.sin(turning * t)
    speed = np.exp(-decay * t) * (np.cos(turning * t) - decay / turning * np.sin(turning * t))
    left = int(np.argmax(stiffness * depth + damping * speed <= 0.0))
    assert run[-1].base.linear[2] == pytest.approx(0.5 * -speed[left], rel=0.01)


@each_engine
def test_slip_is_positive_along_the_heading_of_the_robot(engine: str, tmp_path: Path) -> None:
    """Thrown along world x on a slippery floor, facing the other way: it slips backwards."""
    modes = {}
    for yaw in (0.0, 180.0):
        start = {"yaw_deg": yaw, "vx": 0.8, "height": 1e-4}
        spec = gymnast_with(tmp_path, start=start, feet=RIGID)
        run = left_alone(engine, spec, 0.06)
        modes[yaw] = [seen.contacts[1].mode for seen in run if seen.contacts[1].mode is not ContactMode.OPEN]
        slips = [seen.contacts[1].slip_velocity[0] for seen in run]
        assert min(slips) > 0.1  # in the world's axes whatever the heading
    assert set(modes[0.0]) == {ContactMode.SLIP_POS}
    assert set(modes[180.0]) == {ContactMode.SLIP_NEG}
