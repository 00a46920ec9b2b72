"""Injection of one fault into a running stack, and the check of its outcome."""

from __future__ import annotations

import time

from crawler_testing.faults.families.services import enable, reset
from crawler_testing.faults.fault_kind import RECOVERY_S, FaultKind
from crawler_testing.faults.verdict import Verdict
from crawler_testing.fixtures.run_harness import ExpectationFailed, RunHarness
from crawler_testing.fixtures.run_monitor import PeakMotion

REPORT_TIMEOUT_S = 3.0  # until an event is in diagnostics
RECOVERY_WALL_TIMEOUT_S = 10.0  # for RECOVERY_S of simulated time on a busy machine
MAX_DELAY_S = 0.3  # before the injection, so that it meets any phase of the gait


def run_fault(kind: FaultKind, run: RunHarness) -> Verdict:
    """Inject a fault and check what follows while the run lasts. The run's end is checked by its campaign."""
    monitor = run.monitor
    run.wait(run.rng.uniform(0.0, MAX_DELAY_S))
    monitor.peak = PeakMotion()
    verdict = Verdict(kind.name, run.backend, monitor.stamp)
    start, reversals = time.monotonic(), monitor.time_reversals
    try:
        kind.inject(run)
        _check_outcome(kind, run, start, verdict)
    except (ExpectationFailed, LookupError, OSError) as error:
        verdict.foot_lifted = kind.hits_limits and run.ended_with_foot_lifted()
        verdict.problems += [] if verdict.foot_lifted else [str(error)]
    if not kind.spoils_angles:
        _check_limits(kind, verdict, monitor.peak)
    if monitor.time_reversals > reversals and kind.name != "lifecycle/restart":
        verdict.problems.append(f"the time of joint_states went back {monitor.time_reversals - reversals} times")
    verdict.reported = next(iter(monitor.warnings_since(start)), "")
    return verdict


def _check_outcome(kind: FaultKind, run: RunHarness, start: float, verdict: Verdict) -> None:
    monitor, expected = run.monitor, kind.expected
    if expected.safe_within:
        verdict.safe_after = _wait_until_safe(kind, run, start)
    if expected.ends_within:
        run.require(lambda: run.has_ended, expected.ends_within, "the run did not end")
    if expected.crawls:
        verdict.crawled_after = _wait_until_crawling(run)
    must_report = expected.reports and not expected.ends_within
    if must_report and not run.wait_until(lambda: monitor.has_reported(expected.reports, start), REPORT_TIMEOUT_S):
        warnings = "; ".join(dict.fromkeys(monitor.warnings_since(start))) or "nothing"
        verdict.problems.append(f"reported was {warnings[:200]}, and none of {', '.join(expected.reports)}")
    if expected.resumes and run.has_ended:
        verdict.problems.append("the run ended, so that reset and enable could not follow")
    elif expected.resumes:
        run.wait(0.2)
        if monitor.motion in ("e-stopped", "faulted"):
            reset(run)
        enable(run)
        _wait_until_crawling(run)


def _wait_until_safe(kind: FaultKind, run: RunHarness, start: float) -> float:
    """Return s of wall time since `start`. Raises ExpectationFailed if the robot is not safe in time."""
    expected = kind.expected
    extra = 0.0 if expected.crawls else REPORT_TIMEOUT_S
    run.wait_until(lambda: run.monitor.is_safe(expected.tremor) or run.has_ended, expected.safe_within + extra)
    taken = time.monotonic() - start
    if not (run.monitor.is_safe(expected.tremor) or run.has_ended):
        raise ExpectationFailed(f"neither at rest nor without torque after {taken:.1f} s")
    return taken


def _wait_until_crawling(run: RunHarness) -> float:
    """Return s of simulated time until the robot crawls. Raises ExpectationFailed if it does not in time."""
    monitor = run.monitor
    start = monitor.stamp

    def is_decided() -> bool:
        timed_out = monitor.stamp - start > RECOVERY_S * run.timeout_scale
        return run.has_ended or monitor.stamp < start or monitor.has_crawled(start) or timed_out

    run.wait_until(is_decided, RECOVERY_WALL_TIMEOUT_S)
    if monitor.stamp < start:  # the backend has started its time again
        return _wait_until_crawling(run)
    taken = monitor.stamp - start
    if run.has_ended:
        output = " ".join(run.stderr().split())[-200:]
        raise ExpectationFailed(f"the run ended with exit code {run.process.returncode}: {output}")
    if not monitor.has_crawled(start):
        warning = "; ".join(monitor.warnings_since(0)[-1:])
        motion = monitor.motion or "unknown"
        raise ExpectationFailed(f"not crawling after {taken:.2f} s of simulated time: motion is {motion}; {warning}")
    return taken


def _check_limits(kind: FaultKind, verdict: Verdict, peak: PeakMotion) -> None:
    """Report violated limits. Braking is exempt where torque goes off, which stops a joint by its friction."""
    torque_off = bool(kind.expected.safe_within or kind.expected.ends_within)
    verdict.speed = peak.speed
    verdict.acceleration = peak.acceleration if torque_off else max(peak.acceleration, peak.braking)
    verdict.problems += [
        f"limit exceeded: {text}" for what, text in peak.violations.items() if what != "braking" or not torque_off
    ]
