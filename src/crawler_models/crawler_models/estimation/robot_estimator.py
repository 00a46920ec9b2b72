"""The estimator of one run: what it gets of each state, and what becomes of its failures."""

from __future__ import annotations

from dataclasses import replace

from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import BaseState, ContactSource, Observation
from crawler_models.estimation.estimator_registry import NO_ESTIMATOR, TRUTH, estimator_name, make_estimator
from crawler_models.estimation.pose_fusion import PoseFusion
from crawler_models.interface.estimator import Six, StateEstimate

NO_VARIANCE: Six = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class RobotEstimator:
    """Follows one robot with the estimator that its file, or `chosen`, names. It never raises while it runs."""

    def __init__(self, spec: RobotSpec, chosen: str = "") -> None:
        """Raise UserError for an estimator that there is not, or that does not fit the robot."""
        self.name = estimator_name(spec, chosen)
        self.note = ""  # why the estimate is worse than usual, or missing
        self._base: BaseState | None = None  # the truth, where that is wanted
        self._time_ns = -1
        self._is_broken = False
        self._fusion: PoseFusion | None = None
        if self.name not in (NO_ESTIMATOR, TRUTH):
            self._fusion = PoseFusion(spec, make_estimator(spec, self.name))

    @property
    def uses_external_pose(self) -> bool:
        """True while an external pose corrects the estimate."""
        return self._fusion is not None and self._fusion.is_used

    def update(self, seen: Observation) -> None:
        """Take a state of the backend."""
        self._base = seen.base if self.name == TRUTH else None
        if self._fusion is None or self._is_broken or seen.time_ns == self._time_ns:
            return  # the backend publishes a state again that no command has answered
        try:
            if seen.time_ns < self._time_ns:
                self._fusion.restart()
            self._time_ns = seen.time_ns
            self._fusion.update(measurable(seen))
        except Exception as error:  # a user's estimator may raise anything, and the robot must go on
            self._break(error)

    def estimate(self) -> StateEstimate | None:
        """Return the estimate for the last state; None where there is none."""
        if self._fusion is None or self._is_broken:
            return None if self._base is None else StateEstimate(self._base, NO_VARIANCE, NO_VARIANCE)
        try:
            estimate = self._fusion.estimate()
        except Exception as error:
            self._break(error)
            return None
        self.note = estimate.note if estimate is not None else f"the estimator {self.name} has no estimate yet"
        return estimate

    def _break(self, error: Exception) -> None:
        self._is_broken = True
        self.note = f"the estimator {self.name} broke, so there is no odom: {error!r}; start the backend again"


def measurable(seen: Observation) -> Observation:
    """Return a backend's state without what only a simulation can know."""
    if seen.base is None and not seen.contacts:
        return seen
    measured = tuple(contact for contact in seen.contacts if contact.source is ContactSource.MEASURED)
    return replace(seen, base=None, contacts=measured)
