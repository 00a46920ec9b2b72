"""Detect touch-down and lift-off of the feet from the contacts of successive states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from crawler_core.types import Contact, ContactMode

TOUCH_DOWN = "touch_down"
LIFT_OFF = "lift_off"


class FootEvent(NamedTuple):
    """Touch-down or lift-off of a foot since its contact was last known."""

    foot: str
    kind: str  # TOUCH_DOWN | LIFT_OFF


class FootEvents:
    """Remembers which feet are in the air. The first known contact of a foot is no event."""

    def __init__(self) -> None:
        self._in_air: dict[str, bool] = {}

    def update(self, contacts: Sequence[Contact]) -> tuple[FootEvent, ...]:
        """Return the events between the last contacts and these. A foot of unknown mode keeps its state."""
        events = []
        for contact in contacts:
            if contact.mode is ContactMode.UNKNOWN:
                continue
            in_air = contact.mode is ContactMode.OPEN
            if self._in_air.get(contact.foot, in_air) is not in_air:
                events.append(FootEvent(contact.foot, LIFT_OFF if in_air else TOUCH_DOWN))
            self._in_air[contact.foot] = in_air
        return tuple(events)
