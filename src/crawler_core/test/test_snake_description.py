"""The snake's URDF against its robot file and against the geometry of its paper."""

import math
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np
import pytest
import yaml

xacro = pytest.importorskip("xacro")

from crawler_core.description.frame import read_frames  # noqa: E402
from crawler_core.description.urdf import build_urdf  # noqa: E402
from crawler_core.robot.robot_file import load_robot  # noqa: E402

ROBOT_FILE = load_robot("snake").directory / "robot.yaml"
XACRO = ROBOT_FILE.with_name("snake.urdf.xacro")


def text(**overrides: float) -> str:
    return build_urdf(load_robot(str(ROBOT_FILE), overrides))


def urdf(**overrides: float) -> Element:
    return ElementTree.fromstring(text(**overrides))


def part(element: Element, path: str) -> Element:
    found = element.find(path)
    assert found is not None, path
    return found


def number(element: Element, path: str, name: str) -> float:
    return float(part(element, path).attrib[name])


def points(links: int, angles: np.ndarray, **overrides: float) -> np.ndarray:
    """The feet in the frame of link 1, by the URDF's own frames."""
    placed = {"link_1": (np.zeros(3), np.eye(3))}
    values = {f"joint_{i + 1}": angle for i, angle in enumerate(angles)}
    for frame in read_frames(text(links=links, **overrides)):
        position, (w, x, y, z) = frame.at(values.get(frame.joint, 0.0))
        turn = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )
        origin, orientation = placed[frame.parent]
        placed[frame.child] = (origin + orientation @ np.array(position), orientation @ turn)
    return np.array([placed[f"foot_{i}"][0] for i in range(links + 1)])


@pytest.mark.parametrize("links", [6, 8, 10])
def test_the_chain_has_as_many_links_joints_and_feet_as_the_robot_file_says(links: int) -> None:
    root, spec = urdf(links=links), load_robot(str(ROBOT_FILE), {"links": links})
    tree = {part(j, "child").get("link"): part(j, "parent").get("link") for j in root.findall("joint")}
    assert {link: parent for link, parent in tree.items() if str(link).startswith("link")} == {
        f"link_{i + 1}": f"link_{i}" for i in range(1, links)
    }
    assert {link.get("name") for link in root.findall("link")} == {spec.base_link, *tree}
    turning = [j.get("name") for j in root.findall("joint") if j.get("type") == "revolute"]
    assert turning == list(spec.joint_names)
    assert set(spec.foot_names) <= set(tree)


@pytest.mark.parametrize("links", [6, 9])
def test_feet_are_the_papers_points(links: int) -> None:
    """P_i is the sum of l exp(i theta) over links 1 to i, theta the running sum of the joint angles; y is ROS's z."""
    angles = np.linspace(0.5, -0.8, links - 1)
    theta = np.concatenate(([0.0], np.cumsum(angles)))
    chain = np.concatenate(([0.0], np.cumsum(0.1 * np.exp(1j * theta))))
    found = points(links, angles, link_length=0.1)
    np.testing.assert_allclose(found[:, 0], chain.real, atol=1e-12)
    np.testing.assert_allclose(found[:, 1], 0.0, atol=1e-12)
    np.testing.assert_allclose(found[:, 2], chain.imag, atol=1e-12)


def test_it_weighs_and_measures_what_the_prototype_of_the_paper_does() -> None:
    root = urdf()
    assert sum(float(mass.attrib["value"]) for mass in root.iter("mass")) == pytest.approx(8 * 0.220)
    assert points(8, np.zeros(7))[-1, 0] == pytest.approx(8 * 0.084)


def test_links_are_slender_rods() -> None:
    for link in urdf(link_mass=0.3, link_length=0.12).findall("link"):
        if not str(link.get("name")).startswith("link"):
            continue
        assert number(link, "inertial/mass", "value") == 0.3
        assert number(link, "inertial/inertia", "iyy") == pytest.approx(0.3 * 0.12**2 / 12)
        assert part(link, "inertial/origin").attrib["xyz"].split()[0] == str(0.06)
        x, y, z = (number(link, "inertial/inertia", axis) for axis in ("ixx", "iyy", "izz"))
        assert x + y >= z
        assert y + z >= x
        assert z + x >= y


def test_joint_limits_are_those_of_the_robot_file() -> None:
    (entry,) = yaml.safe_load(ROBOT_FILE.read_text())["joints"].values()
    joints = [j for j in urdf().findall("joint") if j.get("type") == "revolute"]
    for joint in joints:
        assert number(joint, "limit", "lower") == math.radians(entry["lower_deg"])
        assert number(joint, "limit", "upper") == math.radians(entry["upper_deg"])
        assert number(joint, "limit", "velocity") == entry["velocity"]
        assert number(joint, "limit", "effort") == entry["effort"]


def test_only_the_feet_collide() -> None:
    root = urdf(foot_radius=0.004)
    colliding = {link.get("name"): link for link in root.findall("link") if link.find("collision") is not None}
    assert set(colliding) == {f"foot_{i}" for i in range(9)}
    assert all(number(link, "collision/geometry/sphere", "radius") == 0.004 for link in colliding.values())


def test_the_file_can_be_expanded_by_itself() -> None:
    """As a foreign launch file does: with the robot file beside it, in which joints and feet are not spelt out."""
    alone = ElementTree.fromstring(xacro.process_file(str(XACRO)).toxml())
    assert [j.attrib for j in alone.iter("limit")] == [j.attrib for j in urdf().iter("limit")]
    assert [link.get("name") for link in alone.iter("link")] == [link.get("name") for link in urdf().iter("link")]
