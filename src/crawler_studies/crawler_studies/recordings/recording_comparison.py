"""Comparison of two recordings of the same run, bit by bit, with the first difference."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from crawler_nodes.messages.header import read_stamp_ns, strip_instance_id
from crawler_nodes.topics import (
    BATTERY_STATE,
    CONTACT_ESTIMATES,
    CONTACT_STATES,
    CONTROLLER_STATE,
    EXTERNAL_POSE,
    GROUND_TRUTH,
    IMU,
    JOINT_COMMANDS,
    JOINT_STATES,
    ODOM,
)
from crawler_studies.recordings.recording_reader import RecordingReader, UnreadableMessage, topic_connections

# topics that a run in lockstep repeats; each message begins with a header
COMPARED_TOPICS = tuple(
    topic.name
    for topic in (
        *(JOINT_STATES, JOINT_COMMANDS, CONTACT_STATES, CONTACT_ESTIMATES, GROUND_TRUTH, ODOM, CONTROLLER_STATE),
        *(IMU, BATTERY_STATE, EXTERNAL_POSE),
    )
)
MAX_STAMP_LAG_NS = 1_000_000_000
# how much of the reference has arrived by then depends on the wall clock; the older name is that of 0.0.x recordings
TIMED_TYPE, TIMED_FIELDS = "crawler_interfaces/msg/ControllerState", ("horizon_remaining", "horizon_left")


class _Message(NamedTuple):
    stamp: int  # ns
    content: bytes  # the bytes that have to be equal
    data: bytes
    kind: str


@dataclass(frozen=True)
class FirstDifference:
    """The first message of a topic that is not the same in both recordings."""

    topic: str
    stamp: int  # ns
    words: str  # the field that differs, with both values


@dataclass(frozen=True)
class RecordingComparison:
    """Counts of messages by topic."""

    equal: dict[str, int]
    different: dict[str, int]  # of the same stamp
    missing: dict[str, int]  # in one recording only, from where both have begun to where one ends
    parting: FirstDifference | None  # the earliest difference of all topics

    @property
    def same(self) -> bool:
        """True where states were compared, all messages were equal, and no state was missing."""
        return (
            self.parting is None and bool(self.equal.get(JOINT_STATES.name)) and not self.missing.get(JOINT_STATES.name)
        )


def compare_recordings(first: RecordingReader, second: RecordingReader) -> RecordingComparison:
    """Compare two recordings. A difference reads "was" for the `first` and "is now" for the `second`."""
    equal, different, missing = {}, {}, {}
    partings = []
    for topic in COMPARED_TOPICS:
        counts, parting = _compare_topic(topic, first, second)
        if any(counts):
            equal[topic], different[topic], missing[topic] = counts
        partings += [parting] if parting else []
    return RecordingComparison(equal, different, missing, min(partings, key=lambda one: one.stamp, default=None))


def _compare_topic(
    topic: str, first: RecordingReader, second: RecordingReader
) -> tuple[tuple[int, int, int], FirstDifference | None]:
    """Return the counts of equal, different and missing messages."""
    one, other = (_messages(reader, _recorded_name(reader, topic)) for reader in (first, second))
    a, b = next(one, None), next(other, None)
    equal = different = missing = 0
    parting = None
    while a and b:
        if a.stamp != b.stamp:
            missing += bool(equal or different)  # one recorder may discover a node a little later than the other
            if a.stamp < b.stamp:
                a = next(one, None)
            else:
                b = next(other, None)
            continue
        if a.content == b.content:
            equal += 1
        else:
            different += 1
            parting = parting or FirstDifference(topic, a.stamp, _describe_difference(first, a, second, b))
        a, b = next(one, None), next(other, None)
    return (equal, different, missing), parting


def _recorded_name(reader: RecordingReader, topic: str) -> str:
    """Return the name of a topic in this recording. Earlier simulations published the truth as odom."""
    if topic not in (GROUND_TRUTH.name, ODOM.name) or topic_connections(reader, GROUND_TRUTH.name):
        return topic
    return ODOM.name if topic == GROUND_TRUTH.name else ""


def _messages(reader: RecordingReader, topic: str) -> Iterator[_Message]:
    for stamp, data, kind in stamped_messages(reader, topic):
        with reader.content_errors():
            content = _without_timed_field(reader, data, kind) if kind == TIMED_TYPE else strip_instance_id(data)
        yield _Message(stamp, content, data, kind)


def _without_timed_field(reader: RecordingReader, data: bytes, kind: str) -> bytes:
    try:
        message = reader.deserialize(data, kind)
    except UnreadableMessage:  # of an unexpected publisher
        return data
    timed = {field: 0.0 for field in TIMED_FIELDS if hasattr(message, field)}
    return bytes(reader.typestore.serialize_cdr(dataclasses.replace(message, **timed), kind))


def stamped_messages(reader: RecordingReader, topic: str) -> Iterator[tuple[int, bytes, str]]:
    """Yield stamp in ns, bytes and type of each message, in the order of the stamps.

    A stamp appears once, since a state without an answer is sent again. A message that was recorded long before or
    after its stamp is of an unexpected publisher and left out.
    """
    latest = -1
    connections = topic_connections(reader, topic)
    for connection, recorded_at, data in reader.messages(connections) if connections else ():
        stamp = read_stamp_ns(data)
        if stamp > latest and abs(stamp - recorded_at) < MAX_STAMP_LAG_NS:
            latest = stamp
            yield stamp, data, connection.msgtype


def _describe_difference(first: RecordingReader, a: _Message, second: RecordingReader, b: _Message) -> str:
    if a.kind != b.kind:
        return f"it was a {a.kind}, and is a {b.kind} now"
    try:
        before, now = first.deserialize(a.data, a.kind), second.deserialize(b.data, b.kind)
    except UnreadableMessage:  # of an unexpected publisher
        return "bytes of a message that cannot be read are different"
    if type(before).__name__ != type(now).__name__ or vars(before).keys() != vars(now).keys():
        return "its type has other fields now"
    found = next(_field_differences(before, now, ""), None)
    if found is None:
        return "bytes that mean nothing are different"
    name, old, new = found
    return f"{name} was {old}, and is {new} now"


def _field_differences(a: Any, b: Any, name: str, names: Any = ()) -> Iterator[tuple[str, str, str]]:
    """Yield the fields that differ, with both values to the last digit."""
    if dataclasses.is_dataclass(a):
        element_names = getattr(a, "name", None) or getattr(a, "joint_names", None)
        for field in dataclasses.fields(a):
            if not field.name.startswith("__") and field.name not in TIMED_FIELDS:
                inner = f"{name}.{field.name}" if name else field.name
                yield from _field_differences(getattr(a, field.name), getattr(b, field.name), inner, element_names)
    elif isinstance(a, (list, np.ndarray)):
        if len(a) != len(b):
            yield name, f"{len(a)} long", f"{len(b)} long"
        for k, (old, new) in enumerate(zip(a, b, strict=False)):
            element = names[k] if isinstance(names, list) and len(names) == len(a) else k
            yield from _field_differences(old, new, f"{name} of {element}")
    elif isinstance(a, (float, np.floating)):
        if np.float64(a).tobytes() != np.float64(b).tobytes():
            yield name, repr(float(a)), repr(float(b))
    elif a != b:
        yield name, repr(a), repr(b)
