"""What a study keeps of a robot besides what it keeps of all."""

from __future__ import annotations

from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.models import model_of

# of a base that can leave the straight line, by the way in which it does
STRAYING = {"y": ("lateral_drift_m", float), "yaw": ("yaw_per_stride_rad", float)}


def extra_columns(spec: RobotSpec) -> dict[str, type]:
    """Names, with their units, and kinds: what the robot's model keeps, and how the base strays where it can."""
    straying = dict(STRAYING[way] for way in spec.base_motion if way in STRAYING)
    return {**model_of(spec).kept, **straying}
