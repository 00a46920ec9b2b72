"""The frames of a film: ground, robot with its shadow, trail, feet, forces, and text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from crawler_core.errors import UserError
from crawler_core.types import FloatArray
from crawler_view.film.camera import Camera, cameras, text_scale
from crawler_view.film.ground import PLATFORM, SKY, Ground
from crawler_view.film.raster import rasterise
from crawler_view.scene.kinematics import Kinematics
from crawler_view.scene.meshes import arrow, bounding_points, scene_meshes, sphere, transform
from crawler_view.scene.robot_scene import MAX_NUMBER, MODE_COLOURS, TRAIL_COLOUR

SUPERSAMPLING = 2  # pixels drawn per pixel and direction, for smooth edges
SHADOW_LIGHT = np.array([0.35, -0.45, 1.0])  # direction to the light
SIDE_LIGHT = np.array([0.30, -0.65, 0.70])
SHADOW = (190, 198, 208)
INK, PALE = (32, 38, 46), (104, 114, 126)
FOOT_RADIUS, ARROW_LENGTH, ARROW_RADIUS, TRAIL_HALF_WIDTH = 0.014, 0.2, 0.0045, 0.004  # robot lengths
FORCE_QUANTILE, MAX_ARROW_RATIO = 0.9, 1.5  # the force of ARROW_LENGTH, and the longest arrow beside that
MODE_TEXTS = {"stick": "sticks", "slip_pos": "slips forward", "slip_neg": "slips back", "open": "in the air"}
MODE_TEXTS |= {"unknown": "not known"}

MAX_TRAVEL_LENGTHS = 1e4  # robot lengths in a film, over which its ground has lines
MAX_TITLE_LENGTH = 120  # letters
MAX_FORCE_N = 1e9  # a larger one is no measurement

Frame = Mapping[str, Any]


class FrameRenderer:
    """Renders the frames of a film, which are those of `LiveState.frame`."""

    def __init__(
        self, scene: Mapping[str, Any], frames: Sequence[Frame], planar: bool, width: int, smooth: int, title: str
    ) -> None:
        """`planar` robots are seen from the side, others from a corner; `smooth` frames smooth the camera's path."""
        self._frames, self._planar = frames, planar
        self._title = "".join(letter if letter.isprintable() else " " for letter in title[:MAX_TITLE_LENGTH])
        kinematics = Kinematics(scene)
        self._poses = [kinematics.at(frame) for frame in frames]
        self._bases = np.array([poses[scene["base"]][:3, 3] for poses in self._poses])
        self._shapes = scene_meshes(scene)
        self.count = len(frames)
        seen = [bounding_points(self._shapes, poses) for poses in self._poses]
        self._length = max(max(float(np.ptp(points, axis=0).max()) for points in seen), 1e-3)
        travel = float(np.ptp(np.concatenate(seen), axis=0).max())
        if not travel <= MAX_TRAVEL_LENGTHS * self._length <= MAX_TRAVEL_LENGTHS * MAX_NUMBER:  # false for NaN
            raise UserError(
                f"the robot cannot be drawn: it is {self._length:g} m long and moves over {travel:g} m, where "
                f"{MAX_NUMBER:g} m and {MAX_TRAVEL_LENGTHS:g} lengths are allowed."
            )
        forces = [np.linalg.norm(force) for frame in frames for _, force in _forces(frame)]
        self._reference_force = float(np.quantile(forces, FORCE_QUANTILE)) if forces else 1.0  # N
        self._front = min(float(points[:, 1].min()) for points in seen) - TRAIL_HALF_WIDTH * self._length
        self._ground = Ground.below(np.concatenate(seen), self._length, planar)
        seen = [np.concatenate([seen[i], *self._arrow_tips(i), self._label_point(i)]) for i in range(self.count)]
        self._cameras = cameras(seen, self._bases, planar, width, smooth)
        self._modes = [m for m in MODE_COLOURS if any(foot["mode"] == m for frame in frames for foot in frame["feet"])]

    @property
    def size(self) -> tuple[int, int]:
        """Return width and height of the pictures, pixels."""
        return self._cameras[0].width, self._cameras[0].height

    @property
    def colours(self) -> list[tuple[int, int, int]]:
        """Return the colours with a meaning."""
        return [*(_rgb(MODE_COLOURS[mode]) for mode in self._modes), _rgb(TRAIL_COLOUR), SHADOW, SKY, PLATFORM, INK]

    def camera(self, i: int) -> Camera:
        """Return the camera of frame `i`."""
        return self._cameras[i]

    def render(self, i: int, lines: Sequence[str]) -> Image.Image:
        """Return the picture of frame `i`, with `lines` of text in its upper right corner."""
        camera = self._cameras[i].times(SUPERSAMPLING)
        image = Image.new("RGB", (camera.width, camera.height), SKY)
        draw = ImageDraw.Draw(image)
        scale = SUPERSAMPLING * text_scale(self.size[0])
        self._ground.draw(draw, camera, _font(12 * scale), scale)
        pixels = np.array(image)
        near = np.maximum(camera.ground(0.004 * self._length), 0.0)
        triangles, colours = self._triangles(i)
        rasterise(pixels, near, camera.project(triangles), colours)
        image = Image.fromarray(pixels)
        self._draw_text(ImageDraw.Draw(image), camera.width, camera.height, lines, scale)
        return image.reduce(SUPERSAMPLING)

    def _arrow_tips(self, i: int) -> list[FloatArray]:
        poses = self._poses[i]
        return [
            (poses[foot][:3, 3] + self._arrow_vector(f))[None] for foot, f in _forces(self._frames[i]) if foot in poses
        ]

    def _label_point(self, i: int) -> FloatArray:
        return np.array([[self._bases[i, 0], self._ground.label_y, 0.0]])

    def _arrow_vector(self, force: FloatArray) -> FloatArray:
        size = max(self._reference_force, float(np.linalg.norm(force)) / MAX_ARROW_RATIO)
        return ARROW_LENGTH * self._length * force / size

    def _triangles(self, i: int) -> tuple[FloatArray, NDArray[np.uint8]]:
        poses, frame, length = self._poses[i], self._frames[i], self._length
        feet = {foot["foot"]: _rgb(MODE_COLOURS[foot["mode"]]) for foot in frame["feet"]}
        solid = [(transform(poses[link], mesh), feet.get(link, _rgb(colour))) for link, mesh, colour in self._shapes]
        flat = []
        for mesh, _ in solid:
            shadow = mesh - SHADOW_LIGHT / SHADOW_LIGHT[2] * np.maximum(mesh[..., 2:], 0.0)
            shadow[..., 2] = 0.0
            flat.append((shadow, SHADOW))
        for foot, colour in feet.items():
            if foot in poses:
                solid.append((sphere() * (FOOT_RADIUS * length) + poses[foot][:3, 3], colour))
        for foot, force in _forces(frame):
            vector = self._arrow_vector(force)
            if foot in poses and np.linalg.norm(vector) > 0.02 * length:
                solid.append((arrow(poses[foot][:3, 3], vector, ARROW_RADIUS * length), feet[foot]))
        flat.append((self._trail(i), _rgb(TRAIL_COLOUR)))
        parts = [*flat, *((mesh, _shaded(mesh, colour)) for mesh, colour in solid)]
        colours = [np.broadcast_to(np.array(colour, dtype=np.uint8), (len(mesh), 3)) for mesh, colour in parts]
        return np.concatenate([mesh for mesh, _ in parts]), np.concatenate(colours)

    def _trail(self, i: int) -> FloatArray:
        """Return the path of the base: on the ground, or seen from the side in front of the robot."""
        path = self._bases[: i + 1].copy()
        if len(path) < 2:
            return np.zeros((0, 3, 3))
        path[:, 1 if self._planar else 2] = self._front if self._planar else 0.001 * self._length
        tangent = np.gradient(path, axis=0)
        across = np.cross((0.0, 1.0, 0.0) if self._planar else (0.0, 0.0, 1.0), tangent)
        across *= TRAIL_HALF_WIDTH * self._length / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-12)
        a, b = path - across, path + across
        first = np.stack([a[:-1], b[:-1], b[1:]], axis=1)
        return np.concatenate([first, np.stack([a[:-1], b[1:], a[1:]], axis=1)])

    def _draw_text(
        self, draw: ImageDraw.ImageDraw, width: int, height: int, lines: Sequence[str], scale: float
    ) -> None:
        edge, line_height = 12 * scale, 18 * scale
        draw.text((edge, edge), self._title, font=_font(15 * scale), fill=INK, anchor="lt")
        for k, text in enumerate(lines):
            at = (width - edge, edge + k * line_height)
            draw.text(at, text, font=_font((15 if k == 0 else 13) * scale), fill=INK if k == 0 else PALE, anchor="rt")
        x, y, r = edge, height - 1.3 * edge, 4.5 * scale
        for mode in self._modes:
            draw.ellipse((x, y - r, x + 2 * r, y + r), fill=_rgb(MODE_COLOURS[mode]))
            draw.text((x + 3 * r, y), MODE_TEXTS[mode], font=_font(13 * scale), fill=PALE, anchor="lm")
            x += 3 * r + draw.textlength(MODE_TEXTS[mode], font=_font(13 * scale)) + edge


def _forces(frame: Frame) -> list[tuple[str, FloatArray]]:
    """Return the feet with a known force that is not zero."""
    known = [(foot["foot"], foot["force"]) for foot in frame["feet"] if None not in foot["force"]]
    return [(foot, np.array(force)) for foot, force in known if any(force) and max(map(abs, force)) < MAX_FORCE_N]


def _shaded(mesh: FloatArray, colour: Sequence[int]) -> NDArray[np.uint8]:
    """Return the colour of each triangle in the light."""
    normal = np.cross(mesh[:, 1] - mesh[:, 0], mesh[:, 2] - mesh[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-30)
    is_inward = np.einsum("ij,ij->i", normal, mesh.mean(axis=1) - mesh.mean(axis=(0, 1))) < 0.0
    normal[is_inward] *= -1.0  # shapes are convex
    light = 0.58 + 0.22 * normal[:, 2] + 0.3 * np.maximum(0.0, normal @ SIDE_LIGHT)
    return np.minimum(255.0, np.array(colour) * light[:, None]).astype(np.uint8)


def _rgb(colour: Sequence[float]) -> tuple[int, int, int]:
    red, green, blue = (round(255 * value) for value in colour[:3])
    return red, green, blue


def _font(size: float) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(round(size))
    assert isinstance(font, ImageFont.FreeTypeFont)  # where Pillow has FreeType, as its wheels do
    return font
