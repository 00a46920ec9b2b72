"""The travelling wave of the paper: its shape, its criteria f and d_unit, and how far alpha may go.

The window is the n + 2 points P_k to P_(k+n+1) that a step of the wave moves. J_i is the joint angle at the window's
point i - 1, so the joint at P_(k+i-1) has q = J_i; J_1 of the first step, at the tail's tip, is the tilt of link 1
itself. s runs from 0 to 1 through a step. Angles are in rad and counter-clockwise; the wave travels towards the head.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crawler_models.snake.waves import closed_law, serpenoid_law

Array = NDArray[np.float64]

MIN_LINKS = 4  # links in a wave
CRITERIA_SAMPLES = 2001  # of s for the criteria: a maximum is missed by less than 1e-6 of its size


class Angles(NamedTuple):
    """Joint angles J_1 to J_(n+2) in the last axis, and their first two derivatives by s."""

    value: Array
    first: Array
    second: Array


class Errors(NamedTuple):
    """Errors in length and level of P_0 to P_(n+1) against the start of the step, in links: (10)."""

    x: Array
    y: Array


def alpha_limit(n: int) -> float:
    """The amplitude that alpha must stay below, rad: (14), whose sum is cot(pi / 2n)."""
    return math.pi * math.tan(math.pi / (2 * n))


@dataclass(frozen=True)
class Wave:
    """A wave of `n` links with amplitude `alpha` (rad).

    `closed` False is the paper's (8), whose ends J_1, J_2, J_(n+1), J_(n+2) follow a sine; True gives those four
    angles such values that P_0 to P_(n+1) keeps length, level and direction: f is 0.
    """

    n: int
    alpha: float
    closed: bool = False

    def __post_init__(self) -> None:
        """Raises ValueError for a wave that does not exist."""
        if self.n < MIN_LINKS:
            raise ValueError(f"a wave has at least {MIN_LINKS} links, not {self.n}.")
        if not 0.0 < self.alpha < alpha_limit(self.n):
            raise ValueError(
                f"alpha = {math.degrees(self.alpha):g}° is not allowed: with n = {self.n} links in the wave it must be "
                f"above 0 and below {math.degrees(alpha_limit(self.n)):.2f}°, where the wave's ends stand upright (14)."
            )

    @cached_property
    def phi(self) -> Array:
        """phi_1 to phi_(n-1) at the start of a step, (6) with beta = pi / n, (13)."""
        return -self.alpha * np.sin(np.arange(1, self.n) * math.pi / self.n)

    @property
    def theta_1(self) -> float:
        """The angle at which the wave leaves the ground, (7)."""
        return -0.5 * float(self.phi.sum())

    @cached_property
    def link_angles(self) -> Array:
        """theta_1 to theta_n at the start of a step, (1)."""
        return self.theta_1 + np.concatenate(([0.0], np.cumsum(self.phi)))

    @property
    def d_unit(self) -> float:
        """The advance of a cycle in links, (12)."""
        return self.n - float(np.cos(self.link_angles).sum())

    def angles(self, s: Any) -> Angles:
        """J_1 to J_(n+2) at s, with their derivatives."""
        law = closed_law if self.closed else serpenoid_law
        return Angles(*law.angles(self, np.asarray(s, dtype=float)))

    def errors(self, s: Any) -> Errors:
        """X and Y error at s, (10)."""
        # theta_(n+1) = 0 at the start; the paper leaves it to be guessed
        chord = np.exp(1j * np.cumsum(self.angles(s).value, axis=-1)[..., : self.n + 1]).sum(axis=-1)
        return Errors(chord.real - (self.n + 1 - self.d_unit), chord.imag)

    @cached_property
    def worst(self) -> Errors:
        """X and Y error where each is largest, with their signs."""
        errors = self.errors(np.linspace(0.0, 1.0, CRITERIA_SAMPLES))
        x, y = (values[np.argmax(np.abs(values))] for values in errors)
        return Errors(x, y)

    @cached_property
    def f(self) -> float:
        """The energy-loss function, (11)."""
        errors = self.errors(np.linspace(0.0, 1.0, CRITERIA_SAMPLES))
        return float(np.hypot(errors.x, errors.y).max())
