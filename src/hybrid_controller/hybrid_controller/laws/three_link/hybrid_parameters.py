"""Parameters of the hybrid feedback law (19)."""

from __future__ import annotations

from dataclasses import dataclass, fields

from crawler_core.errors import UserError
from crawler_core.parameters import parameter, si_values
from crawler_models.three_link.feedback.feedback_law import FeedbackLaw

COMMANDED = "commanded"
MEASURED = "measured"
BACKEND = "backend"
ESTIMATED = "estimated"


@dataclass(frozen=True)
class HybridParameters:
    """Gains and range of (19), its joints and contacts, and what it believes of servos and friction."""

    k_v: float = parameter(10.0, unit="1/s", lower=0.0, upper=1000.0, doc="gain K_v on contact velocities")
    k_p: float = parameter(80.0, unit="1/s²", lower=0.0, upper=1e5, doc="gain K_P on joint angles")
    k_d: float = parameter(100.0, unit="1/s", lower=0.0, upper=1e4, doc="gain K_D on joint velocities")
    phi_min: float = parameter(90.0, unit="deg", lower=0.0, upper=180.0, doc="lower end of Phi")
    phi_max: float = parameter(130.0, unit="deg", lower=0.0, upper=180.0, doc="upper end of Phi")
    hysteresis: float = parameter(
        0.1, unit="deg", lower=0.0, upper=20.0, doc="distance inside Phi at which contact tracking begins"
    )
    dwell: float = parameter(0.004, unit="s", lower=0.0, upper=1.0, doc="least time of joint tracking in between")
    joints: str = parameter(
        COMMANDED,
        choices=(COMMANDED, MEASURED),
        constant=True,
        doc="joints that the law feeds back: its own setpoints, or the measured ones, which lag behind them",
    )
    contacts: str = parameter(
        BACKEND, choices=(BACKEND, ESTIMATED), constant=True, doc="source of contact modes and velocities"
    )
    odometry_gain: float = parameter(
        0.3, lower=0.0, upper=1.0, doc="share of the difference to odometry by which an estimate is corrected"
    )
    believed_friction_1: float = parameter(
        1.0, lower=0.1, upper=10.0, constant=True, doc="friction of foot 1 in the law's equations, over the robot's"
    )
    believed_friction_2: float = parameter(1.0, lower=0.1, upper=10.0, constant=True, doc="the same of foot 2")
    servo_bandwidth: float = parameter(
        0.0,
        unit="rad/s",
        lower=0.0,
        upper=1e4,
        constant=True,
        doc="of the servos as the law believes; 0: as the robot file says (reality.typical)",
    )
    servo_delay: float = parameter(
        0.0, unit="s", lower=0.0, upper=0.2, constant=True, doc="delay of commands and states, with servo_bandwidth"
    )

    def __post_init__(self) -> None:
        if self.phi_min >= self.phi_max:
            raise UserError(
                f"controller.phi_min = {self.phi_min:g} must be less than controller.phi_max = {self.phi_max:g} deg."
            )
        if self.servo_delay and not self.servo_bandwidth:
            raise UserError(
                f"controller.servo_delay = {self.servo_delay:g} needs controller.servo_bandwidth too: give both."
            )

    @property
    def law(self) -> FeedbackLaw:
        """Return the law in SI units."""
        values = si_values(self)
        return FeedbackLaw(**{field.name: values[field.name] for field in fields(FeedbackLaw)})
