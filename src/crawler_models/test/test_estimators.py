"""Estimators against motions whose truth is known: kinematics, support, attitude, and poses from outside."""

import math
from dataclasses import replace

import numpy as np
import pytest
from transforms3d.quaternions import axangle2quat

from crawler_core.description.frame import read_frames
from crawler_core.description.urdf import build_urdf
from crawler_core.errors import UserError
from crawler_core.gait_metrics.heading import Heading
from crawler_core.robot.robot_file import load_robot, robot_names
from crawler_core.sensors.sensor_spec import SensorSpec
from crawler_core.types import (
    BaseState,
    Contact,
    ContactMode,
    ContactSource,
    ImuReading,
    Observation,
    PoseReading,
)
from crawler_models.estimation.attitude_filter import AttitudeFilter
from crawler_models.estimation.compiled_kinematics import compile_feet
from crawler_models.estimation.estimator_registry import ESTIMATORS, estimator_name, make_estimator
from crawler_models.estimation.planar_support import find_support, share_loads
from crawler_models.estimation.pose_fusion import PoseFusion
from crawler_models.estimation.robot_estimator import RobotEstimator, measurable
from crawler_models.interface.estimator import StateEstimate
from crawler_models.three_link.equations.three_link import ThreeLink
from crawler_models.three_link.plant.three_link_plant import ThreeLinkPlant

MS = 1_000_000
ZERO = (0.0, 0.0, 0.0)
CAMERA = SensorSpec("camera", kind="external_pose", link="body", rate=30.0, delay=0.04, position_noise=0.001)


def state(time_ns, position, velocity=None, **more):
    position = np.asarray(position, dtype=float)
    velocity = np.zeros_like(position) if velocity is None else np.asarray(velocity, dtype=float)
    return Observation(time_ns, position, velocity, np.full_like(position, np.nan), **more)


@pytest.mark.parametrize("robot", robot_names())
def test_compiled_feet_are_those_of_the_urdf_with_their_velocities(robot):
    spec = load_robot(robot)
    frames = {frame.child: frame for frame in read_frames(build_urdf(spec))}
    index = {name: i for i, name in enumerate(spec.joint_names)}

    def place(link, q):
        if link == spec.base_link:
            return np.eye(4)
        frame = frames[link]
        return place(frame.parent, q) @ frame.pose(q[index[frame.joint]] if frame.joint else 0.0)

    rng = np.random.default_rng(3)
    q, dq = rng.normal(size=(2, len(spec.joints)))
    kinematics = compile_feet(spec)
    feet, links = kinematics.at(q.tolist(), dq.tolist())
    for name, foot in zip(spec.foot_names, feet, strict=True):
        np.testing.assert_allclose(foot[:3], place(name, q)[:3, 3], atol=1e-12)
        moved = (place(name, q + 1e-6 * dq) - place(name, q - 1e-6 * dq))[:3, 3] / 2e-6
        np.testing.assert_allclose(foot[3:], moved, atol=1e-6)
    assert len(links) == len(kinematics.mass_shares)
    assert sum(kinematics.mass_shares) == pytest.approx(1.0)


def rest(*given):
    """Return the support of a robot that has one."""
    found = find_support(*given)
    assert found is not None
    return found


def test_a_robot_rests_on_the_edge_below_its_weight():
    feet = [(0.0, 0.0), (1.0, -0.1), (2.0, 0.0), (3.0, 0.3)]
    assert rest(feet, (0.4, 0.2), None, 0.0)[:2] == (0, 1)
    rear, front, pitch = rest(feet, (1.4, 0.2), None, 0.0)
    assert (rear, front, pitch) == (1, 2, pytest.approx(math.atan(0.1)))
    assert find_support([(0.0, 0.0)] * 2, (0.0, 0.1), None, 0.0) is None


def test_noise_of_the_angles_does_not_move_the_robot_onto_another_edge():
    feet = [(0.0, 0.0), (1.0, -1e-5), (2.0, 0.0)]
    flat = find_support([(0.0, 0.0), (1.0, 1e-5), (2.0, 0.0)], (0.9, 0.2), None, 0.0)
    assert find_support(feet, (0.9, 0.2), flat, 1e-4) == flat
    assert rest(feet, (0.9, 0.2), flat, 0.0)[:2] == (0, 1)


def test_loads_balance_the_links():
    assert share_loads([0.0, 1.0], [0, 1], [0.25], [1.0]) == pytest.approx([0.75, 0.25])
    places, links, shares = [2.0, 0.0, 5.0, 1.0], [0.5, 1.5, 1.9], [0.2, 0.5, 0.3]
    loads = share_loads(places, [0, 1, 3], links, shares)
    assert loads[2] == 0.0
    assert sum(loads) == pytest.approx(1.0)
    assert np.dot(loads, places) == pytest.approx(np.dot(links, shares))


def crawl(spec, omega, seconds, rate=200):
    """The states of the equations on a crawl that fades in within a second, with the truth of their base."""
    plant = ThreeLinkPlant(ThreeLink.from_parameters(spec.parameters), np.radians([110.0, 110.0]))
    for k in range(round(seconds * rate)):
        position, velocity, _ = plant.joints()
        yield state(k * round(1e9 / rate), position, velocity, base=plant.base(), contacts=plant.contacts())
        t = (k + 1) / rate
        fade = min(1.0, t) ** 2 * (3.0 - 2.0 * min(1.0, t))
        growth = 6.0 * t * (1.0 - t) if t < 1.0 else 0.0
        xi = omega * t + math.radians(10.0) * np.array([1.0, -1.0])
        swing = math.radians(18.0)
        goal = math.radians(110.0) + swing * fade * np.sin(xi)
        plant.advance(goal, swing * (growth * np.sin(xi) + fade * omega * np.cos(xi)), ZERO[:2], 1.0 / rate)


@pytest.mark.parametrize(("name", "omega", "share"), [("stick_slip", 8.0, 5e-3), ("foot_kinematics", 0.5, 0.15)])
def test_a_crawl_of_the_equations_is_followed_by_encoders_alone(name, omega, share):
    spec = load_robot("three_link")
    estimator = make_estimator(spec, name)
    for seen in crawl(spec, omega, 12.0):
        estimator.update(measurable(seen))
    estimate = estimator.estimate()
    assert estimate.base.position[0] == pytest.approx(seen.base.position[0], rel=share)
    assert estimate.base.position[2] == pytest.approx(seen.base.position[2], abs=1e-4)
    assert np.allclose(estimate.base.quaternion, seen.base.quaternion, atol=1e-4)
    assert estimate.pose_variance[0] > 0.0


class Drifting:
    """An estimator that goes forward at 1.2 of the true speed of 0.1 m/s, and says that it is 10 % off."""

    def __init__(self, error=0.1):
        self._error = error
        self.restart()

    def restart(self):
        self._t = 0.0

    def update(self, measured):
        self._t = 1e-9 * measured.time_ns

    def estimate(self):
        x = 0.12 * self._t
        base = BaseState((x, 0.0, 0.1), (1.0, 0.0, 0.0, 0.0), (0.12, 0.0, 0.0), ZERO)
        return StateEstimate(base, ((self._error * x) ** 2, 0.0, 0.0, 0.0, 0.0, 0.0), (0.0,) * 6)


def follow(fusion, seconds, delay_ms=40, period_ms=33, noise=0.001, lost_after=99.0, jump=()):
    """Run the fusion at 200 Hz with poses from a camera; return the estimates. The world begins at x = 5 m."""
    rng = np.random.default_rng(0)
    taken = list(range(7, round(1e3 * min(seconds, lost_after)), period_ms))
    found = []
    for now_ms in range(0, round(1e3 * seconds), 5):
        readings = []
        while taken and taken[0] + delay_ms <= now_ms:
            time_ms = taken.pop(0)
            x = 5.0 + 1e-4 * time_ms + noise * rng.normal() + (1.0 if time_ms in jump else 0.0)
            readings.append(PoseReading("camera", time_ms * MS, (x, 0.0, 0.1), (1.0, 0.0, 0.0, 0.0)))
        fusion.update(state(now_ms * MS, [1.9, 1.9], readings=tuple(readings)))
        found.append(fusion.estimate())
    return found


def fused(estimator=None):
    spec = replace(load_robot("three_link"), sensors=(CAMERA,))
    return PoseFusion(spec, estimator or Drifting())


@pytest.mark.parametrize("period_ms", [9, 33, 100])
def test_late_poses_between_the_states_correct_a_drift(period_ms):
    *_, last = follow(fused(), 10.0, period_ms=period_ms)
    # without poses it is 200 mm off; the world's origin is where the first pose says, with its noise
    assert last.base.position[0] == pytest.approx(0.1 * 9.995, abs=6e-3)
    assert math.sqrt(last.pose_variance[0]) < 5e-3
    assert not last.note


def test_the_uncertainty_grows_between_corrections_and_shrinks_with_them():
    sigma = [math.sqrt(estimate.pose_variance[0]) for estimate in follow(fused(), 3.0, period_ms=500, lost_after=2.0)]
    steps = np.diff(sigma)
    assert (steps[20:] > -1e-12).mean() > 0.9
    assert (steps < -1e-4).sum() >= 2
    assert sigma[-1] > 3.0 * min(sigma[200:])


def test_an_estimator_that_is_worse_than_it_says_is_found_out():
    *_, last = follow(fused(Drifting(error=0.001)), 10.0)
    assert last.base.position[0] == pytest.approx(0.1 * 9.995, abs=6e-3)


def test_a_single_outlier_is_not_used_and_a_robot_that_was_moved_is_believed():
    one = follow(fused(), 4.0, jump=(7 + 60 * 33,))
    assert max(abs(estimate.base.position[0] - 5e-4 * k) for k, estimate in enumerate(one)) < 0.02
    assert any("are not used: 1 so far" in estimate.note for estimate in one)
    moved = follow(fused(), 4.0, jump=range(7 + 60 * 33, 10_000, 33))
    assert moved[-1].base.position[0] == pytest.approx(1.0 + 0.4, abs=0.02)


def test_poses_that_stop_are_reported_and_the_estimate_goes_on():
    found = follow(fused(), 4.0, lost_after=2.0)
    assert "no pose from camera for" in found[-1].note
    assert found[-1].base.position[0] == pytest.approx(0.2 + 0.12 * 2.0, abs=0.01)


def test_no_number_in_a_pose_or_a_joint_breaks_it():
    fusion = fused(make_estimator(load_robot("three_link"), "stick_slip"))
    for k in range(40):
        bad = PoseReading("camera", k * 5 * MS, (math.nan, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
        fusion.update(state(k * 5 * MS, [1.9, math.nan if k % 3 == 1 else 1.9], readings=(bad,)))
    assert math.isfinite(fusion.estimate().base.position[0])


def test_a_gyro_gives_the_heading_and_gravity_the_rest():
    imu = SensorSpec("imu", kind="imu", link="body", yaw=math.pi / 2, gyro_bias=0.02)
    attitude = AttitudeFilter(imu, 9.81, 0.5, 20.0)
    bias, turn = np.array([0.01, -0.02, 0.015]), 0.8  # rad/s, about the vertical of a base that is pitched
    pitch, to_sensor = 0.1, np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    up = np.array([-math.sin(pitch), 0.0, math.cos(pitch)])
    for k in range(2000):
        moves = k >= 200
        rate = to_sensor @ (turn * up if moves else 0.0 * up) + bias
        reading = ImuReading("imu", 5 * k * MS, tuple(rate.tolist()), tuple((to_sensor @ (9.81 * up)).tolist()))
        attitude.update(reading, at_rest=not moves)
    rotation = np.array(attitude.rotation).reshape(3, 3)
    yaw = math.atan2(rotation[1, 0], rotation[0, 0])
    assert math.remainder(yaw - turn * 0.005 * 1800, math.tau) == pytest.approx(0.0, abs=0.01)
    np.testing.assert_allclose(rotation[2], up, atol=5e-3)
    assert attitude.yaw_sigma > 0.0


def test_a_yawing_pose_turns_what_follows():
    """A robot that believes to go straight ahead goes along a circle: the camera turns its way."""
    spec = replace(load_robot("miniaq"), sensors=(replace(CAMERA, angle_noise=0.01),))
    fusion = PoseFusion(spec, Drifting(error=0.5))
    for k in range(2000):
        t = 0.005 * k
        readings: tuple[PoseReading, ...] = ()
        if k % 7 == 0:
            yaw = 0.2 * t
            place = (0.6 * math.sin(yaw), 0.6 * (1.0 - math.cos(yaw)), 0.1)
            quaternion = tuple(axangle2quat((0.0, 0.0, 1.0), yaw).tolist())
            readings = (PoseReading("camera", 5 * k * MS, place, quaternion),)
        fusion.update(state(5 * k * MS, np.zeros(len(spec.joints)), readings=readings))
    base = fusion.estimate().base
    assert base.position[:2] == pytest.approx((0.6 * math.sin(2.0), 0.6 * (1.0 - math.cos(2.0))), abs=0.05)
    assert Heading.of(base.quaternion).yaw == pytest.approx(2.0, abs=0.5)


def test_only_what_a_robot_can_know_reaches_an_estimator():
    base = BaseState(ZERO, (1.0, 0.0, 0.0, 0.0), ZERO, ZERO)
    contacts = tuple(Contact("foot_1", ContactMode.STICK, source, ZERO, ZERO) for source in ContactSource)
    seen = measurable(state(0, [1.9, 1.9], base=base, contacts=contacts))
    assert seen.base is None
    assert [contact.source for contact in seen.contacts] == [ContactSource.MEASURED]


def test_none_and_truth_are_choices_and_an_unknown_estimator_is_an_error():
    spec = load_robot("three_link")
    base = BaseState((1.0, 2.0, 3.0), (1.0, 0.0, 0.0, 0.0), ZERO, ZERO)
    for name, expected in (("truth", base), ("none", None)):
        estimator = RobotEstimator(spec, name)
        estimator.update(state(0, [1.9, 1.9], base=base))
        estimate = estimator.estimate()
        assert (estimate.base if estimate else None) == expected
    with pytest.raises(UserError, match="stick_slip"):
        RobotEstimator(spec, "stik_slip")
    with pytest.raises(UserError, match="only the section estimator of the robot file may name"):
        estimator_name(spec, "os:system")


@pytest.mark.parametrize("robot", robot_names())
def test_every_robot_has_an_estimator_that_begins_at_the_origin(robot):
    spec = load_robot(robot)
    assert set(ESTIMATORS) >= {estimator_name(spec)}
    estimator = RobotEstimator(spec)
    home = [joint.home for joint in spec.joints]
    for time_ns in (0, 5 * MS):
        estimator.update(state(time_ns, home))
    base = estimator.estimate().base
    assert base.position[:2] == pytest.approx((0.0, 0.0), abs=0.02)


def test_a_broken_estimator_ends_odometry_and_not_the_robot(monkeypatch):
    spec = load_robot("three_link")
    estimator = RobotEstimator(spec)
    monkeypatch.setattr("crawler_models.three_link.estimation.stick_slip.StickSlip.update", lambda *_: 1 / 0)
    estimator.update(state(0, [1.9, 1.9]))
    assert estimator.estimate() is None
    assert "the estimator stick_slip broke" in estimator.note


def test_time_that_goes_back_begins_again():
    spec = load_robot("three_link")
    estimator = RobotEstimator(spec)
    for seen in crawl(spec, 2.0, 2.0):
        estimator.update(replace(seen, readings=()))
    gone = estimator.estimate().base.position[0]
    estimator.update(state(0, seen.position))
    assert abs(gone) > 1e-3
    assert estimator.estimate().base.position[0] == pytest.approx(0.0, abs=1e-9)
