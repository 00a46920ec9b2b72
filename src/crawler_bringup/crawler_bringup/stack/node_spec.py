"""The description of one process of the stack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class NodeSpec:
    """One process of the stack."""

    package: str
    executable: str
    name: str
    parameters: Mapping[str, Any]
    namespace: str
    arguments: tuple[str, ...] = ()
    remappings: tuple[tuple[str, str], ...] = ()
    log_level: str = "info"
    installed_with_ros: bool = False  # part of a ROS 2 install only: the command line leaves it out
    is_optional: bool = False  # the run continues without it
    environment: Mapping[str, str] = field(default_factory=dict)  # added to the parent's environment


def clock_remappings(namespace: str) -> tuple[tuple[str, str], ...]:
    """Return the remapping that keeps the clock of a stack inside its namespace."""
    return (("/clock", "clock"),) if namespace else ()
