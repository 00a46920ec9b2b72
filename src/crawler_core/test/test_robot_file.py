"""The robot file and its errors."""

import copy
import math
from pathlib import Path

import pytest
import yaml

from crawler_core.errors import UserError
from crawler_core.robot import load_robot, parameter_infos, robot_names
from crawler_core.yaml_file import read_yaml

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


DOCUMENT = read_yaml(FILES[0])


def broken(tmp_path, change):
    document = copy.deepcopy(DOCUMENT)
    change(document)
    file = tmp_path / "robot.yaml"
    file.write_text(yaml.safe_dump(document))
    return str(file)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d.pop("joints"), ["joints is missing"]),
        (lambda d: d.update(gaits={}), ["gaits", "did you mean 'gait'"]),
        (lambda d: d["base"].update(motion="plannar"), ["base.motion = 'plannar'", "planar, free"]),
        (lambda d: d["parameters"].pop("gravity"), ["parameters.gravity is missing"]),
        (lambda d: d["parameters"].update(friction=0.3), ["parameters.friction", "0.3"]),
        (lambda d: d["parameters"]["friction"].update(value=30), ["parameters.friction.value = 30", "0.01 to 3"]),
        (lambda d: d["parameters"]["friction"].update(min="1e-7"), ["parameters.friction.min", "1.0e-7"]),
        (lambda d: d.update(joints=[]), ["joints must hold"]),
        (lambda d: d["joints"]["joint_1"].pop("velocity"), ["joints.joint_1.velocity is missing"]),
        (lambda d: d["joints"]["joint_1"].update(velocty=1), ["joints.joint_1.velocty", "joints.joint_1.velocity"]),
        (lambda d: d["joints"]["joint_1"].update(velocity=-1), ["joints.joint_1.velocity = -1"]),
        (lambda d: d["joints"]["joint_1"].update(home_deg="abc"), ["joints.joint_1.home_deg = 'abc'"]),
        (lambda d: d["joints"]["joint_1"].update(lower_deg=175), ["home_deg = 110", "lower_deg = 175"]),
        (lambda d: d["feet"]["foot_1"].update(friction=["frictoin"]), ["frictoin", "did you mean 'friction'"]),
        (lambda d: d["safety"].update(on_exit="drop"), ["safety.on_exit = 'drop'", "release"]),
        (lambda d: d["safety"].update(command_timeout=-1), ["safety.command_timeout = -1"]),
    ],
)
def test_a_mistake_in_the_file_is_named_with_file_and_key(tmp_path, change, words):
    with pytest.raises(UserError) as error:
        load_robot(broken(tmp_path, change))
    for word in ["robot.yaml", *words]:
        assert word in str(error.value)
    assert "\n" not in str(error.value)


def test_the_friction_of_a_foot_is_the_product_of_what_it_names():
    spec = load_robot(str(FILES[0]), {"friction": 0.4, "friction_scale_2": 0.5})
    assert [foot.friction for foot in spec.feet] == [0.4, 0.2]
