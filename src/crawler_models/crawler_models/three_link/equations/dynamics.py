"""Acceleration of foot 1, contact forces and joint torques in each contact mode.

For prescribed joints the paper's system (18) reduces to one unknown, the acceleration a = x1'' of foot 1: the sums
C, P, K, Q of the closed chain give

    f1x + f2x = m a + C,    f2y = Q - K a,    f1y = P - f2y,    x2'' = a + d'',

and (4) closes it. Works on scalars and arrays alike.
"""

from __future__ import annotations

from typing import NamedTuple

from crawler_models.three_link.equations.closed_chain import Chain, Real
from crawler_models.three_link.equations.foot_mode import Mode
from crawler_models.three_link.equations.three_link import ThreeLink


class Forces(NamedTuple):
    """The ground on the feet, N, paper's axes."""

    f1x: Real
    f1y: Real
    f2x: Real
    f2y: Real


def painleve_margin(robot: ThreeLink, chain: Chain, mode: Mode) -> Real:
    """Denominator of the slip-slip acceleration over the total mass: 1 without friction, <= 0 is Painleve's paradox.

    A sticking foot prescribes the acceleration, so that nothing is divided: the margin is then 1.
    """
    s1, s2 = mode
    if s1 == 0 or s2 == 0:
        return 1.0 + 0.0 * chain.K
    return 1.0 + (robot.mu1 * s1 - robot.mu2 * s2) * chain.K / robot.mass


def acceleration(robot: ThreeLink, chain: Chain, mode: Mode) -> Real:
    """x1'' in the given mode, m/s^2."""
    s1, s2 = mode
    if s1 == 0:
        return 0.0 * chain.d2
    if s2 == 0:
        return -chain.d2
    pull = -robot.mu1 * s1 * (chain.P - chain.Q) - robot.mu2 * s2 * chain.Q - chain.C
    return pull / (robot.mass + (robot.mu1 * s1 - robot.mu2 * s2) * chain.K)


def contact_forces(robot: ThreeLink, chain: Chain, mode: Mode, a: Real) -> Forces:
    """Forces on both feet when foot 1 accelerates with ``a``.

    With both feet stuck the tangential forces are indeterminate; they are shared so that both feet use the same
    fraction of their friction cones, which is the share that holds longest.
    """
    s1, s2 = mode
    f2y = chain.Q - chain.K * a
    f1y = chain.P - f2y
    tangential = robot.mass * a + chain.C
    if s1 and s2:
        return Forces(-robot.mu1 * s1 * f1y, f1y, -robot.mu2 * s2 * f2y, f2y)
    if s1:
        f1x = -robot.mu1 * s1 * f1y
        return Forces(f1x, f1y, tangential - f1x, f2y)
    if s2:
        f2x = -robot.mu2 * s2 * f2y
        return Forces(tangential - f2x, f1y, f2x, f2y)
    reach_1, reach_2 = robot.mu1 * f1y, robot.mu2 * f2y
    f1x = tangential * reach_1 / (reach_1 + reach_2)
    return Forces(f1x, f1y, tangential - f1x, f2y)


def joint_torques(
    robot: ThreeLink, chain: Chain, joint_accelerations: tuple[Real, Real], a: Real, forces: Forces
) -> tuple[Real, Real]:
    """Actuation torques tau_1, tau_2 of (3), N m: moment balance of each distal link about its joint.

    Link 1's absolute angle falls as phi_1 grows, hence the sign of tau_1.
    """
    arm_1 = robot.l1 * chain.e1  # from joint 1 to foot 1
    centre_1 = 0.5 * arm_1
    inertial_1 = robot.m1 * (a - 0.5 * robot.l1 * chain.e1_2 + 1j * robot.g)
    moment_1 = (
        robot.J1 * (chain.theta2 - joint_accelerations[0])
        + (centre_1.conjugate() * inertial_1).imag
        - (arm_1.conjugate() * (forces.f1x + 1j * forces.f1y)).imag
    )
    arm_2 = -robot.l2 * chain.e2  # from joint 2 to foot 2
    centre_2 = 0.5 * arm_2
    acceleration_2 = a - robot.l1 * chain.e1_2 + robot.l0 * chain.e0_2 - 0.5 * robot.l2 * chain.e2_2
    inertial_2 = robot.m2 * (acceleration_2 + 1j * robot.g)
    moment_2 = (
        robot.J2 * (chain.theta2 + joint_accelerations[1])
        + (centre_2.conjugate() * inertial_2).imag
        - (arm_2.conjugate() * (forces.f2x + 1j * forces.f2y)).imag
    )
    return -moment_1, moment_2
