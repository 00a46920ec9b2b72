"""Transitions of the managed backend node during a crawl."""

from __future__ import annotations

from collections.abc import Callable

from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState

from crawler_testing.faults.fault_kind import ExpectedOutcome, FaultKind, expect_crawl, expect_stop
from crawler_testing.fixtures.run_harness import ExpectationFailed, RunHarness

TRANSITIONS = {
    "configure": Transition.TRANSITION_CONFIGURE,
    "cleanup": Transition.TRANSITION_CLEANUP,
    "activate": Transition.TRANSITION_ACTIVATE,
    "deactivate": Transition.TRANSITION_DEACTIVATE,
    "shutdown": Transition.TRANSITION_ACTIVE_SHUTDOWN,
}
MAX_PAUSE_S = 0.5  # between two transitions


def change_state(run: RunHarness, name: str) -> bool:
    """Request a transition; return True if it was made."""
    request = Transition(id=TRANSITIONS[name])
    return bool(run.call(ChangeState, "backend/change_state", transition=request).success)


def _transitions(*names: str) -> Callable[[RunHarness], None]:
    def inject(run: RunHarness) -> None:
        for count, name in enumerate(names):
            run.wait(run.rng.uniform(0.0, MAX_PAUSE_S) if count else 0.0)
            if not change_state(run, name):
                raise ExpectationFailed(f"{name} was rejected")

    return inject


def _rejected_fault(name: str) -> FaultKind:
    def inject(run: RunHarness) -> None:
        if change_state(run, name):
            raise ExpectationFailed(f"{name} was accepted by an active node")

    return FaultKind(f"lifecycle/{name}", f"{name} while active", expect_crawl(text="rejected; crawls on"), inject)


STOPS = expect_stop("inactive", "deactivated", "not active", text="comes to rest, reported; exit code not 0")
CRAWLS_AGAIN = ExpectedOutcome("crawls again", crawls=True, exit_codes=None)
STEPS_BACK = ("deactivate", "activate")
STEPS_OF_RESTART = ("deactivate", "cleanup", "configure", "activate")
LIFECYCLE_FAULTS = (
    *(_rejected_fault(name) for name in ("configure", "activate", "cleanup")),
    FaultKind("lifecycle/deactivate", "deactivate", STOPS, _transitions("deactivate")),
    FaultKind("lifecycle/deactivate_and_back", ", then ".join(STEPS_BACK), CRAWLS_AGAIN, _transitions(*STEPS_BACK)),
    FaultKind("lifecycle/restart", ", ".join(STEPS_OF_RESTART), CRAWLS_AGAIN, _transitions(*STEPS_OF_RESTART)),
    FaultKind("lifecycle/shutdown", "shutdown", STOPS, lambda run: change_state(run, "shutdown")),
)
