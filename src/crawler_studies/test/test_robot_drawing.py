"""The labelled figures show the robots that their files describe."""

import math

import numpy as np
import pytest

from crawler_core.robot.robot_file import load_robot, robot_names
from crawler_studies.plots.robot_drawing import SideView, draw_robot, place_links

LENGTHS = {  # mm, between what is joined to each link: by hand from the robot files' parameters
    "three_link": [170.0, 187.0],
    "snake": [84.0],
    "bolt": [20.0, 50.0, 52.0, 53.0, 80.0, 130.0, 190.0, 253.0],
    "miniaq": [5.1, 18.34, 18.85, 21.21, 29.15, 44.23],
}


@pytest.fixture(scope="module")
def sides():
    return {name: SideView.of(load_robot(name)) for name in robot_names()}


@pytest.mark.parametrize("name", robot_names())
def test_links_have_their_lengths_and_the_lowest_foot_is_on_the_ground(sides, name):
    side = sides[name]
    lengths = sorted({round(1e3 * float(np.hypot(*(b - a))), 2) for _, a, b in side.bars})
    assert lengths == pytest.approx(LENGTHS[name], abs=0.01)
    assert min(side.point(foot)[1] for foot in side.spec.foot_names) == pytest.approx(0.0, abs=1e-12)
    for loop in side.spec.loops:
        assert side.point(loop.first) == pytest.approx(side.point(loop.second), abs=1e-9)


@pytest.mark.parametrize("name", ["three_link", "snake"])
def test_a_joint_is_shown_turned_by_its_angle_and_to_its_side(sides, name):
    """Set one joint to 0: its link then points along its dotted line, wherever the robot has turned meanwhile."""
    side = sides[name]
    for frame in side.frames:
        if not frame.joint:
            continue
        k = side.spec.joint_names.index(frame.joint)
        position = side.position.copy()
        position[k] = 0.0
        straight = SideView(side.spec, side.frames, position, place_links(side.spec, side.frames, position))

        def direction(one, frame=frame):
            """Of the link, as its parent sees it."""
            seen = np.linalg.inv(one.links[frame.parent].axes) @ one.links[frame.child].axes[:, 0]
            return math.atan2(seen[2], seen[0])

        shown = side.rotation(frame, side.position[k])
        assert math.remainder(direction(side) - direction(straight) - shown, math.tau) == pytest.approx(0.0, abs=1e-9)


def test_the_drawing_is_saved_with_its_angles(tmp_path):
    picture, data = draw_robot(load_robot("bolt")).save(tmp_path)
    assert (picture.name, data.name) == ("robot.png", "robot.csv")
    assert data.read_text().startswith("angle_deg,driven")


@pytest.mark.parametrize("picture_format", ["svg", pytest.param("pdf", marks=pytest.mark.exhaustive)])
def test_a_drawing_has_vectors_on_request_and_the_same_bytes_again(tmp_path, picture_format):
    drawing, files = draw_robot(load_robot("three_link")), []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        files.append(drawing.save(tmp_path / name, picture_format)[0])
    assert files[0].name == f"robot.{picture_format}"
    assert files[0].read_bytes().startswith({"svg": b"<?xml", "pdf": b"%PDF"}[picture_format])
    assert files[0].read_bytes() == files[1].read_bytes()
