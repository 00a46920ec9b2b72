"""Result of one injected fault."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass
class Verdict:
    """Observations after one injection, and their deviations from the expected outcome."""

    kind: str
    backend: str
    at: float  # s of simulated time at the injection
    problems: list[str] = field(default_factory=list)  # one sentence per deviation
    safe_after: float | None = None  # s of wall time from the injection until rest or torque off, where expected
    crawled_after: float | None = None  # s of simulated time from the end of the fault until crawling, where expected
    speed: float = 0.0  # largest between ticks, as a share of the allowed one
    acceleration: float = 0.0
    reported: str = ""  # first warning or error after the injection
    foot_lifted: bool = False  # the run ended because its equations have no feet in the air
    code: int | None = None  # exit code of the run, if this was its last fault

    @property
    def ok(self) -> bool:
        """True if the outcome is the expected one."""
        return not self.problems

    def as_json(self) -> dict[str, Any]:
        return {"ok": self.ok, **asdict(self)}
