"""Who is in a ring, and what each may write. Whoever has keys may read every topic; whoever has none, nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Member:
    """One enclave: a ring's node of this name, or people who look on or steer."""

    name: str
    about: str  # for a person
    topics: tuple[str, ...] = ()  # that it may write, besides those of every node
    node: bool = True  # a node of the ring, whose services nobody else may answer
    calls: bool = False  # may call every service: parameters, e-stop, reset, enable


EVERY_NODE = ("/rosout", "/parameter_events")  # that it may write
MEMBERS: Mapping[str, Member] = {
    member.name: member
    for member in (
        Member(
            "backend",
            "alone writes the states",
            (
                *("joint_states", "contact_states", "odom", "robot_description", "motion_state", "diagnostics"),
                *("/tf", "/tf_static", "/clock", "clock"),
            ),
        ),
        Member("gait", "alone writes gait_reference", ("gait_reference", "diagnostics")),
        Member(
            "controller",
            "alone writes joint_commands",
            ("joint_commands", "controller_state", "contact_estimates", "diagnostics"),
        ),
        Member("recorder", "writes its diagnostics alone", ("diagnostics",)),
        Member("markers", "writes what RViz shows of the feet", ("contact_markers",)),
        Member("viewer", "reads every topic, writes none", node=False),
        Member("operator", "steers: cmd_vel, and every service", ("cmd_vel",), node=False, calls=True),
    )
}
VIEWER = "viewer"


def member_of(node: str) -> str:
    """The member that a node of the stack is: who has no keys of its own looks on."""
    return node if node in MEMBERS else VIEWER
