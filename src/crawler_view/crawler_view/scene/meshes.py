"""Shapes as triangles: arrays of (n, 3 corners, 3)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from transforms3d.euler import euler2mat

from crawler_core.types import FloatArray

ROUND, ROWS = 24, 10  # faces round a cylinder and a sphere, and rows of a sphere


Meshes = Sequence[tuple[str, FloatArray, Sequence[float]]]


def scene_meshes(scene: Mapping[str, Any]) -> Meshes:
    """Every shape of a scene: its link, its triangles in the link's frame, and its colour."""
    return [
        (link["name"], shape_mesh(shape["kind"], shape["size"], shape["xyz"], shape["rpy"]), shape["rgba"])
        for link in scene["links"]
        for shape in link["shapes"]
    ]


def placed(pose: FloatArray, points: FloatArray) -> FloatArray:
    """Points of a link's frame in the world."""
    return points @ pose[:3, :3].T + pose[:3, 3]


def around(meshes: Meshes, poses: Mapping[str, FloatArray]) -> FloatArray:
    """Corners of boxes around the shapes, and the links' origins, in the world."""
    found = [np.array([pose[:3, 3] for pose in poses.values()])]
    for link, mesh, _ in meshes:
        low, high = mesh.min(axis=(0, 1)), mesh.max(axis=(0, 1))
        box = np.array(np.meshgrid(*zip(low, high, strict=True))).reshape(3, -1).T
        found.append(placed(poses[link], box))
    return np.concatenate(found)


def shape_mesh(kind: str, size: Sequence[float], xyz: Sequence[float], rpy: Sequence[float]) -> FloatArray:
    """A shape of a URDF in its link's frame."""
    scale = {"box": size, "cylinder": (size[0], size[0], size[-1]), "sphere": (size[0],) * 3}[kind]
    unit = {"box": box, "cylinder": cylinder, "sphere": sphere}[kind]()
    return (unit * scale) @ euler2mat(*rpy, axes="sxyz").T + xyz


@cache
def box() -> FloatArray:
    """With sides of 1."""
    faces = []
    for axis in range(3):
        for side in (-0.5, 0.5):
            corners = []
            for u, v in ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)):
                corner = [0.0, 0.0, 0.0]
                corner[axis], corner[(axis + 1) % 3], corner[(axis + 2) % 3] = side, u, v
                corners.append(corner)
            faces += fan(corners)
    return np.array(faces)


@cache
def cylinder(top: float = 1.0) -> FloatArray:
    """Along z from -1/2 to 1/2, of radius 1 below and `top` above."""
    ring = [(math.cos(a), math.sin(a)) for a in np.linspace(0.0, 2.0 * math.pi, ROUND + 1)]
    faces = []
    for (x0, y0), (x1, y1) in pairwise(ring):
        faces += fan([(x0, y0, -0.5), (x1, y1, -0.5), (top * x1, top * y1, 0.5), (top * x0, top * y0, 0.5)])
        faces.append([(0.0, 0.0, -0.5), (x0, y0, -0.5), (x1, y1, -0.5)])
        faces.append([(0.0, 0.0, 0.5), (top * x0, top * y0, 0.5), (top * x1, top * y1, 0.5)])
    return np.array(faces)


@cache
def sphere() -> FloatArray:
    """Of radius 1."""
    faces = []
    for a0, a1 in pairwise(np.linspace(0.0, math.pi, ROWS + 1)):
        for b0, b1 in pairwise(np.linspace(0.0, 2.0 * math.pi, ROUND + 1)):
            faces += fan([_on_sphere(a0, b0), _on_sphere(a1, b0), _on_sphere(a1, b1), _on_sphere(a0, b1)])
    return np.array(faces)


def arrow(start: FloatArray, way: FloatArray, thick: float) -> FloatArray:
    """From `start` along the vector `way`."""
    length = float(np.linalg.norm(way))
    z = way / length
    x = np.cross(z, (0.0, 1.0, 0.0) if abs(z[1]) < 0.9 else (1.0, 0.0, 0.0))
    x /= np.linalg.norm(x)
    turn = np.stack([x, np.cross(z, x), z])  # rows: where the mesh's axes go
    head = min(6.0 * thick, length)
    shaft = cylinder() * (thick, thick, length - head) + (0.0, 0.0, 0.5 * (length - head))
    cone = cylinder(0.0) * (2.5 * thick, 2.5 * thick, head) + (0.0, 0.0, length - 0.5 * head)
    return np.concatenate([shaft, cone]) @ turn + start


def fan(corners: Sequence[Sequence[float]]) -> list[list[Sequence[float]]]:
    """A convex polygon as triangles."""
    return [[corners[0], one, other] for one, other in pairwise(corners[1:])]


def _on_sphere(a: float, b: float) -> tuple[float, float, float]:
    return math.sin(a) * math.cos(b), math.sin(a) * math.sin(b), math.cos(a)
