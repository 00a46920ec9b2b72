"""The state of a robot as a vector of numbers, each with a name."""

from __future__ import annotations

import numpy as np

from crawler_core.gait_metrics.heading import Heading
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import BaseState, ContactMode, FloatArray, Observation, Vector

BASE_NAMES = (
    "base.height",  # m
    "base.up_x",  # the world's vertical in the base's axes
    "base.up_y",
    "base.up_z",
    "base.forward_speed",  # m/s, along the heading
    "base.lateral_speed",  # m/s, to the left
    "base.vertical_speed",  # m/s
    "base.roll_rate",  # rad/s, about the heading
    "base.pitch_rate",  # rad/s, about the horizontal axis to the left of it
    "base.yaw_rate",  # rad/s, about the vertical
)


class ObservationVector:
    """Turns observations of one robot into vectors; `names` has a name for each entry.

    Angles of joints are as measured, as cosine and sine: a joint that turns on and on stays in range. The base and the
    contacts are the simulation's truth. Entries that are not known are 0.
    """

    def __init__(self, spec: RobotSpec) -> None:
        self._actuated = np.array(spec.actuated_indices)
        joints = [f"{name}.{quantity}" for quantity in ("cos", "sin", "rate") for name in spec.actuated_names]
        self.names = (*joints, *BASE_NAMES, *(f"{foot}.on_ground" for foot in spec.foot_names))

    def of(self, state: Observation) -> FloatArray:
        """Return the entries in the order of `names`."""
        angles, rates = state.position[self._actuated], state.velocity[self._actuated]
        base = [0.0] * len(BASE_NAMES) if state.base is None else _base_entries(state.base)
        feet = [float(seen.mode not in (ContactMode.OPEN, ContactMode.UNKNOWN)) for seen in state.contacts]
        return np.nan_to_num(np.concatenate((np.cos(angles), np.sin(angles), rates, base, feet)))


def upward(base: BaseState) -> Vector:
    """Return the world's vertical in the base's axes."""
    w, x, y, z = base.quaternion
    return 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)


def _base_entries(base: BaseState) -> list[float]:
    heading = Heading.of(base.quaternion)
    return [
        base.position[2],
        *upward(base),
        heading.forward(*base.linear[:2]),
        heading.lateral(*base.linear[:2]),
        base.linear[2],
        heading.forward(*base.angular[:2]),
        heading.lateral(*base.angular[:2]),
        base.angular[2],
    ]
