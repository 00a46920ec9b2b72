"""Which robots the faults are tried on, found by what they are."""

from __future__ import annotations

from functools import cache

from crawler_core.robot import RobotSpec, default_robot, load_robot, robot_names
from gait_generators.catalogue import GAITS, fitting_gaits


@cache
def default_spec() -> RobotSpec:
    """The robot of a user who names none."""
    return load_robot(default_robot())


@cache
def steered() -> tuple[str, str]:
    """The first robot that cmd_vel can steer, and a gait in which it can, its default one if possible; empty: none."""
    for spec in map(load_robot, robot_names()):
        default = spec.section("gait").get("default", "")
        gaits = [name for name in fitting_gaits(spec) if GAITS[name].steered]
        if gaits:
            return spec.name, default if default in gaits else gaits[0]
    return "", ""


@cache
def driven_by_effort() -> str:
    """The first robot with a joint that is driven by effort; empty: there is none."""
    for spec in map(load_robot, robot_names()):
        if any(joint.by_effort for joint in spec.actuated):
            return spec.name
    return ""
