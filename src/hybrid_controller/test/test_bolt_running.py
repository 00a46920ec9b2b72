"""The running leg's law in the ring: it reacts to the foot within the tick, and stops with its reference."""

import dataclasses
import math

import numpy as np
import pytest

from crawler_core.errors import UserError
from crawler_core.robot.robot_file import load_robot
from crawler_core.types import Contact, ContactMode, ContactSource, ImuReading, SwitchReading
from crawler_models.bolt.prediction import robot_law
from crawler_models.bolt.simulation.running import Running, RunningParameters
from hybrid_controller.controller import Controller, Status
from hybrid_controller.laws.bolt.running import CRUISE, FLIGHT, STANCE, RunningLaw
from hybrid_controller.laws.law import Measured, Setpoint
from hybrid_controller.laws.law_registry import LAWS, law_name, law_parameters
from hybrid_controller.reference.horizon import Horizon, ReferencePoint

MS = 1_000_000
DT = 1e-3  # s
PAPER = RunningParameters()
TURNING = ReferencePoint([0.0], [-19.0], [0.0])  # the gait's crank
RESTING = ReferencePoint([0.0], [0.0], [0.0])


@pytest.fixture
def leg():
    return load_robot("bolt")


def foot(mode):
    return (Contact("foot", mode, ContactSource.SIMULATED, (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)),)


def answer(law, ms, angle, rate, mode=None):
    measured = Measured(ms * MS, [angle], [rate], () if mode is None else foot(mode))
    law.observe(measured)
    return law.compute(measured, Setpoint([angle], [rate], [False]), TURNING, TURNING)


def test_it_is_the_robots_own_law_and_fits_no_other(leg):
    assert law_name(leg, None) == "running"
    with pytest.raises(UserError, match="not for three_link: use another law"):
        LAWS["running"].check(load_robot("three_link"))
    bars = {name: value for name, value in leg.parameters.items() if name != "crank_length"}
    with pytest.raises(UserError, match=r"the law .running. is for six-bar legs.*crank_length"):
        LAWS["running"].check(dataclasses.replace(leg, parameters=bars))


def test_the_phase_is_that_of_the_contact_of_the_very_tick(leg):
    law = RunningLaw(leg, PAPER, DT)
    crank, rate = 0.1, -20.0
    for ms, mode, phase in (
        (0, ContactMode.OPEN, FLIGHT),
        (1, ContactMode.OPEN, FLIGHT),
        (2, ContactMode.STICK, STANCE),
        (3, ContactMode.SLIP_NEG, STANCE),
        (4, ContactMode.OPEN, FLIGHT),
    ):
        setpoint = answer(law, ms, crank, rate, mode)
        assert law.report.branch == phase
        assert law.report.note == ""
        if ms in (2, 4):  # the ramp begins where the crank is, so that the spring of (20) is slack: the damper is left
            most = leg.actuated[0].effort if phase == STANCE else PAPER.flight_torque
            assert setpoint.effort[0] == pytest.approx(min(-PAPER.damping * rate, most, 1350.0 / abs(rate)))
        crank += rate * DT


def test_it_asks_for_what_the_equations_law_asks_for(leg):
    """A whole stride through the law and through the state machine of the equations."""
    law, plain = RunningLaw(leg, PAPER, DT), Running(PAPER, leg.actuated[0].effort, leg.actuated[0].power)
    plain.begin(0.0, 0.0, stance=False)
    branches = []
    for k in range(400):
        time = 1e-9 * (k * MS)
        angle, rate = -22.0 * time + 0.1 * math.sin(30.0 * time), -22.0 + 3.0 * math.cos(30.0 * time)
        landed = 0.2 < time < 0.26
        (plain.touch_down if landed else plain.in_air)(time, angle)
        wanted = plain.torque(time, angle, rate)
        setpoint = answer(law, k, angle, rate, ContactMode.STICK if landed else ContactMode.OPEN)
        assert setpoint.effort == [wanted]
        assert abs(wanted * rate) <= 1350.0 * (1.0 + 1e-12)
        assert law.report.branch == (STANCE if plain.stance else FLIGHT)
        branches.append(law.report.branch)
    assert {STANCE, FLIGHT} == set(branches)


def test_efforts_at_a_limit_are_said(leg):
    law = RunningLaw(leg, PAPER, DT)
    assert answer(law, 0, 0.0, -22.0, ContactMode.OPEN).saturated == [True]  # braked by the damper of (20) alone
    assert answer(law, 1, -0.02, 0.0, ContactMode.OPEN).saturated == [False]
    assert answer(law, 1, 3.0, 0.0, ContactMode.OPEN).effort == [-PAPER.flight_torque]
    assert answer(law, 2, 3.0, 0.0, ContactMode.OPEN).saturated == [True]
    fast = answer(law, 3, 3.0, 60.0, ContactMode.STICK)
    assert fast.effort == [-1350.0 / 60.0]
    assert fast.saturated == [True]


def turned(law, rotor, ms, mode, *, applied=True):
    """One millisecond of a crank on a rotor of its own, (angle, rate), with some friction, and the effort asked for."""
    angle, rate = rotor
    effort = answer(law, ms, angle, rate, mode).effort[0]
    rate += DT * ((effort if applied else 0.0) - 0.2 * rate) / 0.1
    return (angle + DT * rate, rate), effort


@pytest.mark.parametrize("mode", [None, ContactMode.OPEN, ContactMode.STICK])
def test_a_leg_that_was_stopped_is_brought_up_to_its_pace_and_not_thrown(leg, mode):
    """The law is asked while the torque is off: it must not make up for what the crank missed."""
    own = law_parameters(leg, "running", {})
    law, rotor = RunningLaw(leg, own, DT), (0.0, -15.0)
    for ms in range(10_000):
        rotor, _ = turned(law, rotor, ms, mode, applied=False)
    assert abs(rotor[1]) < 1e-3
    rates, efforts = [], []
    for ms in range(10_000, 12_000):
        rotor, effort = turned(law, rotor, ms, mode)
        rates.append(-rotor[1])
        efforts.append(abs(effort))
    assert max(rates) < 1.1 * own.stance_rate
    assert max(efforts[:100]) < 20.0  # N·m, of 120
    pace = own.cruise_rate if mode is None else own.retraction_rate  # a foot that stays on the ground is lifted once
    assert rates[-1] == pytest.approx(pace, rel=0.1)
    assert max(rates[: round(0.2 * own.start_time / DT)]) < 0.6 * max(rates)


def test_a_crank_that_is_held_is_not_pushed_with_all_there_is(leg):
    law = RunningLaw(leg, law_parameters(leg, "running", {}), DT)
    efforts = [answer(law, ms, 0.0, 0.0, ContactMode.STICK).effort[0] for ms in range(3000)]
    assert min(efforts) > -75.0  # N·m, of 120
    assert max(efforts) <= 0.0


@pytest.mark.parametrize("parameters", [PAPER, None])
def test_without_contacts_the_crank_turns_at_one_rate_and_the_law_says_so(leg, parameters):
    own = parameters or law_parameters(leg, "running", {})
    law = RunningLaw(leg, own, DT)
    rotor, notes = (-0.1, 0.0), set()
    for ms in range(4000):
        rotor, _ = turned(law, rotor, ms, (None, ContactMode.UNKNOWN)[ms % 2])
        notes.add(law.report.note)
    assert notes == {"nothing is known of the contact of foot by backend: the crank turns at one rate"}
    assert law.report.branch == CRUISE
    assert rotor[1] == pytest.approx(-own.cruise_rate, rel=0.05)
    for ms in range(4000, 4100):  # a contact that becomes known is used at once
        rotor, _ = turned(law, rotor, ms, ContactMode.STICK)
    assert law.report.note == ""
    assert law.report.branch in (STANCE, FLIGHT)


def test_a_crank_that_was_held_starts_again_and_the_law_says_so(leg):
    law = RunningLaw(leg, law_parameters(leg, "running", {}), DT)
    rotor, notes = (0.0, 0.0), []
    for ms in range(6000):
        rotor, _ = turned(law, rotor, ms, ContactMode.OPEN)
        if 2000 <= ms < 3000:
            rotor = (rotor[0], 0.0)
        notes.append(law.report.note)
    assert set(notes[:2000]) == set(notes[5000:]) == {""}
    assert "the crank was held: it starts again" in notes[2000:3000]
    assert rotor[1] == pytest.approx(-15.4, rel=0.05)


# sources of contact


def sources(leg, **parameters):
    return RunningLaw(leg, law_parameters(leg, "running", parameters), DT)


def imu(ms, up):
    return ImuReading("imu", ms * MS, (0.0, 0.0, 0.0), (0.0, 0.0, up))


def branch_at(law, ms, angle, *readings, contacts=()):
    measured = Measured(ms * MS, [angle], [-15.0], contacts, readings=readings)
    law.observe(measured)
    law.compute(measured, Setpoint([angle], [-15.0], [False]), TURNING, TURNING)
    return law.report.branch


def test_each_source_reads_what_it_needs_and_no_more(leg):
    read = {s: (sources(leg, contact=s).reads_contacts, tuple(sources(leg, contact=s).reads_sensors)) for s in SOURCES}
    assert read == {
        "backend": (True, ()),
        "switch": (False, ("contact_switch",)),
        "accelerometer": (False, ("imu",)),
        "angle": (False, ()),
        "none": (False, ()),
    }


def test_a_robot_without_the_sensor_is_refused_with_what_to_do(leg):
    without = dataclasses.replace(leg, sensors=())
    with pytest.raises(UserError, match=r"controller.contact = accelerometer needs a sensor of kind imu at body.*none"):
        RunningLaw(without, law_parameters(leg, "running", {"contact": "accelerometer"}), DT)


def test_the_switch_of_the_foot_shows_its_contact(leg):
    law = sources(leg, contact="switch")
    closed = [False, True, True, False]
    seen = [branch_at(law, ms, -0.01 * ms, SwitchReading("foot_switch", ms * MS, c)) for ms, c in enumerate(closed)]
    assert seen == [f"{FLIGHT} by switch", f"{STANCE} by switch", f"{STANCE} by switch", f"{FLIGHT} by switch"]


def test_an_accelerometer_shows_contact_by_two_thresholds_and_a_dead_time(leg):
    law = sources(leg, contact="accelerometer", landing_force=14.0, flight_force=5.0, dead_time=0.03)
    forces = {0: 0.0, 1: 13.9, 2: 14.1, 3: 4.0, 31: 4.0, 32: 4.9, 33: 90.0, 62: 90.0}
    ground = [" by ".join((STANCE, "accelerometer")) == branch_at(law, ms, 0.0, imu(ms, f)) for ms, f in forces.items()]
    assert ground == [False, False, True, True, True, False, False, True]


def test_a_sensor_that_falls_silent_leaves_a_crank_that_turns(leg):
    law = sources(leg, contact="accelerometer")
    assert branch_at(law, 0, 0.0, imu(0, 0.0)) == f"{FLIGHT} by accelerometer"
    assert branch_at(law, 40, -0.1) == f"{FLIGHT} by accelerometer"
    for ms in range(80, 240, 40):
        last = branch_at(law, ms, -0.1)
    assert last == CRUISE
    assert "nothing is known of the contact of foot by accelerometer" in law.report.note
    assert branch_at(law, 250, -0.2, imu(250, 0.0)) == f"{FLIGHT} by accelerometer"


def test_the_cranks_angle_tells_the_contact(leg):
    law = sources(leg, contact="angle", contact_begin=-90.0, contact_end=-120.0, lift_off=-125.0)
    seen = [branch_at(law, ms, math.radians(a), contacts=foot(ContactMode.STICK)) for ms, a in enumerate(ANGLES)]
    assert [branch.split()[0] for branch in seen] == [FLIGHT, STANCE, STANCE, FLIGHT, FLIGHT, STANCE]


ANGLES = (-89.0, -91.0, -119.0, -121.0, -445.0, -455.0)  # degrees
SOURCES = ("backend", "switch", "accelerometer", "angle", "none")


def test_with_no_source_the_crank_turns_at_one_rate_without_a_note(leg):
    law = sources(leg, contact="none")
    assert branch_at(law, 0, 0.0, contacts=foot(ContactMode.STICK)) == CRUISE
    assert law.report.note == ""


def test_who_is_asked_again_after_a_pause_does_not_make_up_for_it(leg):
    law = RunningLaw(leg, PAPER, DT)
    answer(law, 0, 0.0, 0.0, ContactMode.STICK)
    later = answer(law, 5000, -0.5, 0.0, ContactMode.STICK)  # its ramp would be 180 rad ahead
    assert later.effort == [0.0]
    assert law.report.branch == STANCE


def test_other_gains_begin_the_phase_anew(leg):
    law = RunningLaw(leg, PAPER, DT)
    for ms in range(50):
        answer(law, ms, 0.0, 0.0, ContactMode.STICK)
    law.tune(dataclasses.replace(PAPER, damping=0.0))
    assert answer(law, 50, 0.0, -5.0, ContactMode.STICK).effort == [0.0]
    assert law.report.branch == STANCE
    assert answer(law, 51, 0.0, -5.0, ContactMode.STICK).effort[0] < 0.0


def test_times_count_from_the_first_state_so_that_a_clock_of_years_keeps_its_digits(leg):
    efforts = []
    for epoch in (0, 1_800_000_000_000):  # ms
        law = RunningLaw(leg, PAPER, DT)
        run = [answer(law, epoch + k, -0.02 * k, -20.0, ContactMode.OPEN).effort[0] for k in range(200)]
        efforts.append(run)
    assert efforts[0] == efforts[1]


# in the controller


def horizon(begin, end):
    times = list(range(begin * MS, end * MS + 1, 10 * MS))
    shape = (len(times), 1)
    return Horizon(
        times, -18.6e-9 * np.array(times, dtype=float).reshape(shape), np.full(shape, -18.6), np.zeros(shape)
    )


def test_a_dead_gait_node_ends_the_effort_and_a_new_reference_brings_it_back(leg):
    controller = Controller(leg, RunningLaw(leg, PAPER, DT), MS)
    controller.reference.add(horizon(0, 100))
    known = []
    for ms in range(200):
        given = controller.step(ms * MS, [-0.02 * ms], [-20.0], foot(ContactMode.OPEN))
        known.append(math.isfinite(given.setpoint.effort[0]))
    assert known == [True] * 99 + [False] * 101
    assert controller.status is Status.STOPPED
    controller.reference.add(horizon(200, 400))
    given = controller.step(200 * MS, [-4.0], [0.0], foot(ContactMode.STICK))
    assert given.setpoint.effort == [0.0]  # it begins anew where the crank is
    assert controller.law_in_force


def test_a_gait_at_rest_stops_the_leg_and_its_rate_chooses_the_ramps(leg):
    law = RunningLaw(leg, robot_law(leg), DT)
    idle = Setpoint([0.0], [0.0], [False])
    ticks = iter(range(100_000))

    def run(seconds, reference):
        for _ in range(round(seconds / DT)):
            measured = Measured(next(ticks) * MS, [0.0], [-15.0], ())
            law.observe(measured)
            answer = law.compute(measured, idle, reference, reference)
        return answer.effort[0], law._running.parameters.retraction_rate

    turning = [ReferencePoint([0.0], [-rate], [0.0]) for rate in (19.0, 14.0, 16.5)]
    assert run(1.0, turning[0])[1] == 15.4
    assert run(1.0, turning[1])[1] == pytest.approx(10.0)
    assert run(1.0, turning[2])[1] == pytest.approx(12.7)
    speeding_up = ReferencePoint([0.0], [-18.0], [30.0])
    assert run(1.0, speeding_up)[1] == pytest.approx(12.7)  # not before it has its rate
    assert math.isnan(run(0.1, RESTING)[0])
    assert law.report.branch == "rest"
    effort, retraction_rate = run(0.01, turning[0])
    assert not math.isnan(effort)
    assert retraction_rate == 10.0  # it starts with the slowest ramps
    assert run(1.0, turning[0])[1] == 15.4
