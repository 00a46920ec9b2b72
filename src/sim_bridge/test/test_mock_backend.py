"""The mock's servos, and the faults that it can be ordered to have."""

import math
from typing import Any

import numpy as np
import pytest
from bridge_robots import UNKNOWN, gymnast, three_link

from crawler_core.errors import BackendFault, UserError
from crawler_core.parameters import build
from crawler_core.types import ContactMode, ContactSource, JointCommand
from sim_bridge.mock.mock_backend import LATE_OBSERVATION_S, MockBackend, MockSettings

DT = 0.01
HOME = math.radians(110.0)


class Bench:
    """An open mock and its clock."""

    def __init__(self, **settings: Any) -> None:
        self.now = 5_000_000_000
        made = build(MockSettings, settings, section="mock")
        self.backend = MockBackend(three_link(), made, DT, clock=lambda: self.now, sleep=self.wait)
        self.backend.open()

    def wait(self, seconds: float) -> None:
        self.now += round(seconds * 1e9)

    def send(self, *position: float) -> None:
        self.backend.apply(JointCommand(np.array(position), np.zeros(2), UNKNOWN))


def test_servos_travel_straight_to_the_setpoint_within_a_tick_and_stay() -> None:
    bench = Bench()
    bench.send(HOME + 0.02, HOME - 0.04)
    for part in (0.25, 0.5, 1.0):
        bench.now = 5_000_000_000 + round(part * DT * 1e9)
        seen = bench.backend.observe()
        np.testing.assert_allclose(seen.position, (HOME + 0.02 * part, HOME - 0.04 * part), atol=1e-12)
        np.testing.assert_allclose(seen.velocity, (2.0, -4.0), rtol=1e-6)
        assert seen.time_ns == bench.now
    bench.wait(1.0)
    seen = bench.backend.observe()
    np.testing.assert_allclose(seen.position, (HOME + 0.02, HOME - 0.04), atol=1e-12)
    assert not seen.velocity.any()


def test_a_lag_leaves_a_share_of_one_over_e_after_its_time_constant() -> None:
    bench = Bench(lag=0.1)
    bench.send(HOME + 0.1, HOME)
    bench.wait(DT)
    bench.backend.observe()
    start = 0.1 - (bench.backend.observe().position[0] - HOME)
    bench.wait(0.1)
    left = 0.1 - (bench.backend.observe().position[0] - HOME)
    assert left / start == pytest.approx(math.exp(-1.0), rel=1e-9)


def test_it_claims_no_physics() -> None:
    seen = Bench().backend.observe()
    assert [c.mode for c in seen.contacts] == [ContactMode.UNKNOWN] * 2
    assert [c.source for c in seen.contacts] == [ContactSource.PLANNED] * 2
    assert np.isnan([c.force for c in seen.contacts]).all()
    assert np.isnan(seen.effort).all()


def test_relaxed_joints_stay_where_they_were() -> None:
    bench = Bench()
    bench.send(HOME + 0.1, HOME)
    bench.wait(DT / 2)
    bench.backend.relax()
    bench.wait(1.0)
    assert bench.backend.observe().position[0] == pytest.approx(HOME + 0.05)


def failing(kind: str, **more: Any) -> Bench:
    """A mock whose fault has just begun, while both joints are told to move."""
    bench = Bench(fail=kind, fail_after=0.5, **more)
    bench.wait(0.49)
    assert np.isfinite(bench.backend.observe().position).all()
    bench.wait(0.02)
    return bench


def test_fail_raise_reports_the_joint() -> None:
    with pytest.raises(BackendFault) as caught:
        failing("raise", fail_joint="joint_2").backend.observe()
    assert caught.value.joint == "joint_2"
    assert caught.value.remedy


def test_fail_nan_loses_one_angle() -> None:
    seen = failing("no_angle").backend.observe()
    assert np.isnan(seen.position).tolist() == [True, False]


def test_fail_dead_joint_stops_one_joint_only() -> None:
    bench = failing("dead_joint", fail_joint="joint_2")
    bench.send(HOME + 0.1, HOME + 0.1)
    bench.wait(DT)
    np.testing.assert_allclose(bench.backend.observe().position, (HOME + 0.1, HOME), atol=1e-12)


def test_fail_frozen_repeats_the_last_observation() -> None:
    bench = failing("frozen")
    first = bench.backend.observe()
    bench.send(HOME + 0.1, HOME)
    bench.wait(DT)
    assert bench.backend.observe() is first


def test_fail_late_takes_its_time() -> None:
    bench = failing("late")
    before = bench.now
    bench.backend.observe()
    assert bench.now - before == round(LATE_OBSERVATION_S * 1e9)


def test_an_unknown_joint_to_fail_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UserError, match="did you mean 'joint_2'"):
        Bench(fail="no_angle", fail_joint="jiont_2")


class Gym(Bench):
    """The mock of a robot with a loop and a joint that is driven by effort."""

    inertia, damping = 4e-5, 1e-4

    def __init__(self, **settings: Any) -> None:
        self.now = 5_000_000_000
        made = build(
            MockSettings, {"rotor_inertia": self.inertia, "rotor_damping": self.damping, **settings}, section="mock"
        )
        self.backend = MockBackend(gymnast(), made, DT, clock=lambda: self.now, sleep=self.wait)
        self.backend.open()

    def push(self, effort: float) -> None:
        self.backend.apply(JointCommand(np.array([1.5, np.nan]), np.array([0.0, np.nan]), np.array([np.nan, effort])))

    def flywheel(self) -> tuple[float, float, float]:
        seen = self.backend.observe()
        return seen.position[3], seen.velocity[3], seen.effort[3]


def test_a_rotor_turns_as_its_equation_says_and_runs_down_after_the_tick() -> None:
    bench = Gym()
    bench.push(0.01)
    bench.wait(DT)
    rate = bench.damping / bench.inertia
    speed = 2.0 * math.exp(-rate * DT) + 0.01 / bench.damping * (1.0 - math.exp(-rate * DT))
    angle, seen, effort = bench.flywheel()
    assert seen == pytest.approx(speed, rel=1e-12)
    assert effort == 0.01
    bench.wait(1.0)
    further, seen, effort = bench.flywheel()
    assert seen == pytest.approx(speed * math.exp(-rate), rel=1e-9)
    assert further - angle == pytest.approx(bench.inertia / bench.damping * (speed - seen), rel=1e-9)
    assert effort == 0.0


def test_a_dead_rotor_stands() -> None:
    bench = Gym(fail="dead_joint", fail_joint="flywheel", fail_after=0.5)
    bench.wait(0.6)
    bench.flywheel()
    bench.push(0.01)
    bench.wait(DT)
    assert bench.flywheel()[1] == 0.0


def test_passive_joints_of_loops_are_not_known() -> None:
    seen = Gym().backend.observe()
    assert np.isnan(seen.position).tolist() == [False, True, True, False]
    assert np.isnan(seen.velocity).tolist() == [False, True, True, False]
