"""The section hardware of a robot file: what it says, and every mistake in it as a sentence; calibration over it."""

import math
from dataclasses import replace

import pytest
from hw_robots import DESCRIPTIONS, three_link
from hypothesis import given
from hypothesis import strategies as st

from crawler_core.errors import UserError
from crawler_core.robot.robot_file import load_robot
from hw_drivers.backend.calibration import (
    Calibration,
    apply_calibration,
    calibration_path,
    read_calibration,
    write_calibration,
)
from hw_drivers.backend.hardware_map import hardware_map
from hw_drivers.bus.joint_map import JointMap

ANGLES = st.floats(-100.0, 100.0)


@given(ANGLES, st.sampled_from([-1, 1]), st.floats(0.01, 100.0), st.floats(-10.0, 10.0))
def test_angles_and_rates_go_to_the_motor_and_back(angle, direction, gear, zero):
    one = JointMap("hip", 1, direction, gear, zero, -1.0, 1.0, 1.0, 1.0, None)
    assert one.to_joint(one.to_motor(angle)) == pytest.approx(angle, abs=1e-9 / gear + 1e-12 * abs(angle))
    assert one.rate_to_joint(one.rate_to_motor(angle)) == pytest.approx(angle)
    step = one.to_motor(angle + 0.5) - one.to_motor(angle)
    assert step == pytest.approx(one.rate_to_motor(0.5), abs=1e-9)


def test_the_three_link_robot_stands_at_the_middle_of_its_servos():
    (bus,) = hardware_map(three_link())
    assert [(joint.joint, joint.id) for joint in bus.joints] == [("joint_1", 1), ("joint_2", 2)]
    for joint in bus.joints:
        assert math.degrees(joint.to_motor(math.radians(110.0))) == pytest.approx(180.0)
    ends = [joint.to_motor(joint.upper) - joint.to_motor(joint.lower) for joint in bus.joints]
    assert ends[0] == pytest.approx(-ends[1])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"buses": {"servos": {"kind": "dynamixle"}}}, "did you mean 'dynamixel'"),
        ({"buses": {"servos": {"boud": 5}}}, "did you mean 'hardware.buses.servos.baud'"),
        ({"buses": {"servos": {"baud": -1}}}, "hardware.buses.servos.baud = -1 is not allowed"),
        ({"buses": {"spare": {"kind": "dynamixel"}}}, "no joint is on hardware.buses.spare"),
        ({"buses": {"spare": {"port": "/dev/x"}}}, "hardware.buses.spare.kind is missing"),
        ({"joints": {"joint_1": {"bus": "servo"}}}, "did you mean 'servos'"),
        ({"joints": {"joint_1": {"id": 2}}}, "joint_1 and joint_2 both have id 2"),
        ({"joints": {"joint_1": {"id": 1.5}}}, "hardware.joints.joint_1.id = 1.5 is not allowed"),
        ({"joints": {"joint_1": {"direction": 0}}}, "must be 1 or -1"),
        ({"joints": {"joint_1": {"gear": 0}}}, "hardware.joints.joint_1.gear = 0 is not allowed"),
        ({"joints": {"joint_1": {"velocity": 13.0}}}, "above the joint's own limit of 12"),
        ({"joints": {"joint_1": {"zero": 3}}}, "did you mean 'hardware.joints.joint_1.zero_deg'"),
        ({"joints": {"joint_1": {"model": "XM430"}}}, "hardware.joints.joint_1.model = 'XM430' is not allowed"),
        ({"joints": {"jiont_3": {"id": 3}}}, "no actuated joint 'jiont_3'"),
    ],
)
def test_every_mistake_is_a_sentence_that_names_the_key(changes, words):
    with pytest.raises(UserError, match=words.replace(".", r"\.")) as caught:
        hardware_map(three_link(**changes))
    assert str(caught.value).endswith(".")


def without(*path):
    spec = three_link()
    section = dict(spec.section("hardware"))
    if path:
        section[path[0]] = {k: v for k, v in section[path[0]].items() if k != path[1]}
    else:
        section = {}
    return replace(spec, sections={**spec.sections, "hardware": section})


def test_what_is_missing_is_named():
    with pytest.raises(UserError, match="has no section hardware"):
        hardware_map(without())
    with pytest.raises(UserError, match=r"hardware\.joints\.joint_2 is missing"):
        hardware_map(without("joints", "joint_2"))


def test_a_chain_of_equal_joints_is_one_entry_with_ids_that_count_up():
    spec = load_robot(str(DESCRIPTIONS / "snake/robot.yaml"), {"links": 8})
    section = {
        "buses": {"servos": {"kind": "dynamixel"}},
        "joints": {
            "joint_*": {"repeat": [1, "links - 1"], "bus": "servos", "id": 11, "model": "XM430-W210", "zero_deg": 180}
        },
    }
    (bus,) = hardware_map(replace(spec, sections={**spec.sections, "hardware": section}))
    assert [(joint.joint, joint.id) for joint in bus.joints] == [(f"joint_{i}", 10 + i) for i in range(1, 8)]


def test_a_calibration_comes_back_from_its_file_and_replaces_the_zeros(tmp_path):
    path = tmp_path / "new" / "robot.yaml"
    write_calibration(path, "three_link", Calibration({"joint_2": 1.25}))
    calibration = read_calibration(path, three_link())
    assert calibration.zeros == pytest.approx({"joint_2": 1.25}, abs=1e-6)
    assert calibration.gyro_biases == {}
    (before,) = hardware_map(three_link())
    (after,) = apply_calibration((before,), calibration)
    assert after.joints[0] == before.joints[0]
    assert after.joints[1].zero == calibration.zeros["joint_2"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("robot: snake\nzero_deg: {}\n", "the calibration of the robot 'snake', not of 'three_link'"),
        ("robot: three_link\n", "zero_deg is missing"),
        ("robot: three_link\nzero_deg: {elbow: 1}\n", "elbow"),
        ("robot: three_link\nzero_deg: {joint_1: much}\n", "zero_deg.joint_1 = 'much' is not allowed"),
        ("robot: [", "is not valid YAML"),
    ],
)
def test_a_calibration_that_cannot_be_used_is_refused(tmp_path, text, words):
    path = tmp_path / "zeros.yaml"
    path.write_text(text)
    with pytest.raises(UserError, match=words):
        read_calibration(path, three_link())


def test_the_calibration_of_a_robot_has_a_place_of_its_own(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert calibration_path("three_link") == tmp_path / "crawler" / "three_link.calibration.yaml"
