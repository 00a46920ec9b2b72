"""Passive joints of closed chains, from the joints that drive them."""

from __future__ import annotations

import dataclasses

import numpy as np

from crawler_core.description.urdf import build_urdf
from crawler_core.linkages.loop import read_loops
from crawler_core.linkages.loop_group import LoopGroup, gap_lengths, group_loops
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import FloatArray, Observation


class LoopClosureSolver:
    """Closes the loops of one robot by iteration, on the branch on which they close at home.

    Each solution starts from the last one, so a continuous joint counts its turns, and intermediate steps keep it on
    its branch. A driving joint that is continuous goes to a far angle the short way round.
    """

    def __init__(self, spec: RobotSpec, urdf: str) -> None:
        """Raise UserError where a loop names an unknown link, is not decided by its joints, or cannot close at home."""
        self._spec = spec
        self._groups = [LoopGroup(spec, loops) for loops in group_loops(spec, read_loops(spec, urdf))]
        decided = {i for group in self._groups for i in group.passive}
        self.joints = tuple(name for i, name in enumerate(spec.joint_names) if i in decided)

    def home(self) -> FloatArray:
        """Return every joint at home (rad), in the order of the robot file, with the loops closed."""
        position = [joint.home for joint in self._spec.joints]
        for group in self._groups:
            for i, value in zip(group.passive, group.home, strict=True):
                position[i] = value
        return np.array(position)

    def complete(self, position: FloatArray, velocity: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return copies of all positions and velocities, with the loops' passive joints computed from the driving ones.

        They are NaN where a driving joint is. Raise UserError with the loop, its gap and the driving joints where a
        loop cannot close; the next call then starts from the last solution.
        """
        q, rates = position.tolist(), velocity.tolist()
        for group in self._groups:
            group.fill(q, rates)
        return np.array(q), np.array(rates)

    def complete_observation(self, seen: Observation) -> Observation:
        """Return an observation with the loops' passive joints filled in where the backend does not know them (NaN)."""
        if not (np.isnan(seen.position).any() or np.isnan(seen.velocity).any()):
            return seen
        position, velocity = self.complete(seen.position, seen.velocity)
        return dataclasses.replace(seen, position=position, velocity=velocity)

    def residual(self, position: FloatArray) -> float:
        """Return the largest gap of the loops (m) with all joints at `position` (rad)."""
        q = position.tolist()
        return max((max(gap_lengths(group.evaluate(q)[0])) for group in self._groups), default=0.0)


def make_loop_closure_solver(spec: RobotSpec) -> LoopClosureSolver | None:
    """Return the solver for a robot by its URDF; None for a robot without loops. Raise UserError."""
    return LoopClosureSolver(spec, build_urdf(spec)) if spec.loops else None
