"""Parameters of the gait node; those of the gait are declared in addition."""

from __future__ import annotations

from dataclasses import dataclass

from crawler_core.parameters import parameter
from gait_generators.transitions.gait_stream import DEFAULT_GRID


@dataclass(frozen=True)
class GaitSettings:
    """Robot, gait, tick rate, and the time grid of the reference."""

    robot: str = parameter("", doc="installed robot, or the path of a robot.yaml; empty: the default", constant=True)
    robot_overrides: str = parameter("", doc="YAML mapping of robot parameters to use instead", constant=True)
    gait: str = parameter("", doc="name of the gait; empty: the robot's default", constant=True)
    rate: float = parameter(
        200.0, unit="Hz", lower=10.0, upper=4000.0, doc="ticks per second of the control loop", constant=True
    )
    grid: float = parameter(
        DEFAULT_GRID.step / 1e9, unit="s", lower=0.001, upper=0.1, doc="time between reference points", constant=True
    )
    refresh: float = parameter(
        DEFAULT_GRID.behind / 1e9, unit="s", lower=0.005, upper=1.0, doc="time between two horizons", constant=True
    )
    horizon: float = parameter(
        DEFAULT_GRID.ahead / 1e9, unit="s", lower=0.02, upper=5.0, doc="how far ahead it reaches", constant=True
    )
