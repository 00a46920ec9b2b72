"""The contact-state feedback law (19): joint accelerations from joints, contacts and their references.

Contact velocities are the paper's x_i', positive away from the direction of travel.
"""

from __future__ import annotations

import cmath
from dataclasses import dataclass

from crawler_models.three_link.equations.closed_chain import chain
from crawler_models.three_link.equations.contact_map import Pair, slopes
from crawler_models.three_link.equations.foot_mode import Mode
from crawler_models.three_link.equations.three_link import ThreeLink


@dataclass(frozen=True)
class FeedbackLaw:
    """Gains of (19) as multiples of the unit matrix, and where contact velocities may be tracked."""

    k_v: float = 10.0  # 1/s
    k_p: float = 80.0  # 1/s^2
    k_d: float = 100.0  # 1/s
    phi_min: float = 0.5 * cmath.pi  # rad; Phi = [phi_min, phi_max]
    phi_max: float = 130.0 / 180.0 * cmath.pi
    hysteresis: float = 0.0  # rad that both joints must be inside Phi before contact velocities are tracked again
    dwell: float = 0.0  # s of joint tracking, at least, before contact velocities are tracked again

    def room(self, q: Pair) -> float:
        """Margin of both joints to the edge of Phi, rad; negative outside."""
        return min(q[0] - self.phi_min, self.phi_max - q[0], q[1] - self.phi_min, self.phi_max - q[1])


@dataclass(frozen=True, slots=True)
class JointReference:
    """q_c^r and its derivatives at one time: rad, rad/s, rad/s^2."""

    q: Pair
    dq: Pair
    ddq: Pair


@dataclass(frozen=True, slots=True)
class ContactReference:
    """v_r and v_r': the ideal contact velocities, m/s, and their rates, m/s^2."""

    v: Pair
    dv: Pair


def contact_reference(robot: ThreeLink, reference: JointReference, opening: bool | None = None) -> ContactReference:
    """Each foot slips forward for half of the cycle: foot 1 while the feet part (d_r' > 0), foot 2 while they close.

    ``opening`` decides where d_r' itself is too close to zero to ask.
    """
    c = chain(robot, *reference.q, *reference.dq, *reference.ddq, cmath.exp)
    if c.d1 > 0.0 if opening is None else opening:
        return ContactReference((-c.d1, 0.0), (-c.d2, 0.0))
    return ContactReference((0.0, c.d1), (0.0, c.d2))


def joint_tracking(law: FeedbackLaw, q: Pair, dq: Pair, reference: JointReference) -> Pair:
    """The second line of (19), rad/s^2."""
    (q1, q2), (v1, v2), (a1, a2) = reference.q, reference.dq, reference.ddq
    return (
        a1 - law.k_d * (dq[0] - v1) - law.k_p * (q[0] - q1),
        a2 - law.k_d * (dq[1] - v2) - law.k_p * (q[1] - q2),
    )


def contact_tracking(
    law: FeedbackLaw, robot: ThreeLink, q: Pair, dq: Pair, v: Pair, mode: Mode, reference: ContactReference
) -> Pair:
    """The first line of (19), rad/s^2; ``mode`` must be one in which both feet slip. Raises SingularContacts."""
    wanted = (
        reference.dv[0] - law.k_v * (v[0] - reference.v[0]),
        reference.dv[1] - law.k_v * (v[1] - reference.v[1]),
    )
    return slopes(robot, q, dq).contact_map(robot, mode).joint_accelerations(wanted)
