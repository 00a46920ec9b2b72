"""The columns that a gait is reported by: those of the equations, and the same of physics."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from crawler_models.interface.model import Column
from crawler_models.miniaq.model import MINIAQ_MODEL

REPORTED = (
    "mismatch",
    "cost_of_transport",
    "pushed_back_share",
    "three_down_share",
    "roll_amplitude_deg",
    "yaw_rate_deg_s",
)
MEASURED = ("speed_m_s", "mismatch", "cost_of_transport")
_SPEED = Column("speed_m_s", "speed", lambda v: f"{1e3 * v:.1f} mm/s", study_type=float)
_BY_KEY = {column.key: column for column in (_SPEED, *MINIAQ_MODEL.columns)}


def _physics_column(column: Column) -> Column:
    return Column(f"physics_{column.key}", f"{column.meaning}, in physics", column.text, study_type=float)


COLUMNS = (
    _SPEED,
    *(_BY_KEY[key] for key in REPORTED),
    Column("step_length_m", "way of a stride", lambda v: f"{1e3 * v:.1f} mm", study_type=float),
    *(_physics_column(_BY_KEY[key]) for key in MEASURED),
)


def describe_gait(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return a prediction by the keys of COLUMNS; NaN for those that it lacks."""
    return {column.key: found.get(column.key, math.nan) for column in COLUMNS}
