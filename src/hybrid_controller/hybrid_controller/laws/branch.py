"""Which line of (19) is in force, tick by tick: with a hysteresis and a dwell, so that it does not chatter."""

from __future__ import annotations

from crawler_models.three_link.feedback.feedback_law import FeedbackLaw

_NEVER = -(10**18)  # ns


class Branch:
    """Tracks contacts while both feet slip and the joints are inside Phi.

    It leaves at once. It comes back only when the joints are inside Phi by the law's hysteresis, and after its dwell.
    """

    def __init__(self) -> None:
        self.tracks_contacts = False
        self._left_ns = _NEVER

    def update(self, law: FeedbackLaw, time_ns: int, both_slip: bool, q: tuple[float, float]) -> bool:
        """Whether contacts are tracked in the tick that begins now."""
        if self.tracks_contacts:
            if not (both_slip and law.room(q) >= 0.0):
                self.leave(time_ns)
        elif both_slip and law.room(q) >= law.hysteresis and time_ns - self._left_ns >= round(law.dwell * 1e9):
            self.tracks_contacts = True
        return self.tracks_contacts

    def leave(self, time_ns: int) -> None:
        """Track the joints from now on."""
        if self.tracks_contacts:
            self.tracks_contacts = False
            self._left_ns = time_ns
