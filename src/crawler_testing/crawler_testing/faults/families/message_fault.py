"""Kinds of fault that are messages: a stranger speaks on a topic of the ring."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crawler_testing.faults.fault_kind import FaultKind, Must, crawls
from crawler_testing.fixtures.run_harness import Scene

Change = Callable[[Any, Scene], None]  # spoils a message where it is
TIMES, EVERY = 60, 0.005  # messages of a kind, and s between them: a ring's own rate
FLOOD = 4000  # messages as fast as they go
NOTICED = 0.5  # s that a sender stays whose messages are over too soon for anybody to notice it
NEVER_SINCE = -1_000_000  # s, a stamp of long ago
NAMED = crawls("storm", text="ignored or refused, and the stranger named; crawls on")


def speaks(topic: str, what: str, does: str, change: Change, must: Must, times: int = TIMES, **more: Any) -> FaultKind:
    """A kind that sends `times` copies of the topic's latest message, each of them changed."""

    def inject(scene: Scene) -> None:
        genuine = scene.message(topic)
        with scene.publisher(topic) as send:
            for _ in range(times):
                send(spoilt(scene, topic, change, genuine))
                if times < FLOOD:
                    scene.listen(EVERY)
            scene.listen(EVERY if times == TIMES else NOTICED)

    return FaultKind(f"{topic.strip('/')}/{what}", does, must, inject, jolts=True, **more)


def spoilt(scene: Scene, topic: str, change: Change, otherwise: Any) -> Any:
    """The latest message, changed. It has the name of the genuine sender in its header."""
    message = scene.message(topic) if topic in scene.genuine else otherwise
    change(message, scene)
    return message


def replays(topic: str, must: Must, seconds: float = 0.5, **more: Any) -> FaultKind:
    """A kind that plays back later what went over the topic for a while, with the stamps of then."""

    def inject(scene: Scene) -> None:
        kept: list[Any] = []
        seen = b""
        end = scene.witness.stamp + seconds
        while scene.witness.stamp < end and not scene.ended:
            scene.listen(0.002)
            if (data := scene.genuine.get(topic, b"")) != seen:
                seen = data
                kept.append(scene.message(topic))
        scene.listen(seconds)
        with scene.publisher(topic) as send:
            for message in kept:
                send(message)
                scene.listen(EVERY)
            scene.listen(NOTICED)

    name = f"{topic.strip('/')}/replayed"
    return FaultKind(name, f"{seconds:g} s of it are played back {seconds:g} s later", must, inject, jolts=True, **more)


def untimely(topic: str, must: Must) -> tuple[FaultKind, ...]:
    """The genuine message at another time than its own, or too often."""
    return (
        speaks(topic, "old_stamp", "the stamp 0", at(NEVER_SINCE), must),
        speaks(topic, "past_stamp", "stamps 100 s old", at(-100.0), must),
        speaks(topic, "future_stamp", "stamps 1e6 s ahead", at(1e6), must),
        speaks(topic, "flood", f"{FLOOD} copies as fast as they go", as_it_is, must, times=FLOOD),
        replays(topic, must),
    )


def as_it_is(_message: Any, _scene: Scene) -> None:
    """Changes nothing."""


def at(seconds: float) -> Change:
    """Moves the stamp by so many seconds; NEVER_SINCE is a fixed time long ago."""

    def change(message: Any, _scene: Scene) -> None:
        stamp = message.header.stamp
        stamp.sec = 0 if seconds == NEVER_SINCE else max(-(2**31), min(2**31 - 1, stamp.sec + round(seconds)))

    return change


def by_a_stranger(change: Change) -> Change:
    """The same, under a name that nobody in the ring has."""

    def changed(message: Any, scene: Scene) -> None:
        message.header.frame_id = "stranger"
        change(message, scene)

    return changed


def each(field: str, value: float) -> Change:
    """Sets every number of an array."""

    def change(message: Any, _scene: Scene) -> None:
        setattr(message, field, [value] * len(getattr(message, field)))

    return change


def moved(field: str, by: float) -> Change:
    """Adds to every number of an array."""

    def change(message: Any, _scene: Scene) -> None:
        setattr(message, field, [number + by for number in getattr(message, field)])

    return change


def sized(field: str, count: int) -> Change:
    """Cuts an array to `count` elements, by so many where that is negative, or lengthens it with copies of itself."""

    def change(message: Any, _scene: Scene) -> None:
        kept = list(getattr(message, field))
        setattr(message, field, (kept * (1 + max(0, count) // max(1, len(kept))))[:count])

    return change


def renamed(field: str, names: Callable[[list[str]], list[str]]) -> Change:
    """Makes other names of its names."""

    def change(message: Any, _scene: Scene) -> None:
        setattr(message, field, names(list(getattr(message, field))))

    return change
