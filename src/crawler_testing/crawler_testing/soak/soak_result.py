"""What a soak has shown, and whether that is as it must be."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

FLAT = 1.0  # MB that a process may grow after the time in which it settles
LATE = 0.001  # of all ticks
TAIL = 1.0  # s that a recording may lack when everything is killed at once


@dataclass(frozen=True)
class SoakResult:
    """One soak, SI units but for memory."""

    robot: str
    backend: str
    rate: float  # Hz
    duration_s: float  # of wall time, from the first state
    run_s: float  # of the run's own time
    ticks: int
    late_ticks: int
    overruns: int
    heard: dict[str, int]  # messages, by topic
    missed: dict[str, int]  # sent and not heard
    memory_MB: dict[str, float]  # at the end, by process
    growth_MB: dict[str, float]  # since it settled; empty where the soak was too short for that
    recorded: int  # joint_states in the recording
    not_recorded: int  # heard between the recording's first and last, and not in it
    recorder_said: int  # messages of all topics that it had, by its last word but one
    recording_holds: int  # messages of all topics
    recording_lacks_s: float  # from the recording's end to the kill; NaN: it could not be read
    troubles: tuple[str, ...]  # sentences: what ended or was said meanwhile

    @property
    def problems(self) -> list[str]:
        """What is not as it must be, a sentence each."""
        found = list(self.troubles)
        found += [f"{count} messages of {topic} were missed" for topic, count in self.missed.items() if count]
        found += [f"nothing was heard on {topic}" for topic, count in self.heard.items() if not count]
        if self.late_ticks > LATE * self.ticks:
            found.append(f"{self.late_ticks} of {self.ticks} ticks were late, {LATE:.1%} may be")
        found += [f"{name} grew by {mb:.2f} MB" for name, mb in self.growth_MB.items() if mb > FLAT]
        if self.not_recorded:
            found.append(f"{self.not_recorded} states are not in the recording")
        if self.recording_holds < self.recorder_said:
            said = f"the recorder had said that it has {self.recorder_said}"
            found.append(f"the recording holds {self.recording_holds} messages, and {said}")
        if not self.recording_lacks_s <= TAIL:
            found.append(f"the recording lacks the last {self.recording_lacks_s:.1f} s, {TAIL:g} s may be")
        return found

    @property
    def grown(self) -> str:
        """What is to be said of memory, in any case."""
        if not self.growth_MB:
            return "too short to judge memory"
        return f"most that a process grew: {max(self.growth_MB.values()):.2f} MB"

    def as_json(self) -> dict[str, Any]:
        """The keys of --json."""
        return {"ok": not self.problems, **asdict(self), "problems": self.problems}
