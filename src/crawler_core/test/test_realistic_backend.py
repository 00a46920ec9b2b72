"""Motors that lag and encoders with errors, between commands and a simulation whose joints follow exactly."""

import math
from dataclasses import replace
from itertools import pairwise
from typing import ClassVar

import numpy as np
import pytest

from crawler_core.errors import UserError
from crawler_core.reality.realistic_backend import RealisticBackend, make_realistic
from crawler_core.reality.reality import IDEAL, Reality
from crawler_core.robot.robot_file import load_robot
from crawler_core.types import JointCommand, Observation

DT_S = 0.005


class FollowingJoints:
    """A simulation whose joints are where they are commanded to be; effort-driven ones turn a unit inertia."""

    simulated: ClassVar[bool] = True
    kind: ClassVar[str] = "following"

    def __init__(self, spec):
        self.spec = spec
        self.efforts = []

    def open(self):
        self.time_ns = 0
        self.position = np.array([joint.home for joint in self.spec.joints])
        self.velocity = np.zeros(len(self.spec.joints))

    def observe(self):
        return Observation(self.time_ns, self.position.copy(), self.velocity.copy(), np.zeros_like(self.position))

    def apply(self, command):
        self.command = command
        self.efforts.append(command.effort)
        return command

    def advance(self, dt):
        self.time_ns += round(dt * 1e9)
        self.position[self.spec.actuated_indices] = self.command.position
        self.velocity[self.spec.actuated_indices] = self.command.velocity

    def relax(self):
        pass

    def close(self):
        pass


def step_response(reality, ticks, step=0.2, seed=0):
    """Return the measured angles (rad) of the first joint after a step of its setpoint, and the true ones."""
    spec = load_robot("three_link")
    inner = FollowingJoints(spec)
    backend = RealisticBackend(inner, spec, reality, DT_S, seed)
    backend.open()
    goal = inner.position.copy() + step
    measured, true = [], []
    for _ in range(ticks):
        backend.apply(JointCommand(goal, np.zeros_like(goal), np.full_like(goal, np.nan)))
        backend.advance(DT_S)
        measured.append(backend.observe().position[0] - goal[0] + step)
        true.append(inner.position[0] - goal[0] + step)
    return np.array(measured), np.array(true)


def test_a_position_loop_follows_as_its_bandwidth_says():
    _, true = step_response(Reality(bandwidth=40.0), 30)
    t = DT_S * np.arange(1, 31)
    assert true == pytest.approx(0.2 * (1.0 - (1.0 + 40.0 * t) * np.exp(-40.0 * t)), abs=1e-12)


def test_a_motor_that_interpolates_follows_a_ramp_with_the_lag_of_its_bandwidth():
    spec = load_robot("three_link")
    for interpolated in (True, False):
        inner = FollowingJoints(spec)
        backend = RealisticBackend(inner, spec, Reality(bandwidth=100.0, interpolated=interpolated), DT_S)
        backend.open()
        home, rates = inner.position.copy(), []
        for k in range(1, 41):
            backend.apply(JointCommand(home + 1.0 * k * DT_S, np.ones_like(home), np.full_like(home, np.nan)))
            backend.advance(DT_S)
            rates.append(inner.velocity[0])
        if interpolated:
            assert inner.position[0] - home[0] == pytest.approx(40 * DT_S - 2.0 / 100.0, abs=1e-6)
            assert rates[-1] == pytest.approx(1.0, abs=1e-6)
        else:  # each step begins anew, and is in force from the beginning of its tick
            assert inner.position[0] - home[0] == pytest.approx(41 * DT_S - 2.0 / 100.0 - 0.5 * DT_S, abs=1e-3)


def test_delays_of_command_and_state_add_up():
    reality = Reality(bandwidth=40.0, command_delay=0.01, state_delay=0.0075)
    measured, true = step_response(reality, 40)
    _, prompt = step_response(Reality(bandwidth=40.0), 40)
    assert true[:2] == pytest.approx([0.0, 0.0], abs=1e-12)
    assert true[2:] == pytest.approx(prompt[:-2], abs=1e-12)
    assert measured[3:] == pytest.approx(0.5 * (true[1:-2] + true[2:-1]), abs=1e-12)


def test_an_encoder_rounds_and_its_errors_are_those_of_the_seed():
    reality = Reality(encoder_counts=4096, position_noise=0.001, zero_error=0.01, loss=0.1)
    first, second, other = (step_response(reality, 200, seed=seed)[0] for seed in (1, 1, 2))
    assert np.array_equal(first, second)
    assert not np.array_equal(first, other)
    angle = first + load_robot("three_link").joints[0].home
    counts = angle / (math.tau / 4096)
    assert counts == pytest.approx(np.round(counts), abs=1e-6)
    assert 0.0005 < np.std(first) < 0.002


def test_a_lost_measurement_leaves_the_old_one():
    measured, true = step_response(Reality(bandwidth=20.0, loss=0.5), 100)
    kept = [a == b for a, b in pairwise(measured)]
    assert 20 < sum(kept[:80]) < 60
    assert set(measured) <= {measured[0], *true}


def test_an_effort_is_limited_lags_and_loses_the_friction_of_the_gear():
    spec = load_robot("bolt")
    inner = FollowingJoints(spec)
    reality = Reality(current_bandwidth=500.0, torque_share=0.5, gear_friction=1.5)
    backend = RealisticBackend(inner, spec, reality, 0.001)
    backend.open()
    unknown = np.array([np.nan])
    for _ in range(20):
        backend.apply(JointCommand(unknown, np.array([10.0]), np.array([100.0])))
        backend.advance(0.001)
    limit = 0.5 * spec.actuated[0].effort
    assert inner.efforts[0][0] < 0.5 * limit
    assert inner.efforts[-1][0] == pytest.approx(limit - 1.5, abs=0.05)


def test_a_robot_file_describes_its_profiles():
    spec = load_robot("three_link")
    backend = FollowingJoints(spec)
    assert make_realistic(backend, spec, "default", DT_S) is backend
    assert make_realistic(backend, spec, "ideal", DT_S) is backend
    typical = make_realistic(backend, spec, "typical", DT_S)
    assert isinstance(typical, RealisticBackend)
    assert spec.reality("typical").bandwidth > spec.reality("harsh").bandwidth
    assert spec.reality("ideal") == IDEAL
    with pytest.raises(UserError, match=r"needs reality\.harsh in the robot file"):
        make_realistic(backend, replace(spec, realities={}), "harsh", DT_S)


def test_real_motors_take_no_profile():
    class Motors(FollowingJoints):
        simulated = False

    spec = load_robot("three_link")
    with pytest.raises(UserError, match="it is for simulations"):
        make_realistic(Motors(spec), spec, "typical", DT_S)
