"""The compiled hybrid model of BOLT against the closed chain's own equations, conservation, and the paper's run."""

import math
from dataclasses import replace

import numpy as np
import pytest
from bolt_cases import PAPERS_LEG, Closed

from crawler_models.bolt.compiled.continuous_law import after_ramp, begin, torque
from crawler_models.bolt.compiled.matrices import numbers
from crawler_models.bolt.compiled.rigid import impact
from crawler_models.bolt.compiled.spf import reduce
from crawler_models.bolt.equations.six_bar import passive_angles, pins
from crawler_models.bolt.simulation.hybrid_run import (
    PAPERS_RUN,
    HybridStart,
    Mode,
    continuous_law,
    lift_off_start,
    simulate_hybrid,
)
from crawler_models.bolt.simulation.running import Running, RunningParameters
from crawler_models.bolt.simulation.sampled_run import Start, simulate_sampled

LEG = PAPERS_LEG
START = lift_off_start(LEG, PAPERS_RUN, -31.0)
LIMP = replace(PAPERS_RUN, stiffness=0.0, damping=0.0)
JAMS = replace(
    PAPERS_RUN, stiffness=89.0, damping=5.0, flight_rate=29.0, stance_rate=18.0, touch_down=20.0, lift_off=-129.0
)


@pytest.fixture(scope="module")
def closed():
    return Closed(LEG)


@pytest.fixture(scope="module")
def papers_run():
    run = simulate_hybrid(LEG, PAPERS_RUN, START, 16)
    assert run.reason == ""
    return run


def terms(q1, dq1):
    q2, q3, q4, q5 = passive_angles(LEG, q1).tolist()
    return reduce(numbers(LEG), q1, q2, q3, q4, q5, dq1)


def energies(closed, run):
    return np.array([closed.energy(q, dq) for q, dq in zip(run.q, run.dq, strict=True)])


@pytest.mark.parametrize("rotor", [0.0, 0.1])
def test_flight_by_singular_perturbation_is_that_of_the_closed_chain(rotor):
    leg = replace(LEG, I_r=rotor)
    law = replace(PAPERS_RUN, stiffness=60.0, damping=1.5, flight_rate=20.0, flight_torque=1e3)
    start = HybridStart((-0.3, 0.0, 2.0), (-12.0, 0.4, 0.3))
    run = simulate_hybrid(leg, law, start, 2, power=math.inf, step=2e-5, patience=0.2)
    assert run.reason.startswith("The foot never lands")
    rows = run.t <= 0.2

    def tau(t, q1, dq1):
        return 60.0 * (-0.3 - 20.0 * t - q1) - 1.5 * dq1

    exact = Closed(leg).fly(np.array(start.q), np.array(start.dq), run.t[rows], tau)
    assert run.q[rows] == pytest.approx(exact[:, :3], abs=1e-9)
    assert run.dq[rows] == pytest.approx(exact[:, 3:], abs=1e-7)
    off = np.exp(1j * run.z[rows]) - np.exp(1j * passive_angles(leg, run.q[rows, 0]))
    assert np.abs(off).max() < 1e-9  # rad


def test_constraint_errors_decay_through_impacts_and_switches():
    z = np.array(START.z) + [1e-4, -2e-4, 1.5e-4, 1e-4]
    start = replace(START, z=tuple(z))
    epsilon = 0.05  # s, so that something is left at the touch-down
    run = simulate_hybrid(LEG, PAPERS_RUN, start, 2, epsilon=epsilon)
    assert run.touch_down.size >= 2
    expected = run.w[0] * np.exp(-run.t / epsilon)[:, None]
    assert np.abs(run.w[0]).max() > 1e-5
    assert run.w == pytest.approx(expected, rel=1e-6, abs=1e-11)  # m: the integrator's


def test_a_consistent_run_keeps_the_loops_closed(papers_run):
    assert np.abs(papers_run.w).max() < 1e-10  # m


def test_the_impact_is_the_papers_where_friction_is_enough(closed):
    rng = np.random.default_rng(5)
    for _ in range(50):
        q1, dq1 = rng.uniform(-np.pi, np.pi), rng.uniform(-30.0, 30.0)
        M, _, Jc, _ = closed.terms(q1, dq1)
        before = np.array([dq1, rng.uniform(-2.0, 2.0), 0.0])
        before[2] = -Jc[1, 0] * dq1 - rng.uniform(0.1, 3.0)  # the foot sinks
        k = terms(q1, dq1)
        *after, along, normal, slips = impact(k, math.inf, before[0], before[1], before[2])
        Minv = np.linalg.inv(M)
        exact = before - Minv @ Jc.T @ np.linalg.solve(Jc @ Minv @ Jc.T, Jc @ before)  # (18), (19)
        assert not slips
        assert after == pytest.approx(exact, abs=1e-9)
        assert Jc @ after == pytest.approx([0.0, 0.0], abs=1e-10)
        assert M @ (after - before) == pytest.approx(Jc.T @ [along, normal], abs=1e-11)  # the ground's impulse alone
        assert np.array(after) @ M @ after <= before @ M @ before


@pytest.mark.parametrize("mu", [0.0, 0.3, 0.8, 2.0])
def test_an_impact_with_friction_obeys_coulomb_and_gains_no_energy(closed, mu):
    rng = np.random.default_rng(6)
    outcomes = set()
    for _ in range(300):
        q1, dq1 = rng.uniform(-np.pi, np.pi), rng.uniform(-30.0, 30.0)
        M, _, Jc, _ = closed.terms(q1, dq1)
        before = np.array([dq1, rng.uniform(-2.0, 2.0), 0.0])
        before[2] = -Jc[1, 0] * dq1 - rng.uniform(0.1, 3.0)
        k = terms(q1, dq1)
        *after, along, normal, slips = impact(k, mu, before[0], before[1], before[2])
        if not math.isfinite(normal):
            outcomes.add("jams")
            continue
        outcomes.add("slips" if slips else "sticks")
        foot = Jc @ after
        assert foot[1] == pytest.approx(0.0, abs=1e-10)
        assert slips or foot[0] == pytest.approx(0.0, abs=1e-10)
        assert normal > 0.0
        assert abs(along) <= mu * normal + 1e-12
        assert M @ (after - before) == pytest.approx(Jc.T @ [along, normal], abs=1e-11)
        assert np.array(after) @ M @ after <= before @ M @ before + 1e-12
    assert "slips" in outcomes
    assert mu == 0.0 or "sticks" in outcomes


def test_stance_without_torque_conserves_energy(closed):
    start = HybridStart((math.radians(240.0), 0.0, 0.45), (-3.0, 0.0, -0.3))
    run = simulate_hybrid(LEG, LIMP, start, 1, patience=0.6)
    stance = run.mode == Mode.STICK
    first = np.flatnonzero(stance)[0]
    last = first + np.argmin(stance[first:])
    assert run.t[last - 1] - run.t[first] > 0.3  # s
    energy = energies(closed, run)[first:last]
    assert energy == pytest.approx(energy[0], abs=1e-9)
    assert run.foot[first:last, 0] == pytest.approx(run.foot[first, 0], abs=1e-12)


@pytest.mark.parametrize("mu", [math.inf, 5.0])
def test_the_motors_work_is_what_impacts_and_sliding_lose(closed, mu):
    run = simulate_hybrid(LEG, PAPERS_RUN, START, 4, mu=mu, step=2.5e-5)
    assert run.reason == ""
    gained = closed.energy(run.q[-1], run.dq[-1]) - closed.energy(run.q[0], run.dq[0])
    spent = run.work.sum() - run.impact_loss.sum() - run.slip_loss.sum()
    assert spent == pytest.approx(gained, abs=1e-6)  # of 4 J per stride
    assert (run.slip_loss.sum() > 0.1) == (mu < math.inf)


def test_the_papers_run(papers_run):
    run = papers_run
    assert run.period[-1] == pytest.approx(0.2843, abs=1e-4)
    assert run.length.sum() / run.period.sum() == pytest.approx(1.307, abs=1e-3)
    assert run.friction_needed[-1] == pytest.approx(20.0, abs=0.5)
    assert run.backward[-1] > 25.0  # rad/s: the impact throws the crank backward
    assert len(run.touch_down) == len(run.lift_off) == 16
    assert np.abs(run.tau[run.mode == Mode.FLIGHT]).max() <= 30.0
    assert run.peak_power.max() <= 1350.0 + 1e-6
    assert np.abs(run.foot[run.mode != Mode.FLIGHT, 1]).max() < 1e-12
    assert run.foot[:, 1].min() > -1e-9


def test_a_shorter_step_changes_nothing_that_matters(papers_run):
    fine = simulate_hybrid(LEG, PAPERS_RUN, START, 16, step=2.5e-5)
    assert papers_run.q[-1, 1] == pytest.approx(fine.q[-1, 1], abs=1e-8)  # m, of 5.9
    assert papers_run.t[-1] == pytest.approx(fine.t[-1], abs=1e-7)


def test_forces_are_the_change_of_momentum():
    """Through sticking and sliding, between a touch-down and the lift-off."""
    run = simulate_hybrid(LEG, PAPERS_RUN, START, 1, mu=5.0, interval=2e-5)
    touching = np.flatnonzero(run.mode != Mode.FLIGHT)
    assert {Mode.STICK, Mode.SLIP} <= set(run.mode[touching].tolist())
    first, last = touching[0], touching[-1]
    momenta = []
    for row in (first, last):
        M = Closed(LEG).terms(run.q[row, 0], run.dq[row, 0])[0]
        momenta.append((M @ run.dq[row])[1:])
    weight = LEG.mass * LEG.g * (run.t[last] - run.t[first])
    span = slice(first, last + 1)
    pushed = [np.trapezoid(force[span], run.t[span]) for force in (run.F_T, run.F_N)]
    # the trapezoids of 20 microseconds are good to 1e-5 N s of 100
    assert momenta[1] - momenta[0] == pytest.approx([pushed[0], pushed[1] - weight], abs=1e-4)


def test_the_foot_slips_below_a_friction_and_sticks_above():
    slips = {mu: simulate_hybrid(LEG, PAPERS_RUN, START, 6, mu=mu) for mu in (5.0, 10.0, 19.0, 20.0, 400.0)}
    assert all(run.reason == "" for run in slips.values())
    assert slips[5.0].slip[-1] > slips[10.0].slip[-1] > 3e-3  # m per stride
    assert slips[10.0].slip[-1] > slips[19.0].slip[-1] > slips[20.0].slip[-1]
    assert slips[20.0].slip[-1] < 1e-5  # as it leaves the ground, and nowhere else
    assert slips[400.0].slip[-1] == 0.0
    for mu, run in slips.items():
        touching = run.F_N > 1.0
        assert (np.abs(run.F_T[touching]) <= mu * run.F_N[touching] * (1.0 + 1e-9)).all()
        sliding = run.mode == Mode.SLIP
        assert np.abs(run.F_T[sliding]) == pytest.approx(mu * run.F_N[sliding], rel=1e-9)


@pytest.mark.parametrize(
    ("leg", "law", "start", "mu", "reason"),
    [
        (replace(LEG, l_2=0.03), PAPERS_RUN, None, math.inf, "does not close over 76%"),
        (replace(LEG, l_3=0.05), PAPERS_RUN, None, math.inf, "does not close over"),
        (replace(LEG, g=0.0), PAPERS_RUN, None, math.inf, "never lands"),
        (LEG, replace(PAPERS_RUN, stance_rate=0.0), None, math.inf, "never lifts off"),
        (LEG, LIMP, None, math.inf, "chatters"),
        (LEG, JAMS, None, 2.0, "jams"),
        (LEG, LIMP, HybridStart((3.0, 0.0, 0.1), (0.0, 0.0, 0.0)), math.inf, "falls"),
    ],
)
def test_a_run_that_cannot_go_on_says_why(leg, law, start, mu, reason):
    if start is None:
        start = lift_off_start(leg, law, -32.0)
    elif reason == "falls":
        leg = replace(leg, theta=leg.theta + math.pi)  # upside down: the foot is above the body
    run = simulate_hybrid(leg, law, start, 16, mu=mu)
    assert reason in run.reason
    assert len(run.period) < 16


def test_any_law_on_any_ground_ends_with_strides_or_a_sentence():
    rng = np.random.default_rng(9)
    for _ in range(60):
        law = replace(
            PAPERS_RUN,
            stiffness=rng.uniform(0.0, 600.0),
            damping=rng.uniform(0.0, 25.0),
            flight_rate=rng.uniform(5.0, 60.0),
            stance_rate=rng.uniform(0.0, 60.0),
            touch_down=rng.uniform(-90.0, 90.0),
            lift_off=rng.uniform(-180.0, 0.0),
        )
        start = lift_off_start(LEG, law, -rng.uniform(5.0, 35.0))
        run = simulate_hybrid(LEG, law, start, 2, mu=rng.choice([0.0, 0.5, 2.0, 20.0, math.inf]), patience=1.0)
        assert (len(run.period) == 2) == (run.reason == "")
        assert np.isfinite(run.period).all()
        assert (np.diff(run.t) >= 0.0).all()
        assert run.F_N.min() > -1e6 or "jams" in run.reason


@pytest.mark.parametrize("stance", [False, True])
def test_the_continuous_law_is_the_sampled_one(stance):
    parameters = RunningParameters(rate_share=0.4, retraction_rate=3.0, touch_down=10.0, flight_rate=30.0)
    sampled = Running(parameters, 120.0, 1350.0)
    law = continuous_law(parameters, 120.0, 1350.0)
    sampled.begin(0.1, -1.2, stance=stance)
    phase = begin(law, stance, 0.1, -1.2)
    rng = np.random.default_rng(8)
    for time in np.linspace(0.1, 0.3, 40):
        if time > phase.ends:
            phase = after_ramp(law, phase)
        reference = sampled.reference(time)
        angle, rate = max(reference, phase.until) + rng.uniform(0.0, 1.5), rng.uniform(-50.0, 20.0)
        tau, expected, _ = torque(law, phase, time, angle, rate)
        assert expected == pytest.approx(reference, abs=1e-12)
        assert tau == pytest.approx(sampled.torque(time, angle, rate), abs=1e-9)


def test_arguments_that_contradict_each_other_are_refused():
    with pytest.raises(ValueError, match=r"not under 2\.8 epsilon"):
        simulate_hybrid(LEG, PAPERS_RUN, START, 1, epsilon=3e-5)
    with pytest.raises(ValueError, match="positive"):
        simulate_hybrid(LEG, PAPERS_RUN, START, 0)


@pytest.mark.parametrize("mu", [1e6, 0.8], ids=["sticks", "slips"])
def test_a_rigid_foot_runs_as_in_the_model_by_singular_perturbation(mu):
    """Two formulations, of which one samples its law at 50 kHz and the other does not: hence 2e-3."""
    leg = replace(LEG, k=0.0, mu=mu)
    other = simulate_hybrid(leg, PAPERS_RUN, START, 10, mu=mu)
    crank, height = START.q[0], START.q[2] + float(pins(leg, START.q[0]).F.imag)
    began = Start(crank, START.dq[0], height, START.dq[1], START.dq[2])
    run = simulate_sampled(leg, PAPERS_RUN, began, 10, torque=1e9, tick=2e-5, steps=1)
    assert run.mean("period", 4) == pytest.approx(other.period[-4:].mean(), rel=2e-3)
    assert run.speed(4) == pytest.approx((other.length / other.period)[-4:].mean(), rel=2e-3)
    assert run.mean("slip", 4) == pytest.approx(other.slip[-4:].mean(), rel=2e-3)
