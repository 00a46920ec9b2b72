"""Model of the three-link robot for the registry. Heavy parts are imported on first use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from crawler_core.motion import PeriodicMotion
from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.interface.model import Column, Model
from crawler_models.interface.plant import Plant


def plant(spec: RobotSpec) -> Plant:
    """Standing at home."""
    from crawler_models.three_link.equations.three_link import ThreeLink
    from crawler_models.three_link.plant.three_link_plant import ThreeLinkPlant

    return ThreeLinkPlant(ThreeLink.from_parameters(spec.parameters), [joint.home for joint in spec.actuated])


def prediction(spec: RobotSpec, motion: PeriodicMotion) -> dict[str, Any]:
    """The steady crawl with prescribed joints."""
    from crawler_models.three_link.prediction import predict

    return predict(spec.parameters, motion)


def switches(found: Sequence[dict[str, Any]]) -> str:
    """The switches of the feet's modes, a line each."""
    return "\n".join(f"t/T = {s['phase']:.4f}  {', '.join(s['modes'])}" for s in found) or "none"


THREE_LINK_MODEL = Model(
    plant=plant,
    predict=prediction,
    columns=(
        Column("min_normal_force_N", "smallest normal force", lambda v: f"{v:.4f} N", study_type=float),
        Column("painleve_margin", "Painlevé margin", lambda v: f"{v:.4g}", study_type=float),
        Column("unique", "unique at every event", lambda v: "yes" if v else "no", study_type=bool),
        Column("mode_switches", "modes of feet 1, 2", switches),
    ),
    batch="crawler_models.three_link.shape_tables:SHAPE_TABLES",
    figures="crawler_studies.three_link.figures:PAPER_FIGURES",
    velocity_map="crawler_models.three_link.velocity_map:make_velocity_map",
    searches={"gait.shape": "crawler_studies.three_link.shape_search:plan_shape_search"},
)
