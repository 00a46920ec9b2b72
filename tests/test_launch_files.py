"""The launch files, wherever the launch system can be imported."""

# mypy: disable-error-code="attr-defined"
# (without a ROS 2 install mypy takes the folder of launch files for the launch system)

from pathlib import Path

import pytest

pytest.importorskip("launch_ros", reason="launch_ros comes with a ROS 2 install")

from ament_index_python.packages import get_package_share_directory
from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.launch_description_sources import get_launch_description_from_python_launch_file
from launch_ros.actions import Node

from crawler_core.errors import UserError


def load(name: str) -> LaunchDescription:
    file = Path(get_package_share_directory("crawler_bringup")) / "launch" / name
    return get_launch_description_from_python_launch_file(str(file))


def nodes(description: LaunchDescription, **arguments: str) -> dict[str, Node]:
    """Return the nodes that the launch file starts with these arguments."""
    context = LaunchContext()
    for entity in description.entities:
        if isinstance(entity, DeclareLaunchArgument):
            default = entity.default_value or []
            context.launch_configurations[entity.name] = "".join(part.perform(context) for part in default)
    context.launch_configurations.update(arguments)
    (setup,) = [entity for entity in description.entities if isinstance(entity, OpaqueFunction)]
    started = [entity for entity in setup.execute(context) or [] if isinstance(entity, Node)]  # the others are messages
    return {node.node_executable: node for node in started}


@pytest.mark.parametrize("name", ["crawler.launch.py", "view_robot.launch.py"])
def test_every_argument_says_what_it_is_for(name):
    declared = [entity for entity in load(name).entities if isinstance(entity, DeclareLaunchArgument)]
    assert declared
    assert all(argument.description for argument in declared)


def test_the_stack_is_launched_with_the_chosen_backend():
    started = nodes(load("crawler.launch.py"), backend="model", set="gait.omega=8")
    assert set(started) == {"model_backend", "gait_node", "controller_node"}


def test_motors_are_emulated_on_request():
    assert "emulated_backend" in nodes(load("crawler.launch.py"), backend="hardware", emulate="true")
    assert "hardware_backend" in nodes(load("crawler.launch.py"), backend="hardware")


def test_rviz_and_recorder_come_on_request(tmp_path):
    started = nodes(load("crawler.launch.py"), rviz="true", record=str(tmp_path / "bag"))
    assert {"rviz2", "markers_node", "recorder_node"} <= set(started)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"lockstep": "true", "set": "backend.lockstep=false"}, r"lockstep:=true contradicts set:=backend\.lockstep"),
        ({"gui": "true"}, "gui:=true is about PyBullet's window"),
        ({"set": "gait.omega=40 gait.amplitude=10"}, "the equations do not hold for this gait"),
    ],
)
def test_what_cannot_be_is_refused_as_the_command_line_refuses_it(arguments, words):
    with pytest.raises(UserError, match=words):
        nodes(load("crawler.launch.py"), backend="model", **arguments)


def test_the_robot_is_shown_with_sliders():
    assert set(nodes(load("view_robot.launch.py"))) == {"description_node", "joint_state_publisher_gui", "rviz2"}
