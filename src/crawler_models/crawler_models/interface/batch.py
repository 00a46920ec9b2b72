"""Many predictions at once, for equations that are fast where points share a path of the joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from numpy.typing import NDArray

from crawler_core.motion import PeriodicMotion
from crawler_core.types import FloatArray


class BatchShape(NamedTuple):
    """Parameters of the robot and joint path that several points share; each point runs it at its own pace."""

    parameters: Mapping[str, float]
    motion: PeriodicMotion


@dataclass(frozen=True)
class Predictions:
    """One entry per point. Where `known` is false `Model.predict` must be asked."""

    known: NDArray[Any]
    step_length: FloatArray  # m; NaN where not valid
    speed: FloatArray  # m/s
    valid: NDArray[Any]
    reason: Sequence[str]
    columns: Mapping[str, NDArray[Any]]  # those that a study keeps


class Batch(Protocol):
    """Interface of a model that predicts many points in one call."""

    @property
    def unshaping(self) -> frozenset[str]:
        """The robot's parameters that may differ between the points of one shape."""

    def fits(self, parameters: Mapping[str, float]) -> bool:
        """Return True if the batch can predict a robot with these parameters."""

    def run(
        self, shapes: Sequence[BatchShape], which: NDArray[Any], omega: FloatArray, parameters: Mapping[str, FloatArray]
    ) -> Predictions:
        """Points on `shapes[which]` at the pace `omega` (rad/s), with the unshaping parameters at each of them."""
