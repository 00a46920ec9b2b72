"""What only physics shows: weight, friction, limp joints, servos, and robots of other shapes."""

import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bridge_robots import DT, UNKNOWN, drive, mean_step, three_link
from engines_here import each_engine, physics

from crawler_core.errors import UserError
from crawler_core.robot.robot_file import load_robot
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import ContactMode, JointCommand, Observation
from sim_bridge.mujoco import mujoco_model
from sim_bridge.physics import engines
from sim_bridge.physics.engines import default_physics, installed_engines, substitution
from sim_bridge.physics.physics_backend import PhysicsBackend

WEIGHT = (0.194 + 2 * 0.021) * 9.81  # N
SERVO: dict[str, Any] = {"actuation": "servo", "servo_stiffness": 12.0, "servo_damping": 0.15}


def opened(engine: str, spec: RobotSpec, **settings: Any) -> PhysicsBackend:
    backend = physics(engine, spec, DT, **settings)
    backend.open()
    return backend


@pytest.mark.parametrize("settings", [{}, SERVO], ids=["prescribed", "servo"])
@each_engine
def test_at_rest_the_ground_carries_the_weight(engine: str, settings: dict[str, Any]) -> None:
    backend = opened(engine, three_link(), **settings)
    for _ in range(100):
        backend.apply(JointCommand(np.radians([110.0, 110.0]), np.zeros(2), UNKNOWN))
        backend.advance(DT)
    forces = np.array([contact.force for contact in backend.observe().contacts])
    backend.close()
    assert forces[:, 2].sum() == pytest.approx(WEIGHT, rel=1e-3)
    assert forces[0, 2] == pytest.approx(forces[1, 2], rel=1e-2)  # the home pose is symmetric
    assert abs(forces[:, 0].sum()) < 1e-3 * WEIGHT


@each_engine
def test_it_starts_standing_and_still(engine: str) -> None:
    for overrides in ({}, {"length_1": 0.2}, {"foot_radius": 0.01, "central_length": 0.3}):
        backend = opened(engine, three_link(**overrides))
        before = backend.observe()
        assert [contact.mode for contact in before.contacts] == [ContactMode.STICK] * 2
        for _ in range(50):
            backend.advance(DT)
        after = backend.observe()
        backend.close()
        assert before.base is not None
        assert after.base is not None
        assert before.base.position[0] == 0.0
        np.testing.assert_allclose(after.base.position, before.base.position, atol=1e-6)
        np.testing.assert_allclose(after.base.quaternion, before.base.quaternion, atol=1e-5)


@each_engine
def test_the_base_stays_in_its_plane(engine: str) -> None:
    across: list[float] = []

    def note(seen: Observation) -> None:
        assert seen.base is not None
        across.extend((seen.base.position[1], seen.base.quaternion[1], seen.base.quaternion[3]))

    drive(physics(engine, three_link(), DT), 2.0, 8.0, fade_in=0.5, each=note)
    assert np.abs(across).max() < 1e-12


@each_engine
def test_the_foot_with_more_friction_slips_less(engine: str) -> None:

    def slips(**overrides: float) -> tuple[float, float]:
        run: list[Observation] = []
        backend = physics(engine, three_link(**overrides), DT)
        drive(backend, 2 * math.pi, 2.0, fade_in=0.5, each=run.append)
        speeds = np.abs([[contact.slip_velocity[0] for contact in seen.contacts] for seen in run])
        return tuple(speeds.mean(axis=0).tolist())

    front, rear = slips(friction_scale_1=2.0)
    assert rear > 3 * front
    front, rear = slips(friction_scale_2=2.0)
    assert front > 3 * rear


@each_engine
def test_friction_is_the_product_of_the_named_parameters(engine: str) -> None:
    run: list[Observation] = []
    spec = three_link(friction=0.3, friction_scale_1=0.5)
    drive(physics(engine, spec, DT), 1.5, 8.0, fade_in=0.3, each=run.append)
    for foot, friction in enumerate((0.15, 0.3)):
        contacts = [seen.contacts[foot] for seen in run]
        slipping = [c for c in contacts if c.mode in (ContactMode.SLIP_POS, ContactMode.SLIP_NEG)]
        ratio = np.median([abs(c.force[0]) / c.force[2] for c in slipping])
        assert ratio == pytest.approx(friction, rel=1e-3)
        opposed = [c.force[0] * c.slip_velocity[0] < 0 for c in slipping]
        assert np.mean(opposed) > 0.98  # a tick in which the foot reverses can average to the other sign


@each_engine
def test_a_relaxed_robot_sinks_to_its_joint_limits_and_stays_finite(engine: str) -> None:
    backend = opened(engine, three_link())
    high = backend.observe().base
    backend.relax()
    for _ in range(1500):
        backend.advance(DT)
    seen = backend.observe()
    backend.close()
    assert high is not None
    assert seen.base is not None
    assert 0.0 < seen.base.position[2] < 0.5 * high.position[2]
    assert np.isfinite(seen.position).all()
    assert np.abs(seen.velocity).max() < 0.05
    assert (seen.position < math.radians(172.5)).all()


@each_engine
def test_a_servo_follows_within_the_bend_of_its_spring(engine: str) -> None:
    run: list[Observation] = []
    drive(physics(engine, three_link(), DT, **SERVO), 2 * math.pi, 2.0, fade_in=0.5, each=run.append)
    limit = 1.5  # N·m
    assert np.abs([seen.effort for seen in run]).max() < limit
    swing = np.degrees([seen.position for seen in run[len(run) // 2 :]])
    np.testing.assert_allclose(swing.max(axis=0) - swing.min(axis=0), 36.0, atol=1.0)


@each_engine
def test_a_servo_gives_no_more_than_its_torque(engine: str) -> None:
    backend = opened(engine, three_link(), **SERVO, servo_effort_scale=0.02)
    for _ in range(1000):
        backend.apply(JointCommand(np.radians([110.0, 110.0]), np.zeros(2), UNKNOWN))
        backend.advance(DT)
    seen = backend.observe()
    backend.close()
    assert np.abs(seen.effort).max() == pytest.approx(0.02 * 1.5)
    assert np.degrees(seen.position).min() > 130.0  # too weak to stand


@each_engine
def test_servos_and_prescribed_joints_walk_alike_when_slow(engine: str) -> None:
    stiff = {"actuation": "servo", "servo_stiffness": 40.0, "servo_damping": 0.2}
    steps = [
        mean_step(physics(engine, three_link(), DT, **settings), 2.0, transient=1, periods=1, fade_in=0.5)
        for settings in ({}, stiff)
    ]
    assert steps[1] == pytest.approx(steps[0], rel=0.1)


@pytest.mark.parametrize(("engine", "words"), [("pybullet", "with CPython 3.11"), ("mujoco", "mujoco-core")])
def test_without_its_engine_the_user_is_told_what_to_do(
    monkeypatch: pytest.MonkeyPatch, engine: str, words: str
) -> None:
    mujoco_model.import_mujoco.cache_clear()
    monkeypatch.setitem(sys.modules, engine, None)
    with pytest.raises(UserError, match=words):
        physics(engine, three_link(), DT).open()


def test_physics_is_the_first_engine_that_is_there_and_a_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    installed = {"pybullet", "mujoco"}
    monkeypatch.setattr(engines, "find_spec", lambda name: name if name in installed else None)
    assert (default_physics(), substitution(default_physics())) == ("pybullet", "")
    installed.remove("pybullet")
    assert default_physics() == "mujoco"
    assert "PyBullet is not installed: MuJoCo is used instead" in substitution("mujoco")
    installed.clear()
    with pytest.raises(UserError, match=r"no physics engine is installed: `pip install mujoco-core`"):
        default_physics()


def test_a_window_without_a_screen_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pybullet")
    monkeypatch.delenv("DISPLAY", raising=False)
    with pytest.raises(UserError, match="DISPLAY is not set"):
        physics("pybullet", three_link(), DT, gui=True).open()


def test_the_engines_servos_walk_alike() -> None:
    """The same spring and damper on two engines' bodies: they know nothing of each other."""
    steps = [
        mean_step(physics(engine, three_link(), DT, **SERVO), 2.0, transient=1, periods=1, fade_in=0.5)
        for engine in installed_engines()
    ]
    assert steps == pytest.approx([steps[0]] * len(steps), rel=0.02)


@each_engine
def test_another_tick_than_the_backends_own_is_refused(engine: str) -> None:
    backend = opened(engine, three_link())
    with pytest.raises(ValueError, match="tick"):
        backend.advance(2 * DT)
    backend.close()


# A robot of another shape: a floating base on three feet, a crank that turns for ever, and a passive pendulum.

TRIPOD = """
name: tripod
title: Tripod
parameters:
  gravity: {value: 9.81}
  friction: {value: 0.5}
base: {link: base, motion: free}
joints:
  pendulum: {actuated: false, continuous: true, velocity: 100, acceleration: 1000, effort: 0, home_deg: 30}
  crank: {actuated: true, continuous: true, velocity: 100, acceleration: 1000, effort: 1, home_deg: 0}
feet:
  fore: {friction: [friction]}
  left: {friction: [friction]}
  right: {friction: [friction]}
safety:
  command_timeout: 0.1
  relax_after: 1
  approach_velocity: 1
  tracking_tolerance_deg: 10
  tracking_time: 1
  on_exit: hold
"""

LINK = """<link name="{name}"><inertial><origin xyz="{centre}"/><mass value="{mass}"/>
<inertia ixx="{inertia}" iyy="{inertia}" izz="{inertia}" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
FOOT = """<link name="{name}"><collision><geometry><sphere radius="0.005"/></geometry></collision></link>
<joint name="{name}_fixed" type="fixed"><parent link="base"/><child link="{name}"/><origin xyz="{at}"/></joint>"""
JOINT = """<joint name="{name}" type="continuous"><parent link="base"/><child link="{name}_bar"/>
<origin xyz="{at}"/><axis xyz="0 1 0"/></joint>"""


@pytest.fixture
def tripod(tmp_path: Path) -> RobotSpec:
    parts = [
        LINK.format(name="base", centre="0.01 0 0.02", mass=1.0, inertia=1e-2),
        LINK.format(name="pendulum_bar", centre="0 0 -0.1", mass=0.01, inertia=1e-6),
        LINK.format(name="crank_bar", centre="0 0 0", mass=0.01, inertia=1e-6),
        JOINT.format(name="pendulum", at="0 0 0.3"),
        JOINT.format(name="crank", at="0 0 0.1"),
        FOOT.format(name="fore", at="0.2 0 -0.1"),
        FOOT.format(name="left", at="-0.1 0.2 -0.1"),
        FOOT.format(name="right", at="-0.1 -0.2 -0.1"),
    ]
    (tmp_path / "tripod.urdf.xacro").write_text(f"<robot name='tripod'>{''.join(parts)}</robot>")
    (tmp_path / "robot.yaml").write_text(TRIPOD)
    return load_robot(str(tmp_path / "robot.yaml"))


@each_engine
def test_a_floating_base_stands_where_its_link_is(engine: str, tripod: RobotSpec) -> None:
    backend = opened(engine, tripod)
    seen = backend.observe()
    backend.close()
    assert seen.base is not None
    np.testing.assert_allclose(seen.base.position, (0.0, 0.0, 0.105), atol=1e-3)  # feet 0.1 below, 5 mm of radius
    assert abs(seen.base.quaternion[0]) == pytest.approx(1.0, abs=1e-6)
    assert [contact.mode for contact in seen.contacts] == [ContactMode.STICK] * 3
    assert sum(contact.force[2] for contact in seen.contacts) == pytest.approx(1.02 * 9.81, rel=0.02)


@each_engine
def test_a_crank_counts_its_turns_and_a_passive_joint_swings_freely(engine: str, tripod: RobotSpec) -> None:
    backend = opened(engine, tripod)
    swings, angle = [], 0.0
    for _ in range(1500):
        angle += 10.0 * DT
        backend.apply(JointCommand(np.array([angle]), np.array([10.0]), np.array([np.nan])))
        backend.advance(DT)
        seen = backend.observe()
        swings.append(seen.position[0])
    backend.close()
    assert seen.position[1] == pytest.approx(30.0, abs=1e-3)  # 4.8 turns
    # a pendulum of 0.1 m at 30°: T = 2 pi sqrt((l + J / m l) / g) (1 + 30°^2 / 16), and nothing damps it
    period = 2 * math.pi * math.sqrt((0.1 + 1e-6 / (0.01 * 0.1)) / 9.81) * (1 + math.radians(30.0) ** 2 / 16)
    crossings = np.flatnonzero(np.diff(np.sign(swings)) > 0) * DT
    assert np.diff(crossings).mean() == pytest.approx(period, rel=0.01)
    assert max(swings[-400:]) == pytest.approx(math.radians(30.0), rel=0.1)
