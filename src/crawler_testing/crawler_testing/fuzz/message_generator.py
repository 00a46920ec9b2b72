"""Random values of any message type, and corruptions of a valid message.

A type is inspected once: each field of each type gets a function that makes a value.
"""

from __future__ import annotations

import importlib
import math
import random
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from rosidl_parser.definition import (
    AbstractSequence,
    AbstractString,
    AbstractWString,
    Array,
    BasicType,
    BoundedSequence,
    NamespacedType,
)

SPECIAL_FLOATS = (
    *(0.0, -0.0, math.nan, math.inf, -math.inf, 1e300, -1e300, 1e-300),
    *(math.pi, -math.pi, 1.0, -1.0, 0.1, 1e3, 1e6, -1e6),
)
SPECIAL_FLOAT_SHARE = 0.7  # the others are normally distributed with GAUSS_SIGMA
GAUSS_SIGMA = 2.0
MAX_FLOAT32 = 3.4e38
SEQUENCE_SIZES = (0, 1, 2, 3, 7)
LONG_SEQUENCE_SIZE, LONG_SEQUENCE_SHARE = 100, 0.02
MAX_DISTINCT_ITEMS = 3  # of a sequence; further items repeat them
TEXTS = ("", " ", "nan", "/", "~", "..", "%s", "\u0394\u4e2d\U0001f40d", "x" * 300, "a\nb", "-1", "\u202e")
BYTES = (0, 1, 2, 3, 4, 5, 99, 255)
BITS = {"int8": 8, "int16": 16, "int32": 32, "int64": 64}
MAX_DEPTH = 5  # of nested messages that are filled
MAX_CORRUPTED_FIELDS = 3

Make = Callable[[], Any]
Undo = Callable[[], None]


class MessageGenerator:
    """Makes and corrupts messages. `names` have a meaning in the stack, such as those of joints."""

    def __init__(self, rng: random.Random, names: Sequence[str]) -> None:
        self._random = rng.random
        self._gauss = rng.gauss
        self._texts = (*TEXTS, *names, *names)
        self._makers: dict[tuple[Any, int], Make] = {}  # by type, or name of a basic one, and depth

    def message(self, kind: Any) -> Any:
        """Make a message of this type with random fields."""
        return self._message_maker(kind, 0)()

    def corrupt(self, message: Any) -> Undo:
        """Change some fields of a message in place; return a function that restores them."""
        changes: list[tuple[Any, str, Any]] = []  # a message, its field, and the old value
        for _ in range(1 + self._below(MAX_CORRUPTED_FIELDS)):
            self._corrupt_field(message, changes)

        def undo() -> None:
            for changed, name, value in reversed(changes):
                setattr(changed, name, value)

        return undo

    def _below(self, number: int) -> int:
        return int(self._random() * number)

    def _choose(self, choices: Sequence[Any]) -> Any:
        return choices[int(self._random() * len(choices))]

    # random values

    def _message_maker(self, kind: Any, depth: int) -> Make:
        if (kind, depth) not in self._makers:
            fields = message_fields(kind) if depth < MAX_DEPTH else ()
            makers = [(name, self._maker(field_type, depth + 1)) for name, field_type in fields]
            self._makers[kind, depth] = _make_message(kind, makers)
        return self._makers[kind, depth]

    def _maker(self, field_type: Any, depth: int) -> Make:
        """Return a function that makes random values of this field type."""
        if isinstance(field_type, BasicType):
            name = field_type.typename
            if (name, 0) not in self._makers:
                self._makers[name, 0] = self._basic_maker(name)
            return self._makers[name, 0]
        if isinstance(field_type, (AbstractString, AbstractWString)):
            return self._text
        if isinstance(field_type, NamespacedType):
            kind = import_message_type(".".join(field_type.namespaces), field_type.name)
            return self._message_maker(kind, depth)
        item = self._maker(field_type.value_type, depth)
        if isinstance(field_type, Array):
            return lambda: [item() for _ in range(field_type.size)]
        assert isinstance(field_type, AbstractSequence), field_type
        return self._sequence_maker(field_type, item, depth)

    def _sequence_maker(self, field_type: Any, item: Make, depth: int) -> Make:
        most = field_type.maximum_size if isinstance(field_type, BoundedSequence) else LONG_SEQUENCE_SIZE
        most = min(most, 3) if depth > 2 else most
        sizes, long = [min(size, most) for size in SEQUENCE_SIZES], min(LONG_SEQUENCE_SIZE, most)

        def make() -> list[Any]:
            size = long if self._random() < LONG_SEQUENCE_SHARE else self._choose(sizes)
            distinct = [item() for _ in range(min(size, MAX_DISTINCT_ITEMS))]
            if size <= MAX_DISTINCT_ITEMS:
                return distinct
            return [self._choose(distinct) for _ in range(size)]

        return make

    def _text(self) -> str:
        return str(self._choose(self._texts))

    def _float64(self) -> float:
        if self._random() < SPECIAL_FLOAT_SHARE:
            return float(self._choose(SPECIAL_FLOATS))
        return self._gauss(0.0, GAUSS_SIGMA)

    def _float32(self) -> float:
        value = self._float64()
        return value if not math.isfinite(value) else max(-MAX_FLOAT32, min(MAX_FLOAT32, value))

    def _basic_maker(self, name: str) -> Make:
        if name in ("double", "long double"):
            return self._float64
        if name == "float":
            return self._float32
        if name == "boolean":
            return lambda: self._random() < 0.5
        if name in ("octet", "byte"):
            return lambda: bytes([self._below(256)])
        if name in ("char", "uint8"):
            return lambda: self._choose(BYTES)
        signed = not name.startswith("u")
        bits = BITS[name.removeprefix("u")]
        least, most = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
        special = (least, most, 0, 1, max(least, -1), min(most, 1_000_000_000))

        def make() -> int:
            k = self._below(len(special) + 1)
            return special[k] if k < len(special) else min(most, least + int(self._random() * (most - least)))

        return make

    # corruption

    def _corrupt_field(self, message: Any, changes: list[tuple[Any, str, Any]]) -> None:
        name, field_type = self._choose(message_fields(message.__class__))
        value = getattr(message, name)
        if isinstance(field_type, NamespacedType):
            self._corrupt_field(value, changes)
            return
        if not isinstance(field_type, (AbstractSequence, Array)):
            changes.append((message, name, value))
            setattr(message, name, self._maker(field_type, 0)())
            return
        k = self._below(len(value)) if len(value) else 0
        change = self._below(6)
        if len(value) and change in (3, 4) and isinstance(field_type.value_type, NamespacedType):
            self._corrupt_field(value[k], changes)
            return
        changes.append((message, name, value))
        setattr(message, name, self._corrupted_list(list(value), k, change, field_type))

    def _corrupted_list(self, items: list[Any], k: int, change: int, field_type: Any) -> list[Any]:
        """Replace item `k` for a `change` of 3 to 5, and empty, shorten or lengthen the list for 0, 1 and 2."""
        if isinstance(field_type, Array) or (items and change >= 3):
            items[k] = self._maker(field_type.value_type, 2)()
            return items
        if change == 0:
            return []
        if change == 1:
            return items[:-1]
        if isinstance(field_type, BoundedSequence) and len(items) >= field_type.maximum_size:
            return items
        return [*items, self._maker(field_type.value_type, 2)()]


def _make_message(kind: Any, makers: list[tuple[str, Make]]) -> Make:
    def make() -> Any:
        message = kind()
        for name, make_value in makers:
            setattr(message, name, make_value())
        return message

    return make


@cache
def message_fields(kind: Any) -> tuple[tuple[str, Any], ...]:
    return tuple(zip(kind.get_fields_and_field_types(), kind.SLOT_TYPES, strict=True))


@cache
def import_message_type(module: str, name: str) -> Any:
    return getattr(importlib.import_module(module), name)
