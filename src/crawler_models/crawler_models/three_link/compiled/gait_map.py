"""Steady crawling of many gaits at once: joint motions and numbers in, arrays out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crawler_core.motion import PeriodicMotion
from crawler_models.three_link.compiled import cycle, steady
from crawler_models.three_link.compiled.table import CHAIN_COLUMNS, EXTRA_ROWS, fill_chain
from crawler_models.three_link.equations.three_link import ThreeLink

Array = NDArray[np.float64]

NODE_COUNTS = (64, 128, 256, 512, 1024, 2048)
_FINE_ENOUGH = 2e-6  # of the largest force: what a table may be off between its nodes
_BLOCK_GAITS = 500  # gaits that a thread takes at a time


class Outcome(IntEnum):
    """Outcome of settling a gait."""

    VALID = cycle.FINE
    PAINLEVE = cycle.PAINLEVE
    NO_CONSISTENT_MODE = cycle.NO_MODE
    ENDLESS_SWITCHING = cycle.ENDLESS
    CONTACT_LOST = steady.CONTACT_LOST
    UNSETTLED = steady.UNSETTLED
    TOO_COARSE = 12  # the motion is not smooth enough for a table

    @property
    def sentence(self) -> str:
        """For a person; empty for a valid gait."""
        return _REASON_OF_OUTCOME[self]


_REASON_OF_OUTCOME = {
    Outcome.VALID: "",
    Outcome.PAINLEVE: "Painleve's paradox: no unique acceleration in a slip mode.",
    Outcome.NO_CONSISTENT_MODE: "No contact mode is consistent with Coulomb's law at an event.",
    Outcome.ENDLESS_SWITCHING: "The contact mode switches without end.",
    Outcome.CONTACT_LOST: "A foot leaves the ground: its normal force falls to zero.",
    Outcome.UNSETTLED: "The gait does not settle.",
    Outcome.TOO_COARSE: "The joints' accelerations jump: the gait is not smooth enough for a table.",
}


@dataclass(frozen=True)
class GaitMap:
    """Steady gaits, one per entry. SI units; step, speed are NaN where the outcome is not VALID."""

    step_length: Array  # m, towards foot 1
    speed: Array  # m/s
    outcome: NDArray[np.int_]  # see Outcome
    unique: NDArray[np.bool_]  # exactly one contact mode was consistent at every event
    min_normal_force: Array  # N, of either foot
    painleve_margin: Array  # smallest denominator over the mass

    @property
    def valid(self) -> NDArray[np.bool_]:
        """True for gaits whose whole cycle satisfies the model's assumptions."""
        return np.asarray(self.outcome == Outcome.VALID)

    def reshape(self, shape: tuple[int, ...]) -> GaitMap:
        """The same gaits in another shape."""
        return GaitMap(*(getattr(self, field.name).reshape(shape) for field in fields(self)))


class ShapeTable:
    """Tables of joint motions on robots: what all frequencies, frictions and gravities of each have in common."""

    def __init__(self, robots: ThreeLink | Sequence[ThreeLink], motions: Sequence[PeriodicMotion]) -> None:
        """One robot for all motions, or one for each. Only the motions' paths count, not their periods."""
        robots = [robots] * len(motions) if isinstance(robots, ThreeLink) else list(robots)
        rows = np.array([(r.m0, r.l0, r.J0, r.m1, r.l1, r.J1, r.m2, r.l2, r.J2) for r in robots])
        self.mass = np.array([robot.mass for robot in robots])
        self.nodes = np.zeros(len(motions), dtype=int)  # of each motion's table; 0 where none is fine enough
        self.place = np.zeros(len(motions), dtype=int)  # in the stack of its size
        self.stacks: dict[int, Array] = {}
        pending = list(range(len(motions)))
        for nodes in NODE_COUNTS:
            stack = np.empty((len(pending), nodes + EXTRA_ROWS, CHAIN_COLUMNS))
            filled = 0
            left = []
            for k in pending:
                coarseness = fill_chain(rows[k], *sample_motion(motions[k], nodes), stack[filled])
                if coarseness <= _FINE_ENOUGH:
                    self.nodes[k], self.place[k] = nodes, filled
                    filled += 1
                else:
                    left.append(k)
            if filled:
                self.stacks[nodes] = stack[:filled]
            pending = left
            if not pending:
                break

    def crawl(
        self, which: ArrayLike, omega: ArrayLike, mu1: ArrayLike, mu2: ArrayLike, gravity: ArrayLike = 9.81
    ) -> GaitMap:
        """Settle one gait per entry of the arrays, which are broadcast: table ``which`` at ``omega`` (rad/s), ...

        Gaits of one table cost least when they stand together, in the order of omega.
        """
        arrays = np.broadcast_arrays(which, omega, mu1, mu2, gravity)
        shape = arrays[0].shape
        table = np.ascontiguousarray(arrays[0].ravel(), dtype=np.int64)
        w, m1, m2, g = (np.ascontiguousarray(array.ravel(), dtype=float) for array in arrays[1:])
        result = np.full((table.size, steady.RESULT_COUNT), np.nan)
        result[:, steady.CODE] = Outcome.TOO_COARSE
        result[:, steady.UNIQUE] = 0.0
        jobs = []
        for nodes, stack in self.stacks.items():
            here = np.flatnonzero(self.nodes[table] == nodes)
            mass = self.mass[self.nodes == nodes]  # in the order of the stack
            jobs += [(mass, stack, block) for block in _blocks(here)]
        place = self.place[table]

        def settle(job: tuple[Array, Array, NDArray[np.int64]]) -> None:
            mass, stack, block = job
            steady.settle_all(mass, stack, place, w, g, m1, m2, block, result)

        if len(jobs) == 1:
            settle(jobs[0])
        elif jobs:
            with ThreadPoolExecutor(min(len(jobs), os.cpu_count() or 1)) as pool:
                list(pool.map(settle, jobs))
        code = result[:, steady.CODE].astype(int)
        step = np.where(code == Outcome.VALID, result[:, steady.STEP], np.nan)
        return GaitMap(
            step_length=step,
            speed=step * w / (2.0 * np.pi),
            outcome=code,
            unique=result[:, steady.UNIQUE] == 1.0,
            min_normal_force=result[:, steady.FORCE] * w * w,
            painleve_margin=result[:, steady.MARGIN],
        ).reshape(shape)


def sample_motion(motion: PeriodicMotion, nodes: int) -> tuple[Array, Array, Array]:
    """One period at equal steps: angles (nodes, 2), and their derivatives by the phase in radians."""
    scale = motion.period / (2.0 * np.pi)
    q, dq, ddq = motion.sample(np.arange(nodes, dtype=float) * (motion.period / nodes))
    return np.ascontiguousarray(q), scale * dq, scale * scale * ddq


def _blocks(indices: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    count = max(1, -(-len(indices) // _BLOCK_GAITS))
    return [block for block in np.array_split(indices, count) if len(block)]
