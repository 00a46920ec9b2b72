"""The words of the launch files, such as lockstep:=true, and what the user wants by them. It knows no launch system."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from crawler_bringup.stack.backend_flag import BackendFlag, apply_flags
from crawler_bringup.stack.backend_registry import BACKENDS
from crawler_bringup.stack.node_engines import node_engines
from crawler_bringup.stack.options import LOG_LEVELS, Options
from crawler_bringup.stack.settings import Settings, merge, parse_assignments, read_settings
from crawler_core.errors import UserError
from crawler_core.robot.robot_file import default_robot, robot_names
from crawler_view.server.view_settings import ViewSettings
from gait_generators.kinds.gait_registry import GAITS
from hybrid_controller.laws.law_registry import LAWS
from sim_bridge.physics.engines import default_physics

ArgumentGetter = Callable[[str], str]  # what the user, or the default, says for a word
FLAG = ("true", "false")


@dataclass(frozen=True)
class LaunchArgument:
    """One argument of a launch file."""

    name: str
    default: str
    about: str
    choices: tuple[str, ...] = ()  # empty: anything


def _robots_words() -> tuple[LaunchArgument, ...]:
    return (
        LaunchArgument("robot", default_robot(), f"one of {', '.join(robot_names())}, or the path of a robot.yaml"),
        LaunchArgument("namespace", "", "for a second robot on the same network"),
        LaunchArgument("set", "", "settings, such as 'gait.omega=8 robot.friction=0.4'"),
        LaunchArgument("params_file", "", "YAML file with sections robot, gait, controller, backend"),
    )


def stack_arguments() -> tuple[LaunchArgument, ...]:
    """Those of crawler.launch.py."""
    return (
        *_robots_words(),
        LaunchArgument(
            "backend",
            "",
            "what moves: physics, equations, ...; empty for physics by the engine that is installed",
            ("", *BACKENDS),
        ),
        LaunchArgument("emulate", "false", "with the backend hardware: on pretended motors and buses", FLAG),
        LaunchArgument("controller", "", "the control law; empty for the robot's default", ("", *LAWS)),
        LaunchArgument("gait", "", "the gait's name; empty for the robot's default", ("", *GAITS)),
        LaunchArgument("rviz", "false", "show the robot in RViz", FLAG),
        LaunchArgument("view", "false", "serve the live page", FLAG),
        LaunchArgument("view_port", str(ViewSettings.port), "port of the live page; 0 for any"),
        LaunchArgument("gui", "false", "show PyBullet's window", FLAG),
        LaunchArgument("lockstep", "false", "repeatable to the bit", FLAG),
        LaunchArgument("record", "", "directory for an MCAP recording; empty for none"),
        LaunchArgument(
            "secure",
            "false",
            "with the keys of ROS_SECURITY_KEYSTORE or keys/ here, so that nobody else can command",
            FLAG,
        ),
        LaunchArgument("log_level", "info", "of every node", LOG_LEVELS),
    )


def robot_view_arguments() -> tuple[LaunchArgument, ...]:
    """Those of view_robot.launch.py."""
    return (*_robots_words(), LaunchArgument("rviz", "true", "start RViz", FLAG))


def stack_options(said: ArgumentGetter, command: str) -> Options:
    """What is wanted of a ring; `command` is all that was typed. Raises UserError for words that contradict others."""
    flags = []
    if said("gui") == "true":
        flags.append(BackendFlag("gui:=true", "gui", True, about="PyBullet's window"))
    if said("lockstep") == "true":
        flags.append(BackendFlag("lockstep:=true", "lockstep", True))
    backend = said("backend") or default_physics(node_engines())
    return Options(
        robot=said("robot"),
        backend=said("backend"),
        emulate=said("emulate") == "true",
        controller=said("controller"),
        gait=said("gait"),
        settings=apply_flags(_settings(said), backend, flags, "set:=", said("set").split()),
        namespace=said("namespace"),
        rviz=said("rviz") == "true",
        view=said("view") == "true",
        view_port=_port(said("view_port")),
        record=said("record"),
        log_level=said("log_level"),
        command=command,
        secure=said("secure") == "true",
    )


def robot_view_options(said: ArgumentGetter) -> Options:
    """What is wanted of a robot that stands still."""
    return Options(
        robot=said("robot"), settings=_settings(said), namespace=said("namespace"), rviz=said("rviz") == "true"
    )


def _settings(said: ArgumentGetter) -> Settings:
    file = said("params_file")
    return merge(read_settings(file) if file else {}, parse_assignments(said("set").split()))


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= 65535):
        raise UserError(f"view_port:={text} is no port: give 1 to 65535, or 0 for any that is free.")
    return int(text)
