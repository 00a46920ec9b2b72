"""Speed of a backend alone, without ROS."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from crawler_bringup.stack.backend_registry import BACKENDS
from crawler_core.loop.backend_settings import own_robot_settings
from crawler_core.parameters import build
from crawler_core.robot.robot_file import load_robot
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import JointCommand
from gait_generators.kinds.gait_registry import make_gait
from gait_generators.transitions.hold import Hold
from gait_generators.transitions.phase_shifted_gait import PhaseShiftedGait
from gait_generators.transitions.transition import plan_transition

RATE_HZ = 500.0
MAX_MOTION_S = 240.0  # of simulated time


def gait_commands(spec: RobotSpec, **gait_parameters: float) -> list[JointCommand]:
    """Return the commands of the robot's default gait from rest, tick by tick, for MAX_MOTION_S."""
    gait = make_gait(spec, None, gait_parameters)
    rest = Hold(np.array([joint.home for joint in spec.actuated]))
    motion = plan_transition(spec, rest, PhaseShiftedGait.after(spec, rest, gait, 0.0), 0.0, gait.period)
    position, velocity, _ = motion.sample(np.arange(1, round(MAX_MOTION_S * RATE_HZ)) / RATE_HZ)
    no_effort = np.full(len(spec.actuated), np.nan)
    return [JointCommand(q, dq, no_effort) for q, dq in zip(position, velocity, strict=True)]


def measure_backend(backend: str, robot: str, seconds: float, **gait_parameters: float) -> float:
    """Return ticks per second: apply, advance and observe in a plain loop, with the robot's default gait from rest."""
    spec, entry = load_robot(robot), BACKENDS[backend]
    commands = gait_commands(spec, **gait_parameters)
    settings: Any = build(entry.settings, own_robot_settings(spec, backend, entry.settings), section="backend")
    plant = entry.backend(spec, settings, 1.0 / RATE_HZ)
    plant.open()
    count, start = 0, time.perf_counter()
    while (wall := time.perf_counter() - start) < seconds and count < len(commands):
        plant.apply(commands[count])
        plant.advance(1.0 / RATE_HZ)
        plant.observe()
        count += 1
    plant.close()
    return count / wall
