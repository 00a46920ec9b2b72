"""The steady crawl under the feedback law (19), in continuous time: plain numbers for reports."""

from __future__ import annotations

import math
from typing import Any

from crawler_core.motion import PeriodicMotion
from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.three_link.equations.three_link import ThreeLink
from crawler_models.three_link.feedback.feedback_crawl import feedback_crawl
from crawler_models.three_link.feedback.feedback_law import FeedbackLaw

_MAX_PERIOD_S = 7.0  # s; in longer periods a tracked foot comes as near to rest as one likes, but never arrives


def predict_feedback(spec: RobotSpec, motion: PeriodicMotion, law: FeedbackLaw) -> dict[str, Any]:
    """Predict the steady crawl under `law`; ``parameters`` are those of the robot file.

    Keys: step_length_m (the mean over the pattern), speed_m_s, period_s, repeats_after (cycles of the pattern),
    cycles_to_steady, branch_shares (of the time, by the branch's name), valid, reason.
    """
    if motion.period > _MAX_PERIOD_S:
        return {
            **dict.fromkeys(("step_length_m", "speed_m_s"), math.nan),
            "period_s": motion.period,
            "repeats_after": 0,
            "cycles_to_steady": 0,
            "branch_shares": {},
            "valid": False,
            "reason": f"With a period above {_MAX_PERIOD_S:g} s the step hangs on what counts as standing.",
        }
    result = feedback_crawl(ThreeLink.from_parameters(spec.parameters), motion, law, max_cycles=60)
    share = result.contact_tracking_share
    return {
        "step_length_m": result.step_length,
        "speed_m_s": result.speed,
        "period_s": result.period,
        "repeats_after": result.repeats_after,
        "cycles_to_steady": result.cycles_to_steady,
        "branch_shares": {"contact_tracking": share, "joint_tracking": 1.0 - share},
        "valid": result.valid,
        "reason": result.reason,
    }
