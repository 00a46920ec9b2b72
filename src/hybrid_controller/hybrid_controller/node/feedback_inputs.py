"""Contacts, odometry and readings of sensors for the law, with the times that they are valid for."""

from __future__ import annotations

from collections import deque

from crawler_core.types import Contact, SensorReading
from crawler_models.estimation.base_motion import BaseMotion
from crawler_nodes.messages.sensor_readings import ReadingsMessage
from hybrid_controller.estimation.odometry_delay import ODOMETRY_DELAY_NS, OdometryDelay
from hybrid_controller.laws.law import Law

NEVER_NS = -1  # before every stamp
MAX_WAITING = 1000  # messages of readings whose state has not come
MAX_CONTACT_AGE_NS = 50_000_000  # outside lockstep; older contacts say nothing about the present


class FeedbackInputs:
    """Holds the contacts, the odometry and the readings that a law reads, until the tick that uses them."""

    def __init__(self, law: Law, lockstep: bool) -> None:
        self._law = law
        self._max_contact_age_ns = 0 if lockstep else MAX_CONTACT_AGE_NS
        self._odometry = OdometryDelay()
        self._readings: deque[ReadingsMessage] = deque(maxlen=MAX_WAITING)
        self.restart("", NEVER_NS)

    def restart(self, sender: str, now_ns: int) -> None:
        """Discard everything: time went back, or another backend is followed.

        The readings of its state at `now_ns`, which are published before it, stay.
        """
        current = [message for message in self._readings if (message.sender, message.stamp) == (sender, now_ns)]
        self._readings.clear()
        self._readings.extend(current)
        self._last_added = (sender, now_ns if current else NEVER_NS)
        self._sender = sender
        self._contacts: tuple[Contact, ...] = ()
        self._contacts_ns = self.odometry_ns = NEVER_NS
        self._odometry.clear()

    def set_contacts(self, stamped: tuple[int, tuple[Contact, ...]]) -> None:
        self._contacts_ns, self._contacts = stamped

    def add_odometry(self, motion: BaseMotion) -> None:
        self.odometry_ns = motion.time_ns
        self._odometry.add(motion)

    def add_readings(self, message: ReadingsMessage) -> None:
        """Take the readings of a state; they come once more where the state does."""
        added = message.sender, message.stamp
        if added != self._last_added:
            self._last_added = added
            self._readings.append(message)

    def are_complete(self, now_ns: int) -> bool:
        """Return True if everything that the law reads in this tick of lockstep has arrived."""
        return (
            (self._contacts_ns == now_ns or not self._law.reads_contacts)
            and (self.odometry_ns >= now_ns - ODOMETRY_DELAY_NS or not self._law.reads_odometry)
            and (self._has_readings(now_ns) or not self._law.reads_sensors)
        )

    def contacts_at(self, now_ns: int) -> tuple[Contact, ...]:
        """Return the contacts for a tick; in lockstep only those of the same instant."""
        return self._contacts if self._contacts_ns >= now_ns - self._max_contact_age_ns else ()

    def take_odometry(self, now_ns: int) -> list[BaseMotion]:
        """Return, and forget, the odometry that is used in a tick."""
        return self._odometry.take(now_ns)

    def take_readings(self, now_ns: int) -> list[SensorReading]:
        """Return, and forget, the readings that had arrived by a state."""
        taken: list[SensorReading] = []
        for _ in range(len(self._readings)):
            message = self._readings.popleft()
            if message.sender != self._sender:
                continue
            if message.stamp <= now_ns:
                taken += message.readings
            else:
                self._readings.append(message)
        return taken

    def _has_readings(self, now_ns: int) -> bool:
        return any((one.sender, one.stamp) == (self._sender, now_ns) for one in self._readings)
