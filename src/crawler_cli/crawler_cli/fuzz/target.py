"""What can be fuzzed: a subscription, a service or the parameters of one node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from crawler_cli.fuzz.ring import RATE, Cast
from crawler_cli.storm.robots import default_spec, driven_by_effort, steered
from crawler_core.errors import UserError
from hybrid_controller.laws.catalogue import LAWS, law_infos, law_parameters

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
        cast = ", ".join(filter(None, (self.cast.robot, self.cast.law, *(word for _, word in self.cast.choices))))
        return " ".join(filter(None, (self.node, self.way, self.name, f"({cast})")))


@cache
def casts() -> tuple[Cast, ...]:
    """The default robot, the same with each law that feels the ground, one that is steered, one driven by effort."""
    robot, gait = steered()
    others = (Cast(robot, gait=gait), Cast(driven_by_effort()))
    return (Cast(), *_feeling(), *(cast for cast in others if cast.robot))


def _feeling() -> Iterator[Cast]:
    """With the default robot, each law and each of its choices by which it reads contacts or odometry."""
    spec = default_spec()
    for name, entry in sorted(LAWS.items()):
        try:
            entry.check(spec)
        except UserError:
            continue
        choices = [(info.name, word) for info in law_infos(spec, name) for word in info.choices if word != info.default]
        for chosen in ((), *((choice,) for choice in choices)):
            law = entry.build(spec, law_parameters(spec, name, dict(chosen)), 1.0 / RATE)
            if law.reads_contacts or law.reads_odometry:
                yield Cast(law=name, choices=chosen)
