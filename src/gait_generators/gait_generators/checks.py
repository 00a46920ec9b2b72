"""Whether a motion stays within the limits of the robot's joints."""

from __future__ import annotations

import numpy as np

from crawler_core.errors import UserError
from crawler_core.limits import JointLimits
from crawler_core.motion import Motion
from crawler_core.robot import RobotSpec
from crawler_core.types import FloatArray
from gait_generators.blend import Blend
from gait_generators.gait import Gait
from gait_generators.pace_blend import PaceBlend, pace_blend, turning_joints
from gait_generators.placed import Placed

SAMPLES = 720  # per period: a harmonic's extreme is missed by less than 1e-5 of its amplitude
TOLERANCE = 1e-9  # for a gait that is exactly at a limit

Transition = Blend | PaceBlend

EASY = 2.0  # s, a comfortable time for getting into a gait whose period is longer
LONGEST = 60.0  # s


def check_limits(spec: RobotSpec, gait: Gait) -> None:
    """Raise UserError where `gait` would take a joint beyond its position, velocity or acceleration.

    The sentence names the joint, the value, the limit, and the parameters that bring it back.
    """
    times = np.linspace(0.0, gait.period, SAMPLES, endpoint=False)
    position, velocity, acceleration = gait.sample(times)
    limits = JointLimits.of(spec)
    remedies = gait.remedies
    deg = 180.0 / np.pi
    for value, limit, sign, verb, unit, scale, remedy in (
        (position, limits.upper, 1.0, "reach", "°", deg, remedies.above),
        (-position, -limits.lower, -1.0, "reach", "°", deg, remedies.below),
        (np.abs(velocity), limits.velocity, 1.0, "move at", " rad/s", 1.0, remedies.fast),
        (np.abs(acceleration), limits.acceleration, 1.0, "accelerate at", " rad/s²", 1.0, remedies.fast),
    ):
        excess = (value - limit).max(axis=0)
        joint = int(np.argmax(excess))
        if excess[joint] <= TOLERANCE:
            continue
        when = int(np.argmax(value[:, joint]))
        raise UserError(
            f"{spec.actuated_names[joint]} would {verb} {sign * scale * value[when, joint]:.1f}{unit} at "
            f"t = {times[when]:.3f} s, its limit is {sign * scale * limit[joint]:.1f}{unit}: {remedy}."
        )


def within_rates(spec: RobotSpec, motion: Motion, times: FloatArray) -> bool:
    """Whether `motion` keeps the joints' velocity and acceleration limits at `times`."""
    limits = JointLimits.of(spec)
    _, velocity, acceleration = motion.sample(times)
    return bool(
        (np.abs(velocity) <= limits.velocity * (1.0 + TOLERANCE)).all()
        and (np.abs(acceleration) <= limits.acceleration * (1.0 + TOLERANCE)).all()
    )


def blend_within_limits(spec: RobotSpec, old: Motion, new: Placed, start: float, period: float) -> Transition:
    """The blend from `old` into `new`, whose period is given, that is easy on the joints.

    It takes one period of the new gait but not more than `EASY`; only where the joints' velocity or acceleration needs
    it, longer. Joints that the gait turns for ever change their pace instead, where they can. Raises UserError where no
    length will do. Positions between two allowed ones are allowed.
    """
    turning: tuple[int, ...] = ()
    if any(joint.continuous for joint in spec.actuated):
        turning = turning_joints(new.gait)
    duration = min(period, EASY)
    while duration <= LONGEST:
        paced = pace_blend(old, new, start, duration, turning, LONGEST) if turning else None
        blend: Transition = paced or Blend(old, new, start, duration)
        if within_rates(spec, blend, np.linspace(start, blend.end, SAMPLES)):
            return blend
        duration *= 1.25
    raise UserError("the joints cannot get from the present motion into this gait within their velocity limits.")
