"""What this package needs to know about a gait: the joints' angles as periodic functions of time."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class JointMotion(Protocol):
    """Prescribed joint angles q_c(t) = [phi_1, phi_2]; any object with these two members fits."""

    @property
    def period(self) -> float:
        """Seconds after which the motion repeats."""

    def sample(self, t: Array) -> tuple[Array, Array, Array]:
        """Angles (rad), their rates and accelerations, each shaped ``(*t.shape, 2)``."""
