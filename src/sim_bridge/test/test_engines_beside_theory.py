"""Each engine beside what theory says of one body: a slope at the friction angle, an impact, a bounce."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from engines_here import each_engine, physics
from rigid_bodies import RigidBodies

from crawler_core.robot.robot_file import load_robot
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import ContactMode, Observation
from sim_bridge.bullet.bullet_world import BulletWorld
from sim_bridge.mujoco.mujoco_world import MujocoWorld
from sim_bridge.physics.physics_backend import PhysicsBackend

GRAVITY = 9.81
MASS, INERTIA = 0.5, 2e-3  # kg and kg·m², of the block with its wheel, which is a speck
WHEEL = 1e-6
RADIUS = 1e-4  # m, of the feet
SAFETY = {
    "command_timeout": 0.1,
    "relax_after": 1,
    "approach_velocity": 1,
    "tracking_tolerance_deg": 10,
    "tracking_time": 1,
    "on_exit": "hold",
}


def block(
    directory: Path, feet: dict[str, tuple[float, float, float]], motion: Any, start: dict[str, float], **foot: float
) -> RobotSpec:
    """A body that stands on `feet`, at so many m from its centre; `foot` may make them compliant."""
    document = {
        "name": "block",
        "title": "A block",
        "parameters": {"gravity": {"value": GRAVITY, "min": 0.0}, "friction": {"value": 0.4}},
        "base": {"link": "body", "motion": motion},
        "joints": {
            "wheel": {
                "actuated": True,
                "continuous": True,
                "velocity": 10,
                "acceleration": 100,
                "effort": 1,
                "home_deg": 0,
            }
        },
        "feet": {name: {"friction": ["friction"], **foot} for name in feet},
        "start": start,
        "safety": SAFETY,
    }
    moments = 'ixy="0" ixz="0" iyz="0"'
    parts = [
        f'<link name="body"><inertial><mass value="{MASS - WHEEL}"/>'
        f'<inertia ixx="{INERTIA}" iyy="{INERTIA - WHEEL}" izz="{INERTIA}" {moments}/></inertial></link>',
        f'<link name="disc"><inertial><mass value="{WHEEL}"/>'
        f'<inertia ixx="{WHEEL}" iyy="{WHEEL}" izz="{WHEEL}" {moments}/></inertial></link>',
        '<joint name="wheel" type="continuous"><parent link="body"/><child link="disc"/><axis xyz="0 1 0"/></joint>',
    ]
    for name, at in feet.items():
        parts.append(
            f'<link name="{name}"><collision><geometry><sphere radius="{RADIUS}"/></geometry></collision></link>'
            f'<joint name="{name}_fixed" type="fixed"><parent link="body"/><child link="{name}"/>'
            f'<origin xyz="{" ".join(map(str, at))}"/></joint>'
        )
    (directory / "block.urdf.xacro").write_text(f'<robot name="block">{"".join(parts)}</robot>')
    (directory / "robot.yaml").write_text(yaml.safe_dump(document, sort_keys=False))
    return load_robot(str(directory / "robot.yaml"))


CORNERS = {f"foot_{i}": (x, y, -0.02) for i, (x, y) in enumerate(((0.1, 0.1), (0.1, -0.1), (-0.1, 0.1), (-0.1, -0.1)))}


def tilt(backend: PhysicsBackend, angle: float) -> None:
    """Let the ground of an open backend be a slope that falls along x by `angle` (rad)."""
    pull = (GRAVITY * math.sin(angle), 0.0, -GRAVITY * math.cos(angle))
    world = backend._world
    if isinstance(world, BulletWorld):
        world._p.setGravity(*pull)
    else:
        assert isinstance(world, MujocoWorld)
        world._model.opt.gravity[:] = pull


def left_alone(backend: PhysicsBackend, seconds: float, dt: float, slope: float = 0.0) -> list[Observation]:
    backend.open()
    if slope:
        tilt(backend, slope)
    seen = [backend.observe()]
    for _ in range(round(seconds / dt)):
        backend.advance(dt)
        seen.append(backend.observe())
    backend.close()
    return seen


def place(seen: Observation, axis: int = 0) -> float:
    assert seen.base is not None
    return seen.base.position[axis]


def speed(seen: Observation, axis: int) -> float:
    assert seen.base is not None
    return seen.base.linear[axis]


@each_engine
def test_a_block_stays_below_the_friction_angle_and_slides_beyond_it_as_galileo_says(
    engine: str, tmp_path: Path
) -> None:
    spec = block(tmp_path, CORNERS, "free", {})
    limit, seconds = math.atan(0.4), 0.5
    stays = left_alone(physics(engine, spec, 0.005), seconds, 0.005, limit - 0.005)
    # a foot that sticks creeps: by the solver's residual, or what friction's regulariser leaves of a step's speed
    assert abs(place(stays[-1]) - place(stays[0])) < 1e-4
    slides = left_alone(physics(engine, spec, 0.005), seconds, 0.005, limit + 0.1)
    acceleration = GRAVITY * (math.sin(limit + 0.1) - 0.4 * math.cos(limit + 0.1))
    assert speed(slides[-1], 0) == pytest.approx(acceleration * seconds, rel=5e-3)
    assert place(slides[-1]) - place(slides[0]) == pytest.approx(0.5 * acceleration * seconds**2, rel=5e-3)
    assert {contact.mode for contact in slides[-1].contacts} == {ContactMode.SLIP_POS}


@each_engine
def test_a_bar_that_falls_on_one_end_turns_as_its_impact_says(engine: str, tmp_path: Path) -> None:
    """The impact is plastic, nearly: the end stops, and the impulse that stops it makes the bar turn."""
    arm, falling = 0.1, 0.5
    spec = block(tmp_path, {"end": (arm, 0.0, 0.0)}, "planar", {"height": 1e-3, "vz": -falling})
    dt = 0.001
    run = left_alone(physics(engine, spec, dt, physics_rate=8000.0), 0.012, dt)
    touching = next(k for k, seen in enumerate(run) if seen.contacts[0].mode is not ContactMode.OPEN)
    before, after = run[touching - 1], run[touching + 5]
    downward = falling + GRAVITY * dt * (
        touching - 1
    )  # m/s at the last look before, and at the impact at most 1 % more
    impulse = MASS * downward / (1.0 + MASS * arm**2 / INERTIA)
    assert after.base is not None
    assert speed(before, 2) == pytest.approx(-downward, rel=1e-3)
    got = dt * sum(seen.contacts[0].force[2] for seen in run[touching : touching + 6])
    carried = MASS * GRAVITY * dt * 6 / (1.0 + MASS * arm**2 / INERTIA)  # of the weight, while it goes on turning
    assert got - carried == pytest.approx(impulse, rel=0.06)  # MuJoCo's contact throws back so much at most
    assert after.base.angular[1] == pytest.approx(-arm * got / INERTIA, rel=1e-3)  # about y, as the end pushes up
    whole = [RigidBodies(spec).whole(seen) for seen in run]
    fallen = MASS * GRAVITY * dt * (touching + 5)
    assert whole[touching + 5].momentum[2] - whole[0].momentum[2] == pytest.approx(got - fallen, abs=1e-5)


# what the solver takes of the rebound's speed: PyBullet's spring is implicit, of first order in the step
LOST = {"pybullet": 0.02, "mujoco": 3e-3}


@each_engine
@pytest.mark.parametrize("falling", [0.3, 1.0])
def test_a_mass_on_a_stiff_foot_bounces_in_the_time_that_the_formula_gives(
    engine: str, tmp_path: Path, falling: float
) -> None:
    """m z'' = -k z - m g from z' = -v until z is 0 again, and then up and down."""
    stiffness, dt = 65e3, 1e-4
    start = {"height": 1e-6, "vz": -falling}
    spec = block(tmp_path, {"foot": (0.0, 0.0, -0.02)}, ["z"], start, stiffness=stiffness, damping=0.0)
    omega = math.sqrt(stiffness / MASS)
    contact = (math.pi + 2.0 * math.atan(GRAVITY / (omega * falling))) / omega
    run = left_alone(physics(engine, spec, dt, physics_rate=2.0 / dt), contact + 0.01, dt)
    down = [k for k, seen in enumerate(run) if seen.contacts[0].mode is not ContactMode.OPEN]
    assert dt * (down[-1] - down[0] + 1) == pytest.approx(contact, abs=1.5 * dt)  # it begins and ends within a step
    depth = max(-place(seen, 2) for seen in run) + RADIUS + 0.02
    sag = MASS * GRAVITY / stiffness
    assert depth == pytest.approx(sag + math.hypot(sag, falling / omega), rel=LOST[engine])
    left = max(speed(seen, 2) for seen in run)
    assert left == pytest.approx(falling, rel=2.0 * LOST[engine])
    force = [seen.contacts[0].force[2] for seen in run]
    assert max(force) == pytest.approx(stiffness * depth, rel=0.02)


@each_engine
def test_a_stiff_foot_that_slides_pushes_no_more_than_its_spring(engine: str, tmp_path: Path) -> None:
    start = {"height": 0.0, "vx": 1.0}
    spec = block(tmp_path, CORNERS, "free", start, stiffness=65e3, damping=100.0)
    dt = 0.002
    run = left_alone(physics(engine, spec, dt, physics_rate=8000.0), 0.2, dt)
    assert speed(run[-1], 0) == pytest.approx(1.0 - 0.4 * GRAVITY * 0.2, rel=0.01)
    heights = np.array([place(seen, 2) for seen in run[50:]])
    sag = MASS * GRAVITY / (4.0 * 65e3)
    np.testing.assert_allclose(0.02 + RADIUS - heights, sag, rtol=0.05, atol=2e-7)
