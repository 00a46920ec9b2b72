"""Known reasons why a run differs from what the equations predict."""

from __future__ import annotations

from collections.abc import Iterator

from crawler_bringup.stack.stack import Stack
from crawler_core.reality.reality import IDEAL
from hybrid_controller.laws.law_registry import LAWS
from sim_bridge.physics.engines import ENGINES

EXPLAINED_PERCENT = 1.0


def explain_difference(stack: Stack, percent: float | None) -> str:
    """Return what makes the run differ from its prediction; empty for less than EXPLAINED_PERCENT."""
    if percent is None or not abs(percent) >= EXPLAINED_PERCENT:
        return ""
    return "; ".join(_reasons(stack))


def _reasons(stack: Stack) -> Iterator[str]:
    is_driven_by_effort = any(joint.is_effort_driven for joint in stack.spec.actuated)
    if stack.prediction.source == "equations" and (is_driven_by_effort or not LAWS[stack.law].transparent):
        does = "drives them by effort" if is_driven_by_effort else "changes their setpoints"
        yield f"the equations move the joints exactly as the gait does, and the law {stack.law} {does}"
    if stack.backend.motors(stack.spec) != IDEAL:
        yield "the motors lag, and their encoders have errors (docs/reality.md)"
    if stack.backend.name in ENGINES:
        yield "the engine goes in steps, and its contacts give way (docs/physics_engines.md)"
