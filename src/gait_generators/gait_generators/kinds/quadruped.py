"""Gaits of four crank-driven legs: the cranks turn at constant rates, and a gait is their phase differences.

The cranks are the actuated joints in the order front left, front right, hind left, hind right. At home a foot is at its
lowest point: this is the leg's phase 0, and in an ideal gait the middle of its time on the ground.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from crawler_core.errors import UserError
from crawler_core.gait_metrics.classical_gaits import CLASSICAL
from crawler_core.parameters import parameter
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import FloatArray
from gait_generators.kinds.crank import Crank
from gait_generators.kinds.gait import LimitHints
from gait_generators.kinds.gait_entry import GaitEntry
from gait_generators.kinds.stride_map import MIN_FREQUENCY_HZ, make_stride_map

LEGS = ("fl", "fr", "hl", "hr")
IS_LEFT = np.array([True, False, True, False])


def _ahead(leg: str) -> Any:
    doc = f"intended lead of the leg {leg} over its phase in the gait"
    return parameter(0.0, unit="deg", lower=-180.0, upper=180.0, periodic=True, doc=doc)


def _error(leg: str) -> Any:
    doc = f"unintended lead of the leg {leg}: a phase error"
    return parameter(0.0, unit="deg", lower=-180.0, upper=180.0, periodic=True, doc=doc)


@dataclass(frozen=True)
class QuadrupedParameters:
    """Parameters of a quadruped gait, phases in degrees."""

    frequency: float = parameter(2.5, unit="Hz", lower=-9.5, upper=9.5, doc="turns per second; negative: backwards")
    turn: float = parameter(
        0.0, lower=-1.0, upper=1.0, doc="0: straight on; 1: the left legs reversed, to the left in place"
    )
    duty: float = parameter(0.5, lower=0.05, upper=1.0, doc="intended share of a turn that each foot is on the ground")
    ahead_fl: float = _ahead("fl")
    ahead_fr: float = _ahead("fr")
    ahead_hl: float = _ahead("hl")
    ahead_hr: float = _ahead("hr")
    error_fl: float = _error("fl")
    error_fr: float = _error("fr")
    error_hl: float = _error("hl")
    error_hr: float = _error("hr")
    stride: float = parameter(
        0.02,
        unit="m",
        lower=0.001,
        upper=1.0,
        doc="travel of the robot per turn of its cranks, for cmd_vel",
    )
    track: float = parameter(
        0.05,
        unit="m",
        lower=0.005,
        upper=2.0,
        doc="effective distance of left and right legs, for cmd_vel",
    )

    def __post_init__(self) -> None:
        if abs(self.frequency) < MIN_FREQUENCY_HZ:
            raise UserError(
                f"gait.frequency = {self.frequency:g} Hz is too slow: it must be at least {MIN_FREQUENCY_HZ:g} Hz."
            )


@dataclass(frozen=True)
class WalkParameters(QuadrupedParameters):
    """Parameters of a gait with a longer intended stance."""

    duty: float = parameter(0.75, lower=0.05, upper=1.0, doc="intended share of a turn that each foot is on the ground")


@dataclass(frozen=True)
class QuadrupedGait(Crank):
    """phi_j(t) = home_j + 2 pi (lead_j + error_j) + rate_j t.

    A period is a turn at `frequency`. Where the sides turn at different rates, only one of them completes a turn in it.
    """

    limit_hints: ClassVar[LimitHints] = replace(Crank.limit_hints, fast="lower gait.frequency")

    lead: FloatArray  # turns, the intended lead of each leg
    frequency: float  # Hz
    duty: float
    stride: float  # m
    track: float  # m

    @staticmethod
    def with_phases(spec: RobotSpec, phases: tuple[float, ...], p: QuadrupedParameters) -> QuadrupedGait:
        """Return the gait for a robot. Raises UserError for a robot with legs that are not continuous joints."""
        joints = spec.actuated
        if limited := [joint.name for joint in joints if not joint.continuous]:
            raise UserError(f"this gait turns four cranks, but {', '.join(limited)} of {spec.name} is not continuous.")
        ahead, error = (np.array([getattr(p, f"{kind}_{leg}") for leg in LEGS]) / 360.0 for kind in ("ahead", "error"))
        lead = np.array(phases) + ahead
        start = np.array([joint.home for joint in joints]) + math.tau * (lead + error)
        # turning to the left slows the left legs down, then reverses them
        sides = np.where(IS_LEFT, 1.0 - 2.0 * max(p.turn, 0.0), 1.0 - 2.0 * max(-p.turn, 0.0))
        rate = math.tau * p.frequency * sides
        return QuadrupedGait(start, rate, lead, p.frequency, p.duty, p.stride, p.track)

    @property
    def period(self) -> float:
        return 1.0 / abs(self.frequency)

    def intended(self, t: Any) -> NDArray[np.bool_]:
        """Return True for each foot that is intended on the ground at t (s); the feet are a last axis."""
        phase = self.lead + np.asarray(t, dtype=float)[..., np.newaxis] * self.rate / math.tau
        return np.abs(phase - np.round(phase)) <= 0.5 * self.duty


def _entry(name: str, parameters: type[QuadrupedParameters] = QuadrupedParameters) -> GaitEntry:
    return GaitEntry(
        parameters,
        lambda spec, own: QuadrupedGait.with_phases(spec, CLASSICAL[name][0], own),
        joints=4,
        turns=True,
        velocity_map=make_stride_map,
    )


TROT = _entry("trot")
WALK = _entry("walk", WalkParameters)
PACE = _entry("pace")
BOUND = _entry("bound")
PRONK = _entry("pronk")
