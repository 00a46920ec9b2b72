"""What is added to a URDF for the physics engine."""

from xml.etree import ElementTree

import pytest

from sim_bridge.physics.physics_urdf import base_joints, physics_urdf

ROBOT = """<robot name="two"><link name="base"><inertial><mass value="2.0"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="tip"/>
<joint name="weld" type="fixed"><parent link="base"/><child link="tip"/></joint></robot>"""


def masses(urdf: str) -> dict[str, float]:
    found = {}
    for link in ElementTree.fromstring(urdf).findall("link"):
        mass = link.find("inertial/mass")
        assert mass is not None
        found[link.attrib["name"]] = float(mass.attrib["value"])
    return found


def test_frames_without_inertia_weigh_nothing() -> None:
    every = ("x", "y", "z", "roll", "pitch", "yaw")
    assert masses(physics_urdf(ROBOT, base_link="base", motion=every)) == {"base": 2.0, "tip": 0.0}


@pytest.mark.parametrize(
    ("motion", "joints"),
    [
        (("x", "z", "pitch"), ("base_x", "base_y", "base_z", "base_pitch")),
        (("x", "z"), ("base_x", "base_y", "base_z")),
        ((), ("base_x", "base_y", "base_z")),
        (("z", "roll", "yaw"), ("base_x", "base_y", "base_z", "base_yaw", "base_roll")),
    ],
)
def test_a_base_that_is_not_free_hangs_on_massless_joints_from_one_root(
    motion: tuple[str, ...], joints: tuple[str, ...]
) -> None:
    assert base_joints(motion) == joints
    urdf = physics_urdf(ROBOT, base_link="base", motion=motion)
    assert abs(sum(masses(urdf).values()) - 2.0) < 1e-6
    root = ElementTree.fromstring(urdf)
    ends = {}
    for joint in root.findall("joint"):
        parent, child = joint.find("parent"), joint.find("child")
        assert parent is not None
        assert child is not None
        ends[joint.attrib["name"]] = (parent.attrib["link"], child.attrib["link"])
    link = "base_world"
    for name in joints:
        assert ends[name][0] == link
        link = ends[name][1]
    assert link == "base"
