"""The scene of a robot, from its URDF: links as boxes, cylinders and spheres, and the joints between them."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from crawler_core.description.frame import read_frames

GREY = [0.6, 0.6, 0.6, 1.0]
MODE_COLOURS = {  # of feet, by contact mode
    "stick": [0.10, 0.60, 0.31],
    "slip_pos": [0.94, 0.55, 0.0],
    "slip_neg": [0.84, 0.20, 0.42],
    "open": [0.60, 0.65, 0.69],
    "unknown": [0.79, 0.72, 0.91],
}
TRAIL_COLOUR = [0.16, 0.45, 0.82]  # of the path of the base
SIZE_ATTRIBUTES = {"box": ("size",), "cylinder": ("radius", "length"), "sphere": ("radius",)}


def read_scene(urdf: str) -> dict[str, Any]:
    """Return the scene in the form that the page takes. Raises ElementTree.ParseError or ValueError for a bad URDF."""
    root = ElementTree.fromstring(urdf)
    colours = {
        material.get("name", ""): _floats(colour.get("rgba"))
        for material in root.iter("material")
        if (colour := material.find("color")) is not None
    }
    frames = read_frames(urdf)
    children = {frame.child for frame in frames}
    links = {link.get("name", ""): link for link in root.findall("link")}
    periodic = {joint.get("name", "") for joint in root.findall("joint") if joint.get("type") == "continuous"}
    base = next((name for name in links if name not in children), "")
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
        for kind, sizes in SIZE_ATTRIBUTES.items():
            shape = visual.find(f"geometry/{kind}")
            if shape is not None:
                found.append(
                    {
                        "kind": kind,
                        "size": [value for name in sizes for value in _floats(shape.get(name))],
                        "xyz": _floats(origin.get("xyz", "0 0 0")) if origin is not None else [0.0] * 3,
                        "rpy": _floats(origin.get("rpy", "0 0 0")) if origin is not None else [0.0] * 3,
                        "rgba": colours.get(material.get("name", ""), GREY) if material is not None else GREY,
                    }
                )
    return found


def _floats(text: str | None) -> list[float]:
    return [float(word) for word in (text or "").split()]
