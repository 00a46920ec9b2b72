"""What is answered to each state, whatever comes or stays away."""

import math

import numpy as np
import pytest

from crawler_core.types import Contact, ContactMode, ContactSource
from hybrid_controller.controller import Controller, Status
from hybrid_controller.laws.joint_tracking import JointTracking, JointTrackingParameters
from hybrid_controller.laws.law import Setpoint
from hybrid_controller.reference.horizon import Horizon

MS = 1_000_000
DT = 5 * MS
CENTRE = 1.9


def motion(time_ns, shift=0.0):
    """A gait of both joints that starts at rest."""
    t = np.asarray(time_ns)[..., np.newaxis] * 1e-9 + np.zeros(2)
    return CENTRE + shift + 0.3 * (1 - np.cos(8 * t)), 2.4 * np.sin(8 * t), 19.2 * np.cos(8 * t)


def horizon(begin_ns, end_ns, shift=0.0):
    times = list(range(begin_ns, end_ns + 1, 10 * MS))
    return Horizon(times, *motion(times, shift))


@pytest.fixture
def controller(crawler):
    return Controller(crawler, JointTracking(crawler, JointTrackingParameters(), DT * 1e-9), DT)


def run(controller, begin_ns, end_ns, position=(CENTRE, CENTRE)):
    """The commanded positions and velocities of every tick."""
    rows = []
    for now in range(begin_ns, end_ns, DT):
        answer = controller.step(now, list(position), [0.0, 0.0])
        rows.append([*answer.setpoint.position, *answer.setpoint.velocity])
    return np.array(rows)


def assert_smooth(rows):
    q, v = rows[:, :2], rows[:, 2:]
    assert np.abs(np.diff(v, axis=0)).max() <= 400.0 * 0.005 * (1 + 1e-9)  # the joints' acceleration limit
    # the trapezoidal rule, off by dt^2 / 4 times the change of acceleration at a switch
    assert np.abs(np.diff(q, axis=0) - 0.0025 * (v[1:] + v[:-1])).max() <= 0.005**2 / 4 * 400.0


def test_nothing_is_commanded_before_the_first_reference(controller):
    assert controller.step(0, [1.9, 1.9], [0.0, 0.0]) is None
    assert controller.status is Status.WAITING


def test_each_state_is_answered_with_the_reference_one_tick_later(controller):
    controller.reference.add(horizon(0, 300 * MS))
    rows = run(controller, 0, 200 * MS)
    q, v, _ = motion(np.arange(1, 41) * DT)
    assert rows == pytest.approx(np.hstack([q, v]), abs=1e-6)
    assert controller.status is Status.TRACKING


def test_a_horizon_that_does_not_reach_to_the_end_of_the_tick_is_none(controller):
    controller.reference.add(horizon(0, 100 * MS))
    assert controller.reference.covers_tick(90 * MS)
    assert not controller.reference.covers_tick(95 * MS)


def test_new_horizons_of_the_same_motion_leave_no_trace(crawler, controller):
    other = Controller(crawler, controller.law, DT)
    controller.reference.add(horizon(0, 500 * MS))
    often = []
    for begin in range(0, 200 * MS, DT):
        other.reference.add(horizon(begin // (10 * MS) * 10 * MS, begin + 100 * MS))
        often.extend(run(other, begin, begin + DT).tolist())
    assert run(controller, 0, 200 * MS).tolist() == often


def test_when_the_reference_runs_out_the_joints_come_to_rest_and_stay(controller):
    controller.reference.add(horizon(0, 100 * MS))
    rows = run(controller, 0, 300 * MS)
    assert_smooth(rows)
    assert controller.status is Status.STOPPED
    assert (rows[-1, 2:] == 0.0).all()
    assert (rows[-20:] == rows[-1]).all()
    assert controller.step(300 * MS, [1.9, 1.9], [0.0, 0.0]).ahead is None


def test_a_fresh_reference_is_approached_and_then_followed_exactly(controller):
    controller.reference.add(horizon(0, 100 * MS))
    rows = [run(controller, 0, 400 * MS)]
    controller.reference.add(horizon(390 * MS, 3000 * MS))
    rows.append(run(controller, 400 * MS, 405 * MS))
    assert controller.approaching
    rows.append(run(controller, 405 * MS, 2900 * MS))
    together = np.vstack(rows)
    assert_smooth(together)
    assert not controller.approaching
    q, v, _ = motion(np.arange(1, 2900 // 5 + 1) * DT)
    late = np.abs(together - np.hstack([q, v]))[-300:]
    assert late.max() < 1e-6


def test_the_first_reference_is_approached_from_the_measured_pose(controller):
    controller.reference.add(horizon(0, 3000 * MS))
    rows = run(controller, 0, 2900 * MS, position=(1.5, 2.2))
    assert rows[0, :2] == pytest.approx([1.5, 2.2], abs=0.01)
    assert_smooth(rows)
    assert rows[-1, 0] == pytest.approx(rows[-1, 1], abs=1e-9)


def test_a_reference_that_jumps_is_approached_too(controller):
    controller.reference.add(horizon(0, 1000 * MS))
    rows = [run(controller, 0, 500 * MS)]
    controller.reference.add(horizon(450 * MS, 3000 * MS, shift=-0.4))
    rows.append(run(controller, 500 * MS, 2900 * MS))
    together = np.vstack(rows)
    assert_smooth(together)
    assert together[-1, :2] == pytest.approx(motion(2900 * MS, shift=-0.4)[0], abs=1e-6)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("field", ["position", "velocity"])
def test_a_state_that_is_not_finite_is_not_acted_upon(controller, bad, field):
    controller.reference.add(horizon(0, 1000 * MS))
    rows = [run(controller, 0, 100 * MS)]
    values = {"position": [1.9, 1.9], "velocity": [0.0, 0.0], field: [0.0, bad]}
    for now in range(100 * MS, 150 * MS, DT):
        answer = controller.step(now, **values)
        rows.append([[*answer.setpoint.position, *answer.setpoint.velocity]])
    assert controller.state_invalid
    assert controller.status is Status.STOPPED
    rows.append(run(controller, 150 * MS, 900 * MS))
    assert not controller.state_invalid
    assert controller.status is Status.TRACKING
    assert_smooth(np.vstack(rows))


def test_a_first_state_that_is_not_finite_starts_nothing(controller):
    controller.reference.add(horizon(0, 1000 * MS))
    assert controller.step(0, [math.nan, 1.9], [0.0, 0.0]) is None
    assert controller.status is Status.WAITING


def test_after_a_restart_it_begins_with_the_measured_pose_again(controller):
    controller.reference.add(horizon(0, 1000 * MS))
    first = run(controller, 0, 100 * MS)
    controller.restart()
    assert controller.status is Status.WAITING
    assert (run(controller, 0, 100 * MS) == first).all()


class HoldWhileSlipping(JointTracking):
    """A law that reads contacts."""

    reads_contacts = True

    def compute(self, measured, commanded, now, ahead):
        slipping = any(contact.mode is ContactMode.SLIP_POS for contact in measured.contacts)
        return Setpoint(now.position if slipping else ahead.position, ahead.velocity, [slipping] * 2)


def foot(mode):
    return Contact("foot_1", mode, ContactSource.SIMULATED, (0.0, 0.0, 1.0), (0.1, 0.0, 0.0))


def answer_of(controller, *arguments):
    answer = controller.step(*arguments)
    assert answer is not None
    return answer


def test_a_law_gets_the_contacts_of_the_state_and_runs_on_without(crawler):
    controller = Controller(crawler, HoldWhileSlipping(crawler, JointTrackingParameters(), DT * 1e-9), DT)
    controller.reference.add(horizon(0, 1000 * MS))
    state = ([CENTRE, CENTRE], [0.0, 0.0])
    sticking = answer_of(controller, 0, *state, [foot(ContactMode.STICK)])
    slipping = answer_of(controller, DT, *state, [foot(ContactMode.SLIP_POS)])
    assert sticking.setpoint.position == slipping.setpoint.position
    assert slipping.setpoint.saturated == [True, True]
    without = answer_of(controller, 2 * DT, *state)
    assert without.setpoint.position == without.ahead.position
    assert controller.status is Status.TRACKING


class Spy(JointTracking):
    """Keeps what a law is told."""

    def __init__(self, spec):
        super().__init__(spec, JointTrackingParameters(), DT * 1e-9)
        self.seen, self.starts, self.restarts = [], [], 0

    def restart(self):
        self.restarts += 1

    def observe(self, measured):
        self.seen.append(measured.time_ns)

    def compute(self, measured, commanded, now, ahead):
        self.starts.append(commanded)
        return super().compute(measured, commanded, now, ahead)


def test_a_law_sees_every_usable_state_but_starts_each_tick_from_its_own_setpoints(crawler):
    law = Spy(crawler)
    controller = Controller(crawler, law, DT)
    controller.reference.add(horizon(0, 1000 * MS))
    answers = [answer_of(controller, k * DT, [CENTRE, CENTRE], [0.0, 0.0]) for k in range(6)]
    controller.step(6 * DT, [math.nan, CENTRE], [0.0, 0.0])
    assert controller.law_in_force is False
    controller.step(2000 * MS, [CENTRE, CENTRE], [0.0, 0.0])  # beyond the reference
    assert law.seen == [*(k * DT for k in range(6)), 2000 * MS]
    assert len(law.starts) >= 5
    assert [start.position for start in law.starts[1:]] == [
        answer.setpoint.position for answer in answers[-len(law.starts) : -1]
    ]
    controller.restart()
    assert law.restarts == 1
