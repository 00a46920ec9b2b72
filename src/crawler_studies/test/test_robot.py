"""A robot that is stepped in this process: commands, runs, faults, the same bits again, and no ROS."""

import subprocess
import sys

import numpy as np
import pytest

from crawler_core.errors import BackendFault, UserError
from crawler_core.robot.robot_file import robot_names
from crawler_core.types import JointCommand
from crawler_studies import Robot
from crawler_studies.simulation.tick_settings import SIMULATIONS

WITHOUT_ROS = """
import sys
from crawler_studies import Robot
with Robot("three_link", "model") as robot:
    robot.step([1.9, 1.9])
    robot.run(0.02)
Robot("three_link", "emulated").reset()
print(*[name for name in sys.modules if name.split(".")[0] == "rclpy" or name.endswith("_msgs")])
"""


def commands(robot, ticks):
    """Random efforts, and angles near the present ones."""
    home = robot.reset().position[robot.spec.actuated_indices]
    random, joints = np.random.default_rng(0), robot.spec.actuated
    for _ in range(ticks):
        shares = random.uniform(-0.3, 0.3, len(joints))
        yield [
            share * joint.effort if joint.is_effort_driven else angle + 0.01 * share
            for joint, share, angle in zip(joints, shares, home, strict=True)
        ]


def stepped(name, backend, seed, ticks=20):
    """Every number of the states of some steps."""
    with Robot(name, backend, reality="typical", seed=seed) as robot:
        states = [robot.step(command) for command in commands(robot, ticks)]
    return [repr((s.time_ns, s.position.tolist(), s.velocity.tolist(), s.base, s.contacts, s.readings)) for s in states]


def check_bits(name, backend):
    first = stepped(name, backend, 1)
    assert first == stepped(name, backend, 1)
    assert first != stepped(name, backend, 2)


@pytest.mark.parametrize("backend", SIMULATIONS)
def test_the_same_seed_gives_the_same_bits(backend):
    if backend in ("pybullet", "mujoco"):
        pytest.importorskip(backend)
    check_bits("three_link", backend)


@pytest.mark.exhaustive
@pytest.mark.parametrize("backend", SIMULATIONS)
@pytest.mark.parametrize("name", robot_names())
def test_the_same_seed_gives_the_same_bits_for_every_robot(name, backend):
    check_bits(name, backend)


def test_it_needs_no_ros():
    done = subprocess.run([sys.executable, "-c", WITHOUT_ROS], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_a_run_begins_at_the_present_pose_and_is_repeated_after_a_reset():
    with Robot("three_link", "model", rate=200.0) as robot:
        first = robot.run(0.5)
        second = robot.run(0.5, settings={"gait": {"omega": 3.0}})
        robot.reset()
        again = robot.run(0.5)
    assert second[0] is first[-1]
    assert second[-1].time_ns == pytest.approx(1e9)
    assert np.abs(second[1].position - second[0].position).max() < 0.05
    assert [state.position.tolist() for state in again] == [state.position.tolist() for state in first]


def test_a_sequence_is_of_angles_or_efforts_in_the_order_of_the_actuated_joints():
    with Robot("three_link", "mock") as robot:
        home = robot.reset().position
        goal = home + [0.01, -0.02]
        for _ in range(200):
            state = robot.step(goal)
        assert state.position == pytest.approx(goal, abs=1e-9)
        assert robot.step(JointCommand(goal, np.zeros(2), np.full(2, np.nan))).position == pytest.approx(goal, abs=1e-9)
    with Robot("bolt", "mock") as robot:
        assert robot.step([2.0]).effort[robot.spec.actuated_indices] == [2.0]


def test_a_robot_that_had_no_commands_for_long_moves_again_with_the_next_ones():
    with Robot("three_link", "mock", rate=20.0) as robot:
        home = robot.reset().position
        for _ in range(60):
            assert robot.step().position == pytest.approx(home)
        for _ in range(20):
            state = robot.step(home + 0.1)
        assert state.position == pytest.approx(home + 0.1)


def test_a_fault_is_raised_until_a_reset():
    with Robot("three_link", "mock", settings={"backend": {"fail": "raise", "fail_after": 0.01}}) as robot:
        home = robot.reset().position
        for _ in range(round(0.01 / robot.dt) - 1):
            robot.step(home)
        with pytest.raises(BackendFault, match="simulated fault") as fault:
            robot.step(home)
        assert fault.value.remedy
        with pytest.raises(BackendFault):
            robot.step(home)
        robot.reset()
        assert robot.step(home).time_ns == round(1e9 * robot.dt)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"backend": "hardware"}, "emulated, mock, model"),
        ({"settings": {"gaits": {}}}, "did you mean 'gait'"),
        ({"settings": {"backend": {"physics_rat": 1.0}}, "backend": "model"}, "backend.physics_rat"),
        ({"rate": 1.0, "backend": "model"}, "rate"),
    ],
)
def test_what_is_unknown_or_not_allowed_is_said(arguments, words):
    with pytest.raises(UserError, match=words):
        Robot("three_link", **arguments)


def test_a_command_that_is_not_finite_is_rejected_with_the_joint():
    with Robot("three_link", "mock") as robot, pytest.raises(UserError, match="joint_2 is not a finite number"):
        robot.step([1.9, np.nan])


def test_settings_of_a_run_come_before_those_of_the_robot_which_hold_beside_them():
    with Robot("three_link", "mock", rate=100.0, settings={"gait": {"phi0": 100.0, "amplitude": 5.0}}) as robot:
        states = robot.run(4.0, "harmonic", settings={"gait": {"amplitude": 10.0, "omega": 6.0}})
    angles = np.degrees([state.position[0] for state in states[300:]])
    assert [angles.min(), angles.max()] == pytest.approx([90.0, 110.0], abs=0.5)


def test_a_command_of_another_length_or_a_setting_of_the_robot_in_a_run_is_rejected():
    with Robot("three_link", "mock") as robot:
        with pytest.raises(UserError, match="give 2 numbers, for joint_1, joint_2"):
            robot.step([1.0])
        with pytest.raises(UserError, match="give them to the Robot"):
            robot.run(1.0, settings={"robot": {"friction": 0.2}})
