"""Searches that a robot's model brings for parameters beyond the optimiser, such as a whole shape."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from crawler_core.registry import import_object
from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.model_registry import model_of
from crawler_studies.study.study_case import StudyCase
from crawler_studies.study.study_file import StudyFile


@dataclass(frozen=True)
class ParameterSearchRequest:
    """A search as the user asks for it; None and '' for what was not given."""

    robot: str
    gait: str = ""
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    maximise: str | None = None
    backend: str = "model"
    friction_set: str = "asymmetric"
    spread: float = 0.1
    budget: int | None = None
    seed: int = 0


@dataclass(frozen=True)
class ParameterSearchResult:
    """The result of a search."""

    write: Callable[[Path], None]  # writes the file that the parameter names
    value: float  # of the objective, m
    numbers: Mapping[str, float]  # other results, by the keys of --json
    text: str  # both, for people
    settings: Mapping[str, Any]  # by full name, that are needed with the file


class ParameterSearchPlan(Protocol):
    """A search whose inputs are checked, before anything runs."""

    @property
    def case(self) -> StudyCase: ...

    @property
    def objective(self) -> str: ...

    @property
    def budget(self) -> int:
        """Number of gaits to evaluate in all."""

    @property
    def label(self) -> Sequence[str]:
        """Words for the names of its files."""

    @property
    def identity(self) -> Mapping[str, Any]:
        """All that its evaluations depend on."""

    def open(self, path: Path) -> StudyFile:
        """Open its study in the file `path`. Raises UserError."""

    def count_evaluated(self, study: StudyFile) -> int:
        """Return the number of gaits that are evaluated and stored."""

    def run(
        self, study: StudyFile, progress: Callable[[int, float], None], stopped: Callable[[], bool]
    ) -> ParameterSearchResult | None:
        """Continue until the budget is used up or `stopped`. Returns None where nothing is found yet.

        `progress` takes the number of gaits evaluated, and the best value so far.
        """


ParameterSearch = Callable[[ParameterSearchRequest], ParameterSearchPlan]
"""Plans a search; `Model.searches` names it. Raises UserError for a request that it cannot serve."""


def find_search(spec: RobotSpec, name: str) -> ParameterSearch | None:
    """Return the search that the robot's model brings for the parameter `name`, or None. Raises UserError."""
    location = model_of(spec).searches.get(name)
    return None if location is None else import_object(location, what=f"the search of '{spec.name}' for {name}")
