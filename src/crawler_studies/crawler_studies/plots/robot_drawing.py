"""A labelled side view of any robot, from its description: joints, their angles, links, feet, and the way forward."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Arc, Rectangle
from transforms3d.quaternions import quat2mat

from crawler_core.description.frame import Frame, read_frames
from crawler_core.description.urdf import build_urdf
from crawler_core.linkages.loop_closure_solver import closure_of
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import FloatArray
from crawler_studies.plots.drawing import BLACK, BLUE, GREY, ORANGE, RED, Drawing
from gait_generators.kinds.gait_registry import make_gait

SHOWN = 0.4  # of the gait's cycle: an instant at which hardly a gait has its joints at their ends or their middle
APART = 1e-4  # m: points that are nearer are one
SMALL = 0.1  # of the robot: what is shorter is drawn again, larger


@dataclass(frozen=True)
class PlacedLink:
    """Where a link is in the world: its origin (m), and its axes as columns."""

    origin: FloatArray
    axes: FloatArray

    def at(self, frame: Frame, value: float) -> PlacedLink:
        """The link behind a joint of this one, which is at `value`."""
        place, turn = frame.at(value)
        return PlacedLink(self.origin + self.axes @ np.array(place), self.axes @ quat2mat(turn))

    def turned(self, turn: FloatArray) -> PlacedLink:
        return PlacedLink(turn @ self.origin, turn @ self.axes)


def place_links(spec: RobotSpec, frames: tuple[Frame, ...], position: FloatArray) -> dict[str, PlacedLink]:
    """Every link with the joints at `position`, on the ground: its lowest foot is at z = 0."""
    values = dict(zip(spec.joint_names, position.tolist(), strict=True))
    links = {spec.base_link: PlacedLink(np.zeros(3), np.eye(3))}
    waiting = list(frames)
    while ready := [frame for frame in waiting if frame.parent in links]:
        for frame in ready:
            links[frame.child] = links[frame.parent].at(frame, values.get(frame.joint, 0.0))
            waiting.remove(frame)
    feet = np.array([links[foot].origin for foot in spec.foot_names])
    if spec.planar and len(feet) > 1:
        links = {name: link.turned(_laid_down(feet)) for name, link in links.items()}
    down = np.array([0.0, 0.0, min(links[foot].origin[2] for foot in spec.foot_names)])
    return {name: PlacedLink(link.origin - down, link.axes) for name, link in links.items()}


def _laid_down(feet: FloatArray) -> FloatArray:
    """The pitch with which a robot stands: on those two feet whose line is lowest under the middle of all."""
    middle = 0.5 * (feet[:, 0].min() + feet[:, 0].max())
    pairs = [(a, b) for a in feet for b in feet if a[0] < middle <= b[0]]
    if not pairs:
        return np.eye(3)
    rear, front = min(pairs, key=lambda pair: _height(pair[0], pair[1], middle))
    x, _, z = (front - rear) / np.hypot(front[0] - rear[0], front[2] - rear[2])
    return np.array([[x, 0.0, z], [0.0, 1.0, 0.0], [-z, 0.0, x]])


def _height(rear: FloatArray, front: FloatArray, x: float) -> float:
    return float(rear[2] + (front[2] - rear[2]) * (x - rear[0]) / (front[0] - rear[0]))


@dataclass(frozen=True)
class Side:
    """A robot as it is seen from its left, in one pose. Points are x and z, m."""

    spec: RobotSpec
    frames: tuple[Frame, ...]
    position: FloatArray  # rad, of every joint
    links: dict[str, PlacedLink]

    @staticmethod
    def of(spec: RobotSpec) -> Side:
        """In its default gait. Raises UserError where its URDF or its gait cannot be made."""
        frames, gait, closure = read_frames(build_urdf(spec)), make_gait(spec, None, {}), closure_of(spec)
        position = np.array([joint.home for joint in spec.joints]) if closure is None else closure.home()
        for share in np.linspace(0.0, SHOWN, 41):  # in small steps, so that a loop stays on its branch
            position[spec.actuated_indices] = gait.sample(share * gait.period).position
            if closure is not None:
                position, _ = closure.complete(position, np.zeros(len(position)))
        return Side(spec, frames, position, place_links(spec, frames, position))

    def point(self, link: str) -> FloatArray:
        return self.links[link].origin[[0, 2]]

    def far(self, link: str) -> bool:
        """Whether it is on the right side of a robot that has two."""
        sides = [placed.origin[1] for placed in self.links.values()]
        return max(sides) > APART and self.links[link].origin[1] < -APART

    def corners(self, link: str) -> list[FloatArray]:
        """What is joined to a link, in the order in which it stands along its longest side."""
        behind = [frame.child for frame in self.frames if frame.parent == link and not self.far(frame.child)]
        if self.far(link):
            behind = [frame.child for frame in self.frames if frame.parent == link]
        held = [link] if any(frame.child == link and frame.joint for frame in self.frames) else []
        found: list[FloatArray] = []
        for here in map(self.point, held + behind):
            if all(np.hypot(*(here - other)) > APART for other in found):
                found.append(here)
        if len(found) < 2:
            return found
        centred = np.array(found) - np.mean(found, axis=0)
        return [found[i] for i in np.argsort(centred @ np.linalg.svd(centred)[2][0])]

    @cached_property
    def bars(self) -> list[tuple[str, FloatArray, FloatArray]]:
        """The straight parts of the links, each with its link."""
        return [(link, a, b) for link in self.links for a, b in pairwise(self.corners(link))]

    @cached_property
    def box(self) -> tuple[FloatArray, FloatArray]:
        """The lower left and the upper right corner of the robot."""
        points = np.array([self.point(link) for link in self.links])
        return points.min(axis=0), points.max(axis=0)

    @property
    def size(self) -> float:
        return float(np.max(self.box[1] - self.box[0]))

    def turned(self, frame: Frame, angle: float) -> float:
        """By how much the picture shows a link turned, counter-clockwise in rad, from where its joint would be at 0."""
        turn = math.remainder(angle, 2.0 * math.pi) if abs(angle) > math.pi else angle
        axis = self.links[frame.child].axes @ np.array(frame.axis)
        return -math.copysign(turn, turn * axis[1])  # counter-clockwise in the picture is about -y

    def small_part(self) -> tuple[FloatArray, FloatArray] | None:
        """The corners of what has to be drawn larger: a driven link that is small, and what it moves."""
        for frame in self.frames:
            ends = self.corners(frame.child)
            if frame.joint in self.spec.actuated_names and len(ends) > 1:
                if np.hypot(*(ends[-1] - ends[0])) > SMALL * self.size:
                    continue
                moved = [one.child for one in self.frames if one.parent == frame.child and one.joint]
                points = np.array([*ends, *(point for link in moved for point in self.corners(link))])
                low, high = points.min(axis=0), points.max(axis=0)
                edge = 0.45 * float(np.max(high - low))
                return low - edge, high + edge
        return None


def make(spec: RobotSpec) -> Drawing:
    """The labelled drawing. Raises as `Side.of` does."""
    side = Side.of(spec)
    part = side.small_part()
    wide, tall = side.box[1] - side.box[0] + 0.3 * side.size
    columns = {"angle_deg": np.degrees(side.position), "driven": np.array([1.0 * j.actuated for j in spec.joints])}

    def draw(figure: Figure) -> None:
        lengths: set[str] = set()
        if part is None:
            whole = figure.subplots()
        else:
            whole, near = figure.subplots(1, 2, width_ratios=(wide, tall))
            _Panel(near, side, part, None).draw(lengths)
        lower, upper = side.box
        edge = 0.15 * side.size
        _Panel(whole, side, (lower - edge, upper + edge), part).draw(lengths)

    title = f"{spec.title}, from its left; each angle is measured from its dotted line"
    height = min(7.0, max(3.4, 10.0 * tall / wide)) if part is None else 6.0
    return Drawing("robot", title, {"": columns}, draw, (10.0, height))


class _Panel:
    """The part of a robot that lies in a box, without labels in the part that another panel has."""

    def __init__(
        self,
        axes: Axes,
        side: Side,
        box: tuple[FloatArray, FloatArray],
        elsewhere: tuple[FloatArray, FloatArray] | None,
    ) -> None:
        self._axes, self._side, self._box, self._elsewhere = axes, side, box, elsewhere
        self._size = float(np.max(box[1] - box[0]))

    def draw(self, said: set[str]) -> None:
        """Draw it; `said` are the lengths that need no word any more."""
        axes, side = self._axes, self._side
        axes.axhline(0.0, color=GREY, linewidth=1.0, zorder=0)
        for link, a, b in side.bars:
            colour = BLACK if link == side.spec.base_link else GREY
            faint = 0.25 if side.far(link) else 1.0
            axes.plot(*np.transpose([a, b]), color=colour, linewidth=3.0, alpha=faint, zorder=2)
            length = f"{1e3 * np.hypot(*(b - a)):.4g} mm"
            if length not in said and not side.far(link) and self._labels(0.5 * (a + b)):
                said.add(length)
                self._length(a, b, length)
        for frame, angle in self._joints():
            self._joint(frame, angle)
        for foot in side.spec.foot_names:
            if not side.far(foot) and self._labels(side.point(foot)):
                self._foot(foot)
        if self._elsewhere is not None:
            low, high = self._elsewhere
            axes.add_patch(Rectangle(tuple(low), *(high - low), fill=False, linestyle="--", color=GREY))
        low, high = self._box
        axes.set_xlim(low[0], high[0])
        axes.set_ylim(low[1], high[1])
        axes.set_aspect("equal")
        axes.axis("off")
        if self._size > side.size:
            tip = np.array([high[0] - 0.02 * self._size, low[1] + 0.02 * self._size])
            start = tip - np.array([0.14 * self._size, 0.0])
            axes.annotate("", tuple(tip), tuple(start), arrowprops={"arrowstyle": "-|>", "color": BLUE, "lw": 2.0})
            self._write(start - np.array([0.08 * self._size, 0.0]), "forward, x", BLUE)

    def _joints(self) -> Iterator[tuple[Frame, float]]:
        angles = dict(zip(self._side.spec.joint_names, self._side.position.tolist(), strict=True))
        for frame in self._side.frames:
            if frame.joint and not self._side.far(frame.child) and _inside(self._side.point(frame.child), self._box):
                yield frame, angles[frame.joint]

    def _labels(self, point: FloatArray) -> bool:
        """Whether this panel says what is there."""
        here = self._elsewhere is None or not _inside(point, self._elsewhere)
        return here and _inside(point, self._box)

    def _length(self, a: FloatArray, b: FloatArray, text: str) -> None:
        """Along a bar, on the side that is away from the robot's middle."""
        way = (b - a) / np.hypot(*(b - a))
        aside = np.array([-way[1], way[0]])
        if aside @ (0.5 * (a + b) - 0.5 * (self._box[0] + self._box[1])) < 0.0:
            aside = -aside
        turn = np.degrees(np.arctan2(way[1], way[0]))
        turn = turn - 180.0 * np.round(turn / 180.0)
        self._write(0.5 * (a + b) + 0.025 * self._size * aside, text, BLACK, fontsize=8, rotation=turn)

    def _foot(self, foot: str) -> None:
        x, z = self._side.point(foot)
        self._axes.plot(x, z, "^", color=ORANGE, markersize=8, zorder=5)
        self._write(np.array([x, min(z, 0.0) - 0.045 * self._size]), foot, ORANGE, fontsize=9)

    def _joint(self, frame: Frame, angle: float) -> None:
        """A pin with its name; of a driven joint the angle too."""
        side, at = self._side, self._side.point(frame.child)
        driven = frame.joint in side.spec.actuated_names
        face = BLUE if driven else "white"
        self._axes.plot(*at, "o", color=face, markeredgecolor=BLUE, markersize=6, zorder=6)
        ends = [end - at for end in side.corners(frame.child) if np.hypot(*(end - at)) > APART]
        if not self._labels(at) or not ends:
            return
        to = max(ends, key=lambda end: float(np.hypot(*end)))
        to = to / np.hypot(*to)
        others = [end - at for link, *bar in side.bars if link == frame.parent for end in bar]
        back = np.sum([end / np.hypot(*end) for end in others if np.hypot(*end) > APART] or [to], axis=0)
        away = -(to + back / max(float(np.hypot(*back)), APART))
        away = away / np.hypot(*away) if np.hypot(*away) > 0.2 else np.array([-to[1], to[0]])
        if at[1] < 0.12 * self._size and away[1] < 0.0:
            away = -away  # away from the names of the feet
        words = frame.joint
        if driven and not frame.sliding:
            words += f"\n{self._angle(frame, at, to, angle):.0f}°"
        self._write(at + (0.075 if driven else 0.05) * self._size * away, words, RED if driven else BLUE, fontsize=9)

    def _angle(self, frame: Frame, at: FloatArray, to: FloatArray, angle: float) -> float:
        """An arc with an arrow from the dotted line, where the joint would be at 0; returns what it shows, degrees."""
        now, sweep = math.atan2(to[1], to[0]), self._side.turned(frame, angle)
        radius = 0.05 * self._size

        def around(a: float, scale: float = 1.0) -> FloatArray:
            return at + scale * radius * np.array([math.cos(a), math.sin(a)])

        axes, zero = self._axes, now - sweep
        axes.plot(*np.transpose([at, around(zero, 1.6)]), ":", color=RED, linewidth=1.4, zorder=3)
        low, high = sorted((math.degrees(zero), math.degrees(now)))
        axes.add_patch(Arc(tuple(at), 2.0 * radius, 2.0 * radius, theta1=low, theta2=high, color=RED, zorder=3))
        if abs(sweep) > 0.15:
            arrow = {"arrowstyle": "-|>", "color": RED, "lw": 1.2}
            before = around(now - math.copysign(0.1, sweep))
            axes.annotate("", tuple(around(now)), tuple(before), arrowprops=arrow, zorder=5)
        return math.degrees(math.copysign(sweep, angle))

    def _write(self, where: FloatArray, text: str, colour: str, **how: Any) -> None:
        self._axes.text(where[0], where[1], text, color=colour, ha="center", va="center", zorder=6, **how)


def _inside(point: FloatArray, box: tuple[FloatArray, FloatArray]) -> bool:
    return bool(np.all(point >= box[0]) and np.all(point <= box[1]))
