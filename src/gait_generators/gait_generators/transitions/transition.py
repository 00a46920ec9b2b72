"""Choose a transition from one motion into the next that keeps the joints' rate limits."""

from __future__ import annotations

import numpy as np

from crawler_core.errors import UserError
from crawler_core.motion import Motion
from crawler_core.robot.robot_spec import RobotSpec
from gait_generators.kinds.limit_check import SAMPLES, keeps_rate_limits
from gait_generators.transitions.blend import Blend
from gait_generators.transitions.phase_matching_transition import PhaseMatchingTransition, match_phases, turning_joints
from gait_generators.transitions.phase_shifted_gait import PhaseShiftedGait

Transition = Blend | PhaseMatchingTransition

EASY = 2.0  # s, a comfortable time for getting into a gait whose period is longer
LONGEST = 60.0  # s


def plan_transition(spec: RobotSpec, old: Motion, new: PhaseShiftedGait, start: float, period: float) -> Transition:
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
        paced = match_phases(old, new, start, duration, turning, LONGEST) if turning else None
        blend: Transition = paced or Blend(old, new, start, duration)
        if keeps_rate_limits(spec, blend, np.linspace(start, blend.end, SAMPLES)):
            return blend
        duration *= 1.25
    raise UserError("the joints cannot get from the present motion into this gait within their velocity limits.")
