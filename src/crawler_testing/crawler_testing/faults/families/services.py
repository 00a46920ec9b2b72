"""Calls of the backend's services at unexpected moments."""

from __future__ import annotations

from std_srvs.srv import SetBool, Trigger

from crawler_testing.faults.fault_kind import ExpectedOutcome, FaultKind, expect_crawl, expect_stop
from crawler_testing.fixtures.run_harness import ExpectationFailed, RunHarness

ESTOP_TIMEOUT_S = 0.5
DISABLE_TIMEOUT_S = 1.0
MAX_DELAY_S = 1.0
CALLS = 50
FLOOD_COPIES = 2000


def estop(run: RunHarness) -> None:
    """Call the emergency stop after a random delay."""
    run.wait(run.rng.uniform(0.0, MAX_DELAY_S))
    run.call(Trigger, "backend/estop")


def reset(run: RunHarness) -> None:
    """Clear latched stops. Raises ExpectationFailed if that is rejected."""
    response = run.call(Trigger, "backend/reset")
    if not response.success:
        raise ExpectationFailed(f"reset was rejected: {response.message}")


def enable(run: RunHarness, on: bool = True) -> None:
    """Enable or disable the joints. Raises ExpectationFailed if that is rejected."""
    response = run.call(SetBool, "backend/enable", data=on)
    if not response.success:
        raise ExpectationFailed(f"{'enable' if on else 'disable'} was rejected: {response.message}")


def _estop_twice(run: RunHarness) -> None:
    estop(run)
    run.call(Trigger, "backend/estop")


def _estop_in_flood(run: RunHarness) -> None:
    message = run.latest_message("joint_commands")
    with run.publisher("joint_commands") as send:
        for _ in range(FLOOD_COPIES):
            send(message)
        run.call(Trigger, "backend/estop")


def _enable_without_reset(run: RunHarness) -> None:
    estop(run)
    if run.call(SetBool, "backend/enable", data=True).success:
        raise ExpectationFailed("enable was accepted while the emergency stop was latched")


def _estop_and_back(run: RunHarness) -> None:
    estop(run)
    run.require(run.monitor.is_safe, ESTOP_TIMEOUT_S, "torque was not off")
    run.wait(run.rng.uniform(0.0, MAX_DELAY_S))
    reset(run)
    enable(run)


def _disable_and_back(run: RunHarness) -> None:
    enable(run, False)
    run.require(run.monitor.is_safe, DISABLE_TIMEOUT_S, "joints were not at rest")
    enable(run)


def _toggle_enable(run: RunHarness) -> None:
    for _ in range(CALLS):
        enable(run, run.rng.random() < 0.5)
    enable(run)


STOPPED = expect_stop(
    "emergency stop",
    within=ESTOP_TIMEOUT_S,
    text="torque off at once, reported; exit code not 0",
    resumes=True,
)
DISABLED = expect_stop("disabled", text="torque off, reported; exit code not 0", resumes=True)
CRAWLS_AGAIN = ExpectedOutcome("crawls again", crawls=True, exit_codes=None)
ALL_ANSWERED = ExpectedOutcome("each call is answered; crawls again", crawls=True, exit_codes=None)
SERVICE_FAULTS = tuple(
    FaultKind(f"services/{name}", action, expected, inject)
    for name, action, expected, inject in (
        ("estop", "an emergency stop", STOPPED, estop),
        ("estop_twice", "two emergency stops", STOPPED, _estop_twice),
        ("estop_in_flood", "an emergency stop during a flood of commands", STOPPED, _estop_in_flood),
        ("enable_without_reset", "enable after an emergency stop", STOPPED, _enable_without_reset),
        ("estop_and_back", "an emergency stop, then reset and enable", CRAWLS_AGAIN, _estop_and_back),
        ("reset_without_cause", "reset during a crawl", expect_crawl(), reset),
        ("enable_twice", "enable during a crawl", expect_crawl(), enable),
        ("disable", "disable during a crawl", DISABLED, lambda run: enable(run, False)),
        ("disable_and_back", "disable, then enable", CRAWLS_AGAIN, _disable_and_back),
        ("toggle", f"enable or disable, {CALLS} times in a row", ALL_ANSWERED, _toggle_enable),
    )
)
