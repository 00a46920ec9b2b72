"""From the stack to launch_ros actions. The only module that imports launch."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from launch import Action, LaunchContext
from launch.actions import DeclareLaunchArgument, LogInfo
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from crawler_bringup import stack
from crawler_bringup.discovery import hasten_discovery
from crawler_bringup.flags import Flag, with_flags
from crawler_bringup.node_python import node_engines
from crawler_bringup.security.secured import look_on
from crawler_bringup.settings import Settings, merge, parse_assignments, read_settings
from crawler_bringup.stack import BACKENDS, NodeSpec, Options
from crawler_core.errors import UserError
from crawler_core.robot import default_robot, robot_names
from crawler_nodes.neighbours import Lookout
from crawler_nodes.parent import as_parent
from crawler_view.view_settings import ViewSettings
from gait_generators.catalogue import GAITS
from hybrid_controller.laws.catalogue import LAWS
from sim_bridge.engines import default_physics

LOG_LEVELS = ["debug", "info", "warn", "error", "fatal"]


def _robot_arguments() -> list[DeclareLaunchArgument]:
    return [
        DeclareLaunchArgument(
            "robot",
            default_value=default_robot(),
            description=f"one of {', '.join(robot_names())}, or the path of a robot.yaml",
        ),
        DeclareLaunchArgument("namespace", default_value="", description="for a second robot on the same network"),
        DeclareLaunchArgument(
            "set", default_value="", description="settings, such as 'gait.omega=8 robot.friction=0.4'"
        ),
        DeclareLaunchArgument(
            "params_file", default_value="", description="YAML file with sections robot, gait, controller, backend"
        ),
    ]


def ring_arguments() -> list[DeclareLaunchArgument]:
    """The arguments of crawler.launch.py."""
    flags = ["true", "false"]
    return [
        *_robot_arguments(),
        DeclareLaunchArgument(
            "backend",
            default_value="",
            choices=["", *BACKENDS],
            description="what moves: physics, equations, ...; empty for physics by the engine that is installed",
        ),
        DeclareLaunchArgument(
            "emulate",
            default_value="false",
            choices=flags,
            description="with the backend hardware: on pretended motors and buses",
        ),
        DeclareLaunchArgument(
            "controller",
            default_value="",
            choices=["", *LAWS],
            description="the control law; empty for the robot's default",
        ),
        DeclareLaunchArgument(
            "gait",
            default_value="",
            choices=["", *GAITS],
            description="the gait's name; empty for the robot's default",
        ),
        DeclareLaunchArgument("rviz", default_value="false", choices=flags, description="show the robot in RViz"),
        DeclareLaunchArgument("view", default_value="false", choices=flags, description="serve the live page"),
        DeclareLaunchArgument(
            "view_port", default_value=str(ViewSettings.port), description="port of the live page; 0 for any"
        ),
        DeclareLaunchArgument("gui", default_value="false", choices=flags, description="show PyBullet's window"),
        DeclareLaunchArgument("lockstep", default_value="false", choices=flags, description="repeatable to the bit"),
        DeclareLaunchArgument(
            "record", default_value="", description="directory for an MCAP recording; empty for none"
        ),
        DeclareLaunchArgument(
            "secure",
            default_value="false",
            choices=flags,
            description="with the keys of ROS_SECURITY_KEYSTORE or keys/ here, so that nobody else can command",
        ),
        DeclareLaunchArgument("log_level", default_value="info", choices=LOG_LEVELS, description="of every node"),
    ]


def view_arguments() -> list[DeclareLaunchArgument]:
    """The arguments of view_robot.launch.py."""
    return [
        *_robot_arguments(),
        DeclareLaunchArgument("rviz", default_value="true", choices=["true", "false"], description="start RViz"),
    ]


def ring_nodes(context: LaunchContext) -> list[Action]:
    """The actions of crawler.launch.py."""
    hasten_discovery()

    def said(name: str) -> str:
        return LaunchConfiguration(name).perform(context)

    flags = []
    if said("gui") == "true":
        flags.append(Flag("gui:=true", "gui", True, about="PyBullet's window"))
    if said("lockstep") == "true":
        flags.append(Flag("lockstep:=true", "lockstep", True))
    backend = said("backend") or default_physics(node_engines())
    options = Options(
        robot=said("robot"),
        backend=said("backend"),
        emulate=said("emulate") == "true",
        controller=said("controller"),
        gait=said("gait"),
        settings=with_flags(_settings(context), backend, flags, "set:=", said("set").split()),
        namespace=said("namespace"),
        rviz=said("rviz") == "true",
        view=said("view") == "true",
        view_port=_port(said("view_port")),
        record=said("record"),
        log_level=said("log_level"),
        command=shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]),
        secure=said("secure") == "true",
    )
    if options.secure:
        look_on(options.namespace)
    made = stack.make_stack(options)
    with Lookout(options.namespace) as lookout:
        lookout.refuse_a_second("give this one namespace:=NAME")
    notes = [LogInfo(msg=made.note)] if made.note else []
    return [*notes, *(_action(node) for node in made.nodes)]


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= 65535):
        raise UserError(f"view_port:={text} is no port: give 1 to 65535, or 0 for any that is free.")
    return int(text)


def view_nodes(context: LaunchContext) -> list[Node]:
    """The actions of view_robot.launch.py."""
    hasten_discovery()

    def said(name: str) -> str:
        return LaunchConfiguration(name).perform(context)

    options = Options(
        robot=said("robot"), settings=_settings(context), namespace=said("namespace"), rviz=said("rviz") == "true"
    )
    return [_action(node) for node in stack.view_nodes(options)]


def _settings(context: LaunchContext) -> Settings:
    file = LaunchConfiguration("params_file").perform(context)
    words = LaunchConfiguration("set").perform(context).split()
    return merge(read_settings(file) if file else {}, parse_assignments(words))


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
