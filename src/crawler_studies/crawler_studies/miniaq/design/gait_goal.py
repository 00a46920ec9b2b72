"""The goal of a gait: the quality that is searched for, its conditions, and the length of the search."""

from __future__ import annotations

from dataclasses import dataclass

from crawler_core.parameters import parameter

AIMS = ("mismatch", "speed", "cost_of_transport")
ALL = "all"
AIM_KEYS = {"mismatch": "mismatch", "speed": "speed_m_s", "cost_of_transport": "cost_of_transport"}  # in a prediction


@dataclass(frozen=True)
class GaitGoal:
    """A gait that stands still drags nothing and misses little, so that every gait needs a speed."""

    aim: str = parameter(
        AIMS[0], choices=(*AIMS, ALL), doc="the least mismatch, the most speed, the least cost; all: the front of them"
    )
    least_speed: float = parameter(0.05, unit="m/s", lower=0.0, upper=1.0, doc="forward, of every gait that counts")
    most_turn: float = parameter(1.0, unit="degrees", lower=0.0, upper=180.0, doc="of yaw in a stride, to either side")
    margin: float = parameter(
        0.005, unit="m", lower=0.0, upper=0.02, doc="between centre of mass and feet, along x, wherever the cranks are"
    )
    budget: int = parameter(1000, lower=10, upper=1_000_000, doc="gaits to evaluate at most")
    physics: bool = parameter(True, doc="take the best that is better in physics too")
