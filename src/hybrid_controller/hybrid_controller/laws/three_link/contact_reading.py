"""Convert contacts to the modes and velocities of the paper's equations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from crawler_core.types import Contact, ContactMode
from crawler_models.three_link.equations.foot_mode import PAPER_MODE, Mode


class ContactsUnavailable(Exception):
    """A foot's contact is not known, or the foot is not on the ground."""


class ContactReading(NamedTuple):
    """Both feet in the paper's axes."""

    mode: Mode
    v: tuple[float, float]  # m/s

    @property
    def both_slip(self) -> bool:
        return 0 not in self.mode


def read_contacts(contacts: Sequence[Contact], feet: Sequence[str]) -> ContactReading:
    """Return the contacts of `feet`, front one first. Raises ContactsUnavailable, naming the foot and the reason."""
    by_name = {contact.foot: contact for contact in contacts}
    modes, speeds = [], []
    for foot in feet:
        contact = by_name.get(foot)
        if contact is None:
            raise ContactsUnavailable(f"nothing is known of the contact of {foot}")
        if contact.mode is ContactMode.OPEN:
            raise ContactsUnavailable(f"{foot} has left the ground")
        if contact.mode not in PAPER_MODE:
            raise ContactsUnavailable(f"the contact mode of {foot} is not known")
        speed = contact.slip_velocity[0]
        if not math.isfinite(speed):
            raise ContactsUnavailable(f"the slip velocity of {foot} is not known")
        modes.append(PAPER_MODE[contact.mode])
        speeds.append(0.0 - speed)
    return ContactReading((modes[0], modes[1]), (speeds[0], speeds[1]))
