"""Which robots the faults are tried on, found by what they are."""

from __future__ import annotations

from functools import cache

from crawler_core.errors import UserError
from crawler_core.robot import RobotSpec, default_robot, load_robot, robot_names
from gait_generators.kinds.gait_registry import GAITS, fitting_gaits
from hybrid_controller.laws.law_registry import LAWS, law_infos, law_parameters

TICK = 0.005  # s
Feeling = tuple[str, tuple[tuple[str, str], ...], bool]  # a law, its choices, and whether it reads odometry


@cache
def default_spec() -> RobotSpec:
    """The robot of a user who names none."""
    return load_robot(default_robot())


@cache
def feeling() -> tuple[Feeling, ...]:
    """Of the default robot, each law and each of its choices by which it reads contacts or odometry."""
    spec = default_spec()
    found: list[Feeling] = []
    for name, entry in sorted(LAWS.items()):
        try:
            entry.check(spec)
        except UserError:
            continue
        choices = [(info.name, word) for info in law_infos(spec, name) for word in info.choices if word != info.default]
        for chosen in ((), *((choice,) for choice in choices)):
            law = entry.build(spec, law_parameters(spec, name, dict(chosen)), TICK)
            if law.reads_contacts or law.reads_odometry:
                found.append((name, chosen, law.reads_odometry))
    return tuple(found)


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
