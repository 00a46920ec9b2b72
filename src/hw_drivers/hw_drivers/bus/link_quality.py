"""The share of the answers on a bus that are bad, and the fault where that is too much."""

from __future__ import annotations

from dataclasses import dataclass

from hw_drivers.bus.bus import BusFault

ALLOWED_SHARE = 0.25  # of the answers: the next cycle makes up for a few bad ones
ERROR_LIMIT = 4.0  # a line without any good answer reaches it within six cycles
WARNING_SHARE = 0.1  # of the allowed share, from which on there is a warning
MEMORY_ANSWERS = 1000.0  # over which the share is averaged
MIN_ANSWERS = 50.0  # until a warning


@dataclass
class _ErrorCounter:
    errors: float = 0.0
    bad: float = 0.0  # answers, since the last time without errors
    answers: float = 0.0
    since: float | None = None  # s, of that time; None until the next check


class LinkQuality:
    """Error counters of the joints of a bus, as CAN controllers have them.

    A bad answer is lost, damaged, old, or does not confirm the last command. It counts up by 1, and every answer counts
    down by the allowed share. So single bad answers are forgotten, and a larger share of them is a fault after some
    cycles, whatever their order.
    """

    def __init__(
        self,
        label: str,
        allowed_share: float = ALLOWED_SHARE,
        error_limit: float = ERROR_LIMIT,
        subject: str = "the cable, the plugs and the adapter",
    ) -> None:
        """`label` names the bus in sentences; `subject` is to be checked where answers are bad."""
        self._label = label
        self._remedy = f"check {subject}, then call reset and enable"
        self._allowed_share = allowed_share
        self._error_limit = error_limit
        self._bad = self._answers = 0.0  # of late
        self._counters: dict[str, _ErrorCounter] = {}  # by joint; empty: the whole bus

    def reset(self) -> None:
        """Start again, as after a reset of the devices."""
        self._bad = self._answers = 0.0
        self._counters.clear()

    def add(self, bad: float, answers: float = 1.0, joint: str = "") -> None:
        """Count answers of a joint, or of the whole bus; `bad` of them were."""
        counter = self._counters.setdefault(joint, _ErrorCounter())
        counter.errors += bad - self._allowed_share * answers
        counter.bad += bad
        counter.answers += answers
        if counter.errors <= 0.0:
            self._counters[joint] = _ErrorCounter()
        keep = max(0.0, 1.0 - answers / MEMORY_ANSWERS)
        self._bad, self._answers = max(0.0, keep * self._bad + bad), keep * self._answers + answers

    @property
    def bad_share(self) -> float:
        """The share of bad answers among the latest ones."""
        return min(self._bad / self._answers, 1.0) if self._answers else 0.0

    def check(self, now: float, patience: float) -> BusFault | None:
        """Return the fault where too many answers have been bad for `patience` (s) or longer; `now` in s."""
        joint, worst = "", _ErrorCounter()
        for name, counter in self._counters.items():
            if counter.errors > 0.0 and counter.since is None:
                counter.since = now
            if counter.since is not None and now - counter.since >= patience and counter.errors > worst.errors:
                joint, worst = name, counter
        if worst.errors <= self._error_limit:
            return None
        share = min(worst.bad / worst.answers, 1.0)
        subject = f"the motor of {joint}" if joint else self._label
        return BusFault(
            f"{share:.0%} of the last {worst.answers:.0f} answers of {subject} are lost, damaged or old, and "
            f"{self._allowed_share:.0%} are allowed",
            remedy=self._remedy,
            joint=joint,
        )

    def warning(self) -> str:
        """Return a warning where some answers are bad; empty without one."""
        if self._answers < MIN_ANSWERS or self.bad_share < WARNING_SHARE * self._allowed_share:
            return ""
        return f"{self.bad_share:.1%} of the answers of {self._label} are lost, damaged or old: check its cable"
