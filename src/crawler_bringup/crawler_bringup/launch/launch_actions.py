"""From the stack to launch_ros actions. The only module that imports launch."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable
from pathlib import Path

from launch import Action, LaunchContext
from launch.actions import DeclareLaunchArgument, LogInfo
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
from crawler_bringup.security.secure_nodes import use_viewer_enclave
from crawler_bringup.stack.node_spec import NodeSpec
from crawler_bringup.stack.robot_view import robot_view_nodes
from crawler_bringup.stack.stack import make_stack
from crawler_nodes.shutdown.parent import parent_environment
from crawler_nodes.transport.duplicate_stack_check import DuplicateStackCheck


def declare_stack_arguments() -> list[DeclareLaunchArgument]:
    """The arguments of crawler.launch.py."""
    return _declared(stack_arguments())


def declare_robot_view_arguments() -> list[DeclareLaunchArgument]:
    """The arguments of view_robot.launch.py."""
    return _declared(robot_view_arguments())


def stack_actions(context: LaunchContext) -> list[Action]:
    """The actions of crawler.launch.py."""
    use_fastdds_profile()
    options = stack_options(_said(context), shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]))
    if options.secure:
        use_viewer_enclave(options.namespace)
    made = make_stack(options)
    with DuplicateStackCheck(options.namespace) as lookout:
        lookout.raise_if_duplicate("give this one namespace:=NAME")
    notes = [LogInfo(msg=made.note)] if made.note else []
    return [*notes, *(_action(node) for node in made.nodes)]


def robot_view_actions(context: LaunchContext) -> list[Node]:
    """The actions of view_robot.launch.py."""
    use_fastdds_profile()
    return [_action(node) for node in robot_view_nodes(robot_view_options(_said(context)))]


def _declared(words: Iterable[LaunchArgument]) -> list[DeclareLaunchArgument]:
    return [
        DeclareLaunchArgument(
            word.name, default_value=word.default, choices=list(word.choices) or None, description=word.about
        )
        for word in words
    ]


def _said(context: LaunchContext) -> ArgumentGetter:
    return lambda name: LaunchConfiguration(name).perform(context)


def _action(node: NodeSpec) -> Node:
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
