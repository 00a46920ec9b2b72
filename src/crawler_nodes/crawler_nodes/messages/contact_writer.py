"""Foot contacts as messages."""

from __future__ import annotations

from collections.abc import Sequence

from crawler_interfaces.msg import ContactState, ContactStateArray

from crawler_core.types import Contact
from crawler_nodes.messages.header import set_stamp


class ContactWriter:
    """Fills contact_states and contact_estimates: one message object, filled again on each tick."""

    def __init__(self, frame: str, feet: Sequence[str]) -> None:
        self.message = ContactStateArray(contacts=[ContactState(foot=foot) for foot in feet])
        self.message.header.frame_id = frame

    def fill(self, time_ns: int, contacts: Sequence[Contact]) -> ContactStateArray:
        """Fill the message with the feet in their order. Raises ValueError for another number of feet."""
        set_stamp(self.message.header.stamp, time_ns)
        for entry, contact in zip(self.message.contacts, contacts, strict=True):
            entry.mode = int(contact.mode)
            entry.source = int(contact.source)
            entry.force.x, entry.force.y, entry.force.z = contact.force
            entry.slip_velocity.x, entry.slip_velocity.y, entry.slip_velocity.z = contact.slip_velocity
        return self.message
