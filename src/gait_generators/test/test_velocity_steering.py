"""Velocity commands become gaits, for each robot by the map of its equations."""

import math

import numpy as np
import pytest

from crawler_core.errors import UserError
from crawler_core.gait_metrics.heading import WORLD_HEADING
from crawler_core.robot.robot_file import load_robot
from crawler_core.safety.joint_limits import JointLimits
from crawler_models.model_registry import predict
from gait_generators.kinds.gait_phase import steered
from gait_generators.kinds.gait_registry import gait_parameters, make_gait
from gait_generators.steering.trimmed_steering import TrimmedSteering
from gait_generators.steering.velocity_command import VelocityCommand
from gait_generators.steering.velocity_steering import VelocitySteering
from gait_generators.transitions.gait_stream import DEFAULT_GRID, GaitStream


def steering(robot, gait, **robot_values):
    spec = load_robot(robot, robot_values)
    return spec, VelocitySteering(spec, gait, {info.name: info.default for info in gait_parameters(spec, gait)})


@pytest.fixture(scope="module")
def inchworm():
    return steering("three_link", "harmonic")


def rows(stream, begin_s, end_s):
    """Joint positions, velocities and accelerations of a stream that is refreshed as the gait node does it."""
    found = {}
    for now_ns in range(round(begin_s * 1e9), round(end_s * 1e9), DEFAULT_GRID.behind):
        points = stream.points(now_ns)
        table = zip(points.position, points.velocity, points.acceleration, strict=True)
        found |= dict(zip(points.time_ns, table, strict=True))
    return found


def test_a_speed_is_that_of_the_equations_in_either_direction(inchworm):
    spec, steer = inchworm
    limits = steer.range
    assert limits.forward == pytest.approx(limits.backward, rel=1e-4)
    assert limits.yaw == 0.0
    for share in (0.3, -0.8):
        speed = share * limits.forward
        command = steer.execute(VelocityCommand(speed, 0.0))
        assert np.sign(command.rate).tolist() == [np.sign(share)] * 2
        assert math.copysign(predict(spec, command.gait)["speed_m_s"], share) == pytest.approx(speed, rel=0.02)
        assert not command.notes


@pytest.mark.parametrize(
    ("forward", "yaw", "executed", "kind", "says"),
    [
        (9.0, 0.0, None, "too_fast", "its fastest"),
        (0.01, 0.5, (0.01, 0.0), "turn", "cannot turn, and goes straight on"),
        (0.0, 0.5, (0.0, 0.0), "turn", "cannot turn"),
    ],
)
def test_what_a_robot_cannot_do_is_said_with_what_it_does_instead(inchworm, forward, yaw, executed, kind, says):
    _, steer = inchworm
    command = steer.execute(VelocityCommand(forward, yaw))
    assert command.executed[:2] == (executed or (steer.range.forward, 0.0))
    assert says in command.notes[kind]


def test_phases_take_joints_from_speed_to_speed_without_a_jump_within_their_limits(inchworm):
    spec, steer = inchworm
    gait = make_gait(spec, "harmonic", {})
    stream = GaitStream(spec, gait, 0, np.array([joint.home for joint in spec.actuated]), DEFAULT_GRID)
    found = rows(stream, 0.0, 0.5)  # still on its way into the gait
    for k, share in enumerate((1.0, -1.0, 0.0, 0.4, -0.7)):
        command = steer.execute(VelocityCommand(share * steer.range.forward, 0.0))
        stream.steer(command.gait, command.rate, round((0.5 + 0.7 * k) * 1e9))
        found |= rows(stream, 0.5 + 0.7 * k, 0.5 + 0.7 * (k + 1))
    table = np.array([np.stack(found[time]) for time in sorted(found)])
    q, v, a = table[:, 0], table[:, 1], table[:, 2]
    limits = JointLimits.of(spec)
    swing = math.radians(18.0)
    assert np.abs(q - math.radians(110.0)).max() <= swing * (1.0 + 1e-9)  # never beyond the gait's own path
    assert (np.abs(v) <= limits.velocity).all()
    assert (np.abs(a) <= limits.acceleration).all()
    assert np.abs(np.diff(q, axis=0) - 0.005 * (v[1:] + v[:-1])).max() < 5e-5
    assert np.abs(np.diff(v, axis=0) - 0.005 * (a[1:] + a[:-1])).max() < 1e-2


def test_standstill_is_rest_where_the_joints_are(inchworm):
    spec, steer = inchworm
    stream = GaitStream(spec, make_gait(spec, "harmonic", {}), 0, np.array([1.9, 1.9]), DEFAULT_GRID)
    rows(stream, 0.0, 4.0)
    command = steer.execute(VelocityCommand(0.0, 0.0))
    stream.steer(command.gait, command.rate, 4_000_000_000)
    rows(stream, 4.0, 5.0)
    points = stream.points(5_000_000_000)
    assert not points.velocity.any()
    assert not np.ptp(points.position, axis=0).any()


def test_the_leg_runs_forward_between_its_slowest_and_its_fastest():
    _, steer = steering("bolt", "crank")
    limits = steer.range
    assert limits.slowest == pytest.approx(0.49, abs=0.02)
    assert limits.forward == pytest.approx(1.37, abs=0.02)
    for wanted, executed, kind in (
        (0.2, 0.0, "too_slow"),
        (0.3, limits.slowest, "too_slow"),
        (-0.5, 0.0, "direction"),
        (3.0, limits.forward, "too_fast"),
        (1.0, 1.0, None),
    ):
        command = steer.execute(VelocityCommand(wanted, 0.0))
        assert command.executed.forward == executed
        assert list(command.notes) == ([kind] if kind else [])


def test_the_snakes_wave_runs_at_the_pace_and_in_the_direction_of_the_speed():
    _, steer = steering("snake", "serpenoid")
    fast, slow = (steer.execute(VelocityCommand(share * steer.range.forward, 0.0)) for share in (1.0, -0.25))
    assert slow.rate == pytest.approx(-0.25 * fast.rate)


def test_a_curve_of_the_trot_costs_faster_legs_and_is_slower_where_these_cannot():
    _, steer = steering("miniaq", "trot")
    straight, curve, sharp = (steer.execute(VelocityCommand(*one)) for one in ((0.05, 0.0), (0.05, 0.2), (0.1, 1.0)))
    assert np.ptp(straight.rate) == 0.0
    assert curve.rate[1] > curve.rate[0] > straight.rate[0]
    assert sharp.executed.yaw / sharp.executed.forward == pytest.approx(10.0)
    assert sharp.executed.forward < 0.1
    assert "the same curve" in sharp.notes["too_fast"]


def test_a_gait_without_a_map_is_refused():
    with pytest.raises(UserError, match="cmd_vel cannot drive the gait 'crank' of miniaq"):
        steering("miniaq", "crank")


@pytest.mark.parametrize("gait", ["harmonic", "time_scaled"])
def test_phases_that_turn_evenly_are_the_gait(gait):
    motion = steered(make_gait(load_robot("three_link"), gait, {}))
    times = np.linspace(0.0, motion.period, 7)
    phase = motion.sample(0.0)._replace(
        position=motion.start + motion.rate * times[:, None], velocity=motion.rate, acceleration=0.0 * motion.rate
    )
    for one, other in zip(motion.joints(phase), motion.sample(times), strict=True):
        assert one == pytest.approx(other, abs=1e-12)


def strides(trimmed, command, share, count):
    """The speeds of a robot that makes a share of what its map says, stride by stride."""
    wanted, x, speeds = command.executed.forward, 0.0, []
    time = 0.0
    for _ in range(count):
        begin = x
        speed = share * wanted * (1.0 + trimmed.trim)
        for _ in range(20):
            changed = trimmed.measure(time, x, 0.0, WORLD_HEADING)
            command = changed or command
            time, x = time + command.gait.period / 20.0, x + speed * command.gait.period / 20.0
        speeds.append((x - begin) / command.gait.period / wanted)
    return speeds


@pytest.mark.parametrize("share", [0.8, 1.25])
def test_odometry_corrects_the_speed_within_its_bound(inchworm, share):
    _, steer = inchworm
    command = VelocityCommand(0.5 * steer.range.forward, 0.0)
    trimmed = TrimmedSteering(steer, 0.4)
    assert strides(trimmed, trimmed.execute(command), share, 12)[-1] == pytest.approx(1.0, abs=0.05)
    assert strides(trimmed, trimmed.execute(command), share, 1)[-1] == pytest.approx(1.0, abs=0.05)  # said again
    weak = TrimmedSteering(steer, 0.4)
    assert strides(weak, weak.execute(command), 0.3, 30)[-1] == pytest.approx(0.3 * 1.4)
    off = TrimmedSteering(steer, 0.0)
    assert strides(off, off.execute(command), share, 8)[-1] == pytest.approx(share)
