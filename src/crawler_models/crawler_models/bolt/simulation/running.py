"""The state machine of Fig. 6 and the control law (20): what torque the crank gets in flight and in stance.

The law is sampled: its torque is held until the next tick. `crawler_models.bolt.compiled.law` is the same, compiled.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from crawler_core.parameters import parameter

TURN_RAD = 2.0 * math.pi


@dataclass(frozen=True)
class RunningParameters:
    """The gains and the two ramps. The crank turns backward, so rates are of its angle's decrease."""

    stiffness: float = parameter(300.0, unit="N·m/rad", lower=0.0, upper=1e4, doc="K_P of (20)")
    damping: float = parameter(12.0, unit="N·m·s/rad", lower=0.0, upper=1e3, doc="K_D of (20)")
    rate_share: float = parameter(
        0.0,
        lower=0.0,
        upper=1.0,
        doc="share of the reference's rate in the damper; (20) has 0 and damps the crank's own",
    )
    flight_rate: float = parameter(40.8, unit="rad/s", lower=0.1, upper=200.0, doc="of the reference's ramp in flight")
    touch_down: float = parameter(
        0.0, unit="degrees", lower=-360.0, upper=360.0, doc="alpha, the crank's angle at which the ramp of flight ends"
    )
    retraction_rate: float = parameter(
        0.0,
        unit="rad/s",
        lower=0.0,
        upper=200.0,
        doc="of the reference from there until the foot lands; the paper waits",
    )
    stance_rate: float = parameter(36.4, unit="rad/s", lower=0.0, upper=200.0, doc="of the reference's ramp in stance")
    lift_off: float = parameter(-68.0, unit="degrees", lower=-360.0, upper=360.0, doc="crank angle that ends stance")
    flight_torque: float = parameter(30.0, unit="N·m", lower=0.0, upper=1e3, doc="the most in flight")


class Running:
    """Which phase it is, and the reference from the crank's angle at its beginning.

    Every tick: `touch_down` while the foot is on the ground, or `in_air` while it is not; then `torque`.
    """

    stance: bool  # or flight
    waits = False  # nothing is known of the foot: the reference of flight stays where its ramp ends
    pace = 1.0  # at which the caller lets the law's time pass: the reference's rate is so much of the parameters'

    def __init__(self, parameters: RunningParameters, torque: float, power: float) -> None:
        """`torque` (N·m) and `power` (W) are the motor's most."""
        self.parameters, self._torque, self._power = parameters, torque, power
        self._alpha = math.radians(parameters.touch_down)
        self._lift_off = math.radians(parameters.lift_off)
        self.begin(0.0, 0.0, stance=False)

    def begin(self, time: float, angle: float, *, stance: bool) -> None:
        """Begin a phase with the crank at `angle` (rad): touch-down, lift-off, or the start."""
        self.stance = stance
        self._landable = not stance  # a foot that has not yet left the ground does not land
        self._since, self._from = time, angle
        p = self.parameters
        if stance:
            self._until = ahead(angle, self._lift_off)
            self._rate = self._then = p.stance_rate
            self._turns_at = time
        else:
            self._until = ahead(angle, self._alpha)
            self._rate, self._then = p.flight_rate, p.retraction_rate
            self._turns_at = time + (angle - self._until) / p.flight_rate

    def touch_down(self, time: float, angle: float) -> None:
        """The foot is on the ground: if it was in the air before, stance begins."""
        if not self.stance and self._landable:
            self.begin(time, angle, stance=True)

    def in_air(self, time: float, angle: float) -> None:
        """The foot is in the air: stance, if it is still on, ends."""
        if self.stance:
            self.begin(time, angle, stance=False)
        self._landable = True

    def reference(self, time: float) -> float:
        """theta_1d of (20), rad."""
        if self.stance or time < self._turns_at:
            return self._from - self._rate * (time - self._since)
        return self._until if self.waits else self._until - self._then * (time - self._turns_at)

    def falls(self, time: float) -> float:
        """The rate (rad/s) at which the reference falls."""
        if self.stance or time < self._turns_at:
            return self.pace * self._rate
        return 0.0 if self.waits else self.pace * self._then

    def torque(self, time: float, angle: float, rate: float) -> float:
        """The torque (N·m) to hold over the coming tick; ends stance once the crank has passed the lift-off angle."""
        if self.stance and angle <= self._until:
            self.begin(time, angle, stance=False)
            self._landable = False
        p = self.parameters
        wanted = p.stiffness * (self.reference(time) - angle) - p.damping * (
            rate + p.rate_share * self.falls(time)
        )  # (20)
        most = self._torque if self.stance else min(self._torque, p.flight_torque)
        if abs(rate) * most > self._power:
            most = self._power / abs(rate)
        return min(max(wanted, -most), most)


def ahead(angle: float, mark: float) -> float:
    """The first of the angles mark + 2 pi k (rad) that a crank which turns backward reaches from `angle`."""
    return mark + TURN_RAD * (math.ceil((angle - mark) / TURN_RAD) - 1)
