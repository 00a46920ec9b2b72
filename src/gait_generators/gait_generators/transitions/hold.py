"""Motion that stays in one pose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from crawler_core.motion import Sample
from crawler_core.types import FloatArray


@dataclass(frozen=True)
class Hold:
    """Constant joint angles."""

    pose: FloatArray  # rad

    def sample(self, t: Any) -> Sample:
        position = np.broadcast_to(self.pose, (*np.shape(t), len(self.pose)))
        rest = np.zeros(position.shape)
        return Sample(position, rest, rest)
