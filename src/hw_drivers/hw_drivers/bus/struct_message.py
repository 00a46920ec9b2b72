"""Messages of fixed layout, as boards and CAN drives exchange them."""

from __future__ import annotations

import struct
from dataclasses import dataclass, fields
from typing import ClassVar, Self


class BadMessage(ValueError):
    """Bytes that are no such message; the text is the reason."""


@dataclass(frozen=True)
class StructMessage:
    """Base of messages whose fields follow one another in the order of their dataclass."""

    layout: ClassVar[str] = "<"  # of module struct

    def __init_subclass__(cls, layout: str = "<") -> None:
        cls.layout = layout

    def pack(self) -> bytes:
        return struct.pack(self.layout, *(getattr(self, field.name) for field in fields(self)))

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """Make a message from the bytes of its fields. Raises BadMessage."""
        size = struct.calcsize(cls.layout)
        if len(data) != size:
            raise BadMessage(f"{cls.__name__} has {len(data)} bytes of fields instead of {size}")
        return cls(*struct.unpack(cls.layout, data))
