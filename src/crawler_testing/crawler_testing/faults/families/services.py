"""Services of the backend at moments at which nobody expects them."""

from __future__ import annotations

from std_srvs.srv import SetBool, Trigger

from crawler_testing.faults.fault_kind import FaultKind, Must, crawls, stops
from crawler_testing.fixtures.run_harness import Scene, Unmet

PROMPT = 0.5  # s from an emergency stop to its answer
CALLS = 50
PRESSED = stops("emergency stop", within=PROMPT, text="torque off at once, said; no success", returns=True)


def estop(scene: Scene) -> None:
    """At any moment."""
    scene.listen(scene.chance.uniform(0.0, 1.0))
    scene.call(Trigger, "backend/estop")


def reset(scene: Scene) -> None:
    """Clears what is latched."""
    answer = scene.call(Trigger, "backend/reset")
    if not answer.success:
        raise Unmet(f"reset was refused: {answer.message}")


def enable(scene: Scene, on: bool = True) -> None:
    """Or disables."""
    answer = scene.call(SetBool, "backend/enable", data=on)
    if not answer.success:
        raise Unmet(f"{'enable' if on else 'disable'} was refused: {answer.message}")


def _estop_twice(scene: Scene) -> None:
    estop(scene)
    scene.call(Trigger, "backend/estop")


def _estop_in_a_flood(scene: Scene) -> None:
    message = scene.message("joint_commands")
    with scene.publisher("joint_commands") as send:
        for _ in range(2000):
            send(message)
        scene.call(Trigger, "backend/estop")


def _enable_without_reset(scene: Scene) -> None:
    estop(scene)
    if scene.call(SetBool, "backend/enable", data=True).success:
        raise Unmet("enable was granted while the emergency stop was latched")


def _estop_and_back(scene: Scene) -> None:
    estop(scene)
    scene.expect(lambda: scene.witness.safe, PROMPT, "no torque off came")
    scene.listen(scene.chance.uniform(0.0, 1.0))
    reset(scene)
    enable(scene)


def _disable_and_back(scene: Scene) -> None:
    enable(scene, False)
    scene.expect(lambda: scene.witness.safe, 1.0, "no rest came after disable")
    enable(scene)


def _many(scene: Scene) -> None:
    for _ in range(CALLS):
        enable(scene, scene.chance.random() < 0.5)
    enable(scene)


RESUMED = Must("crawls again", crawls=True, code=None)
KINDS = (
    FaultKind("services/estop", "an emergency stop", PRESSED, estop),
    FaultKind("services/estop_twice", "two of them", PRESSED, _estop_twice),
    FaultKind("services/estop_in_a_flood", "one in a flood of commands", PRESSED, _estop_in_a_flood),
    FaultKind("services/enable_without_reset", "enable while one is latched", PRESSED, _enable_without_reset),
    FaultKind("services/estop_and_back", "one, then reset and enable", RESUMED, _estop_and_back),
    FaultKind("services/reset_without_cause", "reset in the middle of a crawl", crawls(), reset),
    FaultKind("services/enable_twice", "enable in the middle of a crawl", crawls(), lambda scene: enable(scene)),
    FaultKind(
        "services/disable",
        "disable in the middle of a crawl",
        stops("disabled", returns=True, text="torque off, said; no success"),
        lambda scene: enable(scene, False),
    ),
    FaultKind(
        "services/disable_and_back",
        "disable, then enable",
        Must("crawls again", crawls=True, code=None),
        _disable_and_back,
    ),
    FaultKind(
        "services/many",
        f"{CALLS} times enable or disable, in a row",
        Must("every one is answered; crawls again", crawls=True, code=None),
        _many,
    ),
)
