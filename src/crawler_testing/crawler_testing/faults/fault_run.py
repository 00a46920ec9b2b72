"""Injects one kind of fault into a scene, and judges what follows."""

from __future__ import annotations

import time

from crawler_testing.faults.families.services import enable, reset
from crawler_testing.faults.fault_kind import RECOVERY, FaultKind
from crawler_testing.faults.verdict import Verdict
from crawler_testing.fixtures.run_harness import Scene, Unmet
from crawler_testing.fixtures.run_monitor import Peak

HEARD = 3.0  # s within which what happened stands in diagnostics: they come once a second
SLOW = 10.0  # s of the wall clock that a busy machine may take for the recovery


def act(kind: FaultKind, scene: Scene) -> Verdict:
    """Do it, and see what follows while the run lasts. The run's end is judged by others."""
    witness = scene.witness
    scene.listen(scene.chance.uniform(0.0, 0.3))
    witness.peak = Peak()
    verdict = Verdict(kind.name, scene.backend, witness.stamp)
    began = time.monotonic()
    back = witness.went_back
    try:
        kind.inject(scene)
        _follow(kind, scene, began, verdict)
    except (Unmet, LookupError, OSError) as error:
        verdict.lifted = kind.jolts and scene.lifted()
        verdict.problems += [] if verdict.lifted else [str(error)]
    _limits(kind, verdict, witness.peak)
    if witness.went_back > back and kind.name != "lifecycle/from_the_start":
        verdict.problems.append(f"the time of joint_states went back {witness.went_back - back} times")
    complaints = witness.complaints(began)
    verdict.said = complaints[0] if complaints else ""
    return verdict


def _follow(kind: FaultKind, scene: Scene, began: float, verdict: Verdict) -> None:
    witness, must = scene.witness, kind.must
    if must.rests:
        scene.until(lambda: witness.rests(must.trembles) or scene.ended, must.rests + (0.0 if must.crawls else HEARD))
        verdict.safe_after = time.monotonic() - began
        if not (witness.rests(must.trembles) or scene.ended):
            raise Unmet(f"neither at rest nor without torque after {verdict.safe_after:.1f} s")
    if must.ends:
        scene.expect(lambda: scene.ended, must.ends, "the run did not end")
    if must.crawls:
        verdict.crawled_after = _crawls_again(scene)
    if must.says and not must.ends and not scene.until(lambda: witness.said(must.says, began), HEARD):
        heard = "; ".join(dict.fromkeys(witness.complaints(began))) or "nothing"
        verdict.problems.append(f"said was {heard[:200]}, and none of {', '.join(must.says)}")
    if must.returns and not scene.ended:
        scene.listen(0.2)
        if witness.motion in ("e-stopped", "faulted"):
            reset(scene)
        enable(scene)
        _crawls_again(scene)
    elif must.returns:
        verdict.problems.append("the run ended, so that reset and enable could not follow")


def _crawls_again(scene: Scene) -> float:
    """s of its own time until it crawls. Raises Unmet where that takes too long."""
    witness = scene.witness
    since = witness.stamp

    def over() -> bool:
        return (
            scene.ended
            or witness.stamp < since
            or witness.crawled(since)
            or witness.stamp - since > RECOVERY * scene.patience
        )

    scene.until(over, SLOW)
    if witness.stamp < since:  # the backend counts anew
        return _crawls_again(scene)
    taken = witness.stamp - since
    if scene.ended:
        raise Unmet(f"the run ended, with {scene.process.returncode}: {' '.join(scene.printed().split())[-200:]}")
    if not witness.crawled(since):
        heard = "; ".join(witness.complaints(0)[-1:])
        motion = witness.motion or "unknown"
        raise Unmet(f"it does not crawl {taken:.2f} s of its own time later: motion is {motion}; {heard}")
    return taken


def _limits(kind: FaultKind, verdict: Verdict, peak: Peak) -> None:
    """What was too fast. A joint whose torque has to go off may stop as it will."""
    limp = bool(kind.must.rests or kind.must.ends)
    verdict.speed = peak.speed
    verdict.acceleration = peak.acceleration if limp else max(peak.acceleration, peak.braking)
    verdict.problems += [
        f"a limit was passed: {text}" for what, text in peak.said.items() if what != "braking" or not limp
    ]
