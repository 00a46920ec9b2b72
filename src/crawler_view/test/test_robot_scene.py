"""The scene of each robot."""

from math import isclose

import pytest

from crawler_core.description.urdf import build_urdf
from crawler_core.robot.robot_file import load_robot, robot_names
from crawler_view.scene.robot_scene import read_scene


@pytest.mark.parametrize("robot", robot_names())
def test_every_link_hangs_on_the_base_and_every_foot_and_joint_is_there(robot):
    spec = load_robot(robot)
    scene = read_scene(build_urdf(spec))
    assert scene["robot"] == robot
    assert scene["base"] == spec.base_link
    reached, joints = {scene["base"]}, list(scene["joints"])
    while more := [joint for joint in joints if joint["parent"] in reached and joint["child"] not in reached]:
        reached |= {joint["child"] for joint in more}
    names = [link["name"] for link in scene["links"]]
    assert reached == set(names)
    assert set(spec.foot_names) <= reached
    assert {joint["name"] for joint in joints if joint["name"]} == set(spec.joint_names)
    turning = {joint["name"] for joint in joints if joint["periodic"]}
    assert turning == {joint.name for joint in spec.joints if joint.continuous}
    assert sum(bool(link["shapes"]) for link in scene["links"]) >= len(spec.joints)  # no link is missing to the eye


def test_shapes_have_their_place_size_and_colour():
    scene = read_scene(
        """<robot name="r"><material name="red"><color rgba="1 0 0 1"/></material><link name="a"><visual>
        <origin xyz="0.1 0 0.2" rpy="0 1.5 0"/><geometry><cylinder radius="0.3" length="2"/></geometry>
        <material name="red"/></visual><visual><geometry><mesh filename="x.stl"/></geometry></visual></link></robot>"""
    )
    (shape,) = scene["links"][0]["shapes"]  # a mesh is not drawn
    assert shape["kind"] == "cylinder"
    assert shape["size"] == [0.3, 2.0]
    assert shape["xyz"] == [0.1, 0.0, 0.2]
    assert isclose(shape["rpy"][1], 1.5)
    assert shape["rgba"] == [1.0, 0.0, 0.0, 1.0]
