"""Kinds of fault: an intervention, the runs it applies to, and the expected outcome."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from crawler_testing.fixtures.run_config import ALL_BACKENDS, RunConfig

if TYPE_CHECKING:
    from crawler_testing.fixtures.run_harness import RunHarness

RECOVERY_S = 1.0  # of simulated time within which the robot crawls again
SAFE_TIMEOUT_S = 1.0  # until the joints are at rest or without torque
RUN_END_TIMEOUT_S = 10.0  # until a run that cannot go on has ended


@dataclass(frozen=True)
class ExpectedOutcome:
    """Outcome of a fault. Limits of motion, no traceback and no leftover process are always expected, too."""

    text: str  # the same for people
    crawls: bool = False  # within RECOVERY_S of simulated time
    safe_within: float = 0.0  # s until rest or torque off; 0: not required
    tremor: float = 0.0  # rad that joints at rest may move
    resumes: bool = False  # crawls again after reset and enable
    ends_within: float = 0.0  # s until the run ends by itself; 0: it goes on
    reports: tuple[str, ...] = ()  # one of these words is in diagnostics, or in the output of a run that ends
    exit_codes: tuple[int, ...] | None = (0,)  # None: any except 0
    keeps_files: bool = True  # summary and recording exist and are readable


@dataclass(frozen=True)
class FaultKind:
    """One kind of fault."""

    name: str  # <family>/<kind>
    action: str  # the intervention, as a phrase
    expected: ExpectedOutcome
    inject: Callable[[RunHarness], object]  # returns after the last intervention; may raise ExpectationFailed
    backends: tuple[str, ...] = ALL_BACKENDS
    run_config: RunConfig = field(default_factory=RunConfig)
    hits_limits: bool = False  # joints may be driven up to their limits, so that a foot may leave the ground
    spoils_angles: bool = False  # measured angles are wrong, and show no motion
    needs_own_run: bool = False  # changes the run for longer than RECOVERY_S, such as a gait at its slowest

    @property
    def family(self) -> str:
        return self.name.partition("/")[0]

    @property
    def can_share_run(self) -> bool:
        """True if further kinds can follow in the same run."""
        expected = self.expected
        goes_on = expected.crawls and not expected.ends_within and expected.exit_codes == (0,)
        return goes_on and self.run_config.starts and not self.needs_own_run


def expect_crawl(*reports: str, text: str = "", **more: Any) -> ExpectedOutcome:
    """Expect that the robot crawls on and, if there are `reports`, that one of these words is reported."""
    text = text or ("rejected and reported; crawls on" if reports else "crawls on")
    return ExpectedOutcome(text, crawls=True, reports=reports, **more)


def expect_stop(
    *reports: str, within: float = SAFE_TIMEOUT_S, text: str = "at rest or torque off, reported", **more: Any
) -> ExpectedOutcome:
    """Expect rest or torque off, a report, and an exit code that is not 0."""
    return ExpectedOutcome(text, safe_within=within, reports=reports, **{"exit_codes": None, **more})


def expect_end(
    *reports: str,
    within: float = RUN_END_TIMEOUT_S,
    text: str = "the run ends and reports why, exit code not 0",
    **more: Any,
) -> ExpectedOutcome:
    """Expect that the run ends by itself, with the cause and an exit code that is not 0."""
    return ExpectedOutcome(text, ends_within=within, reports=reports, **{"exit_codes": None, **more})
