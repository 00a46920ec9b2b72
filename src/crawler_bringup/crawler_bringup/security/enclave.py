"""The enclaves of a stack and the topics that each may publish.

A process with keys may read every topic; a process without keys reads and publishes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from crawler_nodes.topics import DIAGNOSTICS, EXTERNAL_POSE, topics_published_by

COMMON_TOPICS = ("/rosout", "/parameter_events")  # every enclave may publish these
VIEWER = "viewer"


@dataclass(frozen=True)
class Enclave:
    """The permissions of one node of the stack, or of people who view or steer."""

    name: str
    about: str  # for a person
    topics: tuple[str, ...] = ()  # that it may publish, with COMMON_TOPICS
    is_node: bool = True  # a node of the stack: no other enclave may answer its services
    calls_services: bool = False  # any: parameters, e-stop, reset, enable


def _topics(node: str, *more: str) -> tuple[str, ...]:
    published = reversed(topics_published_by(node))  # the main topic of a node is the last in the table
    return (*(topic.name for topic in published), *more)


ENCLAVES: Mapping[str, Enclave] = {
    enclave.name: enclave
    for enclave in (
        # inside a namespace the clock has no slash
        Enclave("backend", "alone publishes the states", _topics("backend", "clock", DIAGNOSTICS.name)),
        Enclave("gait", "alone publishes gait_reference", _topics("gait", DIAGNOSTICS.name)),
        Enclave("controller", "alone publishes joint_commands", _topics("controller", DIAGNOSTICS.name)),
        Enclave("recorder", "publishes only its diagnostics", _topics("recorder", DIAGNOSTICS.name)),
        Enclave("markers", "publishes the markers of the feet for RViz", _topics("markers")),
        Enclave(VIEWER, "reads every topic, publishes none", is_node=False),
        Enclave(
            "operator",
            "publishes cmd_vel and external_pose, calls every service",
            _topics("operator", EXTERNAL_POSE.name),
            False,
            calls_services=True,
        ),
    )
}


def enclave_of(node: str) -> str:
    """Return the enclave of a node of the stack; a node without keys of its own is a viewer."""
    return node if node in ENCLAVES else VIEWER
