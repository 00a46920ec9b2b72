"""The system's clock, set while a run goes on."""

from __future__ import annotations

import time

from crawler_testing.faults.fault_kind import FaultKind, expect_crawl
from crawler_testing.fixtures.run_config import REAL_TIME, RunConfig
from crawler_testing.fixtures.run_harness import RunHarness

STEPS_S = {"20ms": 0.02, "1s": 1.0, "60s": 60.0, "1_year": 31_536_000.0}
REPORT_TIMEOUT_S = 3.0
SETS_CLOCK = RunConfig(sets_clock=True)


def _clock_fault(direction: str, amount: str) -> FaultKind:
    step_s = STEPS_S[amount] if direction == "ahead" else -STEPS_S[amount]

    def inject(run: RunHarness) -> None:
        start = time.monotonic()
        assert run.system_clock is not None
        run.system_clock.step(step_s)
        if run.backend in REAL_TIME:
            words = (f"set {direction} by {abs(step_s):.2g} s",)
            run.require(lambda: run.monitor.has_reported(words, start), REPORT_TIMEOUT_S, "it was not reported")
        else:
            run.wait(REPORT_TIMEOUT_S / 3.0)

    action = f"the system's clock is set {direction} by {amount.replace('_', ' ')}"
    text = "crawls on within the limits; time does not jump; reported in real time"
    return FaultKind(
        f"system_clock/{direction}_{amount}", action, expect_crawl(text=text), inject, run_config=SETS_CLOCK
    )


SYSTEM_CLOCK_FAULTS = tuple(_clock_fault(direction, amount) for direction in ("back", "ahead") for amount in STEPS_S)
