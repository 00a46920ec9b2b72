"""The closed chains of a robot as numbers: the gap of each loop, and how it changes with every joint on the loop.

Plain floats, since a ring of 500 Hz asks for this several times a tick and the matrices are too small for numpy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from transforms3d.euler import euler2mat

from crawler_core.description.frame import Frame, read_frames
from crawler_core.errors import UserError, unknown_name
from crawler_core.robot.robot_spec import LoopSpec, RobotSpec
from crawler_core.types import FloatArray, Vector

Columns = dict[int, list[float]]  # of the Jacobian, by the joint's place in the robot file


@dataclass(frozen=True)
class Step:
    """From one moving joint of a path to the next: a fixed offset, then the joint about or along the new z axis."""

    turn: tuple[float, ...] | None  # rotation, row by row; None where there is none
    move: Vector  # m
    joint: int  # its place in the robot file
    sliding: bool


@dataclass(frozen=True)
class Path:
    """From the link where a loop's two sides part to the end of one of them."""

    steps: tuple[Step, ...]
    end: Vector  # m, of the link in the frame of the last step

    def follow(self, q: Sequence[float], sign: float, first: int, columns: Columns) -> tuple[float, float, float]:
        """Where the link is; `sign` times its change with each joint goes into rows `first` and on of `columns`."""
        x = y = z = 0.0
        a, b, c, d, e, f, g, h, i = 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0  # rows of the rotation
        passed = []
        for step in self.steps:
            u, v, w = step.move
            x, y, z = x + a * u + b * v + c * w, y + d * u + e * v + f * w, z + g * u + h * v + i * w
            if step.turn is not None:
                k, l, m, n, o, p, r, s, t = step.turn  # noqa: E741
                a, b, c = a * k + b * n + c * r, a * l + b * o + c * s, a * m + b * p + c * t
                d, e, f = d * k + e * n + f * r, d * l + e * o + f * s, d * m + e * p + f * t
                g, h, i = g * k + h * n + i * r, g * l + h * o + i * s, g * m + h * p + i * t
            passed.append((step, x, y, z, c, f, i))
            value = q[step.joint]
            if step.sliding:
                x, y, z = x + value * c, y + value * f, z + value * i
            else:
                cos, sin = math.cos(value), math.sin(value)
                a, b, d, e, g, h = (
                    cos * a + sin * b, cos * b - sin * a, cos * d + sin * e, cos * e - sin * d,
                    cos * g + sin * h, cos * h - sin * g,
                )  # fmt: skip
        u, v, w = self.end
        x, y, z = x + a * u + b * v + c * w, y + d * u + e * v + f * w, z + g * u + h * v + i * w
        for step, px, py, pz, c, f, i in passed:
            column = columns[step.joint]
            if step.sliding:
                u, v, w = c, f, i
            else:
                k, l, m = x - px, y - py, z - pz  # noqa: E741
                u, v, w = f * m - i * l, i * k - c * m, c * l - f * k
            column[first] += sign * u
            column[first + 1] += sign * v
            column[first + 2] += sign * w
        return x, y, z


@dataclass(frozen=True)
class Loop:
    """One closed chain: the two paths whose ends coincide."""

    spec: LoopSpec
    first: Path
    second: Path

    @property
    def joints(self) -> set[int]:
        return {step.joint for path in (self.first, self.second) for step in path.steps}

    @property
    def length(self) -> float:
        """m, of its bars together: its size, for judging small numbers."""
        paths = (self.first, self.second)
        return sum(math.hypot(*move) for path in paths for move in (path.end, *(step.move for step in path.steps)))


def read_loops(spec: RobotSpec, urdf: str) -> tuple[Loop, ...]:
    """The loops of a robot. Raises UserError for a link that the URDF lacks and a joint that the robot file lacks."""
    frames = read_frames(urdf)
    above = {frame.child: frame for frame in frames}
    links = {frame.parent for frame in frames} | set(above)
    places = {name: i for i, name in enumerate(spec.joint_names)}
    loops = []
    for loop in spec.loops:
        ways = []
        for link in (loop.first, loop.second):
            if link not in links:
                raise unknown_name(f"link for loops.{loop.name} in the URDF of '{spec.name}'", link, links)
            ways.append(_way(link, above))
        first, second = ways
        shared = 0
        while shared < min(len(first), len(second)) and first[shared] is second[shared]:
            shared += 1
        for frame in (*first[shared:], *second[shared:]):
            if frame.joint and frame.joint not in places:
                raise UserError(
                    f"the joint {frame.joint} is on the loop '{loop.name}' of '{spec.name}', but its robot.yaml does "
                    "not name it: every moving joint of the URDF stands there."
                )
        loops.append(Loop(loop, _path(first[shared:], places), _path(second[shared:], places)))
    return tuple(loops)


def loop_joints(spec: RobotSpec, urdf: str) -> tuple[str, ...]:
    """The passive joints that the loops of a robot decide. Raises UserError as `read_loops` does."""
    on = set().union(*(loop.joints for loop in read_loops(spec, urdf)))
    return tuple(joint.name for i, joint in enumerate(spec.joints) if i in on and not joint.actuated)


def _way(link: str, above: Mapping[str, Frame]) -> list[Frame]:
    """The joints from the root to `link`."""
    way: list[Frame] = []
    while link in above:
        way.insert(0, above[link])
        link = above[link].parent
    return way


def _path(frames: Sequence[Frame], places: Mapping[str, int]) -> Path:
    turn, move = np.eye(3), np.zeros(3)
    steps = []
    for frame in frames:
        move = move + turn @ np.array(frame.origin)
        turn = turn @ euler2mat(*frame.rpy, axes="sxyz")
        if frame.joint:
            aligned = _z_along(np.array(frame.axis))
            steps.append(Step(_rows(turn @ aligned), _vector(move), places[frame.joint], frame.sliding))
            turn, move = aligned.T, np.zeros(3)
    return Path(tuple(steps), _vector(move))


def _z_along(axis: FloatArray) -> FloatArray:
    """A rotation whose third column is `axis` at length 1; no rotation for the z axis itself."""
    z = axis / np.linalg.norm(axis)
    x = np.array([1.0, 0.0, 0.0]) if abs(z[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    x = x - z * (z @ x)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def _rows(turn: FloatArray) -> tuple[float, ...] | None:
    return None if np.allclose(turn, np.eye(3), rtol=0.0, atol=1e-15) else tuple(turn.ravel().tolist())


def _vector(move: FloatArray) -> Vector:
    x, y, z = move.tolist()
    return x, y, z
