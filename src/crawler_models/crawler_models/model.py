"""What a robot's equations can do, said in one place: the object that `equations:` in a robot.yaml names.

A robot of one's own brings a package with such an object and writes `equations: my_package.my_model:MODEL`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from crawler_core.motion import PeriodicMotion
from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.plant import Plant


@dataclass(frozen=True)
class Column:
    """One number of a prediction besides those that every robot has."""

    key: str  # with its unit at the end, as in peak_torque_N_m
    meaning: str  # for a table that people read
    text: Callable[[Any], str] = str  # how people read it
    kept: type | None = None  # float or bool: a study keeps it for each point, as such


@dataclass(frozen=True)
class Model:
    """What there is. What is absent is not there, and who needs it says so.

    Texts are "module:object", imported by whoever needs them.
    """

    plant: Callable[[RobotSpec], Plant] | None = None  # at home; raises ValueError where it cannot stand so
    # The steady crawl as numbers in SI units. Keys of every robot: step_length_m (positive towards +x), speed_m_s,
    # period_s, valid, reason, cycles_to_steady. Where valid is false step and speed are NaN, and reason is a sentence.
    predict: Callable[[RobotSpec, PeriodicMotion], dict[str, Any]] | None = None
    columns: tuple[Column, ...] = ()  # the prediction's other keys
    # What the columns come to where a step (m) was measured, of `predict`'s keys. Physics fills by itself what it can
    # measure, where it is a column: crawler_studies.evaluators.physics_evaluator.MEASURED.
    measured: Callable[[RobotSpec, PeriodicMotion, float], dict[str, Any]] | None = None
    batch: str = ""  # many predictions at once: a crawler_models.batch.Batch
    figures: str = ""  # those of its paper: a crawler_studies.plots.drawing.PaperFigures
    design: str = ""  # a search for a better mechanism: a crawler_studies.design.designer.Designer
    # where its feet are over its cranks, for a controller that looks it up: a crawler_models.lookup.MakeLookup
    lookup: str = ""
    # full names of parameters that tuning finds in a way of their own, each with a crawler_studies.tuning.parameter_search.Search
    searches: Mapping[str, str] = field(default_factory=dict)

    @property
    def kept(self) -> dict[str, type]:
        """The columns that a study keeps."""
        return {column.key: column.kept for column in self.columns if column.kept is not None}
