"""The arguments of the launch files, such as lockstep:=true, and the options that they stand for.

The launch system is not needed here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from crawler_bringup.stack.backend_flag import BackendFlag, apply_flags
from crawler_bringup.stack.backend_registry import BACKENDS
from crawler_bringup.stack.node_engines import node_engines
from crawler_bringup.stack.options import LOG_LEVELS, NO_NODE, Options
from crawler_bringup.stack.settings import Settings, merge, parse_assignments, read_settings
from crawler_core.errors import UserError
from crawler_core.robot.robot_file import default_robot, robot_names
from crawler_view.server.view_settings import ViewSettings
from gait_generators.kinds.gait_registry import GAITS
from hybrid_controller.laws.law_registry import LAWS
from sim_bridge.physics.engines import default_physics

ArgumentGetter = Callable[[str], str]  # returns the value of an argument
BOOLEAN = ("true", "false")
MAX_PORT = 65535


@dataclass(frozen=True)
class LaunchArgument:
    """One argument of a launch file."""

    name: str
    default: str
    description: str
    choices: tuple[str, ...] = ()  # empty: any text


def _robot_arguments() -> tuple[LaunchArgument, ...]:
    robots = ", ".join(robot_names())
    return (
        LaunchArgument("robot", default_robot(), f"one of {robots}, or the path of a robot.yaml"),
        LaunchArgument("namespace", "", "for a second robot on the same network"),
        LaunchArgument("set", "", "settings, such as 'gait.omega=8 robot.friction=0.4'"),
        LaunchArgument("params_file", "", "YAML file with sections robot, gait, controller, backend"),
    )


def stack_arguments() -> tuple[LaunchArgument, ...]:
    """Return the arguments of crawler.launch.py."""
    backends = "physics engine, equations or motors; empty: physics, by the engine that is installed"
    return (
        *_robot_arguments(),
        LaunchArgument("backend", "", backends, ("", *BACKENDS)),
        LaunchArgument("emulate", "false", "with the backend hardware: on emulated motors and buses", BOOLEAN),
        LaunchArgument(
            "controller",
            "",
            "the control law; empty: the robot's default; none: your own node commands",
            ("", NO_NODE, *LAWS),
        ),
        LaunchArgument(
            "gait", "", "the gait; empty: the robot's default; none: your own node refers", ("", NO_NODE, *GAITS)
        ),
        LaunchArgument("rviz", "false", "show the robot in RViz", BOOLEAN),
        LaunchArgument("view", "false", "serve the live page", BOOLEAN),
        LaunchArgument("view_port", str(ViewSettings.port), "port of the live page; 0: any free port"),
        LaunchArgument("gui", "false", "show PyBullet's window", BOOLEAN),
        LaunchArgument("lockstep", "false", "repeatable to the bit", BOOLEAN),
        LaunchArgument("record", "", "directory for an MCAP recording; empty: no recording"),
        LaunchArgument("secure", "false", "with the keys in ROS_SECURITY_KEYSTORE, or keys/ here", BOOLEAN),
        LaunchArgument("log_level", "info", "of every node", LOG_LEVELS),
    )


def robot_view_arguments() -> tuple[LaunchArgument, ...]:
    """Return the arguments of view_robot.launch.py."""
    return (*_robot_arguments(), LaunchArgument("rviz", "true", "start RViz", BOOLEAN))


def stack_options(get: ArgumentGetter, command: str) -> Options:
    """Return the options of a stack; `command` is the command line. Raises UserError for contradicting arguments."""
    flags = []
    if get("gui") == "true":
        flags.append(BackendFlag("gui:=true", "gui", True, about="PyBullet's window"))
    if get("lockstep") == "true":
        flags.append(BackendFlag("lockstep:=true", "lockstep", True))
    backend = get("backend") or default_physics(node_engines())
    return Options(
        robot=get("robot"),
        backend=get("backend"),
        emulate=get("emulate") == "true",
        controller=get("controller"),
        gait=get("gait"),
        settings=apply_flags(_settings(get), backend, flags, "set:=", get("set").split()),
        namespace=get("namespace"),
        rviz=get("rviz") == "true",
        view=get("view") == "true",
        view_port=_port(get("view_port")),
        record=get("record"),
        log_level=get("log_level"),
        command=command,
        secure=get("secure") == "true",
    )


def robot_view_options(get: ArgumentGetter) -> Options:
    """Return the options of view_robot.launch.py."""
    return Options(robot=get("robot"), settings=_settings(get), namespace=get("namespace"), rviz=get("rviz") == "true")


def _settings(get: ArgumentGetter) -> Settings:
    file = get("params_file")
    return merge(read_settings(file) if file else {}, parse_assignments(get("set").split()))


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= MAX_PORT):
        raise UserError(f"view_port:={text} is no port: give 1 to {MAX_PORT}, or 0 for any that is free.")
    return int(text)
