"""Somebody besides the gait node sends gait_reference."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from crawler_testing.faults.families.message_fault import (
    FLOOD,
    NAMED,
    NEVER_SINCE,
    as_it_is,
    at,
    renamed,
    replays,
    speaks,
)
from crawler_testing.fixtures.run_harness import Scene

TOPIC = "gait_reference"
Edit = Callable[[Any], None]


def points(edit: Edit) -> Callable[[Any, Scene], None]:
    """Changes every point of the trajectory."""

    def change(message: Any, _scene: Scene) -> None:
        for point in message.points:
            edit(point)

    return change


def _set(field: str, value: Callable[[list[float]], list[float]]) -> Edit:
    return lambda point: setattr(point, field, value(list(getattr(point, field))))


def _reversed(message: Any, _scene: Scene) -> None:
    message.points = list(reversed(message.points))


def _none(message: Any, _scene: Scene) -> None:
    message.points = []


def _one(message: Any, _scene: Scene) -> None:
    message.points = list(message.points)[:1]


def _endless(message: Any, _scene: Scene) -> None:
    message.points[-1].time_from_start.sec = 2**31 - 1


KINDS = (
    speaks(
        TOPIC, "nan", "positions that are not numbers", points(_set("positions", lambda p: [math.nan] * len(p))), NAMED
    ),
    speaks(TOPIC, "far", "positions of 1e6 rad", points(_set("positions", lambda p: [1e6] * len(p))), NAMED),
    speaks(TOPIC, "abrupt", "positions 0.6 rad away", points(_set("positions", lambda p: [x + 0.6 for x in p])), NAMED),
    speaks(TOPIC, "fast", "velocities of 1e6 rad/s", points(_set("velocities", lambda v: [1e6] * len(v))), NAMED),
    speaks(TOPIC, "short", "points of one joint", points(_set("positions", lambda p: p[:1])), NAMED),
    speaks(TOPIC, "no_velocity", "points without velocities", points(_set("velocities", lambda _: [])), NAMED),
    speaks(
        TOPIC,
        "misspelt",
        "a joint that is not there",
        renamed("joint_names", lambda names: [*names[:-1], "elbow"]),
        NAMED,
    ),
    speaks(TOPIC, "reversed", "points from the last to the first", _reversed, NAMED),
    speaks(TOPIC, "empty", "no points", _none, NAMED),
    speaks(TOPIC, "one_point", "a single point", _one, NAMED),
    speaks(TOPIC, "endless", "a last point 68 years ahead", _endless, NAMED),
    speaks(TOPIC, "old_stamp", "the stamp 0", at(NEVER_SINCE), NAMED),
    speaks(TOPIC, "future_stamp", "stamps 1e6 s ahead", at(1e6), NAMED),
    speaks(TOPIC, "flood", f"{FLOOD} copies as fast as they go", as_it_is, NAMED, times=FLOOD),
    replays(TOPIC, NAMED),
)
