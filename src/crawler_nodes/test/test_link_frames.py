"""The frames of links against what one reads off a small robot."""

import math

import pytest

from crawler_core.description.urdf import build_urdf
from crawler_core.robot.robot_file import load_robot
from crawler_nodes.messages.header import stamp_ns
from crawler_nodes.messages.link_frames import LinkFrames

URDF = """
<robot name="toy">
  <link name="body"/><link name="plate"/><link name="arm"/><link name="tip"/>
  <joint name="bolted" type="fixed">
    <parent link="body"/><child link="plate"/><origin xyz="0 0 0.5" rpy="0 0 3.141592653589793"/>
  </joint>
  <joint name="shoulder" type="revolute">
    <parent link="body"/><child link="arm"/><origin xyz="1 0 0" rpy="0 0 0"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/>
  </joint>
  <joint name="slide" type="prismatic">
    <parent link="arm"/><child link="tip"/><origin xyz="0 0 0" rpy="0 0 1.5707963267948966"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="1" effort="1" velocity="1"/>
  </joint>
</robot>
"""
HALF = math.sqrt(0.5)


def place(transform):
    move, turn = transform.transform.translation, transform.transform.rotation
    return (move.x, move.y, move.z), (turn.w, turn.x, turn.y, turn.z)


def test_joints_that_turn_and_slide_put_their_links_where_the_urdf_says():
    arm, tip = LinkFrames(URDF).moving(1_500_000_000, ["slide", "shoulder"], [0.25, math.pi / 2])
    assert (arm.header.frame_id, arm.child_frame_id) == ("body", "arm")
    assert (tip.header.frame_id, tip.child_frame_id) == ("arm", "tip")
    assert place(arm)[0] == pytest.approx((1.0, 0.0, 0.0))
    assert place(arm)[1] == pytest.approx((HALF, 0.0, 0.0, HALF))
    assert place(tip)[0] == pytest.approx((0.0, 0.25, 0.0))  # along its own x, which points along the arm's y
    assert place(tip)[1] == pytest.approx((HALF, 0.0, 0.0, HALF))
    assert {stamp_ns(one.header.stamp) for one in (arm, tip)} == {1_500_000_000}


def test_what_is_bolted_on_is_said_once_and_does_not_move():
    frames = LinkFrames(URDF)
    (plate,) = frames.static.transforms
    assert (plate.header.frame_id, plate.child_frame_id) == ("body", "plate")
    assert place(plate)[0] == pytest.approx((0.0, 0.0, 0.5))
    assert place(plate)[1] == pytest.approx((0.0, 0.0, 0.0, 1.0), abs=1e-12)
    assert all(one.child_frame_id != "plate" for one in frames.moving(0, ["shoulder", "slide"], [0.0, 0.0]))


def test_a_joint_whose_angle_is_not_known_has_no_frame():
    frames = LinkFrames(URDF)
    (tip,) = frames.moving(0, ["shoulder", "slide"], [math.nan, 0.1])
    assert tip.child_frame_id == "tip"
    (arm,) = frames.moving(0, ["shoulder"], [0.1])
    assert arm.child_frame_id == "arm"


def test_a_second_robots_frames_carry_its_prefix():
    frames = LinkFrames(URDF, prefix="left")
    every = [*frames.static.transforms, *frames.moving(0, ["shoulder", "slide"], [0.0, 0.0])]
    names = {name for one in every for name in (one.header.frame_id, one.child_frame_id)}
    assert names == {"left/body", "left/plate", "left/arm", "left/tip"}


def test_base_link_of_rep_105_is_the_base_of_the_robot():
    top, *_ = LinkFrames(URDF, "left", "body").static.transforms
    assert (top.header.frame_id, top.child_frame_id, top.transform.rotation.w) == ("left/base_link", "left/body", 1.0)
    assert "base_link" not in {one.header.frame_id for one in LinkFrames(URDF, "", "base_link").static.transforms}


@pytest.mark.parametrize("robot", ["three_link", "snake"])
def test_the_frames_of_a_whole_robot_are_one_tree_below_its_base(robot):
    spec = load_robot(robot)
    frames = LinkFrames(build_urdf(spec))
    home = [joint.home if math.isfinite(joint.home) else 0.0 for joint in spec.joints]
    every = [*frames.static.transforms, *frames.moving(0, spec.joint_names, home)]
    parent = {one.child_frame_id: one.header.frame_id for one in every}
    assert len(parent) == len(every)
    for name in parent:
        while name in parent:
            name = parent[name]
        assert name == spec.base_link
    assert set(spec.foot_names) <= set(parent)
