"""Setpoints for every tick from commands of any rate."""

from dataclasses import replace

import numpy as np
import pytest
from toy_robot import joint, toy

from crawler_core.loop.command_interpolator import CommandedTrajectory, CommandInterpolator
from crawler_core.robot.robot_spec import SafetySpec
from crawler_core.safety.supervisor import MotionState, Supervisor
from crawler_core.types import JointCommand, Observation

DT_S, DT_NS = 0.005, 5_000_000
NONE = np.full(2, np.nan)
HOME = np.radians([110.0, 110.0])
SECOND_NS = 10**9


def setpoints(*position, effort=NONE):
    return JointCommand(np.array(position, dtype=float), NONE, np.asarray(effort, dtype=float))


def wave(time_s):
    """Return the angles of a gait of 8 rad/s: 10 times as many rad/s² as the slowest one that crawls."""
    return HOME + np.radians(18.0) * np.sin(8.0 * time_s + np.array([0.2, -0.2]))


@pytest.fixture
def spec():
    safety = SafetySpec(command_timeout=0.1, relax_after=0.5, approach_velocity=1.0, tracking_tolerance=0.3)
    quick = {"lower": 0.5, "upper": 3.0, "velocity": 12.0, "acceleration": 400.0}
    return replace(toy(), joints=(joint("hip", **quick), joint("knee", **quick)), safety=safety)


@pytest.fixture
def commands(spec):
    return CommandInterpolator(spec, DT_S)


class Run:
    """A supervised robot that follows its setpoints exactly."""

    def __init__(self, spec, commands):
        self.commands, self.supervisor = commands, Supervisor(spec, DT_S)
        self.position, self.velocity, self.now_ns = HOME, np.zeros(2), 0
        self.supervisor.enable(self.seen)

    @property
    def seen(self):
        return Observation(self.now_ns, self.position, self.velocity, NONE)

    def tick(self):
        command, age_s = self.commands.sample(self.now_ns)
        done = self.supervisor.decide(self.seen, command, age=age_s)
        if done is not None:
            self.position, self.velocity = done.position, done.velocity
        self.now_ns += DT_NS


@pytest.mark.parametrize("rate_hz", [20.0, 200.0])
def test_a_stream_whose_messages_come_unevenly_is_followed_smoothly(spec, commands, rate_hz):
    rng, run, sent_s, off = np.random.default_rng(1), Run(spec, commands), 0.0, []
    while run.now_ns < 2 * SECOND_NS:
        while sent_s * SECOND_NS <= run.now_ns:
            sent_ns = round(sent_s * SECOND_NS)
            commands.add_setpoints(sent_ns, sent_ns, setpoints(*wave(sent_s)), HOME)
            sent_s += (1.0 + rng.uniform(-0.2, 0.2)) / rate_hz
        run.tick()
        lag_s = DT_S + 1.5 / rate_hz
        if run.now_ns > 1.2 * SECOND_NS:
            off.append(np.abs(run.position - wave(run.now_ns / SECOND_NS - lag_s)).max())
    assert run.supervisor.report.clamped == run.supervisor.report.late == 0
    assert max(off) < np.radians(1.5)


def test_an_answer_is_reached_one_tick_later_to_the_bit_and_a_missing_one_is_late(spec, commands):
    run = Run(spec, commands)
    while run.now_ns < 1.2 * SECOND_NS:
        target = wave((run.now_ns + DT_NS) / SECOND_NS)
        commands.add_setpoints(run.now_ns, run.now_ns, setpoints(*target), HOME, is_answer=True)
        run.tick()
    assert list(run.position) == list(target)
    run.tick()
    assert run.supervisor.report.late == 1
    commands.add_setpoints(run.now_ns, run.now_ns - 2 * DT_NS, setpoints(*target), HOME, is_answer=True)
    run.tick()  # a late answer is better than none
    assert run.supervisor.report.late == 1
    for sent_ns in (run.now_ns, run.now_ns + DT_NS // 5, run.now_ns + DT_NS // 2):  # in one tick
        commands.add_setpoints(sent_ns, sent_ns, setpoints(*target), HOME, is_answer=sent_ns == run.now_ns)
    assert np.isfinite(commands.sample(run.now_ns)[0].position).all()
    assert run.supervisor.motion is MotionState.ACTIVE


def test_motion_begins_and_steps_end_without_a_jump_or_an_overshoot(spec, commands):
    run, target, seen = Run(spec, commands), HOME + [0.2, -0.1], []
    while run.now_ns < 2.5 * SECOND_NS:
        if run.now_ns == 1.5 * SECOND_NS:
            target = HOME - [0.2, 0.0]
        if run.now_ns % (4 * DT_NS) == 0:
            commands.add_setpoints(run.now_ns, run.now_ns, setpoints(*target), HOME)
        run.tick()
        seen.append(run.position)
    speeds = np.abs(np.diff(seen[:300], axis=0)) / DT_S
    assert speeds.max() < 0.5
    assert np.abs(np.diff(speeds, axis=0)).max() < 2.0 * DT_S  # rad/s: it begins gently
    assert np.array(seen)[:, 0].min() >= target[0] - 1e-9
    assert run.position == pytest.approx(target, abs=1e-6)


def test_a_joint_that_is_left_out_stays_and_another_can_be_commanded_beside_it(spec, commands):
    run = Run(spec, commands)
    while run.now_ns < 2.2 * SECOND_NS:
        one = (HOME[0] + 0.1, np.nan) if run.now_ns < SECOND_NS or run.now_ns // DT_NS % 2 else (np.nan, HOME[1] - 0.1)
        commands.add_setpoints(run.now_ns, run.now_ns, setpoints(*one), HOME)
        run.tick()
        if run.now_ns <= SECOND_NS:
            assert run.position[1] == HOME[1]
    assert run.position == pytest.approx(HOME + [0.1, -0.1], abs=1e-6)


def test_the_supervisors_timeouts_count_from_the_latest_command(spec, commands):
    run = Run(spec, commands)
    commands.add_setpoints(0, 0, setpoints(*HOME), HOME)
    motions = {}
    while run.now_ns < SECOND_NS:
        run.tick()
        motions.setdefault(run.supervisor.motion, run.now_ns / SECOND_NS)
    safety = spec.safety
    assert motions[MotionState.HOLDING] == pytest.approx(safety.command_timeout, abs=2 * DT_S)
    assert motions[MotionState.RELAXED] == pytest.approx(safety.relax_after, abs=3 * DT_S)


def test_efforts_are_held_for_as_long_as_their_command(commands):
    commands.add_setpoints(0, 0, setpoints(np.nan, np.nan, effort=(0.5, np.nan)), NONE)
    assert commands.sample(DT_NS)[0].effort[0] == 0.5
    commands.add_setpoints(60_000_000, 60_000_000, setpoints(np.nan, np.nan, effort=(np.nan, 0.25)), NONE)
    late = commands.sample(120_000_000)[0].effort
    assert np.isnan(late[0])
    assert late[1] == 0.25
    assert commands.sample(SECOND_NS) == (None, pytest.approx(0.94))


def trajectory(times_s, position, velocity=None):
    position = np.array(position, dtype=float)
    velocity = np.full_like(position, np.nan) if velocity is None else np.array(velocity, dtype=float)
    return CommandedTrajectory(np.array([round(time_s * SECOND_NS) for time_s in times_s]), position, velocity)


def test_a_trajectory_is_cubic_where_velocities_are_given_even_elsewhere_and_holds_at_its_end(commands):
    points = [[1.0, np.nan], [2.0, np.nan], [2.5, np.nan]]
    speeds = [[0.0, np.nan], [0.0, np.nan], [np.nan, np.nan]]
    commands.start_trajectory(0, 0, trajectory((1.0, 2.0, 3.0), points, speeds), np.array([1.0, 0.7]))
    assert commands.is_under_way(2 * SECOND_NS)

    def at(time_s):
        command, age_s = commands.sample(round(time_s * SECOND_NS) - DT_NS)
        assert age_s == 0.0
        assert command.position[1] == 0.7
        return command.position[0], command.velocity[0]

    assert at(1.25) == pytest.approx((1.0 + 3 * 0.25**2 - 2 * 0.25**3, 6 * 0.25 - 6 * 0.25**2))
    assert at(1.5) == pytest.approx((1.5, 1.5))
    assert at(2.5) == pytest.approx((2.25, 0.5))
    assert at(3.0) == at(300.0) == (2.5, 0.0)
    assert not commands.is_under_way(3 * SECOND_NS)


def test_commands_follow_each_other_without_a_jump(commands):
    commands.start_trajectory(0, 0, trajectory((1.0,), [[2.0, 1.0]]), np.array([1.0, 1.0]))
    commands.start_trajectory(SECOND_NS // 2, SECOND_NS // 2, trajectory((1.0,), [[1.0, 1.0]]), NONE)
    assert commands.sample(SECOND_NS // 2)[0].position[0] == pytest.approx(1.5, abs=0.01)
    commands.add_setpoints(SECOND_NS, SECOND_NS, setpoints(0.5, 1.0), NONE)
    assert commands.sample(SECOND_NS)[0].position[0] == pytest.approx(1.25, abs=0.01)
    commands.clear()
    assert commands.sample(SECOND_NS) == (None, 0.0)
