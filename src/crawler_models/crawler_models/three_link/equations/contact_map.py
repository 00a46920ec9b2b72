"""Contact accelerations as a function of the joints when both feet slip: S1 and S0 of (19), from the closed chain.

The same matrices as ``matrices.contact_acceleration_map``, without solving a linear system: the chain's sums are affine
in the joints' accelerations, so three evaluations of it give everything.
"""

from __future__ import annotations

import cmath
from typing import NamedTuple

from crawler_models.three_link.equations.closed_chain import Chain, chain
from crawler_models.three_link.equations.foot_mode import Mode
from crawler_models.three_link.equations.three_link import ThreeLink

Pair = tuple[float, float]

_SINGULAR_DETERMINANT = (
    1e-9  # of the product of S1's row norms: a smaller determinant says nothing about single joints any more
)


class SingularContacts(Exception):
    """The joints cannot give the contacts independent accelerations here."""


class ContactMap(NamedTuple):
    """[x1'', x2''] = S1 q_c'' + S0."""

    s1: tuple[Pair, Pair]
    s0: Pair

    def joint_accelerations(self, wanted: Pair) -> Pair:
        """S1^-1 (wanted - S0), rad/s^2. Raises SingularContacts."""
        (a, b), (c, d) = self.s1
        determinant = a * d - b * c
        if not abs(determinant) > _SINGULAR_DETERMINANT * ((a * a + b * b) * (c * c + d * d)) ** 0.5:
            raise SingularContacts("The contacts' accelerations do not depend on the two joints independently (S1).")
        e, f = wanted[0] - self.s0[0], wanted[1] - self.s0[1]
        return (d * e - b * f) / determinant, (a * f - c * e) / determinant


class Slopes(NamedTuple):
    """The chain without joint accelerations, and the change of its sums with each of them."""

    still: Chain
    first: Chain  # only d2, C, P and Q have a meaning here and in `second`
    second: Chain

    def at(self, ddq: Pair) -> Chain:
        """The chain's d, d1, d2, C, P, K and Q at joint accelerations ``ddq``; its other fields are not updated."""
        k, a, b = self.still, self.first, self.second
        x, y = ddq
        return k._replace(
            d2=k.d2 + x * a.d2 + y * b.d2,
            C=k.C + x * a.C + y * b.C,
            P=k.P + x * a.P + y * b.P,
            Q=k.Q + x * a.Q + y * b.Q,
        )

    def contact_map(self, robot: ThreeLink, mode: Mode) -> ContactMap:
        """S1 and S0 while both feet slip the way ``mode`` says."""
        f1, f2 = robot.mu1 * mode[0], robot.mu2 * mode[1]
        denominator = robot.mass + (f1 - f2) * self.still.K

        def foot_1(c: Chain) -> float:
            return float((-f1 * (c.P - c.Q) - f2 * c.Q - c.C) / denominator)

        base, a, b = foot_1(self.still), foot_1(self.first), foot_1(self.second)
        return ContactMap(((a, b), (a + self.first.d2, b + self.second.d2)), (base, base + self.still.d2))


def slopes(robot: ThreeLink, q: Pair, dq: Pair) -> Slopes:
    """Return the slopes of the chain at joint angles ``q`` (rad) and rates ``dq`` (rad/s)."""
    still = chain(robot, *q, *dq, 0.0, 0.0, cmath.exp)

    def slope(ddq: Pair) -> Chain:
        c = chain(robot, *q, *dq, *ddq, cmath.exp)
        return c._replace(d2=c.d2 - still.d2, C=c.C - still.C, P=c.P - still.P, Q=c.Q - still.Q)

    return Slopes(still, slope((1.0, 0.0)), slope((0.0, 1.0)))
