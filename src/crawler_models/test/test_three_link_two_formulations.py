"""The reduced equations against the paper's matrices, on robots with unequal links and frictions."""

import numpy as np
import pytest
import three_link_reference as reference
from three_link_cases import Harmonic, random_robot, robot
from three_link_matrices import (
    block_system,
    contact_acceleration_map,
    foot_jacobians,
    motion_terms,
)

from crawler_models.three_link.equations.closed_chain import closed_chain
from crawler_models.three_link.equations.dynamics import acceleration, contact_forces, joint_torques
from crawler_models.three_link.equations.foot_mode import ALL_MODES, STICK_STICK
from crawler_models.three_link.simulation.hybrid import SpanTable, State, simulate


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("mode", [mode for mode in ALL_MODES if mode != STICK_STICK])
def test_accelerations_forces_and_torques_agree_at_an_instant(seed, mode):
    rng = np.random.default_rng(seed)
    rb = random_robot(rng)
    qc, dqc, ddqc = rng.uniform(1.5, 2.5, 2), rng.uniform(-3, 3, 2), rng.uniform(-30, 30, 2)
    chain = closed_chain(rb, qc, dqc, ddqc)
    v1 = {0: 0.0, 1: 0.2, -1: -0.2}[mode[0]] if mode[1] else -float(chain.d1)
    q, dq = reference.grounded_state(rb, qc, dqc, v1)
    response = block_system(rb, q, dq, mode).respond(ddqc)

    a = acceleration(rb, chain, mode)
    forces = contact_forces(rb, chain, mode, a)
    # Both are closed forms in double precision; the block matrix has a condition number of about 1e5.
    assert response.forces == pytest.approx(np.array(forces), abs=1e-9)
    assert response.tau == pytest.approx(joint_torques(rb, chain, tuple(ddqc), a, forces), abs=1e-9)
    (w1, _), (dw1, _) = foot_jacobians(rb, q, dq)
    assert w1[0] @ response.ddq + dw1[0] @ dq == pytest.approx(a, abs=1e-8)
    assert response.ddq[2] == pytest.approx(float(chain.theta2), abs=1e-8)


@pytest.mark.parametrize(("seed", "omega"), [(0, 0.5), (1, 2.0), (2, 5.0), (3, 7.0), (4, 9.0)])
def test_trajectories_from_rest_agree(seed, omega):
    rb = random_robot(np.random.default_rng(seed))
    motion = Harmonic(omega, psi=60.0, alpha=0.2, upsilon=1.0)
    q, dq, _ = motion.sample(0.0)
    run = reference.simulate(
        rb,
        lambda t, *_: motion.sample(t)[2],
        reference.grounded_state(rb, q, dq),
        0.0,
        2 * motion.period,
        max_step=motion.period / 60,
    )
    ours = simulate(SpanTable(rb, motion, 0.0, 2 * motion.period), State())
    samples = ours.sample(run.t)
    assert len(run.switches) >= 4
    assert [mode for _, mode in ours.switches] == [mode for _, mode in run.switches]
    assert samples.x1 == pytest.approx(run.x1, abs=1e-8)  # m; the solver's rtol is 1e-10 over thousands of stages
    assert samples.v1 == pytest.approx(run.v1, abs=1e-8 * omega)


def test_mass_matrix_is_the_hessian_of_the_kinetic_energy_and_bias_its_lagrangian_remainder():
    """B follows from M alone: B_i = sum_jk (dM_ij/dq_k - dM_jk/dq_i / 2) q_j' q_k'. This pins the corrected sign."""
    rng = np.random.default_rng(11)
    rb = random_robot(rng)
    q, dq = rng.uniform(0.2, 2.5, 5), rng.uniform(-3, 3, 5)
    h = 1e-6
    steps = h * np.eye(5)
    slope = np.stack([(motion_terms(rb, q + e, dq).M - motion_terms(rb, q - e, dq).M) / (2 * h) for e in steps], axis=2)
    expected = np.einsum("ijk,j,k", slope, dq, dq) - 0.5 * np.einsum("jki,j,k", slope, dq, dq)
    terms = motion_terms(rb, q, dq)
    bias = terms.B
    assert bias == pytest.approx(expected, abs=1e-8)  # central differences of O(1) entries
    assert np.linalg.eigvalsh(terms.M).min() > 0.0


def test_inverse_dynamics_matrices_predict_the_contact_accelerations():
    rng = np.random.default_rng(5)
    rb = random_robot(rng)
    qc, dqc, ddqc = rng.uniform(1.7, 2.2, 2), rng.uniform(-2, 2, 2), rng.uniform(-20, 20, 2)
    mode = (1, -1)
    q, dq = reference.grounded_state(rb, qc, dqc, 0.1)
    s1, s0 = contact_acceleration_map(rb, q, dq, mode)
    chain = closed_chain(rb, qc, dqc, ddqc)
    a = acceleration(rb, chain, mode)
    assert s1 @ ddqc + s0 == pytest.approx([a, a + chain.d2], abs=1e-8)


def test_equal_links_give_the_printed_matrix():
    """M of (9) at a posture, entry by entry as printed."""
    rb = robot()
    theta, p1, p2 = 0.1, 1.8, 2.0
    m, l, l0, jj = rb.m1, rb.l1, rb.l0, rb.J1  # noqa: E741
    s1, s2, c1, c2 = np.sin(p1 - theta), np.sin(p2 + theta), np.cos(p1 - theta), np.cos(p2 + theta)
    mass = motion_terms(rb, np.array([0.3, 0.2, theta, p1, p2]), np.zeros(5)).M
    assert mass[0, 2] == pytest.approx(l * m / 2 * (s1 + s2))
    assert mass[1, 2] == pytest.approx(l * m / 2 * (c1 - c2))
    assert mass[2, 2] == pytest.approx(
        2 * jj + rb.J0 + m / 2 * (l0**2 + l**2 - l0 * l * np.cos(p1) - l0 * l * np.cos(p2))
    )
    assert mass[2, 3] == pytest.approx(l * m / 4 * (l0 * np.cos(p1) - l) - jj)
    assert mass[2, 4] == pytest.approx(jj + l * m / 4 * (l - l0 * np.cos(p2)))
