"""What the robot on the table does when something goes wrong."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_robot import toy

from crawler_core.errors import BackendFault
from crawler_core.safety.supervisor import MotionState, Supervisor
from crawler_core.types import JointCommand, Observation

DT = 0.01
NONE = np.full(3, np.nan)
NEWER = itertools.count()


def seen(position, time=None):
    """A state; each is newer than the one before unless its time is given."""
    q = np.array([position[0], 0.3, position[1], position[2]])
    return Observation(next(NEWER) if time is None else time, q, np.zeros(4), np.full(4, np.nan))


def command(position):
    return JointCommand(np.array(position, float), NONE, NONE)


@pytest.fixture
def guard(spec):
    supervisor = Supervisor(spec, DT)
    supervisor.enable(seen([0, 0, 0]))
    return supervisor


def follow(guard, target, ticks):
    """A perfect robot that is told `target` for some ticks; returns its setpoints."""
    at, path = guard._setpoints.position.copy(), []
    for _ in range(ticks):
        decision = guard.decide(seen(at), command(target))
        at = decision.position
        path.append(at)
    return np.array(path)


def assert_within_limits(path, spec, more=1e-6):
    """That setpoints, tick by tick, keep the joints' velocities and accelerations."""
    speed = np.diff(path, axis=0) / DT
    change = np.diff(speed, axis=0) / DT
    assert (np.abs(speed) <= [(1.0 + more) * joint.velocity for joint in spec.actuated]).all()
    assert (np.abs(change) <= [(1.0 + more) * joint.acceleration for joint in spec.actuated]).all()


def test_nothing_moves_before_enable(spec):
    supervisor = Supervisor(spec, DT)
    assert supervisor.decide(seen([0, 0, 0]), command([0.1, 0, 0])) is None
    assert supervisor.motion is MotionState.DISABLED


def test_enable_starts_at_the_measured_pose_and_approaches_a_far_command_slowly(spec):
    supervisor = Supervisor(spec, DT)
    supervisor.enable(seen([0.4, -0.2, 7.0]))
    path = np.vstack([[0.4, -0.2, 7.0], follow(supervisor, [-0.4, -0.2, 7.0], 300)])
    assert np.abs(np.diff(path, axis=0)).max() <= spec.safety.approach_velocity * DT * (1 + 1e-9)
    assert path[-1, 0] == -0.4
    assert supervisor.report.clamped == 0


def test_a_joint_that_turns_for_ever_is_led_to_the_nearest_turn_of_its_command_and_no_other_joint_is(spec):
    supervisor = Supervisor(spec, DT)
    supervisor.enable(seen([0.0, 0.0, 7.0]))
    turned = 7.0 + 3.0 * 2.0 * np.pi  # it was stopped for three turns
    path = follow(supervisor, [0.0, 0.0, turned + 0.1], 300)
    assert path[-1] == pytest.approx([0.0, 0.0, 7.1], abs=1e-12)
    assert follow(supervisor, [0.0, 0.0, turned + 0.1 + 0.001], 1)[-1, 2] == pytest.approx(7.101, abs=1e-12)
    assert supervisor.report.clamped == 0

    supervisor.enable(seen([0.0, 0.0, 7.0]))
    follow(supervisor, [4.0, 0.0, 7.0], 300)
    assert "hip" in supervisor.report.last_clamp


def test_after_the_approach_the_joints_limits_are_allowed_bit_for_bit(guard, spec):
    limit = np.array([joint.acceleration for joint in spec.actuated])
    times = DT * np.arange(1, 26)[:, np.newaxis]
    speed = np.minimum(limit * times, [2.0, 2.0, 2.0])  # as fast as they can, then at full speed
    way = np.where(limit * times < 2.0, 0.5 * limit * times**2, 2.0 * times - 2.0 / limit)
    told = []
    follow(guard, [0.0, 0.0, 0.0], 1)
    for q, v in zip(way, speed, strict=True):
        told.append(guard.decide(seen(q), JointCommand(q, v, NONE)))
    assert [list(one.position) for one in told] == way.tolist()
    assert [list(one.velocity) for one in told] == speed.tolist()
    assert guard.report.clamped == 0


@pytest.mark.parametrize(("target", "words"), [(0.9, "faster than 2 rad/s"), (0.015, "faster than 40 rad/s² allow")])
def test_a_command_that_jumps_is_approached_and_named(guard, spec, target, words):
    follow(guard, [0.0, 0.0, 0.0], 2)
    path = np.vstack([[0.0, 0.0, 0.0], follow(guard, [target, 0.0, 0.0], 250)])
    assert_within_limits(path, spec)
    assert np.abs(np.diff(path, axis=0)).max() <= spec.safety.approach_velocity * DT * (1 + 1e-9)
    assert path[-1, 0] == target
    assert guard.report.clamped == 1
    assert "hip" in guard.report.last_clamp
    assert words in guard.report.last_clamp


def test_an_effort_beside_a_position_is_clamped_to_the_joints_and_named(guard):
    follow(guard, [0.0, 0.0, 0.0], 2)
    told = guard.decide(seen([0.0, 0.0, 0.0]), JointCommand(np.zeros(3), np.zeros(3), np.array([np.nan, -1e6, 1.0])))
    assert told.effort.tolist()[1:] == [-1.0, 1.0]
    assert np.isnan(told.effort[0])
    assert guard.report.clamped == 1
    assert guard.report.last_clamp == "knee was commanded -1e+06 N m beside its position, its limit is 1 N m"


def test_a_command_outside_the_limits_is_clamped_and_named(guard):
    follow(guard, [0.99, 0, 0], 250)
    path = follow(guard, [1.3, 0, 0], 10)
    assert path[-1, 0] == 1.0
    assert "57.3" in guard.report.last_clamp


def test_late_commands_hold_then_relax_and_motion_needs_enable(guard, spec):
    follow(guard, [0.2, 0, 0], 100)
    at = guard._setpoints.position.copy()
    motions = []
    for _ in range(60):
        decision = guard.decide(seen(at), None)
        motions.append(guard.motion)
        if decision is not None:
            at = decision.position
    assert motions.index(MotionState.HOLDING) == round(spec.safety.command_timeout / DT)
    assert motions.index(MotionState.RELAXED) == round(spec.safety.relax_after / DT)
    assert decision is None
    assert guard.report.late > 0
    assert guard.decide(seen(at), command([0.2, 0, 0])) is None  # commands alone do not wake it
    guard.enable(seen(at))
    assert guard.decide(seen(at), command(at)) is not None


def test_a_late_tick_goes_on_as_before_and_more_of_them_brake(guard):
    follow(guard, [0, 0, 0], 2)
    path = follow(guard, [0.8, 0, 0], 20)
    speed = (path[-1, 0] - path[-2, 0]) / DT
    at = path[-1]
    speeds = []
    for _ in range(5):
        before, at = at, guard.decide(seen(at), None).position
        speeds.append((at[0] - before[0]) / DT)
    assert np.allclose(speeds[:2], speed)  # 20 ms
    assert (np.diff(speeds[1:]) < 0).all()
    assert guard.motion is MotionState.ACTIVE


def test_commands_that_come_back_while_holding_are_approached(guard, spec):
    follow(guard, [0.2, 0, 0], 100)
    at = guard._setpoints.position.copy()
    for _ in range(10):
        at = guard.decide(seen(at), None).position
    assert guard.motion is MotionState.HOLDING
    path = np.vstack([at, follow(guard, [-0.9, 0, 0], 50)])
    assert np.abs(np.diff(path, axis=0)).max() <= spec.safety.approach_velocity * DT * (1 + 1e-9)


def swing(tick):
    """A gait that is near the limits of hip and knee: 1.9 rad/s and 36 rad/s²."""
    t, omega = tick * DT, 19.0
    return JointCommand(
        0.1 * np.array([np.sin(omega * t), 1.0 - np.cos(omega * t), 0.0]),
        0.1 * omega * np.array([np.cos(omega * t), np.sin(omega * t), 0.0]),
        NONE,
    )


@pytest.mark.parametrize("missed", range(1, 12))
@pytest.mark.parametrize("since", [140, 143, 147, 151])
def test_however_many_ticks_have_no_command_no_joint_is_jerked_and_the_motion_is_met_again(spec, missed, since):
    guard = Supervisor(spec, DT)
    guard.enable(seen([0, 0, 0]))
    path, behind = [], []
    for k in range(500):
        at = guard._setpoints.position
        decision = guard.decide(seen(at), None if since <= k < since + missed else swing(k))
        path.append(decision.position)
        behind.append(np.abs(decision.position - swing(k).position).max())
    assert_within_limits(np.array(path), spec, more=0.02)  # jerk dt³ / 12 of this gait is 1.5 % of 40 rad/s² in a tick
    assert behind[since - 1] == 0.0
    assert behind[since + missed - 1] > 0.0
    assert behind[-1] == 0.0
    assert guard.report.late == missed


def test_a_stall_that_left_the_joints_behind_is_said(guard):
    for k in range(140):
        guard.decide(seen(guard._setpoints.position), swing(k))
    for _ in range(4):  # less than command_timeout
        guard.decide(seen(guard._setpoints.position), None)
    assert guard.motion is MotionState.ACTIVE
    guard.decide(seen(guard._setpoints.position), swing(152))
    assert "brought there gently" in guard.report.last_clamp


ANGLE = st.one_of(st.floats(-1.2, 1.2), st.floats(width=64))
ANY_COMMAND = st.tuples(*[ANGLE] * 3, *[st.one_of(st.just(math.nan), st.floats(-3.0, 3.0), st.floats())] * 3)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.lists(st.one_of(st.none(), st.integers(0, 60), ANY_COMMAND), min_size=1, max_size=60))
def test_nothing_that_is_commanded_breaks_a_limit(told):
    """Nothing, parts of a gait in any order, and arbitrary numbers: setpoints stay within every limit, per second."""
    spec = toy()
    guard = Supervisor(spec, DT)
    guard.enable(seen([0, 0, 0]))
    path = [np.zeros(3)]
    for what in [word for word in told for _ in range(4)]:
        if isinstance(what, tuple):
            what = JointCommand(np.array(what[:3]), np.array(what[3:]), NONE)
        elif isinstance(what, int):
            what = swing(what)
        decision = guard.decide(seen(path[-1]), what)
        if decision is None:
            assert guard.motion is MotionState.RELAXED
            break
        path.append(decision.position)
    assert (np.abs(np.array(path)[:, :2]) <= 1.0).all()
    assert_within_limits(np.array(path), spec)


def test_enable_without_a_controller_holds_then_takes_the_torque_off_and_says_so(spec):
    guard = Supervisor(spec, DT)
    guard.enable(seen([0.1, 0, 0]))
    motions = []
    while guard.motion is not MotionState.RELAXED:
        decision = guard.decide(seen([0.1, 0, 0]), None)
        motions.append(guard.motion)
        if decision is not None:
            assert decision.position.tolist() == [0.1, 0.0, 0.0]
            if guard.motion is MotionState.HOLDING:
                assert guard.timeout_reason == (
                    "no command has come since motion was enabled, so the joints are held: start the controller"
                )
    assert motions.index(MotionState.HOLDING) == round(spec.safety.command_timeout / DT)
    assert len(motions) - 1 == round(spec.safety.relax_after / DT)
    assert "so the torque is off: start the controller, then call enable" in guard.timeout_reason
    assert guard.report.late == 0  # nothing that was there is late


def test_a_start_may_give_the_first_command_more_time_but_not_the_second(spec):
    guard = Supervisor(spec, DT)
    guard.enable(seen([0, 0, 0]), patience=3.0)
    for _ in range(290):
        assert guard.decide(seen([0, 0, 0]), None) is not None
    assert guard.motion is MotionState.HOLDING
    follow(guard, [0, 0, 0], 1)
    assert guard.motion is MotionState.ACTIVE
    for _ in range(60):
        guard.decide(seen([0, 0, 0]), None)
    assert guard.motion is MotionState.RELAXED
    assert guard.timeout_reason.startswith("commands stopped coming")


def test_enable_in_the_middle_of_a_motion_changes_nothing(spec):
    told = []
    for again in (False, True):
        guard = Supervisor(spec, DT)
        guard.enable(seen([0, 0, 0]))
        for k in range(60):
            if again and k == 43:
                guard.enable(seen([0.5, 0.5, 0.5]))
            told.append(guard.decide(seen(guard._setpoints.position), swing(k)).position.tolist())
    assert told[:60] == told[60:]


def test_where_ticks_are_late_the_timeouts_go_by_time(spec):
    guard = Supervisor(spec, DT)
    guard.enable(seen([0, 0, 0]))
    guard.decide(seen([0, 0, 0]), command([0, 0, 0]))
    guard.decide(seen([0, 0, 0]), None, elapsed=0.2)
    assert guard.motion is MotionState.HOLDING
    assert guard.decide(seen([0, 0, 0]), None, elapsed=0.4) is None
    assert guard.motion is MotionState.RELAXED


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_command_that_is_no_number_is_refused_and_the_joint_named(guard, bad):
    follow(guard, [0, 0, 0], 2)
    decision = guard.decide(seen([0, 0, 0]), command([0, bad, 0]))
    assert np.isfinite(decision.position).all()
    assert guard.report.rejected == 1
    assert "knee" in guard.report.last_rejection


def test_an_unknown_angle_latches_every_joint(guard):
    follow(guard, [0, 0, 0], 2)
    assert guard.decide(seen([0, np.nan, 0]), command([0, 0, 0])) is None
    assert guard.motion is MotionState.FAULTED
    assert guard.report.joint == "knee"
    assert guard.decide(seen([0, 0, 0]), command([0, 0, 0])) is None


def test_a_passive_joint_may_be_unknown(guard):
    observation = Observation(0, np.array([0, np.nan, 0, 0]), np.zeros(4), np.full(4, np.nan))
    assert guard.decide(observation, command([0, 0, 0])) is not None


def test_a_joint_that_does_not_follow_latches_a_fault_that_names_it(guard, spec):
    ticks = 0
    while guard.motion is MotionState.ACTIVE:
        guard.decide(seen([0.0, guard._setpoints.position[1], 0.0]), command([0.9, 0.9, 0.0]))
        ticks += 1
        assert ticks < 200
    assert guard.motion is MotionState.FAULTED
    assert guard.report.joint == "hip"
    assert "does not follow" in guard.report.fault
    assert guard.report.remedy


def test_estop_latches_until_reset_and_then_still_needs_enable(guard):
    guard.estop()
    assert guard.decide(seen([0, 0, 0]), command([0, 0, 0])) is None
    with pytest.raises(BackendFault, match="e-stopped"):
        guard.enable(seen([0, 0, 0]))
    guard.reset()
    assert guard.decide(seen([0, 0, 0]), command([0, 0, 0])) is None
    guard.enable(seen([0, 0, 0]))
    assert guard.decide(seen([0, 0, 0]), command([0, 0, 0])) is not None


def test_a_fault_does_not_lift_an_estop(guard):
    guard.estop()
    guard.fault(BackendFault("the bus is off"))
    assert guard.motion is MotionState.ESTOPPED


def test_enable_is_refused_where_a_joint_is_unknown(spec):
    with pytest.raises(BackendFault, match="not known"):
        Supervisor(spec, DT).enable(seen([np.nan, 0, 0]))


def test_states_that_stop_changing_are_a_fault(guard, spec):
    follow(guard, [0, 0, 0], 2)
    for _ in range(round(spec.safety.command_timeout / DT) + 2):
        guard.decide(seen([0, 0, 0], time=10**9), command([0, 0, 0]))
    assert guard.motion is MotionState.FAULTED
    assert "nothing new" in guard.report.fault


def test_the_first_fault_stays_the_cause_and_torque_that_could_not_go_off_is_said_beside_it(guard):
    guard.fault(BackendFault("knee is dead", remedy="mend it", joint="knee"))
    guard.fault(BackendFault("the port is shut", remedy="open it"))
    for _ in range(3):
        guard.torque_off_failed(BackendFault("the torque of hip stays on", remedy="pull the plug", joint="hip"))
    assert guard.report.fault == "knee is dead; also, the torque of hip stays on"
    assert guard.report.remedy == "pull the plug; mend it"
    assert guard.report.joint == "knee"
    guard.reset()
    guard.fault(BackendFault("the port is shut", remedy="open it"))
    assert guard.report.fault == "the port is shut"


def test_torque_that_could_not_go_off_is_a_fault_of_its_own(guard):
    guard.torque_off_failed(BackendFault("the torque of hip stays on", remedy="pull the plug", joint="hip"))
    assert guard.motion is MotionState.FAULTED
    assert guard.report.joint == "hip"


def test_a_command_that_moves_far_away_is_caught_up_with_gently(guard, spec):
    limit = np.array([joint.acceleration for joint in spec.actuated])
    times = np.arange(1, 601) * DT
    wanted = 0.5 + 0.2 * np.sin(2.0 * times)  # of the first joint; at most 0.8 rad/s²
    rate = 0.4 * np.cos(2.0 * times)
    at, speed = np.zeros(3), np.zeros(3)
    strongest, reached = np.zeros(3), []
    for q, v in zip(wanted, rate, strict=True):
        moving = JointCommand(np.array([q, 0.0, 0.0]), np.array([v, 0.0, 0.0]), NONE)
        decision = guard.decide(seen(at), moving)
        strongest = np.maximum(strongest, np.abs(decision.velocity - speed) / DT)
        at, speed = decision.position, decision.velocity
        reached.append(at[0])
    assert (strongest < 0.5 * limit).all()
    assert np.array_equal(reached[-50:], wanted[-50:])  # bit for bit, once caught
    assert guard.report.clamped == 0
