"""The interface of a search for a better mechanism or gait, which `crawler design` runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from matplotlib.figure import Figure

from crawler_models.interface.model import Column
from crawler_studies.plots.drawing import Columns
from crawler_studies.study.study_case import StudyCase

Range = tuple[float, float]


@dataclass(frozen=True)
class Design:
    """The result of a search."""

    settings: Mapping[str, float]  # the parameters by their full names, such as robot.mass
    old: Mapping[str, Any]  # the robot as it is set, by the columns' keys
    new: Mapping[str, Any]  # the robot with the parameters that were found
    better: bool
    notes: Sequence[str]  # sentences that belong to the result
    draw: Callable[[Figure], None]
    table: Columns | None = None  # a file beside the picture, where there is more than one answer


class DesignSearch(Protocol):
    """A search whose inputs are checked, before it runs."""

    def run(self, progress: Callable[[int, str], None], stopped: Callable[[], bool]) -> Design | None:
        """Search until it has converged or `stopped`. Returns None where nothing was found that moves at all.

        `progress` takes the number of designs evaluated and a short description of the best one.
        """


class Designer(Protocol):
    """The type of the object that `Model.design` names."""

    @property
    def target(self) -> str:
        """The thing that is searched for, such as mechanism or gait."""

    @property
    def goal(self) -> type:
        """A dataclass of `parameter`s: the qualities wanted of a design, and the limits of the search."""

    @property
    def columns(self) -> Sequence[Column]:
        """The numbers that a design is reported by."""

    def ranges(self, case: StudyCase) -> Mapping[str, Range]:
        """Return the parameters that are searched, by their full names, with their ranges in their units."""

    def plan(self, case: StudyCase, goal: Any, ranges: Mapping[str, Range], seed: int) -> DesignSearch:
        """Plan a search from `case` as it is set. Raises UserError for a goal and ranges that exclude each other."""
