"""Who is in a ring, and what each may write. Whoever has keys may read every topic; whoever has none, nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Enclave:
    """One enclave: a ring's node of this name, or people who look on or steer."""

    name: str
    about: str  # for a person
    topics: tuple[str, ...] = ()  # that it may write, besides those of every node
    node: bool = True  # a node of the ring, whose services nobody else may answer
    calls: bool = False  # may call every service: parameters, e-stop, reset, enable


EVERY_NODE = ("/rosout", "/parameter_events")  # that it may write
ENCLAVES: Mapping[str, Enclave] = {
    member.name: member
    for member in (
        Enclave(
            "backend",
            "alone writes the states",
            (
                *("joint_states", "contact_states", "odom", "robot_description", "motion_state", "diagnostics"),
                *("/tf", "/tf_static", "/clock", "clock"),
            ),
        ),
        Enclave("gait", "alone writes gait_reference", ("gait_reference", "diagnostics")),
        Enclave(
            "controller",
            "alone writes joint_commands",
            ("joint_commands", "controller_state", "contact_estimates", "diagnostics"),
        ),
        Enclave("recorder", "writes its diagnostics alone", ("diagnostics",)),
        Enclave("markers", "writes what RViz shows of the feet", ("contact_markers",)),
        Enclave("viewer", "reads every topic, writes none", node=False),
        Enclave("operator", "steers: cmd_vel, and every service", ("cmd_vel",), node=False, calls=True),
    )
}
VIEWER = "viewer"


def enclave_of(node: str) -> str:
    """The member that a node of the stack is: who has no keys of its own looks on."""
    return node if node in ENCLAVES else VIEWER
