"""The plant, driven as the robot's loop drives it, against the exact steady gait and statics."""

import cmath
import math
import time

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline
from three_link_cases import Harmonic, random_robot, robot

from crawler_core.types import ContactMode
from crawler_models.interface.plant import PlantFault
from crawler_models.three_link import crawl
from crawler_models.three_link.equations.closed_chain import chain
from crawler_models.three_link.equations.dynamics import contact_forces
from crawler_models.three_link.equations.foot_mode import STICK_STICK
from crawler_models.three_link.plant.three_link_plant import ThreeLinkPlant, tick

HOME = (math.radians(110.0), math.radians(110.0))
NO_EFFORT = (math.nan, math.nan)


def drive(rb, motion, rate, cycles, ramp_cycles):
    """Setpoints at about ``rate`` Hz, started smoothly by slowing time: the plant, and base x after each cycle."""
    ticks = round(motion.period * rate)
    dt = motion.period / ticks
    ramp = ramp_cycles * motion.period

    def command(t):
        u = min(t / ramp, 1.0)
        q, dq, _ = motion.sample(ramp * (u**3 - u**4 / 2) + max(t - ramp, 0.0))
        return q, dq * (3 * u**2 - 2 * u**3)

    plant = ThreeLinkPlant(rb, command(0.0)[0])
    xs = []
    for k in range(1, cycles * ticks + 1):
        q, dq = command(k * dt)
        plant.advance(q, dq, NO_EFFORT, dt)
        if k % ticks == 0:
            xs.append(plant.base().position[0])
    return plant, xs


@pytest.mark.parametrize(
    ("omega", "cycles", "ramp"),
    [
        pytest.param(0.3, 3, 1, marks=pytest.mark.exhaustive),  # long; the backend of these equations steps it always
        (1.0, 3, 1),
        (3.2, 4, 1),
        (8.0, 15, 3),
        (16.0, 35, 3),
    ],
)
def test_stepping_at_500_hz_reproduces_the_steady_step(omega, cycles, ramp):
    motion = Harmonic(omega)
    _, xs = drive(robot(), motion, 500.0, cycles, ramp)
    expected = crawl(robot(), motion).step_length
    # 1e-6 m: the parabolas' error at 500 Hz, and what is left of the start at high frequency.
    assert xs[-1] - xs[-2] == pytest.approx(expected, abs=1e-6)


def test_even_100_hz_is_enough_at_the_highest_frequency():
    motion = Harmonic(16.0)
    _, xs = drive(robot(), motion, 100.0, 35, 3)
    assert xs[-1] - xs[-2] == pytest.approx(crawl(robot(), motion).step_length, abs=1e-5)  # 39 ticks per cycle


def test_unequal_robot_ends_its_cycle_with_the_exact_forces_and_velocities():
    rb, motion = random_robot(np.random.default_rng(4)), Harmonic(5.0, psi=70.0)
    plant, xs = drive(rb, motion, 500.0, 8, 2)
    result = crawl(rb, motion)
    s = result.samples(2)
    foot_1, foot_2 = plant.contacts()
    assert xs[-1] - xs[-2] == pytest.approx(result.step_length, abs=1e-6)
    # The Hermite's acceleration is off by (omega dt)^2 / 12 at a setpoint, 1e-5 of the gait's.
    assert foot_1.force == pytest.approx((-s.forces.f1x[-1], 0.0, s.forces.f1y[-1]), abs=1e-3)
    assert foot_2.force == pytest.approx((-s.forces.f2x[-1], 0.0, s.forces.f2y[-1]), abs=1e-3)
    assert foot_1.slip_velocity == pytest.approx((-s.v1[-1], 0.0, 0.0), abs=1e-5)
    assert foot_2.slip_velocity == pytest.approx((-s.v2[-1], 0.0, 0.0), abs=1e-5)
    names = {0: ContactMode.STICK, -1: ContactMode.SLIP_POS, 1: ContactMode.SLIP_NEG}  # ROS x is the paper's -x
    assert [foot_1.mode, foot_2.mode] == [names[int(s)] for s in result.samples(2).modes[-1]]


def test_base_velocity_is_the_rate_of_its_pose():
    motion = Harmonic(3.2)
    plant, _ = drive(robot(), motion, 500.0, 1, 1)
    dt, before = 1e-4, plant.base()
    q, dq, ddq = motion.sample(0.5 * motion.period)  # the warped time after one cycle of ramp
    plant.advance(q + dq * dt + ddq * dt**2 / 2, dq + ddq * dt, NO_EFFORT, dt)
    after = plant.base()
    for axis in (0, 2):
        rate = (after.position[axis] - before.position[axis]) / dt
        assert rate == pytest.approx(0.5 * (after.linear[axis] + before.linear[axis]), abs=1e-5)
    turned = 2 * (math.asin(after.quaternion[2]) - math.asin(before.quaternion[2]))
    assert turned / dt == pytest.approx(0.5 * (after.angular[1] + before.angular[1]), abs=1e-5)


def test_at_rest_it_stands_still_and_the_feet_carry_the_weight():
    rb = random_robot(np.random.default_rng(9))
    plant = ThreeLinkPlant(rb, HOME)
    start = plant.base()
    for _ in range(50):
        plant.advance(HOME, (0.0, 0.0), NO_EFFORT, 0.002)
    assert plant.base() == start
    foot_1, foot_2 = plant.contacts()
    assert (foot_1.mode, foot_2.mode) == (ContactMode.STICK, ContactMode.STICK)
    assert foot_1.slip_velocity == foot_2.slip_velocity == (0.0, 0.0, 0.0)
    assert foot_1.force[2] + foot_2.force[2] == pytest.approx(rb.mass * rb.g, rel=1e-12)
    assert foot_1.force[0] + foot_2.force[0] == pytest.approx(0.0, abs=1e-12)
    position, velocity, _ = plant.joints()
    assert tuple(position) == HOME
    assert tuple(velocity) == (0.0, 0.0)


def test_holding_torque_is_the_lever_of_the_ground_force():
    """Equal legs and no tangential force: tau is the moment of half the weight less the leg's own, about the joint."""
    rb = robot()
    plant = ThreeLinkPlant(rb, HOME)
    arm = -rb.l1 * math.cos(HOME[0])  # foot 1 stands this far outside its joint
    expected = arm * (0.5 * rb.mass - 0.5 * rb.m1) * rb.g
    # The ground under a foot outside its joint turns the leg up, which opens phi; the servo holds against it.
    assert plant.joints()[2] == pytest.approx([-expected, -expected], rel=1e-12)


def test_gait_stops_and_robot_comes_to_rest():
    plant, _ = drive(robot(), Harmonic(8.0), 500.0, 4, 2)
    q, dq, _ = plant.joints()
    for k in range(1, 101):  # brake the joints over 0.2 s
        u = k / 100
        plant.advance(q + dq * 0.2 * (u - u**2 / 2), dq * (1 - u), NO_EFFORT, 0.002)
    held = q + dq * 0.1
    for _ in range(200):
        plant.advance(held, (0.0, 0.0), NO_EFFORT, 0.002)
    assert [contact.mode for contact in plant.contacts()] == [ContactMode.STICK, ContactMode.STICK]
    assert plant.base().linear == pytest.approx((0.0, 0.0, 0.0), abs=1e-12)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_setpoints_that_are_not_numbers_are_refused(bad):
    plant = ThreeLinkPlant(robot(), HOME)
    for arguments in (
        ((bad, 1.9), (0.0, 0.0), NO_EFFORT, 0.002),
        (HOME, (0.0, bad), NO_EFFORT, 0.002),
        (HOME, (0.0, 0.0), NO_EFFORT, bad),
        (HOME, (0.0, 0.0), NO_EFFORT, 0.0),
        ((1.9,), (0.0, 0.0), NO_EFFORT, 0.002),
    ):
        with pytest.raises(ValueError, match=r"needed\.$"):
            plant.advance(*arguments)
    with pytest.raises(ValueError, match="finite numbers"):
        plant.reset((bad, 1.9))


def test_a_jump_of_the_setpoint_is_a_fault_that_leaves_the_state_as_it_was():
    plant = ThreeLinkPlant(robot(), HOME)
    before = plant.base()
    for target in ((2.4, 2.4), (1e6, -1e6), (1e200, 1.0)):
        with pytest.raises(PlantFault, match=r"ground|reach|Coulomb|Painleve"):
            plant.advance(target, (0.0, 0.0), NO_EFFORT, 0.002)
        assert plant.base() == before
    plant.advance(HOME, (0.0, 0.0), NO_EFFORT, 0.002)
    assert plant.base() == before


def test_a_fault_says_when_the_foot_left_the_ground():
    plant = ThreeLinkPlant(robot(), HOME)
    plant.advance(HOME, (0.0, 0.0), NO_EFFORT, 1.0)
    with pytest.raises(PlantFault, match=r"^Foot [12] leaves the ground at t = 1\.00[01]\d* s"):
        plant.advance((1.85, 1.85), (0.0, 0.0), NO_EFFORT, 0.002)  # jerked up first, then down


def test_rough_setpoints_stay_finite():
    """Setpoints with noise of their own and velocities that do not match: a step, but no contact loss."""
    rng = np.random.default_rng(1)
    plant = ThreeLinkPlant(robot(), HOME)
    for _ in range(500):
        plant.advance(HOME + rng.normal(0, 1e-5, 2), rng.normal(0, 1e-3, 2), NO_EFFORT, 0.01)
        base = plant.base()
        assert np.all(np.isfinite([*base.position, *base.linear]))
    assert abs(plant.base().position[0]) < 1e-3


@pytest.mark.timeout(60)  # such a start once held time still: stick and slip took turns at the same instant for ever
@pytest.mark.parametrize("mode", [STICK_STICK, (0, -1)])
def test_a_stick_that_is_at_its_limit_when_a_tick_begins_lets_time_go_on(mode):
    h = 0.010144429999968452  # of a run on emulated motors, to the last digit
    joint_1 = Hermite(1.6130294096944624, 0.1948635293683481, 1.6153629928025244, 0.24873782634147298, h)
    joint_2 = Hermite(1.614133907669176, -0.23665841090691966, 1.612003072660921, -0.18715547370360378, h)

    def joints(t):
        (q1, dq1), (q2, dq2) = joint_1(t), joint_2(t)
        return (q1, q2), (dq1, dq2)

    (q1, q2), (dq1, dq2) = joints(0.0)
    c = chain(robot(), q1, q2, dq1, dq2, 0.0, 0.0, cmath.exp)
    now = tick.Instant(
        0.0, (q1, q2), (dq1, dq2), (0.0, 0.0), 0.0, 0.0, mode, c, 0.0, contact_forces(robot(), c, mode, 0.0)
    )

    def go_on(now, until):
        there, rates = joints(until)
        return tick.advance(robot(), now, there, rates, until - now.t)

    whole, halves = go_on(now, h), go_on(go_on(now, h / 2), h)

    assert whole.mode == halves.mode
    assert whole.v1 == pytest.approx(halves.v1, abs=1e-5)  # m/s: a second event waits a thousandth of the tick
    assert whole.x1 == pytest.approx(halves.x1, abs=1e-7)


class Hermite:
    """A joint between two setpoints: position and velocity at a time."""

    def __init__(self, p0, v0, p1, v1, h):
        self._curve = CubicHermiteSpline([0.0, h], [p0, p1], [v0, v1])

    def __call__(self, t):
        return float(self._curve(t)), float(self._curve(t, 1))


def test_a_robot_that_would_tip_over_is_refused():
    with pytest.raises(ValueError, match="does not stand"):
        ThreeLinkPlant(robot(), (math.radians(20.0), math.radians(170.0)))


def cost(call, each, before=lambda: None):
    """s of this thread's own time for one of the calls, whatever else the machine does; the best of five rounds."""
    best = math.inf
    for _ in range(5):
        before()
        begin = time.thread_time()
        for arguments in each:
            call(*arguments)
        best = min(best, (time.thread_time() - begin) / len(each))
    return best


def test_an_advance_costs_no_more_than_a_few_of_numpys_smallest_solutions():
    """So that it has its place in a loop of 1 kHz: some 40 us where solving for three unknowns takes 5."""
    plant = ThreeLinkPlant(robot(), HOME)
    commands = [(HOME + 1e-3 * np.sin(k * 0.01) ** 2, 1e-2 * np.sin(2 * k * 0.01)) for k in range(500)]
    small = np.eye(3) + 0.1, np.ones(3)
    advance = cost(lambda q, dq: plant.advance(q, (dq, dq), NO_EFFORT, 0.001), commands, lambda: plant.reset(HOME))
    assert advance < 30.0 * cost(np.linalg.solve, [small] * 500)
