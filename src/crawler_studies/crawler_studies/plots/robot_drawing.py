"""A labelled side view of any robot, from its description: links, joints with their angles, feet, forward."""

from __future__ import annotations

import math
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
from crawler_core.linkages.loop_closure_solver import make_loop_closure_solver
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import FloatArray
from crawler_studies.plots.drawing import BLACK, BLUE, GREY, ORANGE, RED, Drawing
from gait_generators.kinds.gait_registry import make_gait

SHOWN_SHARE = 0.4  # of the gait's cycle: an instant at which few gaits have their joints at an end or in the middle
MIN_DISTANCE = 1e-4  # m: nearer points are one
SMALL_SHARE = 0.1  # of the robot: a shorter driven link is drawn again, larger

Box = tuple[FloatArray, FloatArray]
"""Lower left and upper right corner, x and z in m."""


@dataclass(frozen=True)
class PlacedLink:
    """Position of a link in the world: its origin (m), and its axes as columns."""

    origin: FloatArray
    axes: FloatArray

    def child(self, frame: Frame, value: float) -> PlacedLink:
        """Return the link behind a joint of this one, which is at `value`."""
        place, quaternion = frame.at(value)
        return PlacedLink(self.origin + self.axes @ np.array(place), self.axes @ quat2mat(quaternion))

    def rotated(self, rotation: FloatArray) -> PlacedLink:
        return PlacedLink(rotation @ self.origin, rotation @ self.axes)


def place_links(spec: RobotSpec, frames: tuple[Frame, ...], position: FloatArray) -> dict[str, PlacedLink]:
    """Place every link with the joints at `position`, with the lowest foot on the ground, z = 0."""
    values = dict(zip(spec.joint_names, position.tolist(), strict=True))
    links = {spec.base_link: PlacedLink(np.zeros(3), np.eye(3))}
    waiting = list(frames)
    while ready := [frame for frame in waiting if frame.parent in links]:
        for frame in ready:
            links[frame.child] = links[frame.parent].child(frame, values.get(frame.joint, 0.0))
            waiting.remove(frame)
    feet = np.array([links[foot].origin for foot in spec.foot_names])
    if spec.planar and len(feet) > 1:
        rotation = _standing_rotation(feet)
        links = {name: link.rotated(rotation) for name, link in links.items()}
    ground = np.array([0.0, 0.0, min(links[foot].origin[2] for foot in spec.foot_names)])
    return {name: PlacedLink(link.origin - ground, link.axes) for name, link in links.items()}


def _standing_rotation(feet: FloatArray) -> FloatArray:
    """Return the pitch of a robot that stands on the two feet whose line is lowest under the middle of all."""
    middle = 0.5 * (feet[:, 0].min() + feet[:, 0].max())
    pairs = [(rear, front) for rear in feet for front in feet if rear[0] < middle <= front[0]]
    if not pairs:
        return np.eye(3)

    def height(pair: tuple[FloatArray, FloatArray]) -> float:
        rear, front = pair
        return float(rear[2] + (front[2] - rear[2]) * (middle - rear[0]) / (front[0] - rear[0]))

    rear, front = min(pairs, key=height)
    x, _, z = (front - rear) / np.hypot(front[0] - rear[0], front[2] - rear[2])
    return np.array([[x, 0.0, z], [0.0, 1.0, 0.0], [-z, 0.0, x]])


@dataclass(frozen=True)
class SideView:
    """A robot from its left, in one pose. Points are x and z, m."""

    spec: RobotSpec
    frames: tuple[Frame, ...]
    position: FloatArray  # rad, of every joint
    links: dict[str, PlacedLink]

    @staticmethod
    def of(spec: RobotSpec) -> SideView:
        """View the robot in its default gait. Raises UserError where its URDF or its gait cannot be made."""
        frames, gait, solver = read_frames(build_urdf(spec)), make_gait(spec, None, {}), make_loop_closure_solver(spec)
        position = np.array([joint.home for joint in spec.joints]) if solver is None else solver.home()
        for share in np.linspace(0.0, SHOWN_SHARE, 41):  # in small steps, so that a loop stays on its branch
            position[spec.actuated_indices] = gait.sample(share * gait.period).position
            if solver is not None:
                position, _ = solver.complete(position, np.zeros(len(position)))
        return SideView(spec, frames, position, place_links(spec, frames, position))

    def point(self, link: str) -> FloatArray:
        return self.links[link].origin[[0, 2]]

    def is_far(self, link: str) -> bool:
        """Return True on the right side of a robot that has two sides."""
        has_sides = max(placed.origin[1] for placed in self.links.values()) > MIN_DISTANCE
        return has_sides and self.links[link].origin[1] < -MIN_DISTANCE

    def corners(self, link: str) -> list[FloatArray]:
        """Return the points that a link joins, in their order along its longest side."""
        children = [frame.child for frame in self.frames if frame.parent == link]
        if not self.is_far(link):
            children = [child for child in children if not self.is_far(child)]
        is_jointed = any(frame.child == link and frame.joint for frame in self.frames)
        found: list[FloatArray] = []
        for point in map(self.point, [link, *children] if is_jointed else children):
            if all(_distance(point, other) > MIN_DISTANCE for other in found):
                found.append(point)
        if len(found) < 2:
            return found
        centred = np.array(found) - np.mean(found, axis=0)
        return [found[i] for i in np.argsort(centred @ np.linalg.svd(centred)[2][0])]

    @cached_property
    def bars(self) -> list[tuple[str, FloatArray, FloatArray]]:
        """The straight parts of the links, each with its link."""
        return [(link, a, b) for link in self.links for a, b in pairwise(self.corners(link))]

    @cached_property
    def box(self) -> Box:
        points = np.array([self.point(link) for link in self.links])
        return points.min(axis=0), points.max(axis=0)

    @property
    def size(self) -> float:
        return float(np.max(self.box[1] - self.box[0]))

    def rotation(self, frame: Frame, angle: float) -> float:
        """Return the angle of a link in the view, counter-clockwise in rad, from its joint's zero."""
        turn = math.remainder(angle, 2.0 * math.pi) if abs(angle) > math.pi else angle
        axis = self.links[frame.child].axes @ np.array(frame.axis)
        return -math.copysign(turn, turn * axis[1])  # counter-clockwise in the view is about -y

    def small_part(self) -> Box | None:
        """Return the box of a small driven link and the links that it moves, to be drawn larger."""
        for frame in self.frames:
            ends = self.corners(frame.child)
            is_driven = frame.joint in self.spec.actuated_names
            if not is_driven or len(ends) < 2 or _distance(ends[-1], ends[0]) > SMALL_SHARE * self.size:
                continue
            moved = [other.child for other in self.frames if other.parent == frame.child and other.joint]
            points = np.array([*ends, *(point for link in moved for point in self.corners(link))])
            low, high = points.min(axis=0), points.max(axis=0)
            margin = 0.45 * float(np.max(high - low))
            return low - margin, high + margin
        return None


def draw_robot(spec: RobotSpec) -> Drawing:
    """Make the labelled drawing. Raises as `SideView.of` does."""
    view = SideView.of(spec)
    part = view.small_part()
    low, high = view.box
    margin = 0.15 * view.size
    width, height = high - low + 2.0 * margin
    columns = {"angle_deg": np.degrees(view.position), "driven": np.array([1.0 * j.actuated for j in spec.joints])}

    def draw(figure: Figure) -> None:
        written: set[str] = set()
        if part is None:
            whole = figure.subplots()
        else:
            whole, near = figure.subplots(1, 2, width_ratios=(width, height))
            _Panel(near, view, part, None).draw(written)
        _Panel(whole, view, (low - margin, high + margin), part).draw(written)

    title = f"{spec.title}, from its left; each angle is measured from its dotted line"
    figure_height = min(7.0, max(3.4, 10.0 * height / width)) if part is None else 6.0
    return Drawing("robot", title, {"": columns}, draw, (10.0, figure_height))


class _Panel:
    """Draws the part of a robot in `box`, with labels except in the part `elsewhere`, which another panel has."""

    def __init__(self, axes: Axes, view: SideView, box: Box, elsewhere: Box | None) -> None:
        self._axes, self._view, self._box, self._elsewhere = axes, view, box, elsewhere
        self._size = float(np.max(box[1] - box[0]))

    def draw(self, written: set[str]) -> None:
        """Draw everything; `written` are the lengths that are labelled already."""
        self._axes.axhline(0.0, color=GREY, linewidth=1.0, zorder=0)
        self._draw_bars(written)
        self._draw_joints()
        for foot in self._view.spec.foot_names:
            if not self._view.is_far(foot) and self._is_labelled(self._view.point(foot)):
                self._draw_foot(foot)
        if self._elsewhere is not None:
            low, high = self._elsewhere
            self._axes.add_patch(Rectangle(tuple(low), *(high - low), fill=False, linestyle="--", color=GREY))
        low, high = self._box
        self._axes.set_xlim(low[0], high[0])
        self._axes.set_ylim(low[1], high[1])
        self._axes.set_aspect("equal")
        self._axes.axis("off")
        if self._size > self._view.size:
            self._draw_forward_arrow()

    def _draw_bars(self, written: set[str]) -> None:
        for link, a, b in self._view.bars:
            is_far = self._view.is_far(link)
            colour = BLACK if link == self._view.spec.base_link else GREY
            alpha = 0.25 if is_far else 1.0
            self._axes.plot(*np.transpose([a, b]), color=colour, linewidth=3.0, alpha=alpha, zorder=2)
            length = f"{1e3 * _distance(a, b):.4g} mm"
            if length not in written and not is_far and self._is_labelled(0.5 * (a + b)):
                written.add(length)
                self._write_length(a, b, length)

    def _write_length(self, a: FloatArray, b: FloatArray, text: str) -> None:
        """Write along a bar, on the side that is away from the robot's middle."""
        direction = (b - a) / _distance(a, b)
        normal = np.array([-direction[1], direction[0]])
        if normal @ (0.5 * (a + b) - 0.5 * (self._box[0] + self._box[1])) < 0.0:
            normal = -normal
        angle = np.degrees(np.arctan2(direction[1], direction[0]))
        angle = angle - 180.0 * np.round(angle / 180.0)
        self._write(0.5 * (a + b) + 0.025 * self._size * normal, text, BLACK, fontsize=8, rotation=angle)

    def _draw_joints(self) -> None:
        angles = dict(zip(self._view.spec.joint_names, self._view.position.tolist(), strict=True))
        for frame in self._view.frames:
            point = self._view.point(frame.child)
            if frame.joint and not self._view.is_far(frame.child) and _is_inside(point, self._box):
                self._draw_joint(frame, point, angles[frame.joint])

    def _draw_joint(self, frame: Frame, point: FloatArray, angle: float) -> None:
        """Draw a pin with its name, and the angle of a driven joint."""
        is_driven = frame.joint in self._view.spec.actuated_names
        face = BLUE if is_driven else "white"
        self._axes.plot(*point, "o", color=face, markeredgecolor=BLUE, markersize=6, zorder=6)
        ends = [end - point for end in self._view.corners(frame.child) if _distance(end, point) > MIN_DISTANCE]
        if not self._is_labelled(point) or not ends:
            return
        link = max(ends, key=lambda end: float(np.hypot(*end)))
        link = link / np.hypot(*link)
        label = frame.joint
        if is_driven and not frame.sliding:
            label += f"\n{self._draw_angle(frame, point, link, angle):.0f}°"
        distance = (0.075 if is_driven else 0.05) * self._size
        place = point + distance * self._label_direction(frame, point, link)
        self._write(place, label, RED if is_driven else BLUE, fontsize=9)

    def _label_direction(self, frame: Frame, point: FloatArray, link: FloatArray) -> FloatArray:
        """Return the direction away from the links on both sides of a joint; `link` points along the one behind it."""
        others = [end - point for parent, *bar in self._view.bars if parent == frame.parent for end in bar]
        back = np.sum([end / np.hypot(*end) for end in others if np.hypot(*end) > MIN_DISTANCE] or [link], axis=0)
        away = -(link + back / max(float(np.hypot(*back)), MIN_DISTANCE))
        away = away / np.hypot(*away) if np.hypot(*away) > 0.2 else np.array([-link[1], link[0]])
        is_near_ground = point[1] < 0.12 * self._size  # where the names of the feet are
        return -away if is_near_ground and away[1] < 0.0 else away

    def _draw_angle(self, frame: Frame, point: FloatArray, link: FloatArray, angle: float) -> float:
        """Draw an arc with an arrow from the dotted line, the joint's zero; return the angle shown, degrees."""
        now, sweep = math.atan2(link[1], link[0]), self._view.rotation(frame, angle)
        radius = 0.05 * self._size

        def around(direction: float, scale: float = 1.0) -> FloatArray:
            return point + scale * radius * np.array([math.cos(direction), math.sin(direction)])

        axes, zero = self._axes, now - sweep
        axes.plot(*np.transpose([point, around(zero, 1.6)]), ":", color=RED, linewidth=1.4, zorder=3)
        low, high = sorted((math.degrees(zero), math.degrees(now)))
        axes.add_patch(Arc(tuple(point), 2.0 * radius, 2.0 * radius, theta1=low, theta2=high, color=RED, zorder=3))
        if abs(sweep) > 0.15:
            arrow = {"arrowstyle": "-|>", "color": RED, "lw": 1.2}
            before = around(now - math.copysign(0.1, sweep))
            axes.annotate("", tuple(around(now)), tuple(before), arrowprops=arrow, zorder=5)
        return math.degrees(math.copysign(sweep, angle))

    def _draw_foot(self, foot: str) -> None:
        x, z = self._view.point(foot)
        self._axes.plot(x, z, "^", color=ORANGE, markersize=8, zorder=5)
        self._write(np.array([x, min(z, 0.0) - 0.045 * self._size]), foot, ORANGE, fontsize=9)

    def _draw_forward_arrow(self) -> None:
        right, bottom = self._box[1][0], self._box[0][1]
        tip = np.array([right - 0.02 * self._size, bottom + 0.02 * self._size])
        start = tip - np.array([0.14 * self._size, 0.0])
        arrow = {"arrowstyle": "-|>", "color": BLUE, "lw": 2.0}
        self._axes.annotate("", tuple(tip), tuple(start), arrowprops=arrow)
        self._write(start - np.array([0.08 * self._size, 0.0]), "forward, x", BLUE)

    def _is_labelled(self, point: FloatArray) -> bool:
        """Return True where this panel labels the point."""
        is_elsewhere = self._elsewhere is not None and _is_inside(point, self._elsewhere)
        return _is_inside(point, self._box) and not is_elsewhere

    def _write(self, place: FloatArray, text: str, colour: str, **options: Any) -> None:
        self._axes.text(place[0], place[1], text, color=colour, ha="center", va="center", zorder=6, **options)


def _distance(a: FloatArray, b: FloatArray) -> float:
    return float(np.hypot(*(b - a)))


def _is_inside(point: FloatArray, box: Box) -> bool:
    return bool(np.all(point >= box[0]) and np.all(point <= box[1]))
