"""Sends one door of one node what nobody would send, and sees that the ring bears it."""

from __future__ import annotations

import math
import random
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from crawler_testing.faults.fault_kind import RECOVERY
from crawler_testing.fixtures.run_monitor import Peak
from crawler_testing.fixtures.topics import TYPES
from crawler_testing.fuzz.fuzzer import Attack
from crawler_testing.fuzz.in_process_stack import FuzzedRing
from crawler_testing.fuzz.target import ENDS_IT, Target, casts

START = 2.0  # s of its own time within which a ring crawls
ROUND = 5000  # messages after which the ring is let go for a moment, to see whether it crawls on
MOVES = 2e-3  # rad in half a second: a gait fades in slowly, and these joints stir by nothing else
LOOK = 4  # ticks between two looks whether it crawls
SILENCE = 60.0  # s that it may take at most, on the steady clock, if its own time stands still
MOST_CRASHES = 20  # different ones, after which it is enough


@dataclass
class DoorOutcome:
    """How a door stood it."""

    target: str
    sent: int = 0
    ticks: int = 0
    crashes: dict[str, int] = field(default_factory=dict)  # what was raised and where, and how often
    speed: float = 0.0  # the greatest between ticks, as a share of what is allowed
    acceleration: float = 0.0
    crawled_after: float | None = None  # s of the ring's own time from the last of a round until it crawled, at most
    problems: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether all is as it must be."""
        return not self.problems


def targets(domain: int) -> list[Target]:
    """Every subscription, service and set of parameters of the nodes of a ring."""
    found: dict[tuple[str, ...], Target] = {}
    for cast in casts():
        ring = FuzzedRing(cast, domain)
        try:
            for name, node in ring.nodes.items():
                for subscription in node.subscriptions:
                    topic = subscription.topic_name.rpartition("/")[2]
                    if topic != "parameter_events":
                        full = "/clock" if topic == "clock" else topic
                        found.setdefault((name, full, cast.robot), Target(name, "topic", full, TYPES[full], cast))
                if cast == casts()[0]:
                    for service in node.services:
                        door = service.srv_name.rpartition("/")[2]
                        if door not in ENDS_IT:
                            found[name, door, "service"] = Target(name, "service", door, service.srv_type)
                    found[name, "", "parameters"] = Target(name, "parameters", "")
        finally:
            ring.close()
    return list(found.values())


def fuzz(target: Target, count: int, seed: int, domain: int, check: Callable[[], None] = lambda: None) -> DoorOutcome:
    """Send it `count` messages, requests or values; `check` is called between them and may raise.

    What is sent, and when, follows from `seed` and the target alone: the first messages are the same for any `count`.
    """
    outcome = DoorOutcome(str(target))
    ring = FuzzedRing(target.cast, domain)
    try:
        if _crawls(ring, START, ring.tick) is None:
            outcome.problems.append("the ring did not begin to crawl")
            return outcome
        ring.witness.peak = Peak()
        begun = ring.states
        _strike(outcome, ring, Attack(ring, target, random.Random(f"{seed} {target}")), count, check)
        outcome.ticks = ring.states - begun
    finally:
        ring.close()
    peak = ring.witness.peak
    outcome.speed, outcome.acceleration = peak.speed, max(peak.acceleration, peak.braking)
    return outcome


def _strike(outcome: DoorOutcome, ring: FuzzedRing, attack: Attack, count: int, check: Callable[[], None]) -> None:
    def bear(do: Callable[[], object]) -> None:
        """Do it; of each kind of trouble the first is told, with the message that was sent last."""
        limits = len(ring.witness.peak.said)
        try:
            do()
        except Exception as error:  # whatever a callback raises would have ended its node
            outcome.sent = attack.sent
            text = _where(error)
            outcome.crashes[text] = outcome.crashes.get(text, 0) + 1
            if outcome.crashes[text] == 1:
                outcome.problems.append(f"message {outcome.sent}: {text}; it was {attack.last}")
        outcome.sent = attack.sent
        if len(ring.witness.peak.said) > limits:
            text = "; ".join(ring.witness.peak.said.values())
            outcome.problems.append(f"message {outcome.sent}: a limit was passed, {text}; it was {attack.last}")

    looked = 0
    while outcome.sent < count and len(outcome.crashes) < MOST_CRASHES:
        check()
        bear(attack.strike)
        if outcome.sent - looked >= ROUND or outcome.sent >= count:
            looked = outcome.sent
            bear(attack.make_up)
            passed = _crawls(ring, RECOVERY, lambda: bear(ring.tick))
            if passed is None:
                outcome.problems.append(
                    f"message {outcome.sent}: {RECOVERY:g} s of its own time later it does not crawl: "
                    f"motion is {ring.motion}{ring.fault}"
                )
                return
            outcome.crawled_after = max(outcome.crawled_after or 0.0, passed)


def _where(error: Exception) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {str(error)[:150]} in {Path(frame.filename).name}, {frame.name}"


def _crawls(ring: FuzzedRing, seconds: float, tick: Callable[[], object]) -> float | None:
    """s of its own time until it moves; None where it does not crawl at the end of `seconds`.

    To move is not enough: a reference that was sent before leads the joints on for a moment.
    """
    witness = ring.witness
    begin, since = ring.wire.now, witness.stamp
    moved: float | None = None
    while ring.wire.now - begin < SILENCE:
        for _ in range(LOOK):
            tick()
        since = witness.stamp if math.isnan(since) else since
        crawls = ring.motion == "active" and witness.stirred(max(since, witness.stamp - 0.5), own_time=True) > MOVES
        moved = witness.stamp - since if crawls and moved is None else moved
        if witness.stamp - since >= seconds:
            return moved if crawls else None
    return None
