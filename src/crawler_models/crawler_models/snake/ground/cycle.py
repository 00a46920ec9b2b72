"""A cycle of a gait by the quasi-static equations, and what it comes to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crawler_core.motion import PeriodicMotion
from crawler_models.snake.snake import Snake
from crawler_models.snake.snake_plant import SnakePlant

Array = NDArray[np.float64]

TICKS_PER_CYCLE = 960  # in a cycle: the advance is off by less than 0.2 % of d_step


@dataclass(frozen=True)
class Cycle:
    """One cycle from standstill to standstill. Points are P_0 to P_N, joints 1 to N - 1."""

    step_length: float  # m, positive towards the head
    period: float  # s
    slid: Array  # m, path of each point while it slid on the ground
    friction_work: float  # J
    torque: Array  # N·m, largest of each joint, either way
    speed: Array  # rad/s, the same

    @property
    def mean_speed(self) -> float:
        """m/s"""
        return self.step_length / self.period


def crawl(snake: Snake, motion: PeriodicMotion, ticks: int = TICKS_PER_CYCLE) -> Cycle:
    """The second cycle of `motion`, in so many ticks: in the first the load settles."""
    dt = motion.period / ticks
    position, velocity, _ = motion.sample(np.arange(1, ticks + 1, dtype=np.float64) * dt)
    plant = SnakePlant(snake, position[-1])
    for _ in range(2):
        began = plant.base().position[0]
        slid, torque, work = np.zeros(snake.links + 1), np.zeros(snake.links - 1), 0.0
        for q, dq in zip(position, velocity, strict=True):
            plant.advance(q, dq, dq, dt)
            contacts = plant.contacts()
            slip = np.array([contact.slip_velocity[0] for contact in contacts])
            slid += np.abs(slip) * dt
            work -= float(slip @ [contact.force[0] for contact in contacts]) * dt
            torque = np.maximum(torque, np.abs(plant.joints()[2]))
        gained = plant.base().position[0] - began
    return Cycle(gained, motion.period, slid, work, torque, np.abs(velocity).max(axis=0))


def weakest(torque: Array, limits: Sequence[float]) -> tuple[int, float] | None:
    """The joint that `torque` (N·m) asks too much of most, with its share of the limit; None where all are able."""
    shares = torque / np.where(np.array(limits) > 0.0, limits, math.inf)
    worst = int(np.argmax(shares))
    return (worst, float(shares[worst])) if shares[worst] > 1.0 else None
