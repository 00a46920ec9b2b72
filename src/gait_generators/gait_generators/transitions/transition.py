"""Choose a transition from one motion into the next that keeps the joints' rate limits."""

from __future__ import annotations

import numpy as np

from crawler_core.errors import UserError
from crawler_core.motion import Motion
from crawler_core.robot.robot_spec import RobotSpec
from gait_generators.kinds.limit_check import LIMIT_SAMPLES, keeps_rate_limits
from gait_generators.transitions.blend import Blend
from gait_generators.transitions.phase_matching_transition import PhaseMatchingTransition, match_phases, turning_joints
from gait_generators.transitions.phase_shifted_gait import PhaseShiftedGait

Transition = Blend | PhaseMatchingTransition

COMFORTABLE_DURATION_S = 2.0  # for a gait with a longer period
MAX_DURATION_S = 60.0
DURATION_GROWTH = 1.25  # between two durations that are tried


def plan_transition(spec: RobotSpec, old: Motion, new: PhaseShiftedGait, start: float, period: float) -> Transition:
    """Return the shortest tried transition from `old` into `new` that keeps the joints' velocity and acceleration.

    It takes one `period` of the new gait, at most `COMFORTABLE_DURATION_S`, and longer only where the limits need it.
    Joints that the gait turns continuously change their pace where they can; all others blend. Positions between two
    allowed ones are allowed. Raises UserError where no duration will do.
    """
    turning: tuple[int, ...] = ()
    if any(joint.continuous for joint in spec.actuated):
        turning = turning_joints(new.gait)
    duration = min(period, COMFORTABLE_DURATION_S)
    while duration <= MAX_DURATION_S:
        matched = match_phases(old, new, start, duration, turning, MAX_DURATION_S) if turning else None
        transition: Transition = matched or Blend(old, new, start, duration)
        if keeps_rate_limits(spec, transition, np.linspace(start, transition.end, LIMIT_SAMPLES)):
            return transition
        duration *= DURATION_GROWTH
    raise UserError(
        f"no transition from the present motion into this gait keeps the joints' velocity and acceleration limits "
        f"within {MAX_DURATION_S:g} s: choose a slower gait."
    )
