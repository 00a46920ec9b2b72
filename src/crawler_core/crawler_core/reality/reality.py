"""Imperfections of motors, encoders and buses: the section `reality` of a robot file."""

from __future__ import annotations

import math
from dataclasses import dataclass

from crawler_core.parameters import parameter


@dataclass(frozen=True)
class Reality:
    """One profile. Its defaults are those of `ideal`: joints that follow exactly and encoders without error.

    Angles are in rad here, and in degrees in robot.yaml.
    """

    bandwidth: float = parameter(
        math.inf, unit="rad/s", lower=1.0, doc="of the critically damped position loop of a position-driven joint"
    )
    interpolated: bool = parameter(
        False, doc="a motor moves its setpoint evenly from one command to the next, in place of a step"
    )
    current_bandwidth: float = parameter(
        math.inf, unit="rad/s", lower=1.0, doc="of the first-order torque loop of an effort-driven joint"
    )
    torque_share: float = parameter(1.0, lower=0.01, upper=1.0, doc="of an effort-driven joint's limit that it reaches")
    gear_friction: float = parameter(
        0.0, unit="N m", lower=0.0, upper=1e3, doc="Coulomb's friction of an effort-driven joint's gear"
    )
    backlash: float = parameter(
        0.0, unit="degrees", lower=0.0, upper=20.0, doc="play between an encoder on the motor and the link"
    )
    encoder_counts: int = parameter(0, lower=0, upper=2**24, doc="of a turn of the joint; 0: exact")
    velocity_step: float = parameter(0.0, unit="rad/s", lower=0.0, upper=10.0, doc="of the measured velocity")
    position_noise: float = parameter(0.0, unit="degrees", lower=0.0, upper=90.0, doc="of each measured angle")
    velocity_noise: float = parameter(0.0, unit="rad/s", lower=0.0, upper=100.0, doc="of each measured velocity")
    zero_error: float = parameter(0.0, unit="degrees", lower=0.0, upper=90.0, doc="of each joint, constant in a run")
    command_delay: float = parameter(0.0, unit="s", lower=0.0, upper=0.2, doc="from a setpoint to the motor's answer")
    state_delay: float = parameter(0.0, unit="s", lower=0.0, upper=0.2, doc="age of the measured joints")
    loss: float = parameter(0.0, lower=0.0, upper=0.9, doc="share of the measurements that are lost; the old ones stay")


IDEAL = Reality()
