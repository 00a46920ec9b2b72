"""Any value of any message type, from the fields that its type has: from nothing, or a sensible one that is spoilt.

What a type has is looked at once: every field of every type gets a function of its own that makes a value.
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
SIZES = (0, 1, 2, 3, 7)  # of sequences
LONG, SELDOM = 100, 0.02  # and of one in fifty
TEXTS = ("", " ", "nan", "/", "~", "..", "%s", "\u0394\u4e2d\U0001f40d", "x" * 300, "a\nb", "-1", "\u202e")
BYTES = (0, 1, 2, 3, 4, 5, 99, 255)
BITS = {"int8": 8, "int16": 16, "int32": 32, "int64": 64}
DEEPEST = 5  # fields within fields that are filled
MOST_SPOILT = 3  # fields of a sensible message that are changed

Make = Callable[[], Any]
Undo = Callable[[], None]


class Values:
    """Makes them. `words` are the names that mean something in the ring, such as those of joints."""

    def __init__(self, chance: random.Random, words: Sequence[str]) -> None:
        self._random = chance.random
        self._gauss = chance.gauss
        self._texts = (*TEXTS, *words, *words)
        self._makers: dict[tuple[Any, int], Make] = {}  # by type, or name of a basic one, and depth

    def message(self, kind: Any, depth: int = 0) -> Any:
        """One of this type, every field at random."""
        return self._message_maker(kind, depth)()

    def spoil(self, message: Any) -> Undo:
        """Change some fields of a message where it is; what is returned puts them back."""
        before: list[tuple[Any, str, Any]] = []
        for _ in range(1 + self._below(MOST_SPOILT)):
            self._spoil_one(message, before)

        def undo() -> None:
            for changed, name, value in reversed(before):
                setattr(changed, name, value)

        return undo

    def _below(self, number: int) -> int:
        return int(self._random() * number)

    def _one_of(self, choices: Sequence[Any]) -> Any:
        return choices[int(self._random() * len(choices))]

    # from nothing

    def _message_maker(self, kind: Any, depth: int) -> Make:
        if (kind, depth) not in self._makers:
            filled = slots(kind) if depth < DEEPEST else ()
            self._makers[kind, depth] = _filler(kind, [(name, self._maker(form, depth + 1)) for name, form in filled])
        return self._makers[kind, depth]

    def _maker(self, form: Any, depth: int) -> Make:
        """What makes any value of this field type."""
        if isinstance(form, BasicType):
            if (form.typename, 0) not in self._makers:
                self._makers[form.typename, 0] = self._basic(form.typename)
            return self._makers[form.typename, 0]
        if isinstance(form, (AbstractString, AbstractWString)):
            return self._text
        if isinstance(form, NamespacedType):
            return self._message_maker(message_class(".".join(form.namespaces), form.name), depth)
        item = self._maker(form.value_type, depth)
        if isinstance(form, Array):
            size = form.size
            return lambda: [item() for _ in range(size)]
        assert isinstance(form, AbstractSequence), form
        most = form.maximum_size if isinstance(form, BoundedSequence) else LONG
        most = min(most, 3) if depth > 2 else most
        sizes, longest = [min(size, most) for size in SIZES], min(LONG, most)

        def make() -> list[Any]:
            size = longest if self._random() < SELDOM else self._one_of(sizes)
            few = [item() for _ in range(min(size, 3))]
            return few if size <= 3 else [self._one_of(few) for _ in range(size)]

        return make

    def _text(self) -> str:
        return str(self._one_of(self._texts))

    def _number(self) -> float:
        return float(self._one_of(FLOATS)) if self._random() < 0.7 else self._gauss(0.0, 2.0)

    def _single(self) -> float:
        value = self._number()
        return value if not math.isfinite(value) else max(-FLOAT32_MOST, min(FLOAT32_MOST, value))

    def _basic(self, name: str) -> Make:
        if name in ("double", "float", "long double"):
            return self._single if name == "float" else self._number
        if name == "boolean":
            return lambda: self._random() < 0.5
        if name in ("octet", "byte"):
            return lambda: bytes([self._below(256)])
        if name in ("char", "uint8"):
            return lambda: self._one_of(BYTES)
        signed = not name.startswith("u")
        bits = BITS[name.removeprefix("u")]
        least, most = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
        special = (least, most, 0, 1, max(least, -1), min(most, 1_000_000_000))

        def make() -> int:
            k = self._below(len(special) + 1)
            return special[k] if k < len(special) else min(most, least + int(self._random() * (most - least)))

        return make

    # from a sensible one

    def _spoil_one(self, message: Any, before: list[tuple[Any, str, Any]]) -> None:
        name, form = self._one_of(slots(message.__class__))
        held = getattr(message, name)
        if isinstance(form, NamespacedType):
            self._spoil_one(held, before)
        elif isinstance(form, (AbstractSequence, Array)):
            k = self._below(len(held)) if len(held) else 0
            what = self._below(6)
            if len(held) and what >= 3 and what != 5 and isinstance(form.value_type, NamespacedType):
                self._spoil_one(held[k], before)
                return
            before.append((message, name, held))
            setattr(message, name, self._spoilt_list(list(held), k, what, form))
        else:
            before.append((message, name, held))
            setattr(message, name, self._maker(form, 0)())

    def _spoilt_list(self, items: list[Any], k: int, what: int, form: Any) -> list[Any]:
        if isinstance(form, Array) or (items and what >= 3):
            items[k] = self._maker(form.value_type, 2)()
            return items
        if what == 0:
            return []
        if what == 1:
            return items[:-1]
        if isinstance(form, BoundedSequence) and len(items) >= form.maximum_size:
            return items
        return [*items, self._maker(form.value_type, 2)()]


def _filler(kind: Any, fields: list[tuple[str, Make]]) -> Make:
    def make() -> Any:
        made = kind()
        for name, value in fields:
            setattr(made, name, value())
        return made

    return make


@cache
def slots(kind: Any) -> tuple[tuple[str, Any], ...]:
    """Name and type of each field of a message's class."""
    return tuple(zip(kind.get_fields_and_field_types(), kind.SLOT_TYPES, strict=True))


@cache
def message_class(module: str, name: str) -> Any:
    """The class of a message type that is a field."""
    return getattr(importlib.import_module(module), name)
