"""Check a motion against the limits of the robot's joints."""

from __future__ import annotations

import numpy as np

from crawler_core.errors import UserError
from crawler_core.motion import Motion, Sample
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.safety.joint_limits import JointLimits
from crawler_core.types import FloatArray
from gait_generators.kinds.gait import Gait

LIMIT_SAMPLES = 720  # per period: a harmonic's extreme is missed by less than 1e-5 of its amplitude
LIMIT_TOLERANCE = 1e-9  # for a gait that is exactly at a limit


def check_limits(spec: RobotSpec, gait: Gait) -> None:
    """Raise UserError where `gait` takes a joint beyond its position, velocity or acceleration limit.

    The message names the joint, the value, the limit, and the parameters to change.
    """
    times = np.linspace(0.0, gait.period, LIMIT_SAMPLES, endpoint=False)
    position, velocity, acceleration = gait.sample(times)
    limits = JointLimits.of(spec)
    limit_hints = gait.limit_hints
    deg = 180.0 / np.pi
    for value, limit, sign, verb, unit, scale, hint in (
        (position, limits.upper, 1.0, "reach", "°", deg, limit_hints.above),
        (-position, -limits.lower, -1.0, "reach", "°", deg, limit_hints.below),
        (np.abs(velocity), limits.velocity, 1.0, "move at", " rad/s", 1.0, limit_hints.fast),
        (np.abs(acceleration), limits.acceleration, 1.0, "accelerate at", " rad/s²", 1.0, limit_hints.fast),
    ):
        excess = (value - limit).max(axis=0)
        joint = int(np.argmax(excess))
        if excess[joint] <= LIMIT_TOLERANCE:
            continue
        when = int(np.argmax(value[:, joint]))
        raise UserError(
            f"{spec.actuated_names[joint]} would {verb} {sign * scale * value[when, joint]:.1f}{unit} at "
            f"t = {times[when]:.3f} s, its limit is {sign * scale * limit[joint]:.1f}{unit}: {hint}."
        )


def keeps_rate_limits(spec: RobotSpec, motion: Motion, times: FloatArray) -> bool:
    """Return True if `motion` keeps the joints' velocity and acceleration limits at `times`."""
    return are_rates_allowed(spec, motion.sample(times))


def are_rates_allowed(spec: RobotSpec, joints: Sample) -> bool:
    """Return True if the actuated joints keep their velocity and acceleration limits."""
    limits = JointLimits.of(spec)
    _, velocity, acceleration = joints
    return bool(
        (np.abs(velocity) <= limits.velocity * (1.0 + LIMIT_TOLERANCE)).all()
        and (np.abs(acceleration) <= limits.acceleration * (1.0 + LIMIT_TOLERANCE)).all()
    )
