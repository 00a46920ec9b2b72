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

FACES_AROUND, SPHERE_ROWS = 24, 10

Meshes = Sequence[tuple[str, FloatArray, Sequence[float]]]


def scene_meshes(scene: Mapping[str, Any]) -> Meshes:
    """Return every shape of a scene: its link, its triangles in the link's frame, and its colour."""
    return [
        (link["name"], shape_mesh(shape["kind"], shape["size"], shape["xyz"], shape["rpy"]), shape["rgba"])
        for link in scene["links"]
        for shape in link["shapes"]
    ]


def transform(pose: FloatArray, points: FloatArray) -> FloatArray:
    """Transform points from a link's frame to the world."""
    return points @ pose[:3, :3].T + pose[:3, 3]


def bounding_points(meshes: Meshes, poses: Mapping[str, FloatArray]) -> FloatArray:
    """Return the corners of boxes around the shapes, and the links' origins, in the world."""
    found = [np.array([pose[:3, 3] for pose in poses.values()])]
    for link, mesh, _ in meshes:
        low, high = mesh.min(axis=(0, 1)), mesh.max(axis=(0, 1))
        box = np.array(np.meshgrid(*zip(low, high, strict=True))).reshape(3, -1).T
        found.append(transform(poses[link], box))
    return np.concatenate(found)


def shape_mesh(kind: str, size: Sequence[float], xyz: Sequence[float], rpy: Sequence[float]) -> FloatArray:
    """Return the triangles of a URDF shape in its link's frame."""
    scale = {"box": size, "cylinder": (size[0], size[0], size[-1]), "sphere": (size[0],) * 3}[kind]
    unit = {"box": box, "cylinder": cylinder, "sphere": sphere}[kind]()
    return (unit * scale) @ euler2mat(*rpy, axes="sxyz").T + xyz


@cache
def box() -> FloatArray:
    """Return a cube with sides of 1."""
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
    """Return a cylinder along z from -1/2 to 1/2; its radius is 1 at the bottom and `top` at the top."""
    circle = [(math.cos(a), math.sin(a)) for a in np.linspace(0.0, 2.0 * math.pi, FACES_AROUND + 1)]
    faces = []
    for (x0, y0), (x1, y1) in pairwise(circle):
        faces += fan([(x0, y0, -0.5), (x1, y1, -0.5), (top * x1, top * y1, 0.5), (top * x0, top * y0, 0.5)])
        faces.append([(0.0, 0.0, -0.5), (x0, y0, -0.5), (x1, y1, -0.5)])
        faces.append([(0.0, 0.0, 0.5), (top * x0, top * y0, 0.5), (top * x1, top * y1, 0.5)])
    return np.array(faces)


@cache
def sphere() -> FloatArray:
    """Return a sphere of radius 1."""
    faces = []
    for a0, a1 in pairwise(np.linspace(0.0, math.pi, SPHERE_ROWS + 1)):
        for b0, b1 in pairwise(np.linspace(0.0, 2.0 * math.pi, FACES_AROUND + 1)):
            faces += fan([_on_sphere(a0, b0), _on_sphere(a1, b0), _on_sphere(a1, b1), _on_sphere(a0, b1)])
    return np.array(faces)


def arrow(start: FloatArray, vector: FloatArray, radius: float) -> FloatArray:
    """Return an arrow from `start` along `vector`, with a shaft of `radius`."""
    length = float(np.linalg.norm(vector))
    z = vector / length
    x = np.cross(z, (0.0, 1.0, 0.0) if abs(z[1]) < 0.9 else (1.0, 0.0, 0.0))
    x /= np.linalg.norm(x)
    rotation = np.stack([x, np.cross(z, x), z])  # rows: the directions of the mesh's axes
    head = min(6.0 * radius, length)
    shaft = cylinder() * (radius, radius, length - head) + (0.0, 0.0, 0.5 * (length - head))
    cone = cylinder(0.0) * (2.5 * radius, 2.5 * radius, head) + (0.0, 0.0, length - 0.5 * head)
    return np.concatenate([shaft, cone]) @ rotation + start


def fan(corners: Sequence[Sequence[float]]) -> list[list[Sequence[float]]]:
    """Split a convex polygon into triangles."""
    return [[corners[0], one, other] for one, other in pairwise(corners[1:])]


def _on_sphere(a: float, b: float) -> tuple[float, float, float]:
    return math.sin(a) * math.cos(b), math.sin(a) * math.sin(b), math.cos(a)
