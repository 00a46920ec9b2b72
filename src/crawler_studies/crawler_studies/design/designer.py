"""The search for a better mechanism or gait: what a robot's equations bring for it, for `crawler design`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from matplotlib.figure import Figure

from crawler_models.model import Column
from crawler_studies.plots.drawing import Columns
from crawler_studies.study.study_case import StudyCase

Range = tuple[float, float]


@dataclass(frozen=True)
class Design:
    """What a search came to."""

    settings: Mapping[str, float]  # the parameters by their full names, such as robot.mass
    old: Mapping[str, Any]  # what the robot comes to as it is set, by the columns' keys
    new: Mapping[str, Any]  # and with what was found
    better: bool
    notes: Sequence[str]  # sentences that belong to the result
    draw: Callable[[Figure], None]
    table: Columns | None = None  # a file beside the picture, where there is more than one answer


class DesignSearch(Protocol):
    """A search that is checked, before it runs."""

    def run(self, progress: Callable[[int, str], None], stopped: Callable[[], bool]) -> Design | None:
        """ParameterSearch until it has converged or `stopped`; None where nothing was found that moves at all.

        `progress` hears how many designs are judged, and a few words about the best one.
        """


class Designer(Protocol):
    """What `Model.design` names."""

    @property
    def what(self) -> str:
        """That is found: a mechanism, a gait."""

    @property
    def goal(self) -> type:
        """A dataclass of `parameter`s: what shall be good about it."""

    @property
    def columns(self) -> Sequence[Column]:
        """What a design is reported by."""

    def ranges(self, case: StudyCase) -> Mapping[str, Range]:
        """The parameters that are searched, by their full names, and where, in their units."""

    def plan(self, case: StudyCase, goal: Any, ranges: Mapping[str, Range], seed: int) -> DesignSearch:
        """A search from `case` as it is set. Raises UserError for goal and ranges that exclude each other."""


def present(case: StudyCase, name: str) -> float:
    """A parameter, by its full name, as the case has it."""
    section, _, own = name.partition(".")
    return float((case.settings.get(section) or {}).get(own, case.info(name).default))


def group_by_section(settings: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Parameters by their full names, as a file of settings has them."""
    sections: dict[str, dict[str, Any]] = {}
    for full, value in settings.items():
        section, _, name = full.partition(".")
        sections.setdefault(section, {})[name] = value
    return sections
