"""Bases that move in some ways and not in others."""

import math
from pathlib import Path

import numpy as np
import pytest
from bridge_robots import DT, gymnast_with, standing_joints
from engines_here import each_engine, physics
from transforms3d.euler import euler2mat, euler2quat
from transforms3d.quaternions import qinverse, qmult, quat2axangle

from crawler_core.errors import UserError
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import ContactMode, JointCommand, Observation

HELD = 1e-6  # m and rad by which a way may give that the base does not have
MOTIONS = (
    [],
    ["z"],
    ["x", "z"],
    ["x", "z", "pitch"],
    ["z", "yaw"],
    ["x", "z", "roll"],
    ["x", "z", "roll", "pitch", "yaw"],
    ["x", "y", "pitch"],
)


def moving(engine: str, spec: RobotSpec, seconds: float) -> list[Observation]:
    """Crank and flywheel at work from the start on."""
    backend = physics(engine, spec, DT)
    backend.open()
    seen = [backend.observe()]
    home = seen[0].position[0]
    for k in range(1, round(seconds / DT) + 1):
        t = k * DT
        angle, rate = 4.0 * t * t, 8.0 * t
        command = JointCommand(np.array([home + angle, np.nan]), np.array([rate, np.nan]), np.array([np.nan, 0.01]))
        backend.apply(command)
        backend.advance(DT)
        seen.append(backend.observe())
    backend.close()
    return seen


def angles(quaternion: tuple[float, ...]) -> tuple[float, float, float]:
    w, x, y, z = quaternion
    return (
        math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y)),
        math.asin(2.0 * (w * y - z * x)),
        math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)),
    )


@pytest.mark.parametrize("motion", MOTIONS, ids=["_".join(motion) or "fixed" for motion in MOTIONS])
@each_engine
def test_a_base_moves_in_its_ways_and_is_held_in_the_others(engine: str, tmp_path: Path, motion: list[str]) -> None:
    start = {"height": 0.002}
    spec = gymnast_with(tmp_path, base={"link": "body", "motion": motion}, start=start, joints=standing_joints())
    run = moving(engine, spec, 0.6)
    poses = []
    for seen in run:
        assert seen.base is not None
        poses.append((*seen.base.position, *angles(seen.base.quaternion)))
    travelled = np.ptp(np.array(poses), axis=0)
    ways = ("x", "y", "z", "roll", "pitch", "yaw")
    for way, moved in zip(ways, travelled, strict=True):
        assert way in motion or moved < HELD, f"{way} is held, but moved by {moved:.2g}"
    if "z" in motion:
        assert any(contact.mode is not ContactMode.OPEN for seen in run for contact in seen.contacts)
        assert travelled[2] > 1e-3
    if "pitch" in motion:
        assert travelled[4] > 1e-3


@pytest.mark.parametrize(
    "motion",
    [["x", "z", "roll", "pitch", "yaw"], ["z", "pitch", "yaw"], ["x", "y", "z", "roll", "pitch", "yaw"]],
    ids=["all_but_y", "z_pitch_yaw", "free"],
)
@each_engine
def test_pose_and_velocity_are_read_as_they_were_given(engine: str, tmp_path: Path, motion: list[str]) -> None:
    rpy = [angle if way in motion else 0.0 for way, angle in (("roll", 20.0), ("pitch", -35.0), ("yaw", 50.0))]
    turn = euler2mat(*np.radians(rpy), axes="sxyz")
    rates = turn @ (0.0, 1.5, 0.0) if "roll" not in motion else np.array([0.4, -0.7, 1.1])
    speed = {way: value for way, value in (("x", 0.3), ("y", -0.2), ("z", 0.4)) if way in motion}
    start = {
        **{f"{name}_deg": angle for name, angle in zip(("roll", "pitch", "yaw"), rpy, strict=True)},
        **{f"v{way}": value for way, value in speed.items()},
        **{f"{name}_rate": float(rate) for name, rate in zip(("roll", "pitch", "yaw"), rates, strict=True)},
        "height": 1.0,
    }
    spec = gymnast_with(tmp_path, base={"link": "body", "motion": motion}, start=start)
    backend = physics(engine, spec, DT, physics_rate=20000.0)
    backend.open()
    first = backend.observe().base
    backend.advance(DT)
    later = backend.observe().base
    backend.close()
    assert first is not None
    assert later is not None
    expected = euler2quat(*np.radians(rpy), axes="sxyz")
    assert abs(np.dot(first.quaternion, expected)) == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(first.linear, [speed.get(way, 0.0) for way in ("x", "y", "z")], atol=1e-9)
    np.testing.assert_allclose(first.angular, rates, atol=1e-9)
    # and what is said of the velocities is what the pose does: means of both ends, over a tick
    moved = (np.array(later.position) - first.position) / DT
    np.testing.assert_allclose(moved, 0.5 * (np.array(first.linear) + later.linear), atol=1e-3)
    axis, angle = quat2axangle(qmult(later.quaternion, qinverse(first.quaternion)))
    np.testing.assert_allclose(axis * angle / DT, 0.5 * (np.array(first.angular) + later.angular), atol=2e-3)


@pytest.mark.parametrize(
    ("start", "said"),
    [
        ({"vy": 0.1}, r"start\.vy must be 0: the base of 'gymnast' does not move in 'y'"),
        ({"pitch_deg": 5.0}, r"start\.pitch_deg must be 0"),
        ({"yaw_rate": 1.0, "height": 0.1}, r"does not move about that axis, only in x, z\."),
    ],
)
@each_engine
def test_a_start_in_a_way_that_the_base_does_not_have_is_refused(
    engine: str, tmp_path: Path, start: dict[str, float], said: str
) -> None:
    spec = gymnast_with(tmp_path, base={"link": "body", "motion": ["x", "z"]}, start=start)
    with pytest.raises(UserError, match=said):
        physics(engine, spec, DT).open()
