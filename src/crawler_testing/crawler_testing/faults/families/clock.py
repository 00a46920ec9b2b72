"""Somebody besides the simulation tells the time."""

from __future__ import annotations

from collections.abc import Callable

from crawler_testing.faults.families.message_fault import FLOOD, speaks
from crawler_testing.faults.fault_kind import SIMULATIONS, FaultKind, crawls
from crawler_testing.fixtures.run_harness import Scene


def _tells(what: str, does: str, time: Callable[[float], float], times: int = 20) -> FaultKind:
    def change(message: object, scene: Scene) -> None:
        seconds = time(scene.witness.stamp)
        stamp = message.clock  # type: ignore[attr-defined]
        stamp.sec, stamp.nanosec = int(seconds), round((seconds - int(seconds)) * 1e9) % 1_000_000_000

    must = crawls("storm", text="ignored, and the stranger named; crawls on")
    return speaks("/clock", what, does, change, must, times, backends=SIMULATIONS)


KINDS = (
    _tells("zero", "time 0", lambda _now: 0.0),
    _tells("back", "five seconds ago", lambda now: max(0.0, now - 5.0)),
    _tells("ahead", "in ten seconds", lambda now: now + 10.0),
    _tells("far_ahead", "in 60 years", lambda now: now + 1.9e9),
    _tells("flood", f"{FLOOD} times the present time", lambda now: now, FLOOD),
)
