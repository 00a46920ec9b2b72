"""Endpoints of a node that are fuzzed, and the result of fuzzing one."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from crawler_testing.fixtures.robot_selection import (
    effort_driven_robot,
    sensing_laws,
    sensor_reading_law,
    steered_robot,
)
from crawler_testing.fuzz.in_process_stack import MESSAGE_TYPES, FuzzSetup, InProcessStack

Endpoint = Literal["topic", "service", "parameters"]
EXCLUDED_SERVICES = ("change_state",)  # ends the node: the faults of family lifecycle cover it
STOP_SERVICES = ("enable", "estop", "reset")  # of a backend
EXCLUDED_PARAMETERS = ("real_time_factor",)  # of a backend: with a small one the stack only becomes slow


@dataclass(frozen=True)
class Target:
    """One endpoint of one node: a subscription, a service, or its parameters."""

    node: str
    endpoint: Endpoint
    name: str  # of the topic or service; empty for parameters
    type: Any = None  # of its messages; None for parameters
    setup: FuzzSetup = field(default_factory=FuzzSetup)

    @property
    def can_stop_stack(self) -> bool:
        """True if valid requests may stop the robot."""
        return self.node == "backend" and self.endpoint == "service" and self.name in STOP_SERVICES

    def __str__(self) -> str:
        parameters = (str(value) for _, value in self.setup.law_parameters)
        setup = ", ".join(filter(None, (self.setup.robot, self.setup.law, *parameters)))
        return " ".join(filter(None, (self.node, self.endpoint, self.name, f"({setup})")))


@dataclass
class TargetOutcome:
    """Result of fuzzing one target."""

    target: str
    sent: int = 0
    ticks: int = 0
    crashes: dict[str, int] = field(default_factory=dict)  # count of each exception, by its text and place
    speed: float = 0.0  # largest between ticks, as a share of the allowed one
    acceleration: float = 0.0
    crawled_after: float | None = None  # s of simulated time from the last message of a round until crawling, at most
    problems: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not self.problems


@cache
def fuzz_setups() -> tuple[FuzzSetup, ...]:
    """Return the default robot, alone and with each sensing law; a steered robot; one with commands of effort; one with
    a law that reads sensors.
    """
    robot, gait = steered_robot()
    sensing_robot, sensing_law, choice = sensor_reading_law()
    others = (
        FuzzSetup(robot, gait=gait),
        FuzzSetup(effort_driven_robot()),
        FuzzSetup(sensing_robot, law=sensing_law, law_parameters=choice),
    )
    sensing = (FuzzSetup(law=law, law_parameters=parameters) for law, parameters, _ in sensing_laws())
    return (FuzzSetup(), *sensing, *(setup for setup in others if setup.robot))


def find_targets(domain: int) -> list[Target]:
    """Return every subscription, service and set of parameters of the nodes of a stack."""
    found: dict[tuple[str, ...], Target] = {}
    for setup in fuzz_setups():
        stack = InProcessStack(setup, domain)
        try:
            for name, node in stack.nodes.items():
                for subscription in node.subscriptions:
                    topic = subscription.topic_name.rpartition("/")[2]
                    if topic != "parameter_events":
                        topic = "/clock" if topic == "clock" else topic
                        target = Target(name, "topic", topic, MESSAGE_TYPES[topic], setup)
                        found.setdefault((name, topic, setup.robot), target)
                if setup == fuzz_setups()[0]:
                    for service in node.services:
                        short = service.srv_name.rpartition("/")[2]
                        if short not in EXCLUDED_SERVICES:
                            found[name, short, "service"] = Target(name, "service", short, service.srv_type)
                    found[name, "", "parameters"] = Target(name, "parameters", "")
        finally:
            stack.close()
    return list(found.values())
