"""Velocity map of the three-link crawler: frequency and phase for a speed, by the compiled tables of its gaits.

For each frequency the phase is the one with the longest S_mu, the middle of the steps over a set of uneven frictions.
Speed grows with frequency up to a peak; faster joints are slower. Backward the joints take the same path in reverse.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crawler_core.errors import UserError
from crawler_core.motion import ReversedMotion
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import FloatArray
from crawler_models.interface.batch import BatchShape
from crawler_models.interface.velocity_map import GaitSetting, MakeMotion, VelocityRange
from crawler_models.three_link.shape_tables import SHAPE_TABLES

OMEGAS = np.geomspace(0.05, 40.0, 72)  # rad/s
OMEGAS_AT_ONCE = 12  # of them that are computed together, until the speed falls
PHASES_DEG = tuple(float(psi) for psi in range(20, 151, 10))
FRICTION_SPREAD = 0.1  # e of S_mu: one foot has friction times 1 + e/2, the other times 1 - e/2
PEAK_SHARE = 0.98  # of the highest speed so far, below which the speed has passed its peak


@dataclass(frozen=True)
class SpeedCurve:
    """Speeds in one direction, growing, with the frequency and the phase that make them."""

    speed: FloatArray  # m/s, from 0
    omega: FloatArray  # rad/s
    psi: FloatArray | None  # degrees; None: the gait has no phase to choose


@dataclass(frozen=True)
class ThreeLinkVelocityMap:
    """Frequency, phase and direction for a speed."""

    forward: SpeedCurve
    backward: SpeedCurve

    @property
    def range(self) -> VelocityRange:
        return VelocityRange(float(self.forward.speed[-1]), float(self.backward.speed[-1]))

    def motion_for(self, forward: float, yaw: float) -> GaitSetting:
        curve = self.forward if forward > 0.0 else self.backward
        parameters = {"omega": float(np.interp(abs(forward), curve.speed, curve.omega))}
        if curve.psi is not None:
            parameters["psi"] = float(np.interp(abs(forward), curve.speed, curve.psi))
        return GaitSetting(
            {**parameters, "omega": max(parameters["omega"], float(OMEGAS[0]))}, 1.0 if forward > 0.0 else -1.0
        )


def make_velocity_map(
    spec: RobotSpec, gait: str, values: Mapping[str, Any], make_motion: MakeMotion
) -> ThreeLinkVelocityMap | None:
    """Return the map of a gait that has a frequency. Raises UserError where the gait makes no way in one direction."""
    if "omega" not in values:
        return None
    phases = [{"psi": psi} for psi in PHASES_DEG] if "psi" in values else [{}]
    motions = [make_motion({**phase, "omega": 1.0}) for phase in phases]
    forward = _speed_curve(spec, gait, motions, 1.0, "psi" in values)
    backward = _speed_curve(spec, gait, [ReversedMotion(motion) for motion in motions], -1.0, "psi" in values)
    return ThreeLinkVelocityMap(forward, backward)


def _speed_curve(spec: RobotSpec, gait: str, motions: list[Any], direction: float, has_phase: bool) -> SpeedCurve:
    """Return the speeds at all frequencies up to the peak, positive in `direction` (1: forward, -1: backward)."""
    omegas, speeds, phases = [0.0], [0.0], [0]
    for begin in range(0, len(OMEGAS), OMEGAS_AT_ONCE):
        omega = OMEGAS[begin : begin + OMEGAS_AT_ONCE]
        even = direction * _speeds(spec, motions, omega, (1.0, 1.0))
        best = _robust_phases(spec, motions, omega, direction, even) if has_phase else np.zeros(len(omega), dtype=int)
        for k, which in enumerate(best.tolist()):
            if not even[k, which] > PEAK_SHARE * speeds[-1]:
                break
            if even[k, which] > speeds[-1]:
                omegas.append(float(omega[k]))
                speeds.append(float(even[k, which]))
                phases.append(which)
        else:
            continue
        break
    if len(speeds) == 1:
        way = "forward" if direction > 0.0 else "backward"
        raise UserError(f"the gait '{gait}' of {spec.name} makes no way {way} by the equations: choose another gait.")
    psi = np.array(PHASES_DEG)[[phases[1], *phases[1:]]] if has_phase else None
    return SpeedCurve(np.array(speeds), np.array(omegas), psi)


def _robust_phases(
    spec: RobotSpec, motions: list[Any], omega: FloatArray, direction: float, even: FloatArray
) -> NDArray[np.int_]:
    """Return the place of the best phase for each frequency, among those that are valid on even friction."""
    ends = (1.0 + 0.5 * FRICTION_SPREAD, 1.0 - 0.5 * FRICTION_SPREAD)
    middle = direction * 0.5 * (_speeds(spec, motions, omega, ends) + _speeds(spec, motions, omega, ends[::-1]))
    return np.argmax(np.where(np.isfinite(middle + even), middle, -np.inf), axis=1)


def _speeds(spec: RobotSpec, motions: list[Any], omegas: FloatArray, scales: tuple[float, float]) -> FloatArray:
    """Return the speed (m/s) at each frequency, by each motion; NaN where it is not valid."""
    shapes = [BatchShape(spec.parameters, motion) for motion in motions]
    which, omega = np.meshgrid(np.arange(len(shapes)), omegas)
    parameters = {name: np.full(which.size, float(spec.parameters[name])) for name in SHAPE_TABLES.unshaping}
    for name, scale in zip(("friction_scale_1", "friction_scale_2"), scales, strict=True):
        parameters[name] = parameters[name] * scale
    found = SHAPE_TABLES.run(shapes, which.ravel(), omega.ravel(), parameters)
    return np.where(found.valid, found.speed, np.nan).reshape(which.shape)
