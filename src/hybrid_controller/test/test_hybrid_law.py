"""The hybrid law: which branch, what it commands, and what it does when it cannot trust what it is told."""

import math

import numpy as np
import pytest

from crawler_core.errors import UserError
from crawler_core.parameters import build
from crawler_core.types import Contact, ContactMode, ContactSource
from crawler_models.three_link.equations.closed_chain import closed_chain
from crawler_models.three_link.equations.contact_law import consistent_modes
from crawler_models.three_link.equations.dynamics import Forces
from crawler_models.three_link.plant import tick
from hybrid_controller.laws.joint_tracking import JointTracking, JointTrackingParameters
from hybrid_controller.laws.law import Measured, Setpoint
from hybrid_controller.laws.three_link.believed_servo import BelievedServo
from hybrid_controller.laws.three_link.branch import Branch
from hybrid_controller.laws.three_link.hybrid_law import HybridLaw, three_link_of
from hybrid_controller.laws.three_link.hybrid_parameters import HybridParameters
from hybrid_controller.reference.horizon import ReferencePoint

MS = 1_000_000
OMEGA, A, PHI0, PSI = 8.0, math.radians(18.0), math.radians(110.0), math.radians(20.0)
FREE = [False, False]
UNKNOWN = Forces(math.nan, math.nan, math.nan, math.nan)


def gait(t):
    """(5)."""
    xi = OMEGA * t + 0.5 * PSI * np.array([1.0, -1.0])
    q, dq, ddq = PHI0 + A * np.sin(xi), A * OMEGA * np.cos(xi), -A * OMEGA**2 * np.sin(xi)
    return ReferencePoint(q.tolist(), dq.tolist(), ddq.tolist())


def contacts(modes=(ContactMode.SLIP_NEG, ContactMode.SLIP_POS), speeds=(-0.2, 0.1)):
    return tuple(
        Contact(f"foot_{i + 1}", mode, ContactSource.SIMULATED, (0.0, 0.0, 1.0), (speed, 0.0, 0.0))
        for i, (mode, speed) in enumerate(zip(modes, speeds, strict=True))
    )


def tick_of(law, t, feet, q=None, dq=None, dt=0.002):
    now, ahead = gait(t), gait(t + dt)
    measured = Measured(round(t * 1e9), q or now.position, dq or now.velocity, feet)
    return law.compute(measured, Setpoint(measured.position, measured.velocity, FREE), now, ahead), measured


@pytest.fixture
def law(crawler):
    return HybridLaw(crawler, HybridParameters(), 0.002)


def crawl(spec, law, rate, cycles):
    """Step lengths (mm) of the equations with the law in a loop, each tick on constant joint accelerations."""
    robot, dt = three_link_of(spec), 1.0 / rate
    period = 2.0 * math.pi / OMEGA
    reference = gait(0.0)
    c = closed_chain(robot, *(np.array(row) for row in reference))
    mode = consistent_modes(robot, c, (0, int(np.sign(c.d1))), False, 0.0)[0][0]
    q, dq = tuple(reference.position), tuple(reference.velocity)
    now = tick.Instant(0.0, q, dq, (0.0, 0.0), 0.0, 0.0, mode, c, 0.0, UNKNOWN)
    x, modes = [0.0], {0: ContactMode.STICK, 1: ContactMode.SLIP_NEG, -1: ContactMode.SLIP_POS}
    for k in range(round(cycles * period * rate)):
        v2 = 0.0 if now.mode[1] == 0 else now.v1 + now.chain.d1
        feet = contacts([modes[s] for s in now.mode], (-now.v1, -v2))
        t = k * dt
        measured = Measured(round(t * 1e9), list(now.q), list(now.dq), feet)
        setpoint = law.compute(measured, Setpoint(list(now.q), list(now.dq), FREE), gait(t), gait(t + dt))
        now = tick.advance(robot, now, tuple(setpoint.position), tuple(setpoint.velocity), dt)
        x.append(now.x1)
    at = np.interp(period * np.arange(cycles), dt * np.arange(len(x)), x)
    return -np.diff(at) * 1e3


@pytest.mark.parametrize(("rate", "within"), [(200.0, 0.015), (500.0, 0.005)])
def test_sampled_it_crawls_as_far_as_in_continuous_time(crawler, rate, within):
    # 44.0 mm: the law (19) literally, in continuous time; what is left is the half tick by which edges are seen late
    law = HybridLaw(crawler, HybridParameters(hysteresis=0.0, dwell=0.0), 1.0 / rate)
    assert crawl(crawler, law, rate, 12)[-4:].mean() == pytest.approx(44.0, rel=within)


def test_on_the_reference_it_is_joint_tracking(crawler, law):
    plain = JointTracking(crawler, JointTrackingParameters(), 0.002)
    now, ahead = gait(0.3), gait(0.302)
    measured = Measured(0, now.position, now.velocity, contacts((ContactMode.STICK, ContactMode.SLIP_POS), (0.0, 0.1)))
    start = Setpoint(now.position, now.velocity, FREE)
    ours, theirs = (some.compute(measured, start, now, ahead) for some in (law, plain))
    assert ours == theirs
    assert law.report.branch == "joint_tracking"
    assert law.report.note == ""


def test_a_joint_error_decays_as_its_gains_say(crawler, law):
    """e'' + K_D e' + K_P e = 0 over 0.2 s, beside its exact solution."""
    q = [x + 0.1 for x in gait(0.0).position]
    dq = gait(0.0).velocity
    for k in range(100):
        t = 0.002 * k
        now, ahead = gait(t), gait(t + 0.002)
        q, dq, saturated, _ = law.compute(Measured(0, q, dq, ()), Setpoint(q, dq, FREE), now, ahead)
        assert saturated == FREE
    fast, slow = -50.0 - math.sqrt(2420.0), -50.0 + math.sqrt(2420.0)
    exact = 0.1 * (fast * math.exp(slow * 0.2) - slow * math.exp(fast * 0.2)) / (fast - slow)
    # the trapezoid that carries the angle along is off by (K_D dt)²/12 of the fast part, which is 1 % of the error
    assert [x - y for x, y in zip(q, gait(0.2).position, strict=True)] == pytest.approx([exact] * 2, rel=2e-3)


def test_contact_tracking_gives_the_contacts_the_accelerations_of_the_law(crawler, law):
    robot, t, dt = three_link_of(crawler), 0.55, 0.002
    q, dq = [1.95, 1.85], [-0.6, -1.1]
    chain = closed_chain(robot, q, dq, (0.0, 0.0))
    v1 = 0.15  # paper axes; foot 2 must fit the joints
    feet = contacts((ContactMode.SLIP_NEG, ContactMode.SLIP_POS), (-v1, -(v1 + chain.d1)))
    assert v1 + chain.d1 < 0.0
    setpoint, _ = tick_of(law, t, feet, q, dq)
    assert law.report.branch == "contact_tracking"
    now = tick.Instant(0.0, (q[0], q[1]), (dq[0], dq[1]), (0.0, 0.0), 0.0, v1, (1, -1), chain, 0.0, UNKNOWN)
    then = tick.advance(robot, now, tuple(setpoint.position), tuple(setpoint.velocity), dt)
    reference = np.array(law.report.slip_reference) * -1.0
    ahead, present = (closed_chain(robot, *(np.array(row) for row in gait(s))) for s in (t + dt, t))
    step = np.array([0.0, 1.0] if present.d1 < 0 else [-1.0, 0.0])
    assert reference == pytest.approx(step * present.d1)
    error = np.array([v1, v1 + chain.d1]) - reference
    wanted = step * ahead.d1 + error * math.exp(-10.0 * dt)
    # m/s; S1 and S0 change over the tick by a few per cent of 0.02 m/s, their mean is taken in the middle
    assert [then.v1, then.v1 + then.chain.d1] == pytest.approx(wanted, abs=2e-5)


@pytest.mark.parametrize(
    ("feet", "sentence"),
    [
        ((), "nothing is known of the contact of foot_1"),
        (contacts((ContactMode.OPEN, ContactMode.SLIP_POS)), "foot_1 has left the ground"),
        (contacts((ContactMode.SLIP_NEG, ContactMode.UNKNOWN)), "the contact mode of foot_2 is not known"),
        (contacts(speeds=(-0.2, math.nan)), "the slip velocity of foot_2 is not known"),
    ],
)
def test_without_trustworthy_contacts_it_tracks_the_joints_and_says_why(law, feet, sentence):
    tick_of(law, 0.5, contacts())
    assert law.report.branch == "contact_tracking"
    setpoint, _ = tick_of(law, 0.502, feet)
    assert law.report == ("joint_tracking", f"{sentence}: tracking the joints", (), ())
    assert setpoint.position == pytest.approx(gait(0.504).position, abs=1e-12)


def test_where_the_contacts_do_not_obey_the_joints_it_tracks_the_joints(crawler):
    law = HybridLaw(crawler, HybridParameters(phi_min=0.0, phi_max=180.0, hysteresis=0.0), 0.002)
    flat = [math.pi, math.pi]  # a flat robot: the feet's distance has no derivative by the joints
    law.compute(Measured(0, flat, [0.0, 0.0], contacts()), Setpoint(flat, [0.0, 0.0], FREE), gait(0.0), gait(0.002))
    assert law.report.branch == "joint_tracking"
    assert "(S1)" in law.report.note


def test_what_a_joint_cannot_do_is_cut_and_flagged(crawler, law):
    joint = crawler.actuated[0]
    q = [gait(0.0).position[0] + 0.3, gait(0.0).position[1]]
    setpoint, measured = tick_of(law, 0.0, (), q, [11.0, gait(0.0).velocity[1]])
    assert setpoint.saturated == [True, False]
    assert abs(setpoint.velocity[0] - measured.velocity[0]) <= joint.acceleration * 0.002 * (1 + 1e-9)


def test_setpoints_do_not_run_away_from_a_joint_that_hangs(crawler, law):
    """What a lagging servo would explain is allowed while setpoints move, but not for the time that makes a fault."""
    q, dq, safety = gait(0.0).position, [0.0, 0.0], crawler.safety
    commanded, since, longest, notes = Setpoint(q, dq, FREE), 0.0, 0.0, set()
    for k in range(2000):
        t = 0.002 * k
        commanded = law.compute(Measured(round(t * 1e9), q, dq, ()), commanded, gait(t), gait(t + 0.002))
        lead = max(abs(a - b) for a, b in zip(commanded.position, q, strict=True))
        since = since + 0.002 if lead >= safety.tracking_tolerance else 0.0
        longest = max(longest, since)
        notes.add(law.report.note)
        assert lead < 1.3 * safety.tracking_tolerance
        assert all(j.lower <= x <= j.upper for j, x in zip(crawler.actuated, commanded.position, strict=True))
    assert longest < 0.5 * safety.tracking_time
    assert any(note.startswith("joint_2 does not follow: its setpoint waits for it; ") for note in notes)


@pytest.mark.parametrize("bandwidth", [40.0, 1e4])
def test_a_servo_that_lags_is_no_joint_that_hangs(crawler, bandwidth):
    """Setpoints are those of the law alone behind the slowest servo and an ideal one; the robot file believes 60."""
    law, servo = HybridLaw(crawler, HybridParameters(), 0.005), BelievedServo(2.0 / bandwidth, 0.005)
    plain = JointTracking(crawler, JointTrackingParameters(), 0.005)
    start = gait(0.0)
    commanded, measured = Setpoint(start.position, start.velocity, FREE), (start.position, start.velocity)
    for k in range(400):
        t, now, ahead = 0.005 * k, gait(0.005 * k), gait(0.005 * (k + 1))
        seen = Measured(round(t * 1e9), *measured, ())
        lead = servo.lead(seen, commanded)
        measured = ([x - y for x, y in zip(commanded.position, lead, strict=True)], now.velocity)
        commanded = law.compute(Measured(round(t * 1e9), *measured, ()), commanded, now, ahead)
        assert "does not follow" not in law.report.note
        assert commanded.position == pytest.approx(plain.compute(seen, commanded, now, ahead).position, abs=1e-9)
    assert (max(map(abs, lead)) > math.radians(3.0)) is (bandwidth == 40.0)


def test_the_edge_of_phi_does_not_chatter():
    """A joint that trembles about the edge by 0.05 deg: literally it switches at each tick, with a hysteresis once."""
    switches = {}
    for hysteresis in (0.0, 0.1):
        law, branch, count = HybridParameters(hysteresis=hysteresis, dwell=0.0).law, Branch(), 0
        for k in range(200):
            before = branch.tracks_contacts
            q = math.radians(130.0 + 0.05 * (-1) ** k)
            count += branch.update(law, k * 2 * MS, True, (q, 1.8)) is not before
        switches[hysteresis] = count
    assert switches[0.0] > 150
    assert switches[0.1] <= 1


def test_contacts_are_taken_up_again_after_the_dwell_only():
    law, branch = HybridParameters(hysteresis=0.0, dwell=0.02).law, Branch()
    q = (1.9, 1.9)
    assert branch.update(law, 0, True, q)
    assert not branch.update(law, 2 * MS, False, q)  # a foot sticks: at once
    back = [branch.update(law, (2 + 2 * k) * MS, True, q) for k in range(1, 12)]
    assert back == [False] * 9 + [True] * 2


def test_a_restart_forgets_the_branch(law):
    tick_of(law, 0.5, contacts())
    law.restart()
    assert not law._branch.tracks_contacts
    assert law.estimated == ()


def test_a_range_the_wrong_way_round_is_one_sentence():
    with pytest.raises(UserError, match=r"controller.phi_min = 140 must be less than controller.phi_max = 130 deg"):
        build(HybridParameters, {"phi_min": 140.0}, section="controller")
