"""Many predictions at once, for equations that are fast where points share a path of the joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from numpy.typing import NDArray

from crawler_core.motion import PeriodicMotion
from crawler_core.types import FloatArray


class BatchShape(NamedTuple):
    """What points have in common: the robot's parameters, and a path of its joints, run at any pace."""

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
    """How a model predicts many points."""

    @property
    def unshaping(self) -> frozenset[str]:
        """The robot's parameters that may differ between the points of one shape."""

    def fits(self, parameters: Mapping[str, float]) -> bool:
        """Whether a robot with these parameters can be predicted so."""

    def run(
        self, shapes: Sequence[BatchShape], which: NDArray[Any], omega: FloatArray, parameters: Mapping[str, FloatArray]
    ) -> Predictions:
        """Points on `shapes[which]` at the pace `omega` (rad/s), with the unshaping parameters at each of them."""
