"""Motion of a gait whose phases change their rates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from crawler_core.motion import Sample
from gait_generators.kinds.gait import SteeredGait
from gait_generators.transitions.constant_rate_transition import ConstantRateTransition


@dataclass(frozen=True)
class SteeredMotion:
    """The joints of `gait` on the phases of a transition to constant rates."""

    gait: SteeredGait
    phases: ConstantRateTransition

    @property
    def end(self) -> float:
        """Return the time (s) from which on the rates are constant."""
        return self.phases.end

    def sample(self, t: Any) -> Sample:
        return self.gait.joints(self.phases.sample(t))
