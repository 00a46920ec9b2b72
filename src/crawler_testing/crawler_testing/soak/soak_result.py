"""Measurements of a soak run, and their deviations from the bounds."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

MAX_GROWTH_MB = 1.0  # of a process after the warm-up
MAX_LATE_SHARE = 0.001  # of all ticks
MAX_LOST_TAIL_S = 1.0  # of a recording whose processes are all killed at once


@dataclass(frozen=True)
class SoakResult:
    """One soak run, SI units but for memory."""

    robot: str
    backend: str
    rate: float  # Hz
    duration_s: float  # of wall time, from the first state
    run_s: float  # of simulated time
    ticks: int
    late_ticks: int
    overruns: int
    received: dict[str, int]  # messages, by topic
    missed: dict[str, int]  # sent and not received
    memory_MB: dict[str, float]  # at the end, by process
    growth_MB: dict[str, float]  # since the end of the warm-up; empty if the run was shorter
    recorded: int  # joint_states in the recording
    not_recorded: int  # received between the recording's first and last, and not in it
    recorder_reported: int  # messages of all topics in the recording, by the recorder's last report but one
    recording_holds: int  # messages of all topics
    recording_lacks_s: float  # from the recording's end to the kill; NaN: it could not be read
    troubles: tuple[str, ...]  # sentences: ends and tracebacks of processes

    @property
    def problems(self) -> list[str]:
        """One sentence per deviation."""
        found = list(self.troubles)
        found += [f"{count} messages of {topic} were missed" for topic, count in self.missed.items() if count]
        found += [f"no message of {topic} was received" for topic, count in self.received.items() if not count]
        if self.late_ticks > MAX_LATE_SHARE * self.ticks:
            found.append(f"{self.late_ticks} of {self.ticks} ticks were late, {MAX_LATE_SHARE:.1%} are allowed")
        found += [f"{name} grew by {mb:.2f} MB" for name, mb in self.growth_MB.items() if mb > MAX_GROWTH_MB]
        if self.not_recorded:
            found.append(f"{self.not_recorded} states are not in the recording")
        if self.recording_holds < self.recorder_reported:
            reported = f"the recorder had reported {self.recorder_reported}"
            found.append(f"the recording holds {self.recording_holds} messages, {reported}")
        if not self.recording_lacks_s <= MAX_LOST_TAIL_S:
            found.append(
                f"the recording lacks the last {self.recording_lacks_s:.1f} s, {MAX_LOST_TAIL_S:g} s are allowed"
            )
        return found

    @property
    def growth_summary(self) -> str:
        """Largest growth of memory, for a person."""
        if not self.growth_MB:
            return "too short to judge memory"
        return f"largest growth of a process: {max(self.growth_MB.values()):.2f} MB"

    def as_json(self) -> dict[str, Any]:
        return {"ok": not self.problems, **asdict(self), "problems": self.problems}
