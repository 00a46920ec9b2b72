"""H', C', g' and the constraints of the appendices, against mechanics written from positions alone."""

import numpy as np
import pytest
from bolt_cases import PAPERS_LEG, Closed

from crawler_models.bolt.equations import constrained
from crawler_models.bolt.equations.six_bar import passive_angles

LEG = PAPERS_LEG
RANDOM = np.random.default_rng(3)
STATES = [(RANDOM.uniform(-np.pi, np.pi, 7), RANDOM.uniform(-20.0, 20.0, 7)) for _ in range(10)]


def bodies(q_d):
    """x, y and angle of the five bars and the body, with the chain cut at B and G: works with complex coordinates."""
    q1, x, y, q2, q3, q4, q5 = q_d

    def step(start, length, angle):
        return start[0] + length * np.cos(angle), start[1] + length * np.sin(angle)

    P = (x, y)
    D = step(P, LEG.l_1, q1)
    C = step(D, LEG.l_s, q1 + q2)
    A = step(P, LEG.l_c, LEG.theta)
    E = step(A, LEG.l_4, q4)
    return [
        (LEG.m_b, 0.0, *P, 0.0),
        (LEG.m_1, LEG.I_1 + LEG.I_r, *P, q1),
        (LEG.m_2, LEG.I_2, *step(D, LEG.c_2, q1 + q2), q1 + q2),
        (LEG.m_3, LEG.I_3, *step(C, LEG.c_3, q1 + q2 + q3), q1 + q2 + q3),
        (LEG.m_4, LEG.I_4, *step(A, LEG.c_4, q4), q4),
        (LEG.m_5, LEG.I_5, *step(E, LEG.c_5, q4 + q5), q4 + q5),
    ]


def tiny(q_d, i):
    """A step into the imaginary, along which derivatives lose no digits."""
    q = q_d.astype(complex)
    q[i] += 1e-30j
    return q


def inertia_from_positions(q_d):
    H = np.zeros((7, 7))
    columns = [np.array(bodies(tiny(q_d, i)), dtype=complex).imag / 1e-30 for i in range(7)]
    for mass, inertia, *motion in zip(
        [body[0] for body in bodies(q_d)], [body[1] for body in bodies(q_d)], *[c[:, 2:] for c in columns], strict=True
    ):
        J = np.array(motion).T  # x, y, angle by coordinates
        H += J.T @ np.diag([mass, mass, inertia]) @ J
    return H


def potential(q_d):
    return sum(mass * LEG.g * y for mass, _, _, y, _ in bodies(q_d))


@pytest.mark.parametrize(("q_d", "dq_d"), STATES)
def test_inertia_is_that_of_the_bodies(q_d, dq_d):
    assert constrained.inertia(LEG, q_d) == pytest.approx(inertia_from_positions(q_d), abs=1e-15)  # kg m²: rounding


@pytest.mark.parametrize(("q_d", "dq_d"), STATES)
def test_gravity_is_the_slope_of_the_potential(q_d, dq_d):
    slope = [potential(tiny(q_d, i)).imag / 1e-30 for i in range(7)]
    assert constrained.gravity(LEG, q_d) == pytest.approx(np.array(slope), abs=1e-13)


@pytest.mark.parametrize(("q_d", "dq_d"), STATES)
def test_coriolis_forces_are_lagranges(q_d, dq_d):
    h = 1e-5  # rad: central differences of H' are good to h² of its third derivative, 1e-10 of 400 rad²/s²

    def along(direction):
        forward = inertia_from_positions(q_d + h * direction)
        return (forward - inertia_from_positions(q_d - h * direction)) / (2.0 * h)

    slopes = [0.5 * dq_d @ along(unit) @ dq_d for unit in np.eye(7)]
    expected = along(dq_d) @ dq_d - slopes
    C = constrained.coriolis(LEG, q_d, dq_d)
    assert C @ dq_d == pytest.approx(expected, abs=2e-6)
    skew = along(dq_d) - 2.0 * C
    assert skew + skew.T == pytest.approx(np.zeros((7, 7)), abs=1e-7)


@pytest.mark.parametrize(("q_d", "dq_d"), STATES)
def test_the_jacobians_and_the_curvature_are_those_of_the_constraints(q_d, dq_d):
    h = 1e-5
    moved = [constrained.constraints(LEG, q_d + k * h * dq_d) for k in (-1, 0, 1)]
    Gamma = constrained.extended(LEG, q_d)
    assert Gamma[:4] @ dq_d == pytest.approx((moved[2] - moved[0]) / (2.0 * h), abs=1e-4)
    for i, unit in enumerate(np.eye(7)):
        ahead, behind = (constrained.constraints(LEG, q_d + sign * h * unit) for sign in (1, -1))
        assert Gamma[:4, i] == pytest.approx((ahead - behind) / (2.0 * h), abs=1e-10)
    second = (moved[2] - 2.0 * moved[1] + moved[0]) / h**2
    assert constrained.curvature(LEG, q_d, dq_d) == pytest.approx(second, abs=1e-3 * np.abs(second).max())


def test_the_constraints_vanish_where_the_chain_closes_and_stay_far_from_singular():
    determinants = []
    for q1 in np.radians(np.arange(0.0, 360.0, 1.0)):
        q_d = np.array([q1, 0.3, -0.2, *passive_angles(LEG, q1)])
        assert constrained.constraints(LEG, q_d) == pytest.approx(np.zeros(4), abs=1e-15)
        determinants.append(np.linalg.det(constrained.by_passive(LEG, q_d)))
    assert -5.4e-5 < min(determinants) < max(determinants) < -4.1e-5


def test_projected_inertia_and_forces_are_those_of_the_closed_chain():
    closed = Closed(LEG)
    for q1, dq1 in zip(np.linspace(-np.pi, np.pi, 13), np.linspace(-30.0, 30.0, 13), strict=True):
        q_d = np.array([q1, 0.0, 0.0, *passive_angles(LEG, q1)])
        rho = constrained.projection(LEG, q_d)
        v = rho @ [dq1, 0.7, -0.4]
        H = constrained.inertia(LEG, q_d)
        a0 = np.zeros(7)
        a0[3:] = -np.linalg.solve(constrained.by_passive(LEG, q_d), constrained.curvature(LEG, q_d, v))
        M, b, _, _ = closed.terms(q1, dq1)
        assert rho.T @ H @ rho == pytest.approx(M, abs=1e-13)
        forces = constrained.coriolis(LEG, q_d, v) @ v + constrained.gravity(LEG, q_d) + H @ a0
        assert rho.T @ forces == pytest.approx(b, abs=1e-9)  # N: the Fourier series' second derivative
