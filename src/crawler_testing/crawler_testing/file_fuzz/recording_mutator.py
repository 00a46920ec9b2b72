"""Corruption of recordings: of their bytes, their records, their messages, and of the texts in these."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from rclpy.serialization import deserialize_message, serialize_message

from crawler_nodes.topics import RECORDED
from crawler_testing.file_fuzz.mcap_file import COMPRESSORS, Channel, Layout, McapFile, McapMessage, Schema
from crawler_testing.file_fuzz.text_mutator import corrupt_bytes, corrupt_urdf, corrupt_yaml
from crawler_testing.fuzz.message_generator import MessageGenerator

TIMES_NS = (0, 1, -1, 2**31 * 10**9, 2**63 - 1, 2**64 - 1, 10**18, 10**9)
TOPICS = ("", "/", "/x/joint_states", "//odom", "/ground_truth/odom", "/tf", "/contact_estimates", "/cmd_vel", "/é" * 9)
TYPE_NAMES = {f"{topic.type.__module__.split('.')[0]}/msg/{topic.type.__name__}": topic.type for topic in RECORDED}
DEFINITIONS = (
    *("", "uint8 a\n", "string[3] a\n", "float64[] a\nfloat64 b\n", "Header header\n", "uint8[<=0] a\n", "class\n"),
    *("uint8 a\n" * 300, "sensor_msgs/JointState a\n", "string a\nstring a\n", "uint8 X=300\nuint8 __init__\n"),
)
CHUNK_SIZES = (None, 1, 500, 5_000, 10**9)
MAX_CORRUPTED_SHARE = 0.3  # of the messages of a recording


class RecordingMutator:
    """Makes corrupted files of whole ones. The generator `rng` determines them."""

    def __init__(self, rng: random.Random, whole: list[McapFile]) -> None:
        self._rng = rng
        self._whole = whole
        names = {text for file in whole for text in ("foot_1", "joint_1", "body", file.profile)}
        self._messages = MessageGenerator(rng, sorted(names))
        self._kinds: tuple[Callable[[McapFile], McapFile], ...] = (
            *(self._corrupt_fields,) * 4,
            *(self._corrupt_payloads,) * 2,
            *(self._corrupt_texts,) * 4,
            *(self._corrupt_times, self._corrupt_topics, self._corrupt_types, self._reorder),
        )

    def make(self) -> bytes:
        """Return the bytes of the next file."""
        rng = self._rng
        file = rng.choice(self._whole)
        for _ in range(rng.randint(1, 3)):
            file = rng.choice(self._kinds)(file)
        declared = rng.choice((0, 10, 10**6, 2**60)) if rng.random() < 0.03 else None
        layout = Layout(rng.choice(CHUNK_SIZES), rng.choice(list(COMPRESSORS)), rng.random() < 0.6, declared)
        data = file.write(layout)
        return corrupt_bytes(rng, data) if rng.random() < 0.2 else data

    def _corrupt_fields(self, file: McapFile) -> McapFile:
        """Corrupt fields of one message, or of many messages of one topic alike."""
        rng = self._rng
        number = rng.choice(list(file.channels))
        schema = file.schemas.get(file.channels[number].schema)
        kind: Any = TYPE_NAMES.get(schema.name) if schema is not None else None
        own = [k for k, message in enumerate(file.messages) if message.channel == number]
        if kind is None or not own:
            return file
        chosen = own if rng.random() < 0.3 else rng.sample(own, 1 + rng.randrange(min(3, len(own))))
        seed = rng.random()
        changed = list(file.messages)
        for k in chosen:
            message = self._parse(changed[k].data, kind)
            if message is not None:
                state = rng.getstate()
                rng.seed(seed)  # the same corruption
                self._messages.corrupt(message)
                rng.setstate(state)
                data = self._serialised(message)
                changed[k] = changed[k] if data is None else changed[k]._replace(data=data)
        return replace(file, messages=tuple(changed))

    def _corrupt_payloads(self, file: McapFile) -> McapFile:
        changed = list(file.messages)
        for _ in range(self._rng.randint(1, max(1, int(MAX_CORRUPTED_SHARE * len(changed))))):
            k = self._rng.randrange(len(changed)) if changed else 0
            if changed:
                changed[k] = changed[k]._replace(data=corrupt_bytes(self._rng, changed[k].data, begin=4))
        return replace(file, messages=tuple(changed))

    def _corrupt_texts(self, file: McapFile) -> McapFile:
        """Corrupt the description of the run, or that of the robot."""
        kind = TYPE_NAMES["std_msgs/msg/String"]
        texts = [k for k, message in enumerate(file.messages) if self._topic(file, message).endswith("_description")]
        if not texts:
            return file
        k = self._rng.choice(texts)
        message = self._parse(file.messages[k].data, kind)
        if message is None:
            return file
        corrupt = corrupt_urdf if self._topic(file, file.messages[k]).endswith("robot_description") else corrupt_yaml
        try:
            message.data = corrupt(self._rng, message.data)
        except Exception:  # a text that was corrupted before
            message.data = corrupt_bytes(self._rng, message.data.encode()).decode(errors="replace")
        data = self._serialised(message)
        return file if data is None else file.with_message(k, data)

    def _corrupt_times(self, file: McapFile) -> McapFile:
        rng, changed = self._rng, list(file.messages)
        begin = rng.randrange(max(1, len(changed)))
        shift = rng.choice(TIMES_NS)
        last = begin + 1 if rng.random() < 0.5 else len(changed)
        changed[begin:last] = [m._replace(time_ns=m.time_ns + shift) for m in changed[begin:last]]
        return replace(file, messages=tuple(changed))

    def _corrupt_topics(self, file: McapFile) -> McapFile:
        rng = self._rng
        number = rng.choice(list(file.channels))
        names = [*TOPICS, *(channel.topic for channel in file.channels.values())]
        changed = file.channels[number]._replace(topic=rng.choice(names))
        if rng.random() < 0.3:
            encoding, qos = rng.choice(("", "json", "cdr", "ros1")), rng.choice(("", "[", "- x"))
            changed = changed._replace(encoding=encoding, qos=qos)
        return replace(file, channels={**file.channels, rng.choice((number, number, 65535, 0)): changed})

    def _corrupt_types(self, file: McapFile) -> McapFile:
        rng = self._rng
        number = rng.choice(list(file.schemas))
        schema = file.schemas[number]
        kind = rng.randrange(4)
        if kind == 0:
            schema = schema._replace(name=rng.choice((*TYPE_NAMES, "", "x", "a/b/c/D", "'): import os #")))
        elif kind == 1:
            schema = schema._replace(encoding=rng.choice(("", "ros2idl", "omgidl", "protobuf", "ros2msg")))
        elif kind == 2:
            text = corrupt_bytes(rng, schema.text.encode()).decode(errors="replace")
            schema = schema._replace(text=rng.choice((text, *DEFINITIONS)))
        else:
            channel = rng.choice(list(file.channels))
            other = Channel(rng.choice([0, *file.schemas]), file.channels[channel].topic)
            return replace(file, channels={**file.channels, channel: other})
        return replace(file, schemas={**file.schemas, number: Schema(*schema)})

    def _reorder(self, file: McapFile) -> McapFile:
        """Leave out, repeat or shuffle messages."""
        rng, messages = self._rng, list(file.messages)
        kind = rng.randrange(4)
        if kind == 0:
            gone = rng.choice([0, *file.channels])
            messages = [message for message in messages if message.channel != gone]
        elif kind == 1:
            messages = rng.sample(messages, len(messages))
        elif kind == 2:
            messages = messages[: rng.randrange(len(messages) + 1)]
        elif messages:
            messages += [rng.choice(messages)] * rng.randint(1, 200)
        return replace(file, messages=tuple(messages))

    @staticmethod
    def _topic(file: McapFile, message: McapMessage) -> str:
        channel = file.channels.get(message.channel)
        return "" if channel is None else channel.topic

    @staticmethod
    def _parse(data: bytes, kind: Any) -> Any:
        try:
            return deserialize_message(data, kind)
        except Exception:  # corrupted before
            return None

    @staticmethod
    def _serialised(message: Any) -> bytes | None:
        try:
            return bytes(serialize_message(message))
        except Exception:  # a text that has no UTF-8
            return None
