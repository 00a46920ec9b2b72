"""Fuzzing of one endpoint of one node, and the checks that the stack withstands it."""

from __future__ import annotations

import math
import random
import traceback
from collections.abc import Callable
from pathlib import Path

from crawler_testing.faults.fault_kind import RECOVERY_S
from crawler_testing.fixtures.run_monitor import PeakMotion
from crawler_testing.fuzz.fuzzer import Fuzzer
from crawler_testing.fuzz.in_process_stack import InProcessStack
from crawler_testing.fuzz.target import Target, TargetOutcome

START_TIMEOUT_S = 2.0  # of simulated time until the stack crawls
MESSAGES_PER_ROUND = 5000  # then the stack has to crawl again
LEAST_MOTION_RAD = 2e-3  # in half a second: a gait fades in slowly, and ideal joints move by commands only
TICKS_PER_CHECK = 4
STANDSTILL_TIMEOUT_S = 60.0  # on the monotonic clock, in case simulated time stands still
MAX_CRASHES = 20  # different ones, after which fuzzing ends


def fuzz(target: Target, count: int, seed: int, domain: int, check: Callable[[], None] = lambda: None) -> TargetOutcome:
    """Send `count` messages, requests or values; `check` is called between them and may raise.

    The seed and the target determine all messages: the first ones are the same for any `count`.
    """
    outcome = TargetOutcome(str(target))
    stack = InProcessStack(target.setup, domain)
    try:
        if _time_until_crawling(stack, START_TIMEOUT_S, stack.tick) is None:
            outcome.problems.append("the stack did not begin to crawl")
            return outcome
        stack.monitor.peak = PeakMotion()
        start = stack.state_count
        _send_all(outcome, stack, Fuzzer(stack, target, random.Random(f"{seed} {target}")), count, check)
        outcome.ticks = stack.state_count - start
    finally:
        stack.close()
    peak = stack.monitor.peak
    outcome.speed, outcome.acceleration = peak.speed, max(peak.acceleration, peak.braking)
    return outcome


def _send_all(
    outcome: TargetOutcome, stack: InProcessStack, fuzzer: Fuzzer, count: int, check: Callable[[], None]
) -> None:
    def guarded(action: Callable[[], object]) -> None:
        """Do it; report the first exception of each kind, and each new violation, with the last message."""
        violations = len(stack.monitor.peak.violations)
        try:
            action()
        except Exception as error:  # any exception of a callback would have ended its node
            text = _describe(error)
            outcome.crashes[text] = outcome.crashes.get(text, 0) + 1
            if outcome.crashes[text] == 1:
                outcome.problems.append(f"message {fuzzer.sent}: {text}; it was {fuzzer.last_message}")
        outcome.sent = fuzzer.sent
        if len(stack.monitor.peak.violations) > violations:
            text = "; ".join(stack.monitor.peak.violations.values())
            outcome.problems.append(f"message {outcome.sent}: limit exceeded, {text}; it was {fuzzer.last_message}")

    checked = 0
    while outcome.sent < count and len(outcome.crashes) < MAX_CRASHES:
        check()
        guarded(fuzzer.send)
        if outcome.sent - checked >= MESSAGES_PER_ROUND or outcome.sent >= count:
            checked = outcome.sent
            guarded(fuzzer.restore)
            taken = _time_until_crawling(stack, RECOVERY_S, lambda: guarded(stack.tick))
            if taken is None:
                outcome.problems.append(
                    f"message {outcome.sent}: not crawling {RECOVERY_S:g} s of simulated time later: "
                    + ", ".join(filter(None, (f"motion is {stack.motion}", stack.fault)))
                )
                return
            outcome.crawled_after = max(outcome.crawled_after or 0.0, taken)


def _describe(error: Exception) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {str(error)[:150]} in {Path(frame.filename).name}, {frame.name}"


def _time_until_crawling(stack: InProcessStack, seconds: float, tick: Callable[[], object]) -> float | None:
    """Return s of simulated time until the robot moves; None if it does not crawl at the end of `seconds`.

    The first motion alone is not enough: a reference from before can move the joints for a moment.
    """
    monitor = stack.monitor
    wall_start, start = stack.transport.now, monitor.stamp
    moved_after: float | None = None
    while stack.transport.now - wall_start < STANDSTILL_TIMEOUT_S:
        for _ in range(TICKS_PER_CHECK):
            tick()
        start = monitor.stamp if math.isnan(start) else start
        # the supervisor's own motion state: diagnostics are not carried here
        moved = monitor.moved_since_stamp(max(start, monitor.stamp - 0.5))
        is_crawling = stack.motion == "active" and moved > LEAST_MOTION_RAD
        moved_after = monitor.stamp - start if is_crawling and moved_after is None else moved_after
        if monitor.stamp - start >= seconds:
            return moved_after if is_crawling else None
    return None
