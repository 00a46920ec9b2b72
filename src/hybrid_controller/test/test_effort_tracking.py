"""Joints that are driven by effort: the law's spring and damper, its restarts, and the controller around it."""

import dataclasses
import math

import numpy as np
import pytest

from crawler_core.errors import UserError
from crawler_core.types import Contact, ContactMode, ContactSource
from hybrid_controller.controller import Controller, Status
from hybrid_controller.laws.effort_tracking import EffortTracking, EffortTrackingParameters
from hybrid_controller.laws.law import Measured, Setpoint
from hybrid_controller.laws.law_registry import LAWS, law_name
from hybrid_controller.reference.horizon import Horizon, ReferencePoint

MS = 1_000_000
DT = 5 * MS
EFFORT = 0.4  # N·m
INERTIA = 1e-3  # kg m²
REST = ReferencePoint([1.9, 0.0], [0.0, 0.0], [0.0, 0.0])


@pytest.fixture
def wheeled(crawler):
    """joint_1 is told where to be; joint_2 turns for ever and is told how hard to push."""
    first, second = crawler.joints
    wheel = dataclasses.replace(
        second, continuous=True, lower=-math.inf, upper=math.inf, home=0.0, command_interface="effort", effort=EFFORT
    )
    return dataclasses.replace(crawler, joints=(first, wheel))


def law_of(spec, **values):
    return EffortTracking(spec, EffortTrackingParameters(**values), DT * 1e-9)


def feet(mode):
    return [Contact("foot_1", mode, ContactSource.SIMULATED, (0.0, 0.0, 1.0), (0.0, 0.0, 0.0))]


def ask(law, angle, rate=0.0, now=REST, ahead=REST):
    measured = Measured(0, [1.9, angle], [0.0, rate], ())
    law.observe(measured)
    return law.compute(measured, Setpoint([1.9, angle], [0.0, rate], [False, False]), now, ahead)


def test_the_spring_and_the_damper_draw_the_joint_to_where_its_reference_is_now(wheeled):
    law = law_of(wheeled, stiffness=2.0, damping=0.1)
    setpoint = ask(law, 0.1, 0.5, now=ReferencePoint([1.9, 0.2], [0.0, 1.0], [0.0, 0.0]))
    assert math.isnan(setpoint.effort[0])
    assert setpoint.effort[1] == pytest.approx(2.0 * 0.1 + 0.1 * 0.5)
    assert setpoint.saturated == [False, False]
    law.tune(EffortTrackingParameters(stiffness=0.0, damping=0.2))
    assert ask(law, 0.1, 0.5).effort[1] == pytest.approx(-0.1)


def test_more_than_the_joints_effort_is_cut_and_said(wheeled):
    setpoint = ask(law_of(wheeled, stiffness=2.0), 1.0)
    assert setpoint.effort[1] == -EFFORT
    assert setpoint.saturated == [False, True]


def test_a_joint_that_was_held_for_some_turns_does_not_make_up_for_them(wheeled):
    law = law_of(wheeled, stiffness=0.1, damping=0.0)
    assert ask(law, 0.3 - 8 * math.pi).effort[1] == pytest.approx(-0.03)


def test_the_other_joints_get_the_reference_of_the_end_of_the_tick_within_their_limits(wheeled):
    ahead = ReferencePoint([4.0, 50.0], [1.0, 0.0], [0.0, 0.0])
    setpoint = ask(law_of(wheeled), 0.0, ahead=ahead)
    assert setpoint.position == [math.radians(172.0), 50.0]
    assert setpoint.saturated == [True, False]


def test_a_robot_with_effort_joints_gets_this_law_and_is_refused_by_the_others(crawler, wheeled):
    plain = dataclasses.replace(wheeled, sections={})
    assert law_name(plain, None) == "effort_tracking"
    for name in ("joint_tracking", "hybrid"):
        with pytest.raises(UserError, match="drives joint_2 by effort: use the control law effort_tracking"):
            LAWS[name].check(wheeled)
    with pytest.raises(UserError, match="three_link has none: use the control law joint_tracking"):
        LAWS["effort_tracking"].check(crawler)


def test_a_foot_that_the_robot_does_not_have_is_refused(wheeled):
    with pytest.raises(UserError, match=r"no foot for controller\.restart_foot 'foot_11': did you mean 'foot_1'\?"):
        law_of(wheeled, restart="touch_down", restart_foot="foot_11")


# in the controller


def motion(time_ns):
    """joint_1 stays, joint_2 turns evenly at 3 rad/s."""
    t = np.asarray(time_ns)[..., np.newaxis] * 1e-9
    return t * [0.0, 3.0] + [1.9, 0.0], t * 0.0 + [0.0, 3.0], t * [0.0, 0.0]


def horizon(begin_ns, end_ns, shift=0.0):
    times = list(range(begin_ns, end_ns + 1, 10 * MS))
    q, v, a = motion(times)
    return Horizon(times, q + [shift, 0.0], v, a)


class Plant:
    """joint_1 follows, joint_2 is a wheel; a foot comes down for 40 ms whenever the wheel has gained another radian."""

    def __init__(self, controller):
        self.controller = controller
        self.now = 0
        self.q, self.v = [1.9, 0.0], [0.0, 0.0]
        self.down_until = 0
        self.next_down = 1.0
        self.rows: list[list[float]] = []

    def tick(self, known=True):
        if self.q[1] >= self.next_down:
            self.next_down += 1.0
            self.down_until = self.now + 40 * MS
        mode = ContactMode.STICK if self.now < self.down_until else ContactMode.OPEN
        contacts = feet(mode if known else ContactMode.UNKNOWN)
        answer = self.controller.step(self.now, list(self.q), list(self.v), contacts)
        effort = answer.setpoint.effort[1]
        self.q[0], self.v[0] = answer.setpoint.position[0], answer.setpoint.velocity[0]
        self.v[1] += 0.0 if math.isnan(effort) else effort / INERTIA * DT * 1e-9
        self.q[1] += self.v[1] * DT * 1e-9
        self.now += DT
        self.rows.append([*self.q, *self.v, effort, float(mode)])
        return answer


def controller_of(spec, **values):
    return Controller(spec, law_of(spec, stiffness=0.02, damping=0.01, **values), DT)


def test_at_touch_down_the_reference_begins_anew_where_the_joint_is_in_the_very_tick(wheeled):
    controller = controller_of(wheeled, restart="touch_down", restart_foot="foot_1")
    controller.reference.add(horizon(0, 5000 * MS))
    plant = Plant(controller)
    shifted = 0
    while plant.now < 3000 * MS:
        speed, coming = plant.v[1], plant.q[1] >= plant.next_down
        answer = plant.tick()
        if coming:
            shifted += 1
            # the spring is slack there: what is left is the damper's
            assert answer.setpoint.effort[1] == pytest.approx(0.01 * (3.0 - speed), abs=1e-12)
            assert (
                controller.status is Status.TRACKING
            )  # it is no jump of the reference that is to be converged up with
            assert not controller.approaching
    assert shifted >= 5


def test_two_runs_with_a_law_that_reacts_to_events_are_equal_to_the_bit(wheeled):
    runs = []
    for lengths in ((5000,), (300, 200, 4500)):  # whichever message brought the reference
        controller = controller_of(wheeled, restart="touch_down")
        plant = Plant(controller)
        begin = 0
        for length in lengths:
            controller.reference.add(horizon(begin, 5000 * MS))
            begin += length * MS
            while plant.now < min(begin, 4000 * MS):
                plant.tick()
        runs.append(plant.rows)
    assert runs[0] == runs[1]


def test_while_contacts_are_unknown_the_law_goes_on_and_says_so(wheeled):
    controller = controller_of(wheeled, restart="lift_off")
    controller.reference.add(horizon(0, 5000 * MS))
    plant = Plant(controller)
    for _ in range(20):
        plant.tick()
    assert controller.law.report.note == ""
    for _ in range(200):
        answer = plant.tick(known=False)
        assert math.isfinite(answer.setpoint.effort[1])
    assert "nothing is known of the contacts" in controller.law.report.note


def test_without_a_reference_no_effort_is_commanded_and_the_other_joints_come_to_rest(wheeled):
    controller = controller_of(wheeled)
    controller.reference.add(horizon(0, 500 * MS))
    plant = Plant(controller)
    while plant.now < 480 * MS:
        assert math.isfinite(plant.tick().setpoint.effort[1])
    while plant.now < 700 * MS:
        answer = plant.tick()
    assert math.isnan(answer.setpoint.effort[0])
    assert math.isnan(answer.setpoint.effort[1])
    assert controller.status is Status.STOPPED


def test_while_the_other_joints_catch_up_the_effort_is_the_laws_already(wheeled):
    controller = controller_of(wheeled)
    controller.reference.add(horizon(0, 5000 * MS, shift=0.5))
    plant = Plant(controller)
    answer = plant.tick()
    assert controller.approaching
    assert 1.9 < answer.setpoint.position[0] < 1.95
    assert answer.setpoint.effort[1] == pytest.approx(0.01 * 3.0)
    while plant.now < 4000 * MS:
        answer = plant.tick()
    assert not controller.approaching
    assert answer.setpoint.position[0] == pytest.approx(2.4)


def test_time_that_goes_back_forgets_where_the_reference_was_shifted_to(wheeled):
    controller = controller_of(wheeled, restart="touch_down")
    controller.reference.add(horizon(0, 5000 * MS))
    first = Plant(controller)
    for _ in range(400):
        first.tick()
    controller.restart()
    again = Plant(controller)
    for _ in range(400):
        again.tick()
    assert again.rows == first.rows
