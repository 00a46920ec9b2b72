"""Faults that are messages: forged copies of the stack's own messages from a second publisher."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from crawler_testing.faults.fault_kind import ExpectedOutcome, FaultKind, expect_crawl
from crawler_testing.fixtures.run_harness import RunHarness

Edit = Callable[[Any, RunHarness], None]  # changes a message in place
COPIES = 60
PERIOD_S = 0.005  # between two copies, as between two messages of the stack
FLOOD_COPIES = 4000  # published without a pause
MIN_PRESENCE_S = 0.5  # of a publisher after few copies or many at once, so that the stack can detect it
REPLAY_S = 0.5
LONG_AGO_S = -1_000_000  # shift to the stamp 0
REJECTED = expect_crawl("storm", text="ignored or rejected, publisher reported; crawls on")


class MessageFault(NamedTuple):
    """An edit that is applied to copies of a topic's last message."""

    action: str
    edit: Edit
    copies: int = COPIES


def message_faults(
    topic: str, forgeries: Mapping[str, MessageFault], expected: ExpectedOutcome = REJECTED, **more: Any
) -> tuple[FaultKind, ...]:
    """Make one kind of fault per forgery, by name."""
    return tuple(_message_fault(topic, name, forgery, expected, more) for name, forgery in forgeries.items())


def _message_fault(
    topic: str, name: str, forgery: MessageFault, expected: ExpectedOutcome, more: Mapping[str, Any]
) -> FaultKind:
    def inject(run: RunHarness) -> None:
        with run.publisher(topic) as send:
            for _ in range(forgery.copies):
                message = run.latest_message(topic)  # with the stack's own sender in its header
                forgery.edit(message, run)
                send(message)
                if forgery.copies < FLOOD_COPIES:
                    run.wait(PERIOD_S)
            run.wait(PERIOD_S if forgery.copies == COPIES else MIN_PRESENCE_S)

    return FaultKind(f"{topic.strip('/')}/{name}", forgery.action, expected, inject, hits_limits=True, **more)


def replay_fault(topic: str) -> FaultKind:
    """Make the kind that publishes earlier messages again, with their old stamps."""

    def inject(run: RunHarness) -> None:
        recorded: list[Any] = []
        last = b""
        end = run.monitor.stamp + REPLAY_S
        while run.monitor.stamp < end and not run.has_ended:
            run.wait(0.002)
            if (data := run.latest.get(topic, b"")) != last:
                last = data
                recorded.append(run.latest_message(topic))
        run.wait(REPLAY_S)
        with run.publisher(topic) as send:
            for message in recorded:
                send(message)
                run.wait(PERIOD_S)
            run.wait(MIN_PRESENCE_S)

    action = f"{REPLAY_S:g} s of messages again, {REPLAY_S:g} s later"
    return FaultKind(f"{topic}/replayed", action, REJECTED, inject, hits_limits=True)


def timing_faults(topic: str) -> tuple[FaultKind, ...]:
    """Make the kinds that publish unchanged values at another time, or too often."""
    forgeries = {
        "old_stamp": MessageFault("the stamp 0", shift_stamp(LONG_AGO_S)),
        "past_stamp": MessageFault("stamps 100 s old", shift_stamp(-100.0)),
        "future_stamp": MessageFault("stamps 1e6 s ahead", shift_stamp(1e6)),
        "flood": FLOOD,
    }
    return (*message_faults(topic, forgeries), replay_fault(topic))


FLOOD = MessageFault(f"{FLOOD_COPIES} copies as fast as possible", lambda _message, _run: None, FLOOD_COPIES)


def shift_stamp(seconds: float) -> Edit:
    """Shift the stamp; LONG_AGO_S sets it to 0."""

    def edit(message: Any, _run: RunHarness) -> None:
        stamp = message.header.stamp
        stamp.sec = 0 if seconds == LONG_AGO_S else max(-(2**31), min(2**31 - 1, stamp.sec + round(seconds)))

    return edit


def set_fields(**values: Any) -> Edit:
    """Set fields, each named by its path with __ for the dots."""

    def edit(message: Any, _run: RunHarness) -> None:
        for path, value in values.items():
            *parents, field = path.split("__")
            target = message
            for parent in parents:
                target = getattr(target, parent)
            setattr(target, field, value)

    return edit


def map_field(field: str, change: Callable[[list[Any]], list[Any]]) -> Edit:
    """Replace an array by a function of it."""
    return lambda message, _run: setattr(message, field, change(list(getattr(message, field))))


def for_each(field: str, edit: Edit) -> Edit:
    def edit_all(message: Any, run: RunHarness) -> None:
        for element in getattr(message, field):
            edit(element, run)

    return edit_all


def fill(field: str, value: float) -> Edit:
    return map_field(field, lambda numbers: [value] * len(numbers))


def add(field: str, offset: float) -> Edit:
    return map_field(field, lambda numbers: [number + offset for number in numbers])


def with_other_sender(edit: Edit) -> Edit:
    """Apply an edit, under a sender that no node of the stack has."""

    def edit_both(message: Any, run: RunHarness) -> None:
        message.header.frame_id = "other_node"
        edit(message, run)

    return edit_both
