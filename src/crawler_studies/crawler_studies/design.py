"""The search for a better mechanism: what a robot's equations bring for it, and `crawler design` asks of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from matplotlib.figure import Figure

from crawler_core.robot import RobotSpec
from crawler_models.model import Column

Range = tuple[float, float]


@dataclass(frozen=True)
class Design:
    """What a search came to."""

    settings: Mapping[str, float]  # the robot's parameters, by their names in its file
    old: Mapping[str, Any]  # what the mechanism of the robot file comes to, by the columns' keys
    new: Mapping[str, Any]  # and the one that was found
    better: bool
    notes: Sequence[str]  # sentences that belong to the result
    draw: Callable[[Figure], None]


class Search(Protocol):
    """A search that is checked, before it runs."""

    def run(self, progress: Callable[[int, str], None], stopped: Callable[[], bool]) -> Design | None:
        """Search until it has converged or `stopped`; None where nothing was found that moves at all.

        `progress` hears how many mechanisms are judged, and a few words about the best one.
        """


class Designer(Protocol):
    """What `Model.design` names."""

    @property
    def wishes(self) -> type:
        """A dataclass of `parameter`s: what the mechanism shall do."""

    @property
    def columns(self) -> Sequence[Column]:
        """What a mechanism is reported by."""

    def ranges(self, spec: RobotSpec) -> Mapping[str, Range]:
        """The parameters of the robot file that are searched, and where, in its units."""

    def plan(self, spec: RobotSpec, wishes: Any, ranges: Mapping[str, Range], seed: int) -> Search:
        """A search from the mechanism of `spec`. Raises UserError for wishes and ranges that exclude each other."""
