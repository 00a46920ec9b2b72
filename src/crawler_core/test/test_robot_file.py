"""The robot file and its errors."""

import math
from pathlib import Path

import pytest

from crawler_core.errors import UserError
from crawler_core.robot import load_robot, parameter_infos, robot_names

FILES = sorted((Path(__file__).parents[2] / "crawler_description" / "robots").glob("*/robot.yaml"))


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.parent.name)
def test_every_robot_file_is_sound(file):
    spec = load_robot(str(file))
    assert spec.name == file.parent.name
    for joint in spec.joints:
        assert joint.lower <= joint.home <= joint.upper
        assert joint.velocity > 0
        assert joint.acceleration > 0
    for info in parameter_infos(spec).values():
        assert info.low <= info.default <= info.high, info.name
        assert info.doc


def test_installed_robots_are_found_by_name():
    assert set(robot_names()) == {path.parent.name for path in FILES}
    assert load_robot("three_link").joints[0].home == pytest.approx(math.radians(110))


@pytest.mark.parametrize(
    ("name", "overrides", "words"),
    [
        ("tree_link", {}, ["tree_link", "did you mean 'three_link'"]),
        ("three_link", {"fricton": 0.3}, ["robot.fricton", "did you mean 'robot.friction'"]),
        ("three_link", {"friction": -1}, ["robot.friction", "-1", "0.01 to 3"]),
        ("three_link", {"central_mass": "heavy"}, ["robot.central_mass", "heavy", "kg"]),
        ("three_link", {"friction": float("nan")}, ["robot.friction", "nan"]),
        ("three_link", {"friction": True}, ["robot.friction", "True"]),
        ("/nowhere/robot.yaml", {}, ["/nowhere/robot.yaml"]),
    ],
)
def test_bad_input_is_one_sentence_that_helps(name, overrides, words):
    with pytest.raises(UserError) as error:
        load_robot(name, overrides)
    for word in words:
        assert word in str(error.value)
    assert "\n" not in str(error.value)


def test_a_broken_file_is_reported_with_its_line(tmp_path):
    file = tmp_path / "robot.yaml"
    file.write_text("name: x\nparameters:\n  a: {value: 1\n  b: 2\n")
    with pytest.raises(UserError, match=r"robot\.yaml, line \d"):
        load_robot(str(file))


def test_a_file_that_lacks_a_key_says_which(tmp_path):
    file = tmp_path / "robot.yaml"
    file.write_text("name: x\ntitle: X\nparameters: {}\nbase: {link: b, motion: planar}\n")
    with pytest.raises(UserError, match="joints"):
        load_robot(str(file))
