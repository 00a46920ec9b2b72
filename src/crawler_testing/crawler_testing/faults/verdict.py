"""How one kind of fault went on one backend."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass
class Verdict:
    """What followed one injection."""

    kind: str
    backend: str
    at: float  # s of the run's own time at which it began
    problems: list[str] = field(default_factory=list)  # sentences; none: all that had to follow did
    safe_after: float | None = None  # s of the wall clock from its begin until rest or torque off, where that was asked
    crawled_after: float | None = None  # s of its own time from its end until it crawled, where that was asked
    speed: float = 0.0  # the greatest between ticks, as a share of what is allowed
    acceleration: float = 0.0
    said: str = ""  # the first warning or error that followed
    lifted: bool = False  # it ended with a foot off the ground, where equations cannot go on
    code: int | None = None  # of the run, where it was its only fault

    @property
    def ok(self) -> bool:
        """Whether all that had to follow did."""
        return not self.problems

    def as_json(self) -> dict[str, Any]:
        """For --json."""
        return {"ok": self.ok, **asdict(self)}
