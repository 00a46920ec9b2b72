"""The launch descriptions of the stack and of the robot view. Only this module imports the launch system."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from launch import Action, LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, LogInfo, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from crawler_bringup.fastdds_profile import use_fastdds_profile
from crawler_bringup.launch.launch_argument import (
    ArgumentGetter,
    LaunchArgument,
    robot_view_arguments,
    robot_view_options,
    stack_arguments,
    stack_options,
)
from crawler_bringup.security.enclave_environment import use_viewer_enclave
from crawler_bringup.stack.node_spec import NodeSpec
from crawler_bringup.stack.robot_view import robot_view_nodes
from crawler_bringup.stack.stack import make_stack
from crawler_nodes.shutdown.parent import parent_environment
from crawler_nodes.transport.duplicate_stack_check import DuplicateStackCheck


def stack_description() -> LaunchDescription:
    """Return the description of crawler.launch.py: one robot, one backend, one controller."""
    return _description(stack_arguments(), _stack_actions)


def robot_view_description() -> LaunchDescription:
    """Return the description of view_robot.launch.py: a robot in RViz with a slider for each joint."""
    return _description(robot_view_arguments(), _robot_view_actions)


def _description(
    arguments: Iterable[LaunchArgument], actions: Callable[[LaunchContext], list[Action]]
) -> LaunchDescription:
    declared = [
        DeclareLaunchArgument(
            argument.name,
            default_value=argument.default,
            choices=list(argument.choices) or None,
            description=argument.description,
        )
        for argument in arguments
    ]
    return LaunchDescription([*declared, OpaqueFunction(function=actions)])


def _stack_actions(context: LaunchContext) -> list[Action]:
    use_fastdds_profile()
    options = stack_options(_getter(context), shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]))
    if options.secure:
        use_viewer_enclave(options.namespace)
    stack = make_stack(options)
    with DuplicateStackCheck(options.namespace) as check:
        check.raise_if_duplicate("use namespace:=NAME", stack.single_publisher_topics)
    notes = [LogInfo(msg=stack.note)] if stack.note else []
    return [*notes, *(_node_action(node) for node in stack.nodes)]


def _robot_view_actions(context: LaunchContext) -> list[Action]:
    use_fastdds_profile()
    return [_node_action(node) for node in robot_view_nodes(robot_view_options(_getter(context)))]


def _getter(context: LaunchContext) -> ArgumentGetter:
    return lambda name: LaunchConfiguration(name).perform(context)


def _node_action(node: NodeSpec) -> Node:
    return Node(
        package=node.package,
        executable=node.executable,
        name=node.name,
        namespace=node.namespace or None,
        parameters=[dict(node.parameters)],
        arguments=list(node.arguments),
        remappings=list(node.remappings),
        ros_arguments=["--log-level", node.log_level],
        output="screen",
        additional_env={**parent_environment(), **node.environment},
        sigterm_timeout="1.7",
        sigkill_timeout="0.2",
    )
