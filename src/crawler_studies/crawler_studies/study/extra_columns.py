"""Columns that a study keeps for one robot, beside those that it keeps for every robot."""

from __future__ import annotations

from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.models import model_of

# of a base that can leave the straight line, by the axis in which it does
DRIFT_COLUMNS = {"y": ("lateral_drift_m", float), "yaw": ("yaw_per_stride_rad", float)}


def extra_columns(spec: RobotSpec) -> dict[str, type]:
    """Return names with units, and types: the columns of the robot's model, and the drift of a base that can drift."""
    drift = dict(DRIFT_COLUMNS[axis] for axis in spec.base_motion if axis in DRIFT_COLUMNS)
    return {**model_of(spec).study_columns, **drift}
