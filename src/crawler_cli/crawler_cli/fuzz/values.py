"""Any value of any message type, from the fields that its type has: from nothing, or a sensible one that is spoilt."""

from __future__ import annotations

import importlib
import math
import random
from collections.abc import Sequence
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

FLOATS = (
    0.0,
    -0.0,
    math.nan,
    math.inf,
    -math.inf,
    1e300,
    -1e300,
    1e-300,
    math.pi,
    -math.pi,
    1.0,
    -1.0,
    0.1,
    1e3,
    1e6,
    -1e6,
)
FLOAT32_MOST = 3.4e38
SIZES = (0, 1, 2, 3, 7, 100)  # of sequences; long ones now and then
TEXTS = ("", " ", "nan", "/", "~", "..", "%s", "\u0394\u4e2d\U0001f40d", "x" * 300, "a\nb", "-1", "\u202e")
BITS = {"int8": 8, "int16": 16, "int32": 32, "int64": 64}
DEEPEST = 5  # fields within fields that are filled
MOST_SPOILT = 3  # fields of a sensible message that are changed


class Values:
    """Makes them. `words` are the names that mean something in the ring, such as those of joints."""

    def __init__(self, chance: random.Random, words: Sequence[str]) -> None:
        self._chance = chance
        self._texts = (*TEXTS, *words, *words)

    def message(self, kind: Any, depth: int = 0) -> Any:
        """One of this type, every field at random."""
        made = kind()
        if depth < DEEPEST:
            for name, form in slots(kind):
                setattr(made, name, self.value(form, depth + 1))
        return made

    def spoil(self, message: Any) -> Any:
        """Change some fields of a message where it is, and return it."""
        for _ in range(self._chance.randint(1, MOST_SPOILT)):
            self._spoil_one(message)
        return message

    def value(self, form: Any, depth: int = 0) -> Any:
        """Any value of this field type."""
        chance = self._chance
        if isinstance(form, BasicType):
            return self._basic(form.typename)
        if isinstance(form, (AbstractString, AbstractWString)):
            return chance.choice(self._texts)
        if isinstance(form, NamespacedType):
            return self.message(message_class(".".join(form.namespaces), form.name), depth)
        if isinstance(form, Array):
            return [self.value(form.value_type, depth) for _ in range(form.size)]
        assert isinstance(form, AbstractSequence), form
        size = chance.choice(SIZES)
        if isinstance(form, BoundedSequence):
            size = min(size, form.maximum_size)
        if depth > 2:
            size = min(size, 3)
        few = [self.value(form.value_type, depth) for _ in range(min(size, 3))]
        return [chance.choice(few) for _ in range(size)]

    def _basic(self, name: str) -> Any:
        chance = self._chance
        if name in ("double", "float", "long double"):
            value = chance.choice(FLOATS) if chance.random() < 0.7 else chance.gauss(0.0, 2.0)
            return (
                value if name != "float" or not math.isfinite(value) else max(-FLOAT32_MOST, min(FLOAT32_MOST, value))
            )
        if name == "boolean":
            return chance.random() < 0.5
        if name in ("octet", "byte"):
            return bytes([chance.randrange(256)])
        if name in ("char", "uint8"):
            return chance.choice((0, 1, 2, 3, 4, 5, 99, 255))
        signed = not name.startswith("u")
        bits = BITS[name.removeprefix("u")]
        least, most = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
        return chance.choice((least, most, 0, 1, max(least, -1), min(most, 1_000_000_000), chance.randint(least, most)))

    def _spoil_one(self, message: Any) -> None:
        name, form = self._chance.choice(slots(message.__class__))
        held = getattr(message, name)
        if isinstance(form, NamespacedType):
            self._spoil_one(held)
        elif isinstance(form, (AbstractSequence, Array)):
            setattr(message, name, self._spoilt_list(list(held), form))
        else:
            setattr(message, name, self.value(form))

    def _spoilt_list(self, items: list[Any], form: Any) -> list[Any]:
        chance = self._chance
        what = chance.randrange(6)
        if isinstance(form, Array) or (items and what >= 3):
            k = chance.randrange(len(items))
            if isinstance(form.value_type, NamespacedType) and what != 5:
                self._spoil_one(items[k])
            else:
                items[k] = self.value(form.value_type, 2)
            return items
        if what == 0:
            return []
        if what == 1:
            return items[:-1]
        if isinstance(form, BoundedSequence) and len(items) >= form.maximum_size:
            return items
        return [*items, self.value(form.value_type, 2)]


@cache
def slots(kind: Any) -> tuple[tuple[str, Any], ...]:
    """Name and type of each field of a message's class."""
    return tuple(zip(kind.get_fields_and_field_types(), kind.SLOT_TYPES, strict=True))


@cache
def message_class(module: str, name: str) -> Any:
    """The class of a message type that is a field."""
    return getattr(importlib.import_module(module), name)
