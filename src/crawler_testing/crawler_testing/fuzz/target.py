"""What can be fuzzed: a subscription, a service or the parameters of one node."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from crawler_testing.fixtures.robot_selection import driven_by_effort, feeling, steered
from crawler_testing.fuzz.in_process_stack import Cast

Way = Literal["topic", "service", "parameters"]
ENDS_IT = ("change_state",)  # transitions end the node: the storm's family lifecycle has them
STOPS = ("enable", "estop", "reset")  # of a backend: what they stop is set going again
SLOWS = ("real_time_factor",)  # of a backend: less of it than a ring's patience and nothing moves


@dataclass(frozen=True)
class Target:
    """One door of one node."""

    node: str
    way: Way
    name: str  # of the topic or service; empty for parameters
    kind: Any = None  # its type
    cast: Cast = field(default_factory=Cast)

    @property
    def stops(self) -> bool:
        """Whether the ring may stand still with leave."""
        return self.node == "backend" and self.way == "service" and self.name in STOPS

    def __str__(self) -> str:
        cast = ", ".join(filter(None, (self.cast.robot, self.cast.law, *(word for _, word in self.cast.choices))))
        return " ".join(filter(None, (self.node, self.way, self.name, f"({cast})")))


@cache
def casts() -> tuple[Cast, ...]:
    """The default robot, the same with each law that feels the ground, one that is steered, one driven by effort."""
    robot, gait = steered()
    others = (Cast(robot, gait=gait), Cast(driven_by_effort()))
    felt = (Cast(law=law, choices=choices) for law, choices, _ in feeling())
    return (Cast(), *felt, *(cast for cast in others if cast.robot))
