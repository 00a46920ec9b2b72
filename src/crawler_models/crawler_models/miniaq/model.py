"""Model of MinIAQ for the registry. Compiled parts are imported on first use."""

from __future__ import annotations

from typing import Any

from crawler_core.motion import PeriodicMotion
from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.interface.model import Column, Model
from crawler_models.interface.plant import Plant


def plant(spec: RobotSpec) -> Plant:
    """Standing on its feet at home."""
    from crawler_models.miniaq.equations.quadruped import Quadruped
    from crawler_models.miniaq.quadruped_plant import QuadrupedPlant

    return QuadrupedPlant(Quadruped.from_parameters(spec.parameters), [joint.home for joint in spec.actuated])


def prediction(spec: RobotSpec, motion: PeriodicMotion) -> dict[str, Any]:
    """The steady walk with cranks that turn at constant speed."""
    from crawler_models.miniaq.equations.quadruped import Quadruped
    from crawler_models.miniaq.prediction import predict_walk

    return predict_walk(Quadruped.from_parameters(spec.parameters), motion)


def _percent(value: float) -> str:
    return f"{100.0 * value:.2f} %"


def _degrees(value: float) -> str:
    return f"{value:.2f}°"


MINIAQ_MODEL = Model(
    plant=plant,
    predict=prediction,
    columns=(
        Column("mismatch", "feet that are not where they are meant to be", _percent, study_type=float),
        Column("drag_share", "backward impulse, of all along the heading", _percent, study_type=float),
        Column("pushed_back_share", "feet on the ground that are pushed back", _percent, study_type=float),
        Column("duty_front", "duty of the front feet", _percent, study_type=float),
        Column("duty_hind", "duty of the hind feet", _percent, study_type=float),
        Column("three_down_share", "three feet or more are down", _percent, study_type=float),
        Column("feet_down", "feet on the ground in the mean", lambda v: f"{v:.3f}", study_type=float),
        Column("roll_amplitude_deg", "roll to either side", _degrees, study_type=float),
        Column("pitch_low_deg", "pitch, at the least (nose up)", _degrees, study_type=float),
        Column("pitch_high_deg", "pitch, at the most (nose down)", _degrees, study_type=float),
        Column("yaw_rate_deg_s", "yaw rate, to the left", lambda v: f"{v:.2f}°/s", study_type=float),
        Column("yaw_per_stride_rad", "yaw in a stride, to the left", lambda v: f"{v:.4f} rad", study_type=float),
        Column("lateral_drift_m", "drift to the left in a stride", lambda v: f"{v * 1e3:.3f} mm", study_type=float),
        Column(
            "energy_per_stride_J", "work of the cranks in a stride", lambda v: f"{v * 1e3:.3f} mJ", study_type=float
        ),
        Column("cost_of_transport", "cost of transport", lambda v: f"{v:.3f}", study_type=float),
    ),
    figures="crawler_studies.miniaq.figures:PAPER_FIGURES",
    velocity_map="crawler_models.miniaq.velocity_map:make_velocity_map",
    design="crawler_studies.miniaq.design.designer:DESIGNER",
)
