"""Transitions of the managed backend node in the middle of a crawl."""

from __future__ import annotations

from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState

from crawler_testing.faults.fault_kind import FaultKind, Must, crawls, stops
from crawler_testing.fixtures.run_harness import Scene, Unmet

STEPS = {
    "configure": Transition.TRANSITION_CONFIGURE,
    "cleanup": Transition.TRANSITION_CLEANUP,
    "activate": Transition.TRANSITION_ACTIVATE,
    "deactivate": Transition.TRANSITION_DEACTIVATE,
    "shutdown": Transition.TRANSITION_ACTIVE_SHUTDOWN,
}
DOWN = stops("inactive", "deactivated", "not active", text="comes to rest, said; no success")


def change(scene: Scene, step: str) -> bool:
    """Ask for a transition; whether it was granted."""
    return bool(scene.call(ChangeState, "backend/change_state", transition=Transition(id=STEPS[step])).success)


def _refused(step: str) -> FaultKind:
    def inject(scene: Scene) -> None:
        if change(scene, step):
            raise Unmet(f"{step} was granted to an active node")

    return FaultKind(f"lifecycle/{step}", f"{step} while it is active", crawls(text="refused; crawls on"), inject)


def _deactivate(scene: Scene) -> None:
    if not change(scene, "deactivate"):
        raise Unmet("deactivate was refused")


def _and_back(scene: Scene) -> None:
    _deactivate(scene)
    scene.listen(scene.chance.uniform(0.0, 0.5))
    if not change(scene, "activate"):
        raise Unmet("activate was refused")


def _from_the_start(scene: Scene) -> None:
    for step in ("deactivate", "cleanup", "configure", "activate"):
        if not change(scene, step):
            raise Unmet(f"{step} was refused")


AGAIN = Must("crawls again", crawls=True, code=None)
KINDS = (
    _refused("configure"),
    _refused("activate"),
    _refused("cleanup"),
    FaultKind("lifecycle/deactivate", "deactivate", DOWN, _deactivate),
    FaultKind("lifecycle/deactivate_and_back", "deactivate, then activate", AGAIN, _and_back),
    FaultKind("lifecycle/from_the_start", "deactivate, cleanup, configure, activate", AGAIN, _from_the_start),
    FaultKind("lifecycle/shutdown", "shutdown", DOWN, lambda scene: _shut(scene)),
)


def _shut(scene: Scene) -> None:
    change(scene, "shutdown")
