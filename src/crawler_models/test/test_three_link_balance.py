"""Laws that hold over a steady cycle whatever the gait: momentum, and energy against friction."""

import numpy as np
import pytest
from three_link_cases import Harmonic, random_robot, robot

from crawler_models.three_link import crawl
from crawler_models.three_link.equations.closed_chain import closed_chain, pose
from crawler_models.three_link.equations.dynamics import Forces, joint_torques

OMEGAS = [0.3, 3.2, 16.0]


def integrals(result, integrands):
    """Midpoint rule on a grid that is aligned with no event: first order at the jumps of the tangential forces."""
    n = 40_000
    t = (np.arange(n) + 0.5) * result.period / n
    return [float(np.sum(f)) * result.period / n for f in integrands(result.trajectory.sample(t))]


@pytest.mark.parametrize("omega", OMEGAS)
def test_ground_carries_the_weight_and_gives_no_net_push(omega):
    rb = robot()
    result = crawl(rb, Harmonic(omega))
    push, lift = integrals(result, lambda s: (s.forces.f1x + s.forces.f2x, s.forces.f1y + s.forces.f2y))
    weight = rb.mass * rb.g * result.period
    assert lift == pytest.approx(weight, rel=1e-9)  # P is smooth and periodic
    assert push == pytest.approx(0.0, abs=1e-4 * weight)  # a jump of 2 mu W in 1 of 40000 samples


@pytest.mark.parametrize("omega", OMEGAS)
def test_joint_work_is_what_friction_dissipates(omega):
    rb = random_robot(np.random.default_rng(7))
    motion = Harmonic(omega, psi=70.0)
    result = crawl(rb, motion)
    assert result.valid, result.reason

    def powers(s):
        q, dq, ddq = motion.sample(s.t)
        chain = closed_chain(rb, q, dq, ddq)
        a = (s.forces.f1x + s.forces.f2x - chain.C) / rb.mass
        tau_1, tau_2 = joint_torques(rb, chain, (ddq[:, 0], ddq[:, 1]), a, Forces(*s.forces))
        return tau_1 * dq[:, 0] + tau_2 * dq[:, 1], -(s.forces.f1x * s.v1 + s.forces.f2x * s.v2)

    work, dissipated = integrals(result, powers)
    assert dissipated > 0.0
    assert work == pytest.approx(dissipated, rel=1e-3)  # four jumps, each within one of 40000 samples


def test_samples_stay_on_the_ground_and_in_the_friction_cones():
    rb = robot()
    result = crawl(rb, Harmonic(3.2))
    s = result.samples(2001)
    f = s.forces
    assert min(f.f1y.min(), f.f2y.min()) == pytest.approx(result.min_normal_force, rel=1e-3)  # both are sampled
    for fx, fy, v, mode, mu in (
        (f.f1x, f.f1y, s.v1, s.modes[:, 0], rb.mu1),
        (f.f2x, f.f2y, s.v2, s.modes[:, 1], rb.mu2),
    ):
        assert np.all(np.abs(fx) <= mu * fy * (1 + 1e-9))
        assert np.abs(v[mode == 0]).max(initial=0.0) < 1e-9
        assert np.all(mode[np.abs(v) > 1e-9] == np.sign(v[np.abs(v) > 1e-9]))
    assert s.x1[0] == 0.0
    assert -s.x1[-1] == pytest.approx(result.step_length, abs=1e-12)
    assert np.gradient(s.x2, s.t)[1:-1] == pytest.approx(s.v2[1:-1], abs=2e-3)  # finite differences


def test_chain_rates_are_the_derivatives_of_its_posture():
    rb = random_robot(np.random.default_rng(3))
    motion = Harmonic(2.0, psi=50.0)
    h, t = 1e-4, 0.7 + 1e-4 * np.array([-1.0, 0.0, 1.0])
    chain = closed_chain(rb, *motion.sample(t))
    points = pose(rb, chain)
    assert points.foot_2.imag == pytest.approx(np.zeros(3), abs=1e-15)
    assert points.foot_2.real == pytest.approx(chain.d)
    assert np.abs(points.joint_2 - points.joint_1) == pytest.approx(rb.l0)
    # Central differences are good to h^2.
    for value, first, second in ((chain.d, chain.d1, chain.d2), (chain.theta, chain.theta1, chain.theta2)):
        assert (value[2] - value[0]) / (2 * h) == pytest.approx(first[1], rel=1e-6)
        assert (value[2] - 2 * value[1] + value[0]) / h**2 == pytest.approx(second[1], rel=1e-5, abs=1e-6)
    masses = np.array([rb.m0, rb.m1, rb.m2])
    centres = np.stack((points.centre_0, points.centre_1, points.centre_2))
    force = masses @ (centres[:, 2] - 2 * centres[:, 1] + centres[:, 0]) / h**2
    assert force.real == pytest.approx(chain.C[1], rel=1e-5, abs=1e-7)
    assert force.imag + rb.mass * rb.g == pytest.approx(chain.P[1], rel=1e-6)
    assert masses @ centres[:, 1].imag / chain.d[1] == pytest.approx(chain.K[1])
