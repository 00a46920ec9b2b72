"""Data of the figures of the three-link paper: its robot, its gait, and steps of many gaits at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from crawler_core.motion import PeriodicMotion
from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.three_link import ThreeLink
from crawler_models.three_link.compiled import ShapeTable
from crawler_studies.evaluators.friction_sets import asymmetric
from gait_generators.kinds.time_scaled import TimeScaled

Array = NDArray[np.float64]

AMPLITUDE = np.radians(18.0)
PHI0 = np.radians(110.0)
PSI = np.radians(20.0)
SOFT_TIP_FRICTION = 0.398
LOWEST, HIGHEST = 0.3, 20.0  # rad/s, the paper's range


class Band(NamedTuple):
    """Step lengths under uncertain friction, m: nominal, the range, and S_mu of (6), its middle."""

    nominal: Array
    low: Array
    high: Array

    @property
    def robust(self) -> Array:
        """S_mu."""
        return 0.5 * (self.low + self.high)

    def columns(self, label: str) -> dict[str, Array]:
        """For a table, in mm."""
        rows = (("S", self.nominal), ("S_min", self.low), ("S_max", self.high), ("S_mu", self.robust))
        return {f"{name}_{label}_mm": 1e3 * values for name, values in rows}

    def draw(self, axes: Axes, x: Array, factor: Array | float, colour: str, label: str) -> None:
        """Draw nominal (solid, pale so that another shows below it), range (shade) and S_mu (dashed)."""
        axes.plot(x, factor * self.nominal, color=colour, linewidth=2.6, alpha=0.5, label=f"S, {label}")
        axes.fill_between(x, factor * self.low, factor * self.high, color=colour, alpha=0.2, linewidth=0.0)
        axes.plot(x, factor * self.robust, color=colour, linestyle="--", label=rf"$S_\mu$, {label}")


@dataclass(frozen=True)
class FigureData:
    """The robot with hard tips, and results that several figures use."""

    hard: ThreeLink

    @staticmethod
    def of(spec: RobotSpec) -> FigureData:
        return FigureData(ThreeLink.from_parameters(spec.parameters))

    @property
    def soft(self) -> ThreeLink:
        """The robot with soft tips."""
        return replace(self.hard, mu1=SOFT_TIP_FRICTION, mu2=SOFT_TIP_FRICTION)

    @cached_property
    def omegas(self) -> Array:
        """Frequencies of the curves, rad/s."""
        return np.geomspace(LOWEST, HIGHEST, 120)

    @cached_property
    def phases(self) -> Array:
        """Phase differences of the maps, rad."""
        return np.radians(np.arange(0.0, 180.01, 0.5))

    @cached_property
    def map(self) -> Band:
        """Steps over (phases, omegas)."""
        table = ShapeTable(self.hard, [gait(1.0, psi=psi) for psi in self.phases])
        which, omega = np.meshgrid(np.arange(len(self.phases)), self.omegas, indexing="ij")
        return band(self.hard, table, which, omega)

    @cached_property
    def best(self) -> NDArray[np.int_]:
        """Index of psi* in the phases for each omega: the phase of the largest nominal step."""
        return np.asarray(np.nanargmax(self.map.nominal, axis=0))

    @cached_property
    def best_robust(self) -> NDArray[np.int_]:
        """Index of psi*_mu: the phase of the largest S_mu."""
        return np.asarray(np.nanargmax(self.map.robust, axis=0))

    def along(self, index: NDArray[np.int_]) -> Band:
        """Return the steps at one phase for each omega."""
        columns = np.arange(len(self.omegas))
        return Band(*(values[index, columns] for values in self.map))


def gait(omega: float, *, psi: float = PSI, phi0: float = PHI0, alpha: float = 0.0, upsilon: float = 0.0) -> TimeScaled:
    """Return the paper's gait (5), or (8) with alpha; angles in rad."""
    return TimeScaled(omega, AMPLITUDE, phi0, psi, alpha, upsilon)


def steps(robot: ThreeLink, motions: Sequence[PeriodicMotion], omega: ArrayLike) -> Array:
    """Return the step (m) of each motion's path at its own frequency, or at one for all; NaN where there is none."""
    table = ShapeTable(robot, motions)
    return table.crawl(np.arange(len(motions)), omega, robot.mu1, robot.mu2, robot.g).step_length


def band(robot: ThreeLink, table: ShapeTable, which: ArrayLike, omega: ArrayLike, samples: int | None = None) -> Band:
    """Return the steps over the asymmetric friction set, for gaits of a table. A gait that fails has no range."""
    which, omega = np.broadcast_arrays(which, omega)
    scales = np.array(asymmetric() if samples is None else asymmetric(samples=samples))
    first, second = (scales[:, k].reshape(-1, *(1,) * which.ndim) for k in (0, 1))
    # one friction after the other, so that gaits of the same table and friction are neighbours
    found = table.crawl(
        np.broadcast_to(which, (len(scales), *which.shape)), omega, robot.mu1 * first, robot.mu2 * second, robot.g
    ).step_length
    return Band(found[len(scales) // 2], found.min(axis=0), found.max(axis=0))
