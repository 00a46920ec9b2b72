"""Measured angles that no joint can have, and those that look like it and are right."""

import math
from dataclasses import replace

import numpy as np
import pytest
from toy_robot import toy

from crawler_core.errors import BackendFault
from crawler_core.reality.reality import Reality
from crawler_core.safety.joint_plausibility import JointPlausibility
from crawler_core.sensors.joint_fault import JointFault
from crawler_core.types import Observation

DT = 0.005
SPEC = toy()
COARSE = Reality(encoder_counts=18)
NOISY = Reality(encoder_counts=4096, position_noise=math.radians(0.1), backlash=math.radians(0.5))


def effort_driven(spec=SPEC):
    *others, crank = spec.joints
    return replace(spec, joints=(*others, replace(crank, command_interface="effort", effort=1.0, velocity=10.0)))


def run(hip, setpoint=None, spec=SPEC, dt=DT, crank=lambda _t: 0.0, effort=0.0, seconds=2.0, measured=None, steps=None):
    """Check the angles of hip and crank, functions of time; return the fault and its time, or None.

    `setpoint` is the hip's, which is where it is measured without one. `measured` maps a tick to the time of its
    measurement (ns).
    """
    monitor = JointPlausibility(spec, dt)
    if steps is not None:
        monitor.set_angle_steps(steps)
    for tick in range(round(seconds / dt)):
        t, now = tick * dt, round(tick * dt * 1e9)
        angles = np.array([hip(t), 0.0, 0.0, crank(t)])
        when = None if measured is None else (measured(tick),) * 3
        state = Observation(now, angles, np.zeros(4), np.full(4, np.nan), measured_ns=when)
        setpoints = [setpoint(t) if setpoint else angles[0], 0.0, angles[3]]
        drives = {joint.name: joint.is_effort_driven for joint in spec.actuated}
        try:
            monitor.check(state, setpoints if not drives["crank"] else setpoints[:2], [effort], dt)
        except BackendFault as fault:
            return t, fault
    return None


def spoiled(kind, motion, after=1.0):
    fault = JointFault(kind)
    return lambda t: motion(t) if t < after else fault.spoil(motion(t), 0.0, round(t * 1e9))[0]


def wave(amplitude_deg, omega):
    return lambda t: math.radians(amplitude_deg) * math.sin(omega * t)


@pytest.mark.parametrize(
    ("kind", "motion", "words", "within"),
    [
        ("jump", wave(0.0, 1.0), "angle of hip jumped by 10.0 degrees in 5 ms: 0.6 are possible at its limit of 2", DT),
        ("jump", wave(20.0, 5.0), "angle of hip jumped by", DT),
        ("tremble", wave(0.0, 1.0), "angle of hip jumped by", 5 * DT),
        ("stuck", wave(2.0, 6.0), "hip does not follow: its setpoint moved by", 1.5),
        ("stuck", wave(20.0, 3.0), "hip does not follow", 1.0),
    ],
)
def test_an_encoder_that_fails_is_a_fault_that_names_joint_reading_and_limit(kind, motion, words, within):
    begin, fault = run(spoiled(kind, motion), motion, seconds=3.0)
    assert words in str(fault)
    assert 1.0 <= begin <= 1.0 + within
    assert fault.joint == "hip"
    assert "encoder" in fault.remedy


@pytest.mark.parametrize(
    ("dt", "amplitude_deg", "possible"),
    [
        (DT, 0.2, "0.1"),  # beyond the joint's acceleration
        (0.05, 2.8, "2.3"),  # seldom seen: beyond what a joint that follows its setpoint leaves it by
    ],
)
def test_a_tremble_within_the_joints_speed_is_a_fault(dt, amplitude_deg, possible):
    still, shaken = lambda _t: 0.0, lambda t: math.radians(amplitude_deg) * (-1.0) ** round(t / dt)
    begin, fault = run(shaken, still, dt=dt)
    words = f"angle of hip trembles by {2 * amplitude_deg:.1f} degrees from reading to reading: {possible} are possible"
    assert words in str(fault)
    assert begin < 20 * dt
    smaller = lambda t: 0.4 * shaken(t)  # noqa: E731
    assert run(smaller, still, dt=dt, spec=replace(SPEC, realities={"harsh": NOISY})) is None


@pytest.mark.parametrize(
    ("push", "coarse", "fails"),
    [(0.6, False, True), (-0.6, False, True), (0.4, False, False), (0.6, True, True)],
)
def test_an_effort_driven_joint_must_turn_when_it_is_pushed_hard(push, coarse, fails):
    spec = effort_driven(replace(SPEC, realities={"typical": COARSE} if coarse else {}))
    found = run(lambda _t: 0.0, spec=spec, effort=push)
    assert (found is not None) == fails
    if found is not None:
        assert found[1].joint == "crank"
        assert "crank does not turn: it was pushed with" in str(found[1])
        assert 0.4 < found[0] < 0.6


def random_noise(profile, motion, seed=1):
    rng = np.random.default_rng(seed)
    step = math.tau / profile.encoder_counts
    return lambda t: step * round((motion(t) + profile.position_noise * rng.standard_normal()) / step)


@pytest.mark.parametrize(
    ("hip", "setpoint"),
    [
        (lambda _t: 0.3, None),  # it is held
        (wave(1.0, 3.0), None),
        (lambda t: -0.3 + 0.3 * t, None),
        (wave(27.0, 4.0), None),  # nearly at its limit of velocity
        (random_noise(NOISY, wave(2.0, 3.0)), wave(2.0, 3.0)),
        (random_noise(NOISY, lambda _t: 0.0), wave(1.0, 3.0)),  # a setpoint that hardly moves
        (wave(15.0, 3.0), lambda t: wave(15.0, 3.0)(t + 0.15)),  # a motor that lags
    ],
)
def test_joints_that_move_as_they_can_are_no_fault(hip, setpoint):
    assert run(hip, setpoint, replace(SPEC, realities={"harsh": NOISY})) is None


def test_lost_readings_and_late_ones_make_no_jump():
    fast = wave(57.0, 2.0)  # up to the limit of velocity
    lost = lambda tick: tick - tick % 7  # noqa: E731  only each seventh reading arrives
    assert run(lambda t: fast(lost(round(t / DT)) * DT), measured=lambda tick: round(lost(tick) * DT * 1e9)) is None
    # each 40th cycle waits 12 ms for the answer of another motor, and stamps this joint's too late
    stamped, now = [], 0.0
    for tick in range(400):
        wait = 0.012 if tick % 40 == 20 else 0.0
        stamped.append((now, now + wait))
        now += DT + wait
    at = lambda t: stamped[round(t / DT)]  # noqa: E731
    assert run(lambda t: fast(at(t)[0]), measured=lambda tick: round(1e9 * stamped[tick][1])) is None


def test_coarse_steps_are_those_of_the_robot_file_or_of_the_device():
    turning = lambda t: math.radians(20.0) * math.floor(9.0 * t / math.radians(20.0))  # noqa: E731
    spec = effort_driven()
    assert run(lambda _t: 0.0, spec=spec, crank=turning) is not None
    assert run(lambda _t: 0.0, spec=spec, crank=turning, steps=(0.0, 0.0, math.radians(20.0))) is None
    assert run(lambda _t: 0.0, spec=replace(spec, realities={"typical": COARSE}), crank=turning) is None
