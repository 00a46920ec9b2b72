"""Contacts and odometry for the law, with the times that they are valid for."""

from __future__ import annotations

from crawler_core.types import Contact
from crawler_models.estimation.base_motion import BaseMotion
from hybrid_controller.estimation.odometry_delay import ODOMETRY_DELAY_NS, OdometryDelay
from hybrid_controller.laws.law import Law

NEVER_NS = -1  # before every stamp
MAX_CONTACT_AGE_NS = 50_000_000  # outside lockstep; older contacts say nothing about the present


class FeedbackInputs:
    """Holds the contacts and the odometry that a law reads, until the tick that uses them."""

    def __init__(self, law: Law, lockstep: bool) -> None:
        self._law = law
        self._max_contact_age_ns = 0 if lockstep else MAX_CONTACT_AGE_NS
        self._odometry = OdometryDelay()
        self.restart()

    def restart(self) -> None:
        """Discard everything: time went back, or another backend is followed."""
        self._contacts: tuple[Contact, ...] = ()
        self._contacts_ns = self.odometry_ns = NEVER_NS
        self._odometry.clear()

    def set_contacts(self, stamped: tuple[int, tuple[Contact, ...]]) -> None:
        self._contacts_ns, self._contacts = stamped

    def add_odometry(self, motion: BaseMotion) -> None:
        self.odometry_ns = motion.time_ns
        self._odometry.add(motion)

    def are_complete(self, now_ns: int) -> bool:
        """Return True if everything that the law reads in this tick of lockstep has arrived."""
        return (self._contacts_ns == now_ns or not self._law.reads_contacts) and (
            self.odometry_ns >= now_ns - ODOMETRY_DELAY_NS or not self._law.reads_odometry
        )

    def contacts_at(self, now_ns: int) -> tuple[Contact, ...]:
        """Return the contacts for a tick; in lockstep only those of the same instant."""
        return self._contacts if self._contacts_ns >= now_ns - self._max_contact_age_ns else ()

    def take_odometry(self, now_ns: int) -> list[BaseMotion]:
        """Return, and forget, the odometry that is used in a tick."""
        return self._odometry.take(now_ns)
