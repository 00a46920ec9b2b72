"""The measured pose from which a motion starts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from sensor_msgs.msg import JointState

from crawler_core.errors import UserError
from crawler_core.types import FloatArray
from crawler_nodes.messages.header import stamp_ns


class MeasuredPose(NamedTuple):
    """Angles of the actuated joints at one time, from joint_states."""

    backend: str  # name of the sender
    time_ns: int
    angle: FloatArray  # rad


def parse_pose(message: JointState, joints: Sequence[str]) -> MeasuredPose:
    """Return the pose of `joints`. Raises UserError for a joint whose angle is missing or not finite."""
    angles = dict(zip(message.name, message.position, strict=False))
    missing = [name for name in joints if not math.isfinite(angles.get(name, math.nan))]
    if missing:
        raise UserError(f"joint_states has no angle for {', '.join(missing)}")
    return MeasuredPose(
        message.header.frame_id, stamp_ns(message.header.stamp), np.array([angles[name] for name in joints])
    )
