"""The robot file and its errors."""

import copy
import dataclasses
import math
from pathlib import Path
from typing import ClassVar

import pytest
import yaml

from crawler_core.errors import UserError
from crawler_core.files import read_yaml
from crawler_core.loop.backend_settings import common_robot_settings, own_robot_settings
from crawler_core.parameters import parameter
from crawler_core.robot.robot_file import load_robot, parameter_infos, robot_names

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
        assert info.lower <= info.default <= info.upper, info.name
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


THREE_LINK = next(file for file in FILES if file.parent.name == "three_link")
DOCUMENT = read_yaml(THREE_LINK)


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
        (lambda d: d["joints"]["joint_1"].update(home_deg="abc"), ["parameter for joints.joint_1.home_deg", "abc"]),
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


@pytest.mark.parametrize(
    ("place", "old", "new"),
    [
        (("joints", "joint_1"), "drive", "joints.joint_1.command_interface"),
        (("joints", "joint_1"), "brake", "joints.joint_1.idle_damping"),
        (("stride",), "cut", "stride.event"),
        (("stride",), "apart", "stride.min_interval"),
    ],
)
def test_an_old_key_is_refused_with_its_new_name(tmp_path, place, old, new):
    def change(document):
        entry = document
        for key in place:
            entry = entry.setdefault(key, {})
        entry[old] = 0

    with pytest.raises(UserError, match=rf"{'.'.join(place)}\.{old} is an old name: call it {new}\.$"):
        load_robot(broken(tmp_path, change))


def test_the_friction_of_a_foot_is_the_product_of_what_it_names():
    spec = load_robot(str(THREE_LINK), {"friction": 0.4, "friction_scale_2": 0.5})
    assert [foot.friction for foot in spec.feet] == [0.4, 0.2]


CHAIN = THREE_LINK.parents[1] / "snake" / "robot.yaml"


@pytest.mark.parametrize("links", [6, 8, 13])
def test_repeated_joints_and_feet_are_as_many_as_the_parameter_says(links):
    spec = load_robot(str(CHAIN), {"links": links})
    assert spec.joint_names == tuple(f"joint_{i}" for i in range(1, links))
    assert spec.foot_names == tuple(f"foot_{i}" for i in range(links + 1))
    assert {dataclasses.replace(joint, name="") for joint in spec.joints} == {
        dataclasses.replace(spec.joints[0], name="")
    }
    assert list(spec.document["joints"]) == list(spec.joint_names)  # what xacro reads
    assert spec.parameters["links"] == links
    assert isinstance(spec.parameters["links"], int)


def test_a_whole_number_is_refused_with_a_fraction_and_out_of_its_range():
    for value, words in ((8.5, "a whole number, 6 to 30"), (5, "6 to 30"), (True, "6 to 30")):
        with pytest.raises(UserError, match=words):
            load_robot(str(CHAIN), {"links": value})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d["joints"]["joint_*"].pop("repeat"), ["joints.joint_*", "repeat"]),
        (lambda d: d["joints"].update(arm={**d["joints"]["joint_*"]}), ["joints.arm", "'*'"]),
        (
            lambda d: d["joints"].update(joint_2={k: v for k, v in d["joints"]["joint_*"].items() if k != "repeat"}),
            ["joints.joint_2 is there twice"],
        ),
        (lambda d: d["joints"]["joint_*"].update(repeat=[1]), ["joints.joint_*.repeat = [1]", "[first, last]"]),
        (lambda d: d["joints"]["joint_*"].update(repeat=[1, "links * 2"]), ["links * 2", "links - 1"]),
        (lambda d: d["feet"]["foot_*"].update(repeat=[0, "lniks"]), ["lniks", "did you mean 'links'"]),
        (lambda d: d["feet"]["foot_*"].update(repeat=[0, "friction"]), ["whole-number parameter", "friction"]),
        (lambda d: d["feet"]["foot_*"].update(lifts="no"), ["feet.foot_", "lifts = 'no'", "true or false"]),
        (lambda d: d["parameters"]["links"].update(whole=1), ["parameters.links.whole = 1", "true or false"]),
        (lambda d: d["parameters"]["links"].update(value=8.5), ["parameters.links.value = 8.5", "whole number"]),
    ],
)
def test_a_mistake_in_a_repetition_is_named_with_its_key(tmp_path, change, words):
    document = read_yaml(CHAIN)
    change(document)
    file = tmp_path / "robot.yaml"
    file.write_text(yaml.safe_dump(document))
    with pytest.raises(UserError) as error:
        load_robot(str(file))
    for word in ["robot.yaml", *words]:
        assert word in str(error.value)


def test_feet_stay_on_the_ground_unless_the_file_says_that_they_lift():
    assert [foot.lifts for foot in load_robot("three_link").feet] == [False, False]
    assert all(foot.lifts for foot in load_robot(str(CHAIN)).feet)


def test_what_a_robot_file_says_of_a_backend_goes_to_its_own_settings_and_to_those_that_all_have(tmp_path):
    @dataclasses.dataclass(frozen=True)
    class Own:
        like: ClassVar[str] = "motors"
        patience: float = parameter(0.1, doc="of this backend alone")

    def said(kind, **changes):
        spec = load_robot(broken(tmp_path, lambda d: d.update(changes)))
        return own_robot_settings(spec, kind, Own), common_robot_settings(spec, kind, Own)

    assert load_robot("three_link").rate is None
    assert said("model") == ({}, {})
    assert said("model", rate=1000) == ({}, {"rate": 1000.0})
    backends = {"motors": {"rate": 250, "patience": 0.2, "port": "x"}, "model": {"lockstep": True, "patience": 0.3}}
    assert said("motors", rate=1000, backends=backends)[1] == {"rate": 250}
    assert said("twin", rate=1000, backends=backends) == ({"patience": 0.2}, {"rate": 250})
    assert said("model", rate=1000, backends=backends) == ({"patience": 0.3}, {"rate": 250, "lockstep": True})


@pytest.mark.parametrize("rate", [5, 5000, True, "fast"])
def test_a_rate_that_no_ring_has_is_refused(tmp_path, rate):
    with pytest.raises(UserError, match=r"rate = .* 10 to 4000 Hz"):
        load_robot(broken(tmp_path, lambda d: d.update(rate=rate)))


def test_a_foot_of_no_stiffness_is_rigid_as_one_without_the_key(tmp_path):
    feet = {0: None, 500: 500.0}
    for said, known in feet.items():
        spec = load_robot(broken(tmp_path, lambda d, said=said: d["feet"]["foot_1"].update(stiffness=said)))
        assert spec.feet[0].stiffness == known
        assert spec.feet[1].stiffness is None


@pytest.mark.parametrize(("key", "place"), [("slip_damping", ("feet", "foot_1")), ("damping", ("joints", "joint_1"))])
def test_a_damping_is_a_number_or_a_parameter_and_never_negative(tmp_path, key, place):
    section, name = place

    def known(said):
        spec = load_robot(broken(tmp_path, lambda d: d[section][name].update({key: said})))
        return getattr(spec.feet[0] if section == "feet" else spec.joints[0], key)

    assert known(0.25) == 0.25
    assert known("friction") == 0.172
    assert not known(0)
    with pytest.raises(UserError, match=rf"{section}.{name}.{key} = -1.0 is not allowed: give a number of at least 0"):
        known(-1.0)
    with pytest.raises(UserError, match=rf"parameter for {section}.{name}.{key}"):
        known("fricton")
