"""Somebody besides the controller sends joint_commands."""

from __future__ import annotations

import math

from crawler_testing.faults.families.message_fault import (
    NAMED,
    by_a_stranger,
    each,
    moved,
    renamed,
    sized,
    speaks,
    untimely,
)

TOPIC = "joint_commands"


KINDS = (
    speaks(TOPIC, "nan", "positions that are not numbers", each("position", math.nan), NAMED),
    speaks(TOPIC, "infinite", "positions that are infinite", each("position", math.inf), NAMED),
    speaks(TOPIC, "huge", "positions of 1e300 rad", each("position", 1e300), NAMED),
    speaks(TOPIC, "far", "positions outside the limits", moved("position", 9.0), NAMED),
    speaks(TOPIC, "abrupt", "positions 0.6 rad away", moved("position", 0.6), NAMED),
    speaks(TOPIC, "gentle", "positions 0.02 rad away, a second commander", moved("position", 0.02), NAMED),
    speaks(TOPIC, "stranger", "the same under a name of its own", by_a_stranger(moved("position", 0.02)), NAMED),
    speaks(TOPIC, "fast", "velocities of 1e6 rad/s", each("velocity", 1e6), NAMED),
    speaks(TOPIC, "velocity_nan", "velocities that are not numbers", each("velocity", math.nan), NAMED),
    speaks(TOPIC, "effort_infinite", "infinite efforts", each("effort", math.inf), NAMED),
    speaks(
        TOPIC, "misspelt", "a joint that is not there", renamed("name", lambda names: [*names[:-1], "elbow"]), NAMED
    ),
    speaks(TOPIC, "twice", "one joint named twice", renamed("name", lambda names: names[:1] * len(names)), NAMED),
    speaks(TOPIC, "short", "a position too few", sized("position", -1), NAMED),
    speaks(TOPIC, "long", "a thousand positions", sized("position", 1000), NAMED),
    speaks(TOPIC, "empty", "no joints at all", lambda message, _scene: _emptied(message), NAMED),
    speaks(
        TOPIC,
        "long_name",
        "a name of a megabyte",
        renamed("name", lambda names: ["j" * 1_000_000, *names[1:]]),
        NAMED,
        times=3,
    ),
    *untimely(TOPIC, NAMED),
)


def _emptied(message: object) -> None:
    for field in ("name", "position", "velocity", "effort"):
        setattr(message, field, [])
