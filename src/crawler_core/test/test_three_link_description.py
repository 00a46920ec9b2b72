"""The three-link robot's URDF against its robot file and against the paper's geometry."""

import cmath
import copy
import math
import tempfile
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np
import pytest
import yaml

from crawler_core.robot.robot_file import load_robot

xacro = pytest.importorskip("xacro")

ROBOT_FILE = load_robot("three_link").directory / "robot.yaml"
XACRO = ROBOT_FILE.with_name("three_link.urdf.xacro")
LINKS = {
    "body": ("central_mass", "central_inertia"),
    "leg_1": ("mass_1", "inertia_1"),
    "leg_2": ("mass_2", "inertia_2"),
}


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


def numbers(text: str | None) -> np.ndarray:
    assert text is not None
    return np.array([float(word) for word in text.split()])


def named(root: Element, kind: str, name: str) -> Element:
    (found,) = (element for element in root.findall(kind) if element.get("name") == name)
    return found


def part(element: Element, path: str) -> Element:
    found = element.find(path)
    assert found is not None, path
    return found


def foot_in_body(root: Element, index: int, angle: float) -> np.ndarray:
    """Forward kinematics of a chain whose frames are parallel at zero: body, turning joint, fixed foot."""
    joint, foot = named(root, "joint", f"joint_{index}"), named(root, "joint", f"foot_{index}_fixed")
    x, y, z = numbers(part(joint, "axis").get("xyz"))
    assert (x, abs(y), z) == (0.0, 1.0, 0.0)
    assert not numbers(part(joint, "origin").get("rpy")).any()
    c, s = math.cos(y * angle), math.sin(y * angle)
    turn = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])  # about +y
    return numbers(part(joint, "origin").get("xyz")) + turn @ numbers(part(foot, "origin").get("xyz"))


def test_the_tree_is_a_body_with_two_legs_and_a_foot_on_each() -> None:
    root = urdf()
    tree = {part(j, "child").get("link"): part(j, "parent").get("link") for j in root.findall("joint")}
    assert tree == {"leg_1": "body", "leg_2": "body", "foot_1": "leg_1", "foot_2": "leg_2"}
    assert {link.get("name") for link in root.findall("link")} == {"body", *tree}
    assert DOCUMENT["base"]["link"] == "body"
    assert set(DOCUMENT["feet"]) <= set(tree)
    assert {j.get("name") for j in root.findall("joint") if j.get("type") == "revolute"} == set(DOCUMENT["joints"])


def test_masses_and_inertias_are_those_of_the_robot_file() -> None:
    root, values = urdf(), {name: entry["value"] for name, entry in DOCUMENT["parameters"].items()}
    total = 0.0
    for link, (mass, inertia) in LINKS.items():
        inertial = part(named(root, "link", link), "inertial")
        assert float(part(inertial, "mass").get("value", "")) == values[mass]
        assert float(part(inertial, "inertia").get("iyy", "")) == values[inertia]
        total += values[mass]
    assert sum(float(m.get("value", "")) for m in root.iter("mass")) == pytest.approx(total, rel=1e-15)
    assert total == pytest.approx(0.236)  # kg, Table I


def test_every_inertia_could_be_a_bodys() -> None:
    for inertia in urdf().iter("inertia"):
        x, y, z = (float(inertia.get(axis, "")) for axis in ("ixx", "iyy", "izz"))
        assert x + y >= z
        assert y + z >= x
        assert z + x >= y


def test_centres_of_mass_are_in_the_middle_of_each_link() -> None:
    root = urdf(length_1=0.15, length_2=0.21)
    for link, middle in {"body": 0.0, "leg_1": -0.075, "leg_2": 0.105}.items():
        centre = numbers(part(named(root, "link", link), "inertial/origin").get("xyz"))
        np.testing.assert_allclose(centre, (middle, 0.0, 0.0), atol=1e-15)


def test_joint_limits_are_those_of_the_robot_file() -> None:
    root = urdf()
    for name, joint in DOCUMENT["joints"].items():
        limit = part(named(root, "joint", name), "limit").attrib
        assert float(limit["lower"]) == math.radians(joint["lower_deg"])
        assert float(limit["upper"]) == math.radians(joint["upper_deg"])
        assert float(limit["velocity"]) == joint["velocity"]
        assert float(limit["effort"]) == joint["effort"]


@pytest.mark.parametrize("angles", [(110.0, 110.0), (92.0, 128.0), (170.0, 60.0), (180.0, 90.0)])
def test_feet_stand_where_the_closed_chain_says(angles: tuple[float, float]) -> None:
    """Z = l0 - l1 exp(i phi_1) - l2 exp(-i phi_2): its length is the feet's distance, its angle the body's tilt."""
    l0, l1, l2 = 0.187, 0.15, 0.19
    root = urdf(length_1=l1, length_2=l2)
    phi_1, phi_2 = np.radians(angles)
    chain = l0 - l1 * cmath.exp(1j * phi_1) - l2 * cmath.exp(-1j * phi_2)
    front, rear = foot_in_body(root, 1, phi_1), foot_in_body(root, 2, phi_2)
    between = front - rear
    assert between[1] == 0.0
    assert math.hypot(between[0], between[2]) == pytest.approx(abs(chain), rel=1e-12)
    # The ground lies along the feet. The body tilts by theta about +y, so its frame sees the ground tilted by -theta.
    assert math.atan2(between[2], between[0]) == pytest.approx(cmath.phase(chain), abs=1e-12)


def test_the_robot_is_flat_at_180_and_stands_on_vertical_legs_at_90_with_foot_1_in_front() -> None:
    root = urdf()
    np.testing.assert_allclose(foot_in_body(root, 1, math.pi), (0.0935 + 0.17, 0.0, 0.0), atol=1e-12)
    np.testing.assert_allclose(foot_in_body(root, 2, math.pi), (-0.0935 - 0.17, 0.0, 0.0), atol=1e-12)
    np.testing.assert_allclose(foot_in_body(root, 1, math.pi / 2), (0.0935, 0.0, -0.17), atol=1e-12)
    np.testing.assert_allclose(foot_in_body(root, 2, math.pi / 2), (-0.0935, 0.0, -0.17), atol=1e-12)


def test_only_the_tips_collide() -> None:
    root = urdf(foot_radius=0.003)
    colliding = {link.get("name"): link.findall("collision") for link in root.findall("link") if link.find("collision")}
    assert set(colliding) == {"foot_1", "foot_2"}
    for shapes in colliding.values():
        assert [float(part(shape, "geometry/sphere").get("radius", "")) for shape in shapes] == [0.003]


def test_the_file_can_be_expanded_by_itself() -> None:
    """As `xacro three_link.urdf.xacro` or a foreign launch file does: with the robot file beside it."""
    alone = ElementTree.fromstring(xacro.process_file(str(XACRO)).toxml())
    assert ElementTree.canonicalize(ElementTree.tostring(alone)) == ElementTree.canonicalize(
        ElementTree.tostring(urdf())
    )
