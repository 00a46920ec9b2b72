"""Interface of the estimators that give a robot's odometry from what it measures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from crawler_core.types import BaseState, Contact, Observation

Six = tuple[float, float, float, float, float, float]


@dataclass(frozen=True, slots=True)
class StateEstimate:
    """The base as an estimator believes it to be. Variances are in the order x, y, z, roll, pitch, yaw."""

    base: BaseState
    pose_variance: Six  # m², rad²
    twist_variance: Six  # (m/s)², (rad/s)²
    contacts: tuple[Contact, ...] = ()  # those that it estimates, in the order of the feet; empty: none
    note: str = ""  # why it is worse than usual; empty where it is not


class Estimator(Protocol):
    """Follows one robot. The caller gives it every state of the control loop, once and in order."""

    def restart(self) -> None:
        """Begin again at the origin of `odom`: time went back, or the robot was put somewhere else."""

    def update(self, measured: Observation) -> None:
        """Take a state, in microseconds.

        `measured` holds what a real robot can know: joints, readings of sensors with the times of their measurement,
        and contacts that a sensor measured. Its base is None.
        """

    def estimate(self) -> StateEstimate | None:
        """Return the estimate at the time of the last update, or None as long as there is none."""
