"""Check before a run that the law (19) holds with its servos, as far as they are known."""

from __future__ import annotations

import math
from typing import NamedTuple

from crawler_core.errors import UserError
from crawler_core.motion import PeriodicMotion
from crawler_core.reality.reality import Reality
from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.three_link.feedback.joint_line_margins import joint_line_margins
from hybrid_controller.laws.three_link.hybrid_parameters import COMMANDED, HybridParameters

TYPICAL = "typical"
LOW_PHASE_MARGIN = math.radians(30.0)  # below it a run with measured joints gets a warning
# least K_P (1/s²), and the lag of the joints times the square of the gait's frequency (rad²/s) up to which the feet
# stay on the ground with it: docs/feedback.md. With play in the gears a link knocks where its joint turns back.
MAX_LAGS = ((0.0, 6.0), (300.0, 12.0))
MAX_LAGS_WITH_PLAY = ((0.0, 2.0), (160.0, 2.8), (300.0, 4.0))
PAPER_K_V = 10.0  # 1/s, for which these hold; a larger gain divides them by the root of its ratio
MAX_LAG_S = 0.09  # however slow the gait; longer lags have not been tried


class Servo(NamedTuple):
    """The servos between the law's setpoints and the joints that it measures."""

    bandwidth: float  # rad/s, critically damped; may be infinite
    delay: float  # s, of commands and states together

    @property
    def lag(self) -> float:
        """Time (s) by which a measured joint is later than its setpoint."""
        return 2.0 / self.bandwidth + self.delay


def believed_servo(spec: RobotSpec, parameters: HybridParameters, motors: Reality | None = None) -> Servo:
    """Return the servo of the parameters, or of `motors`, or typical ones of the robot file."""
    if parameters.servo_bandwidth:
        return Servo(parameters.servo_bandwidth, parameters.servo_delay)
    known = spec.reality(TYPICAL) if motors is None else motors
    return Servo(known.bandwidth, known.command_delay + known.state_delay)


def check_servos(
    spec: RobotSpec, gait: PeriodicMotion, parameters: HybridParameters, motors: Reality, rate: float
) -> str:
    """Return a warning where the margin is small, else an empty text.

    Raises UserError where the law would not be stable, or where its feet would leave the ground.
    """
    servo = believed_servo(spec, parameters, motors)
    if parameters.joints == COMMANDED:
        _check_lateness(gait, parameters, servo, rate, has_play=motors.backlash > 0.0)
        return ""
    if parameters.k_p == parameters.k_d == 0.0:
        return ""
    margin = joint_line_margins(parameters.law, servo.bandwidth, servo.delay + 0.5 / rate).phase
    found = f"{_describe(servo, rate)} leave a phase margin of {math.degrees(margin):.0f} degrees"
    if margin <= 0.0:
        raise UserError(
            f"controller.joints = measured is not stable: {found}, and it must be above 0: use "
            "controller.joints=commanded."
        )
    if margin < LOW_PHASE_MARGIN:
        return f"controller.joints = measured: {found}; controller.joints=commanded needs none."
    return ""


def _check_lateness(
    gait: PeriodicMotion, parameters: HybridParameters, servo: Servo, rate: float, *, has_play: bool
) -> None:
    """Raise UserError where the joints follow so late that contact tracking would lift a foot."""
    omega, late = math.tau / gait.period, servo.lag + 0.5 / rate
    table = MAX_LAGS_WITH_PLAY if has_play else MAX_LAGS
    share = math.sqrt(PAPER_K_V / max(parameters.k_v, PAPER_K_V)) / omega**2
    limits = [(k_p, min(share * limit, MAX_LAG_S)) for k_p, limit in table]
    allowed = max(limit for k_p, limit in limits if parameters.k_p >= k_p)
    if late <= allowed:
        return
    stiffer = next((k_p for k_p, limit in limits if late <= limit), None)
    remedy = f"use controller.k_p={stiffer:g}, a slower gait" if stiffer else "use a slower gait"
    servos = _describe(servo, rate) + (" and with play in their gears" if has_play else "")
    gain = f" and k_v = {parameters.k_v:g}" if parameters.k_v > PAPER_K_V else ""
    raise UserError(
        f"under this law a foot would leave the ground: {servos} follow {1e3 * late:.0f} ms late, and "
        f"{1e3 * allowed:.0f} ms are allowed at {omega:.3g} rad/s with controller.k_p = {parameters.k_p:g}{gain}: "
        f"{remedy} or the control law joint_tracking."
    )


def _describe(servo: Servo, rate: float) -> str:
    late = f" with {1e3 * servo.delay:g} ms of delay" if servo.delay else ""
    return f"servos of {servo.bandwidth:g} rad/s{late} at {rate:g} Hz"
