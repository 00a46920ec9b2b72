"""What can be fuzzed: a subscription, a service or the parameters of one node."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from crawler_cli.fuzz.ring import Cast

Way = Literal["topic", "service", "parameters"]
ENDS_IT = ("change_state",)  # transitions end the node: the storm's family lifecycle has them
SLOWS = ("real_time_factor",)  # of a backend: less of it than a ring's patience and nothing moves


@dataclass(frozen=True)
class Target:
    """One door of one node."""

    node: str
    way: Way
    name: str  # of the topic or service; empty for parameters
    kind: Any = None  # its type
    cast: Cast = field(default_factory=Cast)

    def __str__(self) -> str:
        cast = ", ".join(filter(None, (self.cast.robot, self.cast.law, self.cast.contacts)))
        return " ".join(filter(None, (self.node, self.way, self.name, f"({cast})")))


CASTS = (
    Cast(),
    Cast(law="hybrid"),
    Cast(law="hybrid", contacts="estimated"),
    Cast(robot="miniaq", gait="trot"),
    Cast(robot="bolt"),
)
