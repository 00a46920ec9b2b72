"""Kinematics of the feet as straight-line Python, written once for each robot.

Each number that does not depend on the joints is folded, so a planar robot costs no more than planar equations: some
microseconds a call, without arrays.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from transforms3d.euler import euler2mat

from crawler_core.description.frame import Frame, read_frames
from crawler_core.description.urdf import build_urdf
from crawler_core.errors import UserError
from crawler_core.robot.robot_spec import RobotSpec

Scalar = float | str  # a constant, or the name of a variable of the written function
Triple = tuple[Scalar, Scalar, Scalar]
FootMotion = tuple[float, float, float, float, float, float]  # place (m) and velocity (m/s) in the base's frame
Point = tuple[float, float, float]  # m, in the base's frame
# of joint angles (rad) and rates (rad/s) in the order of `RobotSpec.joints`: the feet, and the links' centres of mass
FeetFunction = Callable[[Sequence[float], Sequence[float]], tuple[tuple[FootMotion, ...], tuple[Point, ...]]]
MIN_MASS_SHARE = 0.02  # of the whole robot; lighter links do not count
ZERO_TRIPLE: Triple = (0.0, 0.0, 0.0)
NEGLIGIBLE = 1e-12  # of a rotation's elements: rounding of angles such as 90 degrees


@dataclass(frozen=True)
class _Pose:
    """A link in the base's frame: place, the three columns of its rotation, velocity and angular velocity."""

    place: Triple
    columns: tuple[Triple, Triple, Triple]
    velocity: Triple
    angular: Triple


class _Writer:
    """Writes assignments. Operations on constants are done at once."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, *terms: Scalar) -> Scalar:
        constant = sum(term for term in terms if not isinstance(term, str))
        names = [term for term in terms if isinstance(term, str)]
        if not names:
            return constant
        if len(names) == 1 and not constant:
            return names[0]
        return self.name(" + ".join([*names, *([repr(constant)] if constant else [])]))

    def multiply(self, a: Scalar, b: Scalar) -> Scalar:
        if not isinstance(a, str) and not isinstance(b, str):
            return a * b
        if isinstance(a, str) and not isinstance(b, str):
            a, b = b, a
        if a == 0.0:
            return 0.0
        if a == 1.0:
            return b
        return self.name(f"-{b}" if a == -1.0 else f"{a} * {b}")

    def name(self, expression: str) -> str:
        self.lines.append(f"t{len(self.lines)} = {expression}")
        return f"t{len(self.lines) - 1}"

    def combine(self, columns: Sequence[Triple], weights: Triple) -> Triple:
        """Return the sum of three columns with weights: a rotation applied to a vector."""
        x, y, z = (
            self.add(*(self.multiply(column[row], weight) for column, weight in zip(columns, weights, strict=True)))
            for row in range(3)
        )
        return x, y, z

    def sum(self, a: Triple, b: Triple) -> Triple:
        return self.add(a[0], b[0]), self.add(a[1], b[1]), self.add(a[2], b[2])

    def scale(self, factor: Scalar, a: Triple) -> Triple:
        return self.multiply(factor, a[0]), self.multiply(factor, a[1]), self.multiply(factor, a[2])

    def cross(self, a: Triple, b: Triple) -> Triple:
        def part(i: int, j: int) -> Scalar:
            return self.add(self.multiply(a[i], b[j]), self.multiply(-1.0, self.multiply(a[j], b[i])))

        return part(1, 2), part(2, 0), part(0, 1)


@dataclass(frozen=True)
class CompiledFeet:
    """The function that gives the feet and the links' centres of mass, with the links' shares of the mass."""

    at: FeetFunction
    mass_shares: tuple[float, ...]


def compile_feet(spec: RobotSpec) -> CompiledFeet:
    """Write and compile the kinematics of the feet and of the heavy links."""
    urdf = build_urdf(spec)
    masses = _masses(urdf)
    heavy = sorted(
        link for link, (mass, _) in masses.items() if mass >= MIN_MASS_SHARE * sum(m for m, _ in masses.values())
    )
    writer = _Writer()
    poses = _link_poses(writer, spec, read_frames(urdf), {*spec.foot_names, *heavy})
    centres = [writer.sum(poses[link].place, writer.combine(poses[link].columns, masses[link][1])) for link in heavy]
    whole = sum(masses[link][0] for link in heavy)
    feet = ", ".join(_text((*poses[foot].place, *poses[foot].velocity)) for foot in spec.foot_names)
    body = "\n    ".join([*writer.lines, f"return ({feet},), ({''.join(f'{_text(centre)}, ' for centre in centres)})"])
    namespace: dict[str, FeetFunction] = {"sin": math.sin, "cos": math.cos}  # type: ignore[dict-item]
    exec(compile(f"def feet(q, dq):\n    {body}\n", f"<feet of {spec.name}>", "exec"), namespace)
    return CompiledFeet(namespace["feet"], tuple(masses[link][0] / whole for link in heavy))


def _link_poses(writer: _Writer, spec: RobotSpec, frames: Sequence[Frame], wanted: set[str]) -> dict[str, _Pose]:
    """Return the poses of the wanted links, and of those that carry them."""
    joint_index = {name: i for i, name in enumerate(spec.joint_names)}
    by_child = {frame.child: frame for frame in frames}
    identity: tuple[Triple, Triple, Triple] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    poses = {spec.base_link: _Pose(ZERO_TRIPLE, identity, ZERO_TRIPLE, ZERO_TRIPLE)}

    def pose(link: str) -> _Pose:
        if link not in poses:
            if link not in by_child:
                raise UserError(
                    f"base_link = {spec.base_link} does not carry {link}: name the link that carries all others."
                )
            frame = by_child[link]
            poses[link] = _child_pose(writer, pose(frame.parent), frame, joint_index.get(frame.joint))
        return poses[link]

    for link in sorted(wanted):
        pose(link)
    return poses


def _child_pose(writer: _Writer, parent: _Pose, frame: Frame, joint: int | None) -> _Pose:
    turn = euler2mat(*frame.rpy, axes="sxyz")
    turn[abs(turn) < NEGLIGIBLE] = 0.0
    fixed = [_triple(turn[:, k]) for k in range(3)]
    columns = _three(writer.combine(parent.columns, column) for column in fixed)
    offset = writer.combine(parent.columns, frame.origin)
    velocity, angular = parent.velocity, parent.angular
    if joint is not None and frame.sliding:
        axis = writer.combine(columns, frame.axis)
        offset = writer.sum(offset, writer.scale(writer.name(f"q[{joint}]"), axis))
        velocity = writer.sum(velocity, writer.scale(writer.name(f"dq[{joint}]"), axis))
    elif joint is not None:
        length = math.hypot(*frame.axis)
        unit = (frame.axis[0] / length, frame.axis[1] / length, frame.axis[2] / length)
        rate = writer.scale(writer.name(f"dq[{joint}]"), writer.combine(columns, unit))
        angular = writer.sum(angular, rate)
        columns = _three(writer.combine(columns, column) for column in _rotation(writer, unit, f"q[{joint}]"))
    velocity = writer.sum(velocity, writer.cross(parent.angular, offset))
    return _Pose(writer.sum(parent.place, offset), columns, velocity, angular)


def _rotation(writer: _Writer, axis: tuple[float, float, float], angle: str) -> Sequence[Triple]:
    """Return the columns of the rotation by an angle about a unit vector."""
    c, s = writer.name(f"cos({angle})"), writer.name(f"sin({angle})")
    one_less = writer.add(1.0, writer.multiply(-1.0, c))
    cross = ((0.0, axis[2], -axis[1]), (-axis[2], 0.0, axis[0]), (axis[1], -axis[0], 0.0))  # columns
    columns = []
    for k in range(3):
        rows: list[Scalar] = []
        for row in range(3):
            parallel = axis[row] * axis[k]
            if row == k and abs(parallel - 1.0) < NEGLIGIBLE:
                rows.append(1.0)
                continue
            own = c if row == k else 0.0
            rows.append(writer.add(own, writer.multiply(parallel, one_less), writer.multiply(cross[k][row], s)))
        columns.append(_triple(rows))
    return columns


def _masses(urdf: str) -> dict[str, tuple[float, Triple]]:
    """Return mass (kg) and centre of mass (m, in the link's frame) of each link that has an inertia."""
    found: dict[str, tuple[float, Triple]] = {}
    for link in ElementTree.fromstring(urdf).findall("link"):
        mass, origin = link.find("inertial/mass"), link.find("inertial/origin")
        if mass is not None:
            place = [float(word) for word in (origin.get("xyz", "0 0 0") if origin is not None else "0 0 0").split()]
            found[link.get("name", "")] = float(mass.get("value", "0")), _triple(place)
    return found


def _triple(values: Sequence[Scalar]) -> Triple:
    x, y, z = (value if isinstance(value, str) else float(value) for value in values)
    return x, y, z


def _three(columns: Iterable[Triple]) -> tuple[Triple, Triple, Triple]:
    a, b, c = columns
    return a, b, c


def _text(values: Sequence[Scalar]) -> str:
    return f"({', '.join(value if isinstance(value, str) else repr(value) for value in values)})"
