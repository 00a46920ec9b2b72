"""Two recordings of the same run, compared bit by bit, and where they first part."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from rosbags.highlevel import AnyReader, AnyReaderError

from crawler_nodes.transport.message_source import strip_instance_id
from crawler_nodes.transport.tap import nanoseconds_of
from crawler_studies.recordings.recording import connections

# what a run in lockstep says the same every time; each begins with a header
COMPARED = ("joint_states", "joint_commands", "contact_states", "contact_estimates", "odom", "controller_state")

STRANGE = 1_000_000_000  # ns
TIMED = "crawler_interfaces/msg/ControllerState"  # says how much reference has come by then, up to the wall clock


class _Message(NamedTuple):
    stamp: int  # ns
    said: bytes  # what has to be equal
    data: bytes
    kind: str


@dataclass(frozen=True)
class FirstDifference:
    """A message that is not the same in both."""

    topic: str
    stamp: int  # ns
    words: str  # what is different, with both values


@dataclass(frozen=True)
class Comparison:
    """What two recordings have in common."""

    equal: dict[str, int]  # messages that are the same in both, by topic
    different: dict[str, int]  # of the same stamp, and not the same
    missing: dict[str, int]  # that only one of them has, from where both have begun to where one ends
    parting: FirstDifference | None  # the first that is different, by its stamp

    @property
    def same(self) -> bool:
        """Whether something was compared, all of it was equal, and no state was missing."""
        return self.parting is None and bool(self.equal.get("joint_states")) and not self.missing.get("joint_states")


def compare(first: AnyReader, second: AnyReader) -> Comparison:
    """`first` is what a parting calls recorded, `second` what it calls now."""
    equal, different, missing = {}, {}, {}
    partings = []
    for topic in COMPARED:
        counts, parting = _compare(topic, first, second)
        if any(counts):
            equal[topic], different[topic], missing[topic] = counts
        partings += [parting] if parting else []
    return Comparison(equal, different, missing, min(partings, key=lambda one: one.stamp, default=None))


def _compare(topic: str, first: AnyReader, second: AnyReader) -> tuple[tuple[int, int, int], FirstDifference | None]:
    """How many are equal, different and missing."""
    one, other = _messages(first, topic), _messages(second, topic)
    a, b = next(one, None), next(other, None)
    equal = different = missing = 0
    parting = None
    while a and b:
        if a.stamp != b.stamp:
            missing += bool(equal or different)  # a recorder may hear a node a little later than another
            if a.stamp < b.stamp:
                a = next(one, None)
            else:
                b = next(other, None)
            continue
        if a.said == b.said:
            equal += 1
        else:
            different += 1
            parting = parting or FirstDifference(topic, a.stamp, _said(first, a, second, b))
        a, b = next(one, None), next(other, None)
    return (equal, different, missing), parting


def _messages(reader: AnyReader, topic: str) -> Iterator[_Message]:
    for stamp, data, kind in stamped(reader, topic):
        yield _Message(stamp, _timeless(reader, data, kind) if kind == TIMED else strip_instance_id(data), data, kind)


def _timeless(reader: AnyReader, data: bytes, kind: str) -> bytes:
    """Without what the wall clock decides."""
    try:
        message: Any = reader.deserialize(data, kind)
    except AnyReaderError:  # a stranger's
        return data
    return bytes(reader.typestore.serialize_cdr(dataclasses.replace(message, horizon_remaining=0.0), kind))


def stamped(reader: AnyReader, topic: str) -> Iterator[tuple[int, bytes, str]]:
    """Stamp in ns, bytes and type of each message, in the order of the stamps.

    Each stamp is there once, since a state that is not answered is sent again. What was not said at the time of its
    stamp is a stranger's.
    """
    latest = -1
    there = connections(reader, topic)
    for connection, when, data in reader.messages(there) if there else ():
        stamp = nanoseconds_of(data)
        if stamp > latest and abs(stamp - when) < STRANGE:
            latest = stamp
            yield stamp, data, connection.msgtype


def _said(first: AnyReader, a: _Message, second: AnyReader, b: _Message) -> str:
    if a.kind != b.kind:
        return f"it was a {a.kind}, and is a {b.kind} now"
    before, now = first.deserialize(a.data, a.kind), second.deserialize(b.data, b.kind)
    found = next(_differences(before, now, ""), None)
    if found is None:
        return "bytes that mean nothing are different"
    name, old, new = found
    return f"{name} was {old}, and is {new} now"


def _differences(a: Any, b: Any, name: str, names: Any = ()) -> Iterator[tuple[str, str, str]]:
    """Field by field, with values to the last digit."""
    if dataclasses.is_dataclass(a):
        named = getattr(a, "name", None) or getattr(a, "joint_names", None)
        for field in dataclasses.fields(a):
            if not field.name.startswith("__") and field.name != "horizon_remaining":
                inner = f"{name}.{field.name}" if name else field.name
                yield from _differences(getattr(a, field.name), getattr(b, field.name), inner, named)
    elif isinstance(a, (list, np.ndarray)):
        if len(a) != len(b):
            yield name, f"{len(a)} long", f"{len(b)} long"
        for k, (old, new) in enumerate(zip(a, b, strict=False)):
            of = names[k] if isinstance(names, list) and len(names) == len(a) else k
            yield from _differences(old, new, f"{name} of {of}")
    elif isinstance(a, (float, np.floating)):
        if np.float64(a).tobytes() != np.float64(b).tobytes():
            yield name, repr(float(a)), repr(float(b))
    elif a != b:
        yield name, repr(a), repr(b)
