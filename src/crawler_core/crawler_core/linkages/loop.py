"""Closed chains as numbers: the positions of a loop's two ends, and their derivatives by every joint on the loop.

In plain floats: a control loop of 500 Hz needs this several times per tick, and numpy is slow for such small matrices.
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

Rotation = tuple[float, ...]  # nine numbers, row by row
JacobianColumns = dict[int, list[float]]  # by the joint's place in the robot file

ORIGIN: Vector = (0.0, 0.0, 0.0)
NO_ROTATION: Rotation = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True)
class PathStep:
    """From one moving joint of a path to the next: a fixed transform, then the joint about or along its new z axis."""

    rotation: Rotation | None  # None: none
    translation: Vector  # m
    joint: int  # its place in the robot file
    is_sliding: bool


@dataclass(frozen=True)
class Path:
    """From the link where a loop's two sides separate to the end of one of them."""

    steps: tuple[PathStep, ...]
    end: Vector  # m, in the frame of the last step

    def evaluate(self, q: Sequence[float], sign: float, row: int, columns: JacobianColumns) -> Vector:
        """Return the position of the end (m) with the joints at `q`.

        Add `sign` times its derivatives to three rows of the joints' `columns`, from `row` on.
        """
        position, rotation = ORIGIN, NO_ROTATION
        axes = []  # of the joints on the way: a point on each, and its direction
        for step in self.steps:
            position = _transform(position, rotation, step.translation)
            if step.rotation is not None:
                rotation = _product(rotation, step.rotation)
            axis = x, y, z = rotation[2], rotation[5], rotation[8]
            axes.append((position, axis))
            value = q[step.joint]
            if step.is_sliding:
                position = position[0] + value * x, position[1] + value * y, position[2] + value * z
            else:
                rotation = _turned_about_z(rotation, value)
        end = _transform(position, rotation, self.end)
        for step, (point, axis) in zip(self.steps, axes, strict=True):
            x, y, z = axis
            if not step.is_sliding:  # the velocity per angular velocity: axis x lever
                u, v, w = end[0] - point[0], end[1] - point[1], end[2] - point[2]
                x, y, z = y * w - z * v, z * u - x * w, x * v - y * u
            column = columns[step.joint]
            column[row] += sign * x
            column[row + 1] += sign * y
            column[row + 2] += sign * z
        return end


@dataclass(frozen=True)
class Loop:
    """One closed chain: two paths whose ends coincide."""

    spec: LoopSpec
    first: Path
    second: Path

    @property
    def steps(self) -> tuple[PathStep, ...]:
        return self.first.steps + self.second.steps

    @property
    def joints(self) -> set[int]:
        """The places of its joints in the robot file."""
        return {step.joint for step in self.steps}

    @property
    def sliding_joints(self) -> set[int]:
        return {step.joint for step in self.steps if step.is_sliding}

    @property
    def length(self) -> float:
        """The length of all its bars (m), by which small numbers are judged."""
        paths = (self.first, self.second)
        return sum(math.hypot(*v) for path in paths for v in (path.end, *(step.translation for step in path.steps)))


def read_loops(spec: RobotSpec, urdf: str) -> tuple[Loop, ...]:
    """Return the loops of a robot. Raise UserError for a link that the URDF lacks or a joint that robot.yaml lacks."""
    frames = read_frames(urdf)
    parents = {frame.child: frame for frame in frames}
    links = {frame.parent for frame in frames} | set(parents)
    places = {name: i for i, name in enumerate(spec.joint_names)}
    loops = []
    for loop in spec.loops:
        for link in (loop.first, loop.second):
            if link not in links:
                raise unknown_name(f"link for loops.{loop.name} in the URDF of '{spec.name}'", link, links)
        first, second = _frames_from_root(loop.first, parents), _frames_from_root(loop.second, parents)
        while first and second and first[0] is second[0]:
            first, second = first[1:], second[1:]
        for frame in (*first, *second):
            if frame.joint and frame.joint not in places:
                raise UserError(
                    f"the joint {frame.joint} is on the loop '{loop.name}' of '{spec.name}', but its robot.yaml does "
                    "not name it: every moving joint of the URDF stands there."
                )
        loops.append(Loop(loop, _make_path(first, places), _make_path(second, places)))
    return tuple(loops)


def loop_joints(spec: RobotSpec, urdf: str) -> tuple[str, ...]:
    """Return the passive joints that the loops of a robot decide. Raise UserError as `read_loops` does."""
    on = set().union(*(loop.joints for loop in read_loops(spec, urdf)))
    return tuple(joint.name for i, joint in enumerate(spec.joints) if i in on and not joint.actuated)


def _frames_from_root(link: str, parents: Mapping[str, Frame]) -> list[Frame]:
    frames: list[Frame] = []
    while link in parents:
        frames.insert(0, parents[link])
        link = parents[link].parent
    return frames


def _make_path(frames: Sequence[Frame], places: Mapping[str, int]) -> Path:
    rotation, translation = np.eye(3), np.zeros(3)
    steps = []
    for frame in frames:
        translation = translation + rotation @ np.array(frame.origin)
        rotation = rotation @ euler2mat(*frame.rpy, axes="sxyz")
        if frame.joint:
            aligned = _z_along(np.array(frame.axis))
            steps.append(PathStep(_rows(rotation @ aligned), _vector(translation), places[frame.joint], frame.sliding))
            rotation, translation = aligned.T, np.zeros(3)
    return Path(tuple(steps), _vector(translation))


def _z_along(axis: FloatArray) -> FloatArray:
    """Return a rotation whose third column is `axis` at length 1; no rotation for the z axis itself."""
    z = axis / np.linalg.norm(axis)
    x = np.array([1.0, 0.0, 0.0]) if abs(z[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    x = x - z * (z @ x)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def _rows(rotation: FloatArray) -> Rotation | None:
    return None if np.allclose(rotation, np.eye(3), rtol=0.0, atol=1e-15) else tuple(rotation.ravel().tolist())


def _vector(array: FloatArray) -> Vector:
    x, y, z = array.tolist()
    return x, y, z


def _transform(position: Vector, rotation: Rotation, vector: Vector) -> Vector:
    """Return the position plus the rotated vector."""
    x, y, z = position
    a, b, c, d, e, f, g, h, i = rotation
    u, v, w = vector
    return x + a * u + b * v + c * w, y + d * u + e * v + f * w, z + g * u + h * v + i * w


def _product(first: Rotation, second: Rotation) -> Rotation:
    a, b, c, d, e, f, g, h, i = first
    k, l, m, n, o, p, r, s, t = second  # noqa: E741
    return (
        a * k + b * n + c * r, a * l + b * o + c * s, a * m + b * p + c * t,
        d * k + e * n + f * r, d * l + e * o + f * s, d * m + e * p + f * t,
        g * k + h * n + i * r, g * l + h * o + i * s, g * m + h * p + i * t,
    )  # fmt: skip


def _turned_about_z(rotation: Rotation, angle: float) -> Rotation:
    """Return the rotation followed by one about its z axis."""
    a, b, c, d, e, f, g, h, i = rotation
    cos, sin = math.cos(angle), math.sin(angle)
    return (
        cos * a + sin * b, cos * b - sin * a, c,
        cos * d + sin * e, cos * e - sin * d, f,
        cos * g + sin * h, cos * h - sin * g, i,
    )  # fmt: skip
