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

from crawler_bringup.fastdds_profile import hasten_discovery
from crawler_bringup.launch.launch_argument import Said, Word, ring_options, ring_words, view_options, view_words
from crawler_bringup.security.secure_nodes import look_on
from crawler_bringup.stack import stack
from crawler_bringup.stack.stack import NodeSpec
from crawler_nodes.shutdown.parent import as_parent
from crawler_nodes.transport.duplicate_stack_check import Lookout


def ring_arguments() -> list[DeclareLaunchArgument]:
    """The arguments of crawler.launch.py."""
    return _declared(ring_words())


def view_arguments() -> list[DeclareLaunchArgument]:
    """The arguments of view_robot.launch.py."""
    return _declared(view_words())


def ring_nodes(context: LaunchContext) -> list[Action]:
    """The actions of crawler.launch.py."""
    hasten_discovery()
    options = ring_options(_said(context), shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]))
    if options.secure:
        look_on(options.namespace)
    made = stack.make_stack(options)
    with Lookout(options.namespace) as lookout:
        lookout.refuse_a_second("give this one namespace:=NAME")
    notes = [LogInfo(msg=made.note)] if made.note else []
    return [*notes, *(_action(node) for node in made.nodes)]


def view_nodes(context: LaunchContext) -> list[Node]:
    """The actions of view_robot.launch.py."""
    hasten_discovery()
    return [_action(node) for node in stack.view_nodes(view_options(_said(context)))]


def _declared(words: Iterable[Word]) -> list[DeclareLaunchArgument]:
    return [
        DeclareLaunchArgument(
            word.name, default_value=word.default, choices=list(word.choices) or None, description=word.about
        )
        for word in words
    ]


def _said(context: LaunchContext) -> Said:
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
        additional_env={**as_parent(), **node.environment},
        sigterm_timeout="1.7",
        sigkill_timeout="0.2",
    )
