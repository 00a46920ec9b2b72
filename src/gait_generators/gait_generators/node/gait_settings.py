"""Parameters of the gait node; those of the gait are declared in addition."""

from __future__ import annotations

from dataclasses import dataclass

from crawler_core.loop.backend_settings import NodeSettings
from crawler_core.parameters import parameter
from gait_generators.steering.trimmed_steering import MAX_SPEED_TRIM
from gait_generators.transitions.gait_stream import DEFAULT_GRID


@dataclass(frozen=True)
class GaitSettings(NodeSettings):
    """The gait, and the time grid of the reference."""

    gait: str = parameter("", doc="name of the gait; empty: the robot's default", constant=True)
    grid: float = parameter(
        DEFAULT_GRID.step / 1e9, unit="s", lower=0.001, upper=0.1, doc="time between reference points", constant=True
    )
    refresh: float = parameter(
        DEFAULT_GRID.behind / 1e9, unit="s", lower=0.005, upper=1.0, doc="time between two horizons", constant=True
    )
    horizon: float = parameter(
        DEFAULT_GRID.ahead / 1e9, unit="s", lower=0.02, upper=5.0, doc="how far ahead it reaches", constant=True
    )
    speed_trim: float = parameter(
        MAX_SPEED_TRIM,
        lower=0.0,
        upper=0.5,
        doc="largest correction of cmd_vel's speed by odometry, as a share of it; 0: none",
        constant=True,
    )
