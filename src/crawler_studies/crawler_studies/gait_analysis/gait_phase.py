"""Where in its gait a recorded run was: the shift of time by which the recorded reference is the gait's."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar

from crawler_core.robot.robot_spec import RobotSpec
from crawler_studies.recordings.recording import Reference
from gait_generators.kinds.gait import Gait

MOMENTS = 720  # of a period that are tried
CLOSE = 1e-3  # rad that the reference may differ from the gait, which is sampled from it as it is
MOST = 400  # points of the reference that are looked at


def find_gait_start(spec: RobotSpec, gait: Gait, reference: Reference, begin: float) -> float | None:
    """The time (s) of phase 0 of `gait`, by the reference from `begin` (s) on; None where that is of another gait."""
    chosen = np.flatnonzero(reference.times >= begin)
    if not len(chosen) or set(reference.joints) != set(spec.actuated_names):
        return None
    chosen = chosen[:: max(1, len(chosen) // MOST)]
    times = reference.times[chosen]
    told = reference.position[chosen][:, [reference.joints.index(name) for name in spec.actuated_names]]
    turning = np.array([joint.continuous for joint in spec.actuated])

    def off(start: float) -> float:
        apart = told - gait.sample(times - start).position
        apart = np.where(turning, np.angle(np.exp(1j * apart)), apart)
        return float(np.sqrt((apart**2).mean()))

    first = float(reference.times[0])
    step = gait.period / MOMENTS
    moments = first + step * np.arange(-1, MOMENTS)  # the ring's gaits begin with the first reference
    nearest = float(min(moments, key=off))
    found = minimize_scalar(off, bounds=(nearest - step, nearest + step), method="bounded", options={"xatol": 1e-9})
    return float(found.x) if found.fun < CLOSE else None
