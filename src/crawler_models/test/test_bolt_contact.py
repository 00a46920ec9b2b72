"""The foot on the ground: spring, Coulomb's friction and the rigid foot's impact, against formulas and conservation."""

import math
from dataclasses import replace

import numpy as np
import pytest
from bolt_runs import BLOCKED, LEG, RIGID

from crawler_models.bolt.compiled import advance as interval
from crawler_models.bolt.compiled.compliant import OPEN, STICK, after, forces, impact
from crawler_models.bolt.compiled.reduced import pack, reduced
from crawler_models.bolt.simulation.running import RunningParameters
from crawler_models.bolt.simulation.sampled_run import Start, simulate_sampled

LIMP = RunningParameters(stiffness=0.0, damping=0.0)
LOWEST = math.radians(228.0)  # the crank's angle with the foot at its lowest


def follow(leg, start, ticks, tau=0.0, tick=1e-4):
    """States, contact modes and forces of every tick."""
    packed = pack(leg)
    state, mode, record = start.state(packed), np.int64(OPEN), np.zeros(interval.RECORD_WIDTH)
    states, modes, means = [state.copy()], [OPEN], [(0.0, 0.0)]
    for _ in range(ticks):
        mode, ended = interval.advance(packed, state, mode, tau, tick, 2, record)
        assert ended == interval.FINE
        states.append(state.copy())
        modes.append(mode)
        means.append((record[0] / tick, record[1] / tick))
    return np.array(states), np.array(modes), np.array(means), record


def test_a_leg_with_a_blocked_crank_bounces_with_the_period_of_a_mass_on_a_spring():
    leg, v0 = replace(BLOCKED, d=0.0), math.sqrt(2.0 * 9.81 * 0.05)
    run = simulate_sampled(leg, LIMP, Start(LOWEST, 0.0, 0.05, 0.0, 0.0), 4)
    omega = math.sqrt(65e3 / leg.mass)
    on_ground = (math.pi + 2.0 * math.atan(9.81 / (v0 * omega))) / omega
    assert run.reason == ""
    np.testing.assert_allclose(run.column("period"), 2.0 * v0 / 9.81 + on_ground, rtol=1e-7)


def test_damping_takes_what_a_mass_on_a_spring_and_damper_loses():
    """Until the force vanishes: a damped oscillation without gravity's small share, for which 1 % allows."""
    v0 = 5.0
    run = simulate_sampled(BLOCKED, LIMP, Start(LOWEST, 0.0, 1e-6, 0.0, -v0), 3)
    zeta = BLOCKED.d / (2.0 * math.sqrt(65e3 * BLOCKED.mass))
    root = math.sqrt(1.0 - zeta**2)
    restitution = math.exp(-zeta / root * math.atan2(2.0 * zeta * root, 2.0 * zeta**2 - 1.0))
    assert run.column("vy")[0] == pytest.approx(-v0, rel=1e-5)
    assert -run.column("vy")[1] == pytest.approx(restitution * v0, rel=1e-2)


def test_a_slipping_foot_is_slowed_by_mu_times_the_normal_impulse():
    v0 = math.sqrt(2.0 * 9.81 * 0.02)
    states, modes, means, _ = follow(BLOCKED, Start(LOWEST, 0.0, 0.02, 5.0, 0.0), 1200)
    on = means[:, 1] > 0.0
    assert set(modes[on]) <= {1, OPEN}  # it slips forward, and never sticks
    np.testing.assert_allclose(means[on, 0], -0.8 * means[on, 1], rtol=1e-9)
    assert 5.0 - states[-1, 2] == pytest.approx(0.8 * means[:, 1].sum() * 1e-4 / BLOCKED.mass, rel=1e-9)
    assert 5.0 - states[-1, 2] > 1.5 * 0.8 * v0


def test_a_slow_foot_comes_to_rest_and_sticks_and_friction_never_exceeds_its_cone():
    states, modes, means, _ = follow(BLOCKED, Start(LOWEST, 0.0, 0.02, 0.3, 0.0), 1200)
    assert STICK in modes
    assert abs(states[-1, 2]) < 1e-12
    assert (abs(means[:, 0]) <= 0.8 * means[:, 1] + 1e-6).all()


@pytest.mark.parametrize(("mu", "sticks"), [(0.9, True), (0.2, False)])
def test_a_foot_under_torque_sticks_where_friction_is_enough_and_slips_where_it_is_not(mu, sticks):
    """Standing with the torque that pushes along the ground: what sticking takes decides."""
    leg = replace(LEG, mu=mu)
    packed, angle = pack(leg), math.radians(228.0)
    sink = LEG.mass * LEG.g / LEG.k
    state = Start(angle, 0.0, 0.0, 0.0, 0.0).state(packed)
    c = complex(state[0], state[1] - sink)
    T, N, _, _, moving = forces(packed, STICK, c, 0j, angle, 0.0, -8.0)
    needed = abs(T) / N
    assert 0.3 < needed < 0.9
    assert abs(moving) == 0.0
    assert pytest.approx(LEG.mass * LEG.g, rel=1e-9) == N
    mode, _, _ = after(packed, 1, OPEN, c, 0j, angle, 0.0, -8.0)  # a touch-down at rest
    assert (mode == STICK) == sticks


def kinetic(leg, v, q, w):
    return 0.5 * leg.mass * abs(v) ** 2 + 0.5 * reduced(pack(leg), q)[0] * w * w


@pytest.mark.parametrize("mu", [0.1, 0.8, 1e6])
@pytest.mark.parametrize("q", np.radians([250.0, 290.0, 330.0]))
def test_the_impact_of_a_rigid_foot_is_inelastic_and_keeps_to_the_cone(mu, q):
    leg = replace(RIGID, mu=mu)
    packed, v, w = pack(leg), 1.0 - 1.2j, -12.0
    dr = reduced(packed, q)[3]
    new, rate = impact(packed, v, q, w)
    impulse, foot = leg.mass * (new - v), new + rate * dr
    assert abs(foot.imag) < 1e-12
    assert impulse.imag > 0.0
    assert abs(impulse.real) <= mu * impulse.imag * (1.0 + 1e-12)
    assert kinetic(leg, new, q, rate) < kinetic(leg, v, q, w)
    J = reduced(packed, q)[0]  # angular momentum changes by the impulse's moment
    assert J * (rate - w) == pytest.approx(dr.real * impulse.real + dr.imag * impulse.imag, rel=1e-9)
    if mu > 10.0:
        assert abs(foot.real) < 1e-12


def test_a_rigid_pinned_stance_keeps_its_energy_and_its_foot():
    leg = replace(RIGID, mu=1e6)
    packed, angle = pack(leg), math.radians(300.0)
    dr = reduced(packed, angle)[3]
    state = Start(angle, -5.0, 0.0, 0.0, 0.0).state(packed)
    v = 5.0 * dr
    state[2:4] = v.real, v.imag
    mode, record = np.int64(STICK), np.zeros(interval.RECORD_WIDTH)

    def energy(s):
        return kinetic(leg, complex(s[2], s[3]), s[4], s[5]) + leg.mass * leg.g * s[1]

    def foot(s):
        return complex(s[0], s[1]) + reduced(packed, s[4])[2]

    before, stood = energy(state), foot(state)
    for _ in range(30):
        mode, ended = interval.advance(packed, state, mode, 0.0, 1e-3, 8, record)
        assert (mode, ended) == (STICK, interval.FINE)
    assert energy(state) == pytest.approx(before, abs=1e-9)
    assert abs(foot(state) - stood) < 1e-9
    assert state[4] < angle - 0.1


def test_a_spring_that_is_far_too_soft_lets_the_leg_fall_and_says_so():
    run = simulate_sampled(replace(LEG, k=50.0, d=1.0), LIMP, Start(LOWEST, 0.0, 0.05, 0.0, 0.0), 4)
    assert "falls" in run.reason


def test_a_leg_that_never_lifts_off_ends_with_a_sentence():
    run = simulate_sampled(replace(LEG, d=2000.0), LIMP, Start(LOWEST, 0.0, 0.001, 0.0, 0.0), 4)
    assert "does not lift off" in run.reason


def test_a_mechanism_that_does_not_close_is_a_sentence():
    open_chain = replace(LEG, l_2=0.02)
    assert "does not close" in simulate_sampled(open_chain, LIMP, Start(0.0, -10.0, 0.1, 1.0, 0.0)).reason
    closes_here_only = replace(LEG, l_2=0.075)
    angle = next(a for a in np.linspace(0.0, 6.2, 63) if np.isfinite(reduced(pack(closes_here_only), a)[0]))
    run = simulate_sampled(closes_here_only, LIMP, Start(float(angle), -20.0, 0.5, 1.0, 0.0))
    assert "does not close" in run.reason
