"""One frame of a film after the other: ground, robot with its shadow, trail, feet and forces, and what is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from crawler_core.types import FloatArray
from crawler_view.film.camera import Camera, cameras, writing
from crawler_view.film.ground import PLATFORM, SKY, Ground
from crawler_view.film.raster import rasterise
from crawler_view.scene.kinematics import Kinematics
from crawler_view.scene.meshes import around, arrow, placed, scene_meshes, sphere
from crawler_view.scene.robot_scene import MODE_COLOURS, TRAIL_COLOUR

FINER = 2  # times as many pixels are drawn, for smooth edges
LIGHT = np.array([0.35, -0.45, 1.0])  # towards it: shadows
LAMP = np.array([0.30, -0.65, 0.70])  # what brightens sides
SHADOW = (190, 198, 208)
INK, PALE = (32, 38, 46), (104, 114, 126)
# parts of the robot's length
FOOT, ARROW, THICK, RIBBON = 0.014, 0.2, 0.0045, 0.004
USUAL, LONGEST = 0.9, 1.5  # arrows are ARROW long for this quantile of the forces, and so many times that at most
NAMES = {"stick": "sticks", "slip_pos": "slips forward", "slip_neg": "slips back", "open": "in the air"}
NAMES |= {"unknown": "not known"}

Frame = Mapping[str, Any]


class FrameRenderer:
    """The frames of a film, as `LiveState.frame` gives them. `planar`: seen from the side; otherwise from a corner.

    `smooth` is over how many frames the camera's way is evened out, where it goes along.
    """

    def __init__(
        self, scene: Mapping[str, Any], frames: Sequence[Frame], planar: bool, width: int, smooth: int, title: str
    ) -> None:
        self._frames, self._planar, self._title = frames, planar, title
        kinematics = Kinematics(scene)
        self._poses = [kinematics.at(frame) for frame in frames]
        self._bases = np.array([poses[scene["base"]][:3, 3] for poses in self._poses])
        self._shapes = scene_meshes(scene)
        self.count = len(frames)
        seen = [around(self._shapes, poses) for poses in self._poses]
        self._length = max(max(float(np.ptp(points, axis=0).max()) for points in seen), 1e-3)
        known = [np.linalg.norm(force) for frame in frames for _, force in _forces(frame)]
        self._usual = float(np.quantile(known, USUAL)) if known else 1.0  # N
        self._front = min(float(points[:, 1].min()) for points in seen) - RIBBON * self._length
        self._ground = Ground.below(np.concatenate(seen), self._length, planar)
        seen = [np.concatenate([seen[i], *self._tips(i), self._written(i)]) for i in range(self.count)]
        self._cameras = cameras(seen, self._bases, planar, width, smooth)
        self._modes = [m for m in MODE_COLOURS if any(foot["mode"] == m for frame in frames for foot in frame["feet"])]

    @property
    def size(self) -> tuple[int, int]:
        """Of each picture, pixels."""
        return self._cameras[0].width, self._cameras[0].height

    @property
    def colours(self) -> list[tuple[int, int, int]]:
        """Those that mean something."""
        return [*(_rgb(MODE_COLOURS[mode]) for mode in self._modes), _rgb(TRAIL_COLOUR), SHADOW, SKY, PLATFORM, INK]

    def camera(self, i: int) -> Camera:
        """That of frame `i`."""
        return self._cameras[i]

    def picture(self, i: int, words: Sequence[str]) -> Image.Image:
        """Frame `i`, with `words` in its upper right corner, one under the other."""
        camera = self._cameras[i].times(FINER)
        image = Image.new("RGB", (camera.width, camera.height), SKY)
        draw = ImageDraw.Draw(image)
        scale = FINER * writing(self.size[0])
        self._ground.draw(draw, camera, _font(12 * scale), scale)
        pixels = np.array(image)
        near = np.maximum(camera.ground(0.004 * self._length), 0.0)
        triangles, colours = self._triangles(i)
        rasterise(pixels, near, camera.project(triangles), colours)
        image = Image.fromarray(pixels)
        self._write(ImageDraw.Draw(image), camera.width, camera.height, words, scale)
        return image.reduce(FINER)

    def _tips(self, i: int) -> list[FloatArray]:
        poses = self._poses[i]
        return [(poses[foot][:3, 3] + self._way(f))[None] for foot, f in _forces(self._frames[i]) if foot in poses]

    def _written(self, i: int) -> FloatArray:
        return np.array([[self._bases[i, 0], self._ground.along, 0.0]])

    def _way(self, force: FloatArray) -> FloatArray:
        return ARROW * self._length * force / max(self._usual, float(np.linalg.norm(force)) / LONGEST)

    def _triangles(self, i: int) -> tuple[FloatArray, NDArray[np.uint8]]:
        poses, frame, length = self._poses[i], self._frames[i], self._length
        feet = {foot["foot"]: _rgb(MODE_COLOURS[foot["mode"]]) for foot in frame["feet"]}
        solid = [(placed(poses[link], mesh), feet.get(link, _rgb(colour))) for link, mesh, colour in self._shapes]
        flat = []
        for mesh, _ in solid:
            shadow = mesh - LIGHT / LIGHT[2] * np.maximum(mesh[..., 2:], 0.0)
            shadow[..., 2] = 0.0
            flat.append((shadow, SHADOW))
        for foot, colour in feet.items():
            if foot in poses:
                solid.append((sphere() * (FOOT * length) + poses[foot][:3, 3], colour))
        for foot, force in _forces(frame):
            way = self._way(force)
            if foot in poses and np.linalg.norm(way) > 0.02 * length:
                solid.append((arrow(poses[foot][:3, 3], way, THICK * length), feet[foot]))
        flat.append((self._trail(i), _rgb(TRAIL_COLOUR)))
        parts = [*flat, *((mesh, _lit(mesh, colour)) for mesh, colour in solid)]
        colours = [np.broadcast_to(np.array(colour, dtype=np.uint8), (len(mesh), 3)) for mesh, colour in parts]
        return np.concatenate([mesh for mesh, _ in parts]), np.concatenate(colours)

    def _trail(self, i: int) -> FloatArray:
        """The way of the base: on the ground, or as it is seen from the side, in front of the robot."""
        way = self._bases[: i + 1].copy()
        if len(way) < 2:
            return np.zeros((0, 3, 3))
        way[:, 1 if self._planar else 2] = self._front if self._planar else 0.001 * self._length
        on = np.gradient(way, axis=0)
        across = np.cross((0.0, 1.0, 0.0) if self._planar else (0.0, 0.0, 1.0), on)
        across *= RIBBON * self._length / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-12)
        a, b = way - across, way + across
        first = np.stack([a[:-1], b[:-1], b[1:]], axis=1)
        return np.concatenate([first, np.stack([a[:-1], b[1:], a[1:]], axis=1)])

    def _write(self, draw: ImageDraw.ImageDraw, width: int, height: int, words: Sequence[str], scale: float) -> None:
        edge, line = 12 * scale, 18 * scale
        draw.text((edge, edge), self._title, font=_font(15 * scale), fill=INK, anchor="lt")
        for k, text in enumerate(words):
            at = (width - edge, edge + k * line)
            draw.text(at, text, font=_font((15 if k == 0 else 13) * scale), fill=INK if k == 0 else PALE, anchor="rt")
        x, y, r = edge, height - 1.3 * edge, 4.5 * scale
        for mode in self._modes:
            draw.ellipse((x, y - r, x + 2 * r, y + r), fill=_rgb(MODE_COLOURS[mode]))
            draw.text((x + 3 * r, y), NAMES[mode], font=_font(13 * scale), fill=PALE, anchor="lm")
            x += 3 * r + draw.textlength(NAMES[mode], font=_font(13 * scale)) + edge


def _forces(frame: Frame) -> list[tuple[str, FloatArray]]:
    """The feet whose force is known and not nothing."""
    known = [(foot["foot"], foot["force"]) for foot in frame["feet"] if None not in foot["force"]]
    return [(foot, np.array(force)) for foot, force in known if any(force)]


def _lit(mesh: FloatArray, colour: Sequence[int]) -> NDArray[np.uint8]:
    """The colour of each triangle in the light."""
    normal = np.cross(mesh[:, 1] - mesh[:, 0], mesh[:, 2] - mesh[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-30)
    away = np.einsum("ij,ij->i", normal, mesh.mean(axis=1) - mesh.mean(axis=(0, 1))) < 0.0
    normal[away] *= -1.0  # shapes are convex
    light = 0.58 + 0.22 * normal[:, 2] + 0.3 * np.maximum(0.0, normal @ LAMP)
    return np.minimum(255.0, np.array(colour) * light[:, None]).astype(np.uint8)


def _rgb(colour: Sequence[float]) -> tuple[int, int, int]:
    red, green, blue = (round(255 * value) for value in colour[:3])
    return red, green, blue


def _font(size: float) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(round(size))
    assert isinstance(font, ImageFont.FreeTypeFont)  # where Pillow has FreeType, as its wheels do
    return font
