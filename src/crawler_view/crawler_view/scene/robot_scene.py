"""The scene of a robot, from its URDF: links as boxes, cylinders and spheres, and the joints between them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any
from xml.etree import ElementTree

from crawler_core.description.frame import Frame, read_frames

GREY = [0.6, 0.6, 0.6, 1.0]
MODE_COLOURS = {  # of feet, by contact mode
    "stick": [0.10, 0.60, 0.31],
    "slip_pos": [0.94, 0.55, 0.0],
    "slip_neg": [0.84, 0.20, 0.42],
    "open": [0.60, 0.65, 0.69],
    "unknown": [0.79, 0.72, 0.91],
}
TRAIL_COLOUR = [0.16, 0.45, 0.82]  # of the path of the base
MAX_PARTS = 2_000  # joints and shapes of a robot
MAX_NUMBER = 1e4  # m and rad
SIZE_ATTRIBUTES = {"box": ("size",), "cylinder": ("radius", "length"), "sphere": ("radius",)}


def read_scene(urdf: str) -> dict[str, Any]:
    """Return the scene in the form that the page takes.

    Raises ElementTree.ParseError or ValueError for a URDF that is invalid, or too large to be drawn.
    """
    root = ElementTree.fromstring(urdf)
    if sum(1 for _ in root.iter("joint")) + sum(1 for _ in root.iter("visual")) > MAX_PARTS:
        raise ValueError(f"it has more than {MAX_PARTS} joints and shapes")
    colours = {
        material.get("name", ""): _colour(colour.get("rgba"))
        for material in root.iter("material")
        if (colour := material.find("color")) is not None
    }
    frames = read_frames(urdf)
    children = {frame.child for frame in frames}
    links = {link.get("name", ""): link for link in root.findall("link")}
    periodic = {joint.get("name", "") for joint in root.findall("joint") if joint.get("type") == "continuous"}
    base = next((name for name in links if name not in children), "")
    _check_tree(base, links, frames)
    return {
        "robot": root.get("name", ""),
        "base": base,
        "colours": MODE_COLOURS,
        "links": [{"name": name, "shapes": _shapes(link, colours)} for name, link in links.items()],
        "joints": [
            {
                "name": frame.joint,
                "parent": frame.parent,
                "child": frame.child,
                "xyz": frame.origin,
                "rpy": frame.rpy,
                "axis": frame.axis,
                "prismatic": frame.sliding,
                "periodic": frame.joint in periodic,
            }
            for frame in frames
        ],
    }


def _shapes(link: ElementTree.Element, colours: dict[str, list[float]]) -> list[dict[str, Any]]:
    """Return a link's visible shapes. Meshes are left out: their files may not be on this machine."""
    found = []
    for visual in link.findall("visual"):
        origin, material = visual.find("origin"), visual.find("material")
        for kind in SIZE_ATTRIBUTES:
            shape = visual.find(f"geometry/{kind}")
            if shape is not None:
                found.append(
                    {
                        "kind": kind,
                        "size": _sizes(kind, shape),
                        "xyz": _floats(origin.get("xyz", "0 0 0"), 3) if origin is not None else [0.0] * 3,
                        "rpy": _floats(origin.get("rpy", "0 0 0"), 3) if origin is not None else [0.0] * 3,
                        "rgba": colours.get(material.get("name", ""), GREY) if material is not None else GREY,
                    }
                )
    return found


def _sizes(kind: str, shape: ElementTree.Element) -> list[float]:
    names = SIZE_ATTRIBUTES[kind]
    found = [value for name in names for value in _floats(shape.get(name), 3 if name == "size" else 1)]
    if min(found) < 0.0:
        raise ValueError(f"a {kind} in it has a size below 0")
    return found


def _colour(text: str | None) -> list[float]:
    found = _floats(text, 4)
    if not all(0.0 <= value <= 1.0 for value in found):
        raise ValueError("a colour in it is not of 0 to 1")
    return found


def _floats(text: str | None, count: int) -> list[float]:
    """Return `count` numbers. Raises ValueError for another count, or for one that cannot be drawn."""
    found = [float(word) for word in (text or "").split()]
    if len(found) != count or not all(abs(value) <= MAX_NUMBER for value in found):  # false for NaN
        raise ValueError(f"'{(text or '')[:40]}' in it is not {count} numbers of at most {MAX_NUMBER:g}")
    return found


def _check_tree(base: str, links: Collection[str], frames: Sequence[Frame]) -> None:
    """Raise ValueError unless the joints lead from the base to every link in one way, at finite places."""
    children: dict[str, list[str]] = {}
    for frame in frames:
        children.setdefault(frame.parent, []).append(frame.child)
        numbers = (*frame.origin, *frame.rpy, *frame.axis)
        if not all(abs(value) <= MAX_NUMBER for value in numbers):
            raise ValueError(f"the joint to '{frame.child[:40]}' has a number that cannot be drawn")
        if frame.joint and not any(frame.axis):
            raise ValueError(f"the axis of '{frame.joint[:40]}' has the length 0")
    reached, pending = {base}, [base]
    while pending:
        for child in children.get(pending.pop(), ()):
            if child in reached:
                raise ValueError(f"its joints are no tree: they lead to '{child[:40]}' twice")
            reached.add(child)
            pending.append(child)
    if not links or reached != set(links):
        raise ValueError("its joints are no tree that holds every link")
