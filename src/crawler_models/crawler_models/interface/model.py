"""Model of a robot: the object that `equations:` in a robot.yaml names, and all that its equations can do.

A user's robot brings a package with such an object: `equations: my_package.my_model:MODEL`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from crawler_core.motion import PeriodicMotion
from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.interface.plant import Plant


@dataclass(frozen=True)
class Column:
    """One number of a prediction, in addition to those that every robot has."""

    key: str  # with its unit at the end, as in peak_torque_N_m
    meaning: str  # column title of a table
    text: Callable[[Any], str] = str  # formats the value for a table
    study_type: type | None = None  # float or bool: type of the column in a study; None: not stored


@dataclass(frozen=True)
class Model:
    """Capabilities of a robot's equations; an absent one is None or empty, and its users report that.

    Strings have the form "module:object" and are imported on first use.
    """

    plant: Callable[[RobotSpec], Plant] | None = None  # at home; raises ValueError where it cannot stand so
    # The steady crawl as numbers in SI units. Keys of every robot: step_length_m (positive towards +x), speed_m_s,
    # period_s, valid, reason, cycles_to_steady. Where valid is false step and speed are NaN, and reason is a sentence.
    predict: Callable[[RobotSpec, PeriodicMotion], dict[str, Any]] | None = None
    columns: tuple[Column, ...] = ()  # the prediction's other keys
    # What the columns come to where a step (m) was measured, of `predict`'s keys. Physics fills by itself what it can
    # measure, where it is a column: crawler_studies.evaluators.physics_columns.
    measured: Callable[[RobotSpec, PeriodicMotion, float], dict[str, Any]] | None = None
    batch: str = ""  # many predictions at once: a crawler_models.interface.batch.Batch
    figures: str = ""  # those of its paper: a crawler_studies.plots.drawing.PaperFigures
    design: str = ""  # a search for a better mechanism: a crawler_studies.design.designer.Designer
    # table of the feet over the cranks, for a controller that looks it up: a crawler_models.interface.lookup.MakeLookup
    lookup: str = ""
    velocity_map: str = (
        ""  # gaits by their velocity, for cmd_vel: a crawler_models.interface.velocity_map.MakeVelocityMap
    )
    # searches of single parameters, by full name: each a crawler_studies.tuning.parameter_search.ParameterSearch
    searches: Mapping[str, str] = field(default_factory=dict)

    @property
    def study_columns(self) -> dict[str, type]:
        """Return the columns that a study stores, with their types."""
        return {column.key: column.study_type for column in self.columns if column.study_type is not None}
