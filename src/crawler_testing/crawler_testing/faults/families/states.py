"""Somebody besides the backend tells how the robot is: joint_states, contact_states, odom."""

from __future__ import annotations

import math
from typing import Any

from crawler_interfaces.msg import ContactState

from crawler_testing.faults.families.message_fault import (
    NAMED,
    NEVER_SINCE,
    Change,
    at,
    by_a_stranger,
    each,
    moved,
    renamed,
    sized,
    speaks,
    untimely,
)
from crawler_testing.faults.fault_kind import SIMULATIONS, FaultKind, NeededRun
from crawler_testing.fixtures.robot_selection import feeling
from crawler_testing.fixtures.run_harness import Scene

JOINTS, CONTACTS, ODOM = "joint_states", "contact_states", "odom"
FELT = {  # a law that reads contact_states, False, and one that reads odom, True; where the robot has such laws
    reads_odometry: NeededRun(controller=law, sets=tuple(f"controller.{key}={value}" for key, value in choices))
    for law, choices, reads_odometry in reversed(feeling())
}


def _contacts(message: Any, _scene: Scene) -> None:
    message.contacts = [ContactState()] * 2


def _entries(**fields: Any) -> Change:
    def change(message: Any, _scene: Scene) -> None:
        for entry in message.contacts:
            for name, value in fields.items():
                setattr(entry, name, value)

    return change


def _forces(message: Any, _scene: Scene) -> None:
    for entry in message.contacts:
        entry.force.x = entry.force.z = entry.slip_velocity.x = math.nan


def _none(message: Any, _scene: Scene) -> None:
    message.contacts = []


def _nowhere(message: Any, _scene: Scene) -> None:
    message.pose.pose.position.x = message.twist.twist.linear.x = math.nan


def _no_attitude(message: Any, _scene: Scene) -> None:
    q = message.pose.pose.orientation
    q.x = q.y = q.z = q.w = 0.0


def _racing(message: Any, _scene: Scene) -> None:
    message.twist.twist.linear.x = 1e6


def _felt(what: str, does: str, change: Change) -> FaultKind:
    return speaks(CONTACTS, what, does, change, NAMED, stage=FELT[False], backends=SIMULATIONS)


def _moving(what: str, does: str, change: Change) -> FaultKind:
    return speaks(ODOM, what, does, change, NAMED, stage=FELT[True], backends=SIMULATIONS)


JOINT_KINDS = (
    speaks(JOINTS, "nan", "angles that are not numbers", each("position", math.nan), NAMED),
    speaks(JOINTS, "far", "angles 1 rad away", moved("position", 1.0), NAMED),
    speaks(JOINTS, "stranger", "angles 1 rad away, under another name", by_a_stranger(moved("position", 1.0)), NAMED),
    speaks(JOINTS, "racing", "speeds of 1e6 rad/s", each("velocity", 1e6), NAMED),
    speaks(JOINTS, "short", "an angle too few", sized("position", -1), NAMED),
    speaks(
        JOINTS, "misspelt", "joints that are not there", renamed("name", lambda names: ["elbow"] * len(names)), NAMED
    ),
    *untimely(JOINTS, NAMED),
)
CONTACT_KINDS = (
    (
        _felt("default", "contacts as they are made, with source 0", _contacts),
        _felt("unknown_mode", "contacts of mode 99", _entries(mode=99)),
        _felt("unknown_source", "contacts of source 200", _entries(source=200)),
        _felt("unknown_foot", "feet that are not there", _entries(foot="hoof")),
        _felt("nan", "forces and slips that are not numbers", _forces),
        _felt("empty", "no feet", _none),
        _felt("future_stamp", "stamps 1e6 s ahead", at(1e6)),
    )
    if False in FELT
    else ()
)
ODOM_KINDS = (
    (
        _moving("nan", "places and speeds that are not numbers", _nowhere),
        _moving("no_attitude", "a quaternion of zeros", _no_attitude),
        _moving("racing", "a speed of 1e6 m/s", _racing),
        _moving("old_stamp", "the stamp 0", at(NEVER_SINCE)),
        _moving("future_stamp", "stamps 1e6 s ahead", at(1e6)),
    )
    if True in FELT
    else ()
)
KINDS = (*JOINT_KINDS, *CONTACT_KINDS, *ODOM_KINDS)
