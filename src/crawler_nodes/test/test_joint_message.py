"""Messages of joints that are read by where their numbers stand say what the middleware reads in them."""

import math
import struct
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import JointState

from crawler_nodes.messages import joint_message
from crawler_nodes.messages.joint_message import JointMessage, JointMessageReader, JointMessageWriter

NUMBERS = st.floats(width=64)
WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=9)
ROWS = st.lists(NUMBERS, max_size=4)


def joints(sender="/backend#1", stamp=(3, 5), name=("hip", "knee"), position=(1.5, -0.0), velocity=(), effort=()):
    message = JointState(name=list(name), position=position, velocity=velocity, effort=effort)
    message.header.frame_id = sender
    message.header.stamp.sec, message.header.stamp.nanosec = stamp
    return message


def bits(message: JointMessage):
    rows = (message.position, message.velocity, message.effort)
    return message[:3], [struct.pack(f"{len(row)}d", *(math.nan if math.isnan(x) else x for x in row)) for row in rows]


def by_the_middleware(data: bytes):
    return bits(JointMessage.of(deserialize_message(data, JointState)))


MESSAGES = st.builds(
    joints,
    sender=WORDS,
    stamp=st.tuples(st.integers(-(2**31), 2**31 - 1), st.integers(0, 2**32 - 1)),
    name=st.lists(WORDS, max_size=4),
    position=ROWS,
    velocity=ROWS,
    effort=ROWS,
)


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.lists(MESSAGES, min_size=1, max_size=3))
def test_any_messages_after_each_other_are_read_as_the_middleware_reads_them(messages):
    read = JointMessageReader()
    for message in [*messages, *messages, messages[-1]]:
        data = serialize_message(message)
        assert bits(read(data)) == by_the_middleware(data)


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=4))
def test_bytes_that_somebody_changed_are_read_alike_or_refused_alike(changes):
    read = JointMessageReader()
    whole = serialize_message(joints(velocity=(0.5, math.nan), effort=(1.0, 2.0)))
    read(whole)
    data = bytearray(whole)
    for place, value in changes:
        data[place % len(data)] = value
    try:
        expected = by_the_middleware(bytes(data))
    except Exception as error:
        with pytest.raises(type(error)):
            read(bytes(data))
    else:
        assert bits(read(bytes(data))) == expected


def count_of(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """How often the middleware was asked."""
    asked = []

    def ask(data, kind):
        asked.append(data)
        return deserialize_message(data, kind)

    monkeypatch.setattr(joint_message, "deserialize_message", ask)
    return lambda: len(asked)


def test_the_middleware_reads_the_first_of_messages_that_are_alike(monkeypatch):
    read, asked, write = JointMessageReader(), count_of(monkeypatch), JointMessageWriter(("hip", "knee"), "/backend#1")
    for k in range(5):
        data = write.fill(k * 1_000_000_001, (0.1 * k, math.nan), (1.0, 2.0), ())
        assert bits(read(data)) == by_the_middleware(data)
    assert asked() == 1
    assert read(serialize_message(joints(sender="/backend#2"))).sender == "/backend#2"
    assert asked() == 2
