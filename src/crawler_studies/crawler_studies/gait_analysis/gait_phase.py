"""The time of a gait's phase 0 in a recorded run."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar

from crawler_core.robot.robot_spec import RobotSpec
from crawler_studies.recordings.recording import Reference
from gait_generators.kinds.gait import Gait

START_CANDIDATES = 720  # of a period
MAX_MISMATCH = 1e-3  # rad, between the reference and the gait, which it is sampled from
MAX_POINTS = 400  # of the reference that are compared


def find_gait_start(spec: RobotSpec, gait: Gait, reference: Reference, begin: float) -> float | None:
    """Return the time (s) of phase 0 of `gait`, by the reference from `begin` (s) on; None for another gait's."""
    chosen = np.flatnonzero(reference.times >= begin)
    if not len(chosen) or set(reference.joints) != set(spec.actuated_names):
        return None
    chosen = chosen[:: max(1, len(chosen) // MAX_POINTS)]
    times = reference.times[chosen]
    position = reference.position[chosen][:, [reference.joints.index(name) for name in spec.actuated_names]]
    continuous = np.array([joint.continuous for joint in spec.actuated])

    def mismatch(start: float) -> float:
        difference = position - gait.sample(times - start).position
        difference = np.where(continuous, np.angle(np.exp(1j * difference)), difference)
        return float(np.sqrt((difference**2).mean()))

    first = float(reference.times[0])
    step = gait.period / START_CANDIDATES
    candidates = first + step * np.arange(-1, START_CANDIDATES)  # gaits begin with the first reference
    nearest = float(min(candidates, key=mismatch))
    bounds = (nearest - step, nearest + step)
    found = minimize_scalar(mismatch, bounds=bounds, method="bounded", options={"xatol": 1e-9})
    return float(found.x) if found.fun < MAX_MISMATCH else None
