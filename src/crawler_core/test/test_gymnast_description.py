"""The test robot's URDF against its robot file, and its four-bar against circles."""

import copy
import math
import tempfile
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np
import pytest
import yaml

xacro = pytest.importorskip("xacro")

ROBOT_FILE = Path(__file__).parent / "robots/gymnast/robot.yaml"
XACRO = ROBOT_FILE.with_name("gymnast.urdf.xacro")
DOCUMENT = yaml.safe_load(ROBOT_FILE.read_text())


def urdf(**overrides: float) -> Element:
    """The description, made from the robot file with some of its parameters changed."""
    document = copy.deepcopy(DOCUMENT)
    for name, value in overrides.items():
        document["parameters"][name]["value"] = value
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        yaml.safe_dump(document, file)
        file.flush()
        return ElementTree.fromstring(xacro.process_file(str(XACRO), mappings={"robot_file": file.name}).toxml())


def word(element: Element, path: str, attribute: str) -> str:
    """An attribute of the part of `element` that `path` leads to."""
    found = element.find(path)
    assert found is not None, path
    return found.get(attribute, "")


def place(root: Element, link: str, angles: dict[str, float]) -> np.ndarray:
    """Where `link` is in the body's middle plane: x, z and the angle about -y. Every frame of the leg is in it."""
    (joint,) = (joint for joint in root.findall("joint") if word(joint, "child", "link") == link)
    parent = word(joint, "parent", "link")
    x, z, turn = (0.0, 0.0, 0.0) if parent == "body" else place(root, parent, angles)
    along, _, up = (float(number) for number in word(joint, "origin", "xyz").split())
    c, s = math.cos(turn), math.sin(turn)
    return np.array([x + c * along - s * up, z + s * along + c * up, turn + angles.get(joint.get("name", ""), 0.0)])


def test_links_joints_feet_and_pins_are_those_that_the_robot_file_names() -> None:
    root = urdf()
    links = {link.get("name") for link in root.findall("link")}
    assert DOCUMENT["base"]["link"] in links
    assert {*DOCUMENT["feet"], *(pin for pins in DOCUMENT["loops"].values() for pin in pins)} <= links
    assert {joint.get("name") for joint in root.findall("joint") if joint.get("type") != "fixed"} == set(
        DOCUMENT["joints"]
    )
    colliding = {link.get("name") for link in root.findall("link") if link.find("collision") is not None}
    assert colliding == set(DOCUMENT["feet"])


@pytest.mark.parametrize(
    "lengths",
    [{}, {"crank_length": 0.015, "rocker_length": 0.055}, {"ground_length": 0.07, "coupler_length": 0.06}],
)
def test_the_four_bar_assembles_at_home_near_where_the_robot_file_says(lengths: dict[str, float]) -> None:
    """The pin is where the circles about the crank's end and the rocker's hinge meet; the lower of the two places."""
    root = urdf(**lengths)
    home = {name: math.radians(joint["home_deg"]) for name, joint in DOCUMENT["joints"].items()}
    hinge, end = place(root, "rocker_link", {})[:2], place(root, "coupler_link", home)[:2]
    rocker, coupler = (
        place(root, pin, {})[0] - place(root, bar, {})[0]
        for pin, bar in (("rocker_pin", "rocker_link"), ("coupler_pin", "coupler_link"))
    )
    between = end - hinge
    distance = float(np.hypot(*between))
    along = (rocker**2 - coupler**2 + distance**2) / (2.0 * distance)
    assert abs(along) < rocker, "the bars are too short to meet"
    x, z = between / distance
    pin = hinge + along * np.array([x, z]) + math.sqrt(rocker**2 - along**2) * np.array([z, -x])
    for link in ("rocker_pin", "coupler_pin"):
        away = np.hypot(*(place(root, link, home)[:2] - pin))
        assert away < (1e-3 if not lengths else 0.03), link  # home_deg is in whole degrees, for the lengths of the file


def test_every_inertia_could_be_a_bodys() -> None:
    for inertia in urdf().iter("inertia"):
        x, y, z = (float(inertia.get(axis, "")) for axis in ("ixx", "iyy", "izz"))
        assert x + y >= z * (1 - 1e-9)
        assert y + z >= x * (1 - 1e-9)
        assert z + x >= y * (1 - 1e-9)
