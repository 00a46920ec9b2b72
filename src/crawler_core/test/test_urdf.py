"""From a robot file with overrides to a URDF, and what the user is told where that fails."""

import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from crawler_core.description.urdf import build_urdf
from crawler_core.errors import UserError
from crawler_core.robot.robot_file import load_robot

pytest.importorskip("xacro")

ROBOT_FILE = """
name: ball
title: Ball
parameters:
  gravity: {value: 9.81, doc: g}
  mass: {value: 2.0, unit: kg, min: 0.1, max: 5.0, doc: m}
base: {link: body, motion: planar}
joints: {}
feet: {}
safety: {command_timeout: 1, relax_after: 1, approach_velocity: 1, tracking_tolerance_deg: 1, tracking_time: 1,
         on_exit: hold}
"""
XACRO = """<robot name="ball" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="robot_file" default=""/>
<xacro:property name="file" value="$(arg robot_file)"/><xacro:property name="ball" value="${xacro.load_yaml(file)}"/>
<link name="body"><inertial><mass value="${ball['parameters']['mass']['value']}"/></inertial></link></robot>"""


@pytest.fixture
def robot_file(tmp_path: Path) -> Path:
    path = tmp_path / "robot.yaml"
    path.write_text(ROBOT_FILE)
    (tmp_path / "ball.urdf.xacro").write_text(XACRO)
    return path


def mass(urdf: str) -> float:
    element = ElementTree.fromstring(urdf).find("link/inertial/mass")
    assert element is not None
    return float(element.attrib["value"])


def test_the_urdf_has_the_robot_files_numbers_with_overrides_applied(robot_file: Path) -> None:
    assert mass(build_urdf(load_robot(str(robot_file)))) == 2.0
    assert mass(build_urdf(load_robot(str(robot_file), {"mass": 3.5}))) == 3.5


def test_a_missing_xacro_is_named(robot_file: Path) -> None:
    robot_file.with_name("ball.urdf.xacro").unlink()
    with pytest.raises(UserError, match=r"'ball' has no .*ball\.urdf\.xacro"):
        build_urdf(load_robot(str(robot_file)))


def test_what_xacro_refuses_becomes_a_sentence(robot_file: Path) -> None:
    robot_file.with_name("ball.urdf.xacro").write_text("<robot name='ball'><link name='${nothing}'/></robot>")
    with pytest.raises(UserError, match=r"cannot be expanded: .*nothing"):
        build_urdf(load_robot(str(robot_file)))


def test_without_xacro_the_user_is_told_what_to_install(robot_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xacro", None)
    with pytest.raises(UserError, match="xacro is not installed"):
        build_urdf(load_robot(str(robot_file)))
