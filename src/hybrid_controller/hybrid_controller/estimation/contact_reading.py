"""Contacts as the equations want them: the paper's modes and velocities, or a sentence why they cannot be had."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from crawler_core.types import Contact, ContactMode
from crawler_models.three_link.equations.foot_mode import PAPER_MODE, Mode


class FeetReading(NamedTuple):
    """Both feet in the paper's axes."""

    mode: Mode
    v: tuple[float, float]  # m/s


def read_feet(contacts: Sequence[Contact], names: Sequence[str]) -> FeetReading | str:
    """The feet `names`, front one first; a sentence where one of them is not known or not on the ground."""
    by_name = {contact.foot: contact for contact in contacts}
    modes, speeds = [], []
    for name in names:
        contact = by_name.get(name)
        if contact is None:
            return f"nothing is known of the contact of {name}"
        if contact.mode is ContactMode.OPEN:
            return f"{name} has left the ground"
        if contact.mode not in PAPER_MODE:
            return f"the contact mode of {name} is not known"
        speed = contact.slip_velocity[0]
        if not math.isfinite(speed):
            return f"the slip velocity of {name} is not known"
        modes.append(PAPER_MODE[contact.mode])
        speeds.append(0.0 - speed)
    return FeetReading((modes[0], modes[1]), (speeds[0], speeds[1]))
