"""What the supervisor lets a joint have that is driven by effort, and when it has none."""

import dataclasses
import itertools
import math

import numpy as np
import pytest

from crawler_core.errors import BackendFault
from crawler_core.robot.robot_spec import JointSpec, RobotSpec
from crawler_core.safety.joint_efforts import JointEfforts
from crawler_core.safety.supervisor import MotionState, Supervisor
from crawler_core.types import JointCommand, Observation

DT = 0.01
NEWER = itertools.count(0, 10**9)  # ns, far apart: a joint may be anywhere by then
EFFORT, POWER, BRAKE, SPEED = 0.5, 2.0, 0.02, 10.0


@pytest.fixture
def robot(spec: RobotSpec) -> RobotSpec:
    """The toy with its last joint, the crank, driven by effort."""
    *others, crank = spec.joints
    pushed = dataclasses.replace(
        crank, command_interface="effort", effort=EFFORT, power=POWER, idle_damping=BRAKE, velocity=SPEED
    )
    return dataclasses.replace(spec, joints=(*others, pushed))


@pytest.fixture
def guard(robot: RobotSpec) -> Supervisor:
    supervisor = Supervisor(robot, DT)
    supervisor.enable(seen())
    return supervisor


def seen(angle: float = 0.0, speed: float = 0.0, hip: float = 0.0) -> Observation:
    velocity = np.array([0.0, 0.0, 0.0, speed])
    return Observation(next(NEWER), np.array([hip, 0.3, 0.0, angle]), velocity, np.full(4, np.nan))


def push(effort: float, hip: float = 0.0) -> JointCommand:
    """A position for the other two joints and an effort for the crank, whose position and velocity nobody says."""
    none = np.full(3, np.nan)
    return JointCommand(np.array([hip, 0.0, np.nan]), none, np.array([np.nan, np.nan, effort]))


def decided(guard: Supervisor, observation: Observation, command: JointCommand | None) -> float:
    """The crank's effort; the others have setpoints all the time."""
    decision = guard.decide(observation, command)
    assert decision is not None
    assert np.isfinite(decision.position[:2]).all()
    assert np.isnan(decision.position[2])
    assert np.isnan(decision.effort[:2]).all()
    return float(decision.effort[2])


def test_an_effort_inside_the_limits_passes_bit_for_bit(guard: Supervisor) -> None:
    wanted = 0.1 + 1e-17
    assert decided(guard, seen(speed=3.0), push(wanted)) == wanted
    assert guard.report.clamped == 0


@pytest.mark.parametrize(
    ("wanted", "speed", "allowed", "said"),
    [
        (0.7, 0.0, EFFORT, "0.5 N m"),
        (-0.7, 0.0, -EFFORT, "0.5 N m"),
        (0.4, 8.0, POWER / 8.0, "2 W"),
        (-0.4, 8.0, -POWER / 8.0, "2 W"),  # a motor that brakes has its power limit too
        (0.1, SPEED, 0.0, "10 rad/s"),
        (-0.1, -SPEED - 1.0, 0.0, "10 rad/s"),
    ],
)
def test_torque_power_and_speed_are_clamped_counted_and_said(
    guard: Supervisor, wanted: float, speed: float, allowed: float, said: str
) -> None:
    assert decided(guard, seen(speed=speed), push(wanted)) == allowed
    assert guard.report.clamped == 1
    assert "crank" in guard.report.last_clamp
    assert said in guard.report.last_clamp


def test_too_fast_it_may_be_slowed_down(guard: Supervisor) -> None:
    assert decided(guard, seen(speed=SPEED + 5.0), push(-0.1)) == -0.1
    assert guard.report.clamped == 0


def test_at_the_end_of_its_range_it_may_only_be_pushed_back(robot: RobotSpec) -> None:
    *others, crank = robot.joints
    short: JointSpec = dataclasses.replace(crank, continuous=False, lower=-1.0, upper=1.0)
    guard = Supervisor(dataclasses.replace(robot, joints=(*others, short)), DT)
    guard.enable(seen())
    assert decided(guard, seen(1.01), push(0.1)) == 0.0
    assert "57.3" in guard.report.last_clamp
    assert decided(guard, seen(1.01), push(-0.1)) == -0.1
    assert decided(guard, seen(-1.01), push(-0.1)) == 0.0
    assert decided(guard, seen(0.99), push(0.1)) == 0.1


def test_an_effort_that_is_not_commanded_is_a_brake(guard: Supervisor) -> None:
    assert decided(guard, seen(speed=5.0), push(np.nan)) == -BRAKE * 5.0
    assert decided(guard, seen(speed=-60.0), push(np.nan)) == pytest.approx(POWER / 60.0)  # within the motor's power
    assert guard.report.clamped == 0


def test_a_missed_command_brakes_at_once_and_later_takes_the_torque_off(guard: Supervisor, robot: RobotSpec) -> None:
    decided(guard, seen(speed=5.0), push(0.3))
    motions = []
    for _ in range(round(robot.safety.relax_after / DT)):
        assert decided(guard, seen(speed=5.0), None) == -BRAKE * 5.0
        motions.append(guard.motion)
    assert motions.index(MotionState.HOLDING) == round(robot.safety.command_timeout / DT)
    assert guard.decide(seen(speed=5.0), None) is None
    assert guard.motion is MotionState.RELAXED


def test_it_is_never_said_not_to_follow(guard: Supervisor) -> None:
    for k in range(200):
        decided(guard, seen(angle=3.0 * k, speed=5.0), push(0.1))
    assert guard.motion is MotionState.ACTIVE


def test_the_other_joints_still_have_to_follow(guard: Supervisor) -> None:
    for _ in range(200):
        if guard.decide(seen(), push(0.1, hip=0.9)) is None:
            break
    assert guard.report.joint == "hip"
    assert "does not follow" in guard.report.fault


def test_an_infinite_effort_is_refused_and_its_tick_brakes(guard: Supervisor) -> None:
    assert decided(guard, seen(speed=5.0), push(math.inf)) == -BRAKE * 5.0
    assert guard.report.rejected == 1
    assert "effort of crank is infinite" in guard.report.last_rejection


def test_with_a_command_its_velocity_must_be_known(guard: Supervisor) -> None:
    assert decided(guard, seen(speed=np.nan), None) == 0.0
    assert guard.decide(seen(speed=np.nan), push(0.1)) is None
    assert guard.motion is MotionState.FAULTED
    assert guard.report.joint == "crank"
    assert "velocity" in guard.report.fault


def test_an_unknown_angle_latches_as_with_the_others(guard: Supervisor) -> None:
    assert guard.decide(seen(angle=np.nan), push(0.1)) is None
    assert guard.report.joint == "crank"


def test_stops_are_the_same_as_for_the_others(guard: Supervisor) -> None:
    for stop in (guard.estop, guard.disable, lambda: guard.fault(BackendFault("the bus is off"))):
        stop()
        assert guard.decide(seen(speed=5.0), push(0.1)) is None
        guard.reset()
        guard.enable(seen())
        assert decided(guard, seen(), push(0.1)) == 0.1


def test_on_the_way_out_it_is_braked_until_it_stands(guard: Supervisor) -> None:
    decided(guard, seen(speed=5.0), push(0.3))
    assert guard.rest(seen(speed=5.0)).effort[2] == -BRAKE * 5.0
    assert not guard.at_rest(seen(speed=5.0))
    assert guard.at_rest(seen(speed=0.01))
    assert guard.at_rest(seen(speed=np.nan))  # nothing can be done about it


def test_the_others_are_led_as_without_it(guard: Supervisor, spec: RobotSpec) -> None:
    """Setpoints of hip and knee are bit for bit those of the robot whose crank is driven by position."""
    plain = Supervisor(spec, DT)
    plain.enable(seen())
    for k in range(100):
        q = 0.9 * math.sin(0.1 * k)
        mine = guard.decide(seen(hip=float(guard._setpoints.position[0])), push(0.1, hip=q))
        theirs = plain.decide(
            seen(hip=float(plain._setpoints.position[0])),
            JointCommand(np.array([q, 0.0, 0.0]), *[np.full(3, np.nan)] * 2),
        )
        assert mine is not None
        assert theirs is not None
        assert mine.position[:2].tobytes() == theirs.position[:2].tobytes()
        assert mine.velocity[:2].tobytes() == theirs.velocity[:2].tobytes()
        if k % 10 == 3:
            late = guard.decide(seen(hip=float(guard._setpoints.position[0])), None)
            too = plain.decide(seen(hip=float(plain._setpoints.position[0])), None)
            assert late is not None
            assert too is not None
            assert late.position[:2].tobytes() == too.position[:2].tobytes()


def test_an_undamped_joint_of_infinite_velocity_gets_no_effort_that_is_not_a_number(robot):
    undamped = dataclasses.replace(robot.joints[-1], idle_damping=0.0)
    assert JointEfforts([undamped]).brake([0.0], [math.inf]) == [0.0]
