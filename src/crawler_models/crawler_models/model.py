"""What a robot's equations can do, said in one place: the object that `equations:` in a robot.yaml names.

A robot of one's own brings a package with such an object and writes `equations: my_package.my_model:MODEL`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from crawler_core.motion import PeriodicMotion
from crawler_core.robot import RobotSpec
from crawler_models.plant import Plant


@dataclass(frozen=True)
class Column:
    """One number of a prediction besides those that every robot has."""

    key: str  # with its unit at the end, as in peak_torque_N_m
    meaning: str  # for a table that people read
    text: Callable[[Any], str] = str  # how people read it
    kept: bool = False  # a study keeps it for each point, as a number


@dataclass(frozen=True)
class Model:
    """What there is. What is absent is not there, and who needs it says so.

    Texts are "module:object", imported by whoever needs them.
    """

    plant: Callable[[RobotSpec], Plant] | None = None  # at home; raises ValueError where it cannot stand so
    # The steady crawl as numbers in SI units. Keys of every robot: step_length_m (positive towards +x), speed_m_s,
    # period_s, valid, reason, cycles_to_steady. Where valid is false step and speed are NaN, and reason is a sentence.
    predict: Callable[[RobotSpec, PeriodicMotion], dict[str, Any]] | None = None
    columns: tuple[Column, ...] = ()  # the prediction's other keys
    batch: str = ""  # many predictions at once
    closure: str = ""  # RobotSpec -> passive joints of its loops in closed form; absent: found by iteration
    figures: str = ""  # those of its paper
    searches: Mapping[str, str] = field(default_factory=dict)  # parameters that tuning finds in a way of their own
