"""Select the line of (19) in force, tick by tick, with a hysteresis and a dwell against chatter."""

from __future__ import annotations

from crawler_models.three_link.feedback.feedback_law import FeedbackLaw

NEVER_NS = -(10**18)


class Branch:
    """Selects contact tracking while both feet slip and the joints are inside Phi.

    It leaves contact tracking at once, and returns to it only after the law's dwell, with the joints inside Phi by the
    law's hysteresis.
    """

    def __init__(self) -> None:
        self.tracks_contacts = False
        self._left_ns = NEVER_NS

    def update(self, law: FeedbackLaw, time_ns: int, both_slip: bool, q: tuple[float, float]) -> bool:
        """Return True if contacts are tracked in the tick that begins now."""
        if self.tracks_contacts:
            if not (both_slip and law.room(q) >= 0.0):
                self.leave(time_ns)
        elif both_slip and law.room(q) >= law.hysteresis and time_ns - self._left_ns >= round(law.dwell * 1e9):
            self.tracks_contacts = True
        return self.tracks_contacts

    def leave(self, time_ns: int) -> None:
        """Track the joints from now on; the dwell starts."""
        if self.tracks_contacts:
            self.tracks_contacts = False
            self._left_ns = time_ns
