"""Searches that a robot's model brings for parameters which the optimiser cannot find, such as a whole shape."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from crawler_core.registry import load
from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.models import model_of
from crawler_studies.study.study_case import StudyCase
from crawler_studies.study.study_file import Study


@dataclass(frozen=True)
class ParameterSearchRequest:
    """What the user wants; None and '' where he did not say."""

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
    """What a search came to."""

    write: Callable[[Path], None]  # the file that a setting names
    value: float  # of the objective, m
    numbers: Mapping[str, float]  # other results, by the keys of --json
    text: str  # both, for a person
    settings: Mapping[str, Any]  # by full name, that crawl with it besides the file


class ParameterSearchPlan(Protocol):
    """A search, checked, before anything runs."""

    @property
    def case(self) -> StudyCase: ...

    @property
    def objective(self) -> str: ...

    @property
    def budget(self) -> int:
        """Gaits to be judged in all."""

    @property
    def label(self) -> Sequence[str]:
        """Words that its files are named by."""

    @property
    def identity(self) -> Mapping[str, Any]:
        """What its evaluations depend on."""

    def open(self, path: Path) -> Study:
        """Its study in the file `path`. Raises UserError."""

    def judged(self, study: Study) -> int:
        """How many gaits are judged and kept."""

    def run(
        self, study: Study, progress: Callable[[int, float], None], stopped: Callable[[], bool]
    ) -> ParameterSearchResult | None:
        """Go on until the budget is used up or `stopped`; None where nothing is found yet.

        `progress` hears how many gaits are judged, and the best value so far.
        """


class ParameterSearch(Protocol):
    """What `Model.searches` names."""

    def plan(self, request: ParameterSearchRequest) -> ParameterSearchPlan:
        """Raises UserError for what cannot be searched for."""


def search_for(spec: RobotSpec, name: str) -> ParameterSearch | None:
    """The search that the robot's model brings for the parameter `name`, where it brings one. Raises UserError."""
    where = model_of(spec).searches.get(name)
    return None if where is None else load(where, what=f"the search of '{spec.name}' for {name}")
