"""Somebody steers a robot that can be steered, badly."""

from __future__ import annotations

import math
from typing import Any

from crawler_testing.faults.families.message_fault import FLOOD, Change, speaks
from crawler_testing.faults.fault_kind import FaultKind, Must, NeededRun, crawls, stops
from crawler_testing.fixtures.robot_selection import steered
from crawler_testing.fixtures.run_harness import Scene

ROBOT, GAIT = steered()
STEERED = NeededRun(robot=ROBOT, gait=GAIT)
SILENCE = 2.0  # s: the legs are at rest half a second after the last cmd_vel
# cranks whose law has nothing but coarse encoders tremble at an edge between two of their angles
TREMBLES = math.radians(3.0)
RESTS = stops(
    within=SILENCE, trembles=TREMBLES, text="comes to rest after half a second of silence, but for 3 degrees", code=(0,)
)


def twist(forward: float = 0.0, aside: float = 0.0, yaw: float = 0.0) -> Change:
    """Sets the speeds (m/s, m/s, rad/s)."""

    def change(message: Any, _scene: Scene) -> None:
        message.linear.x, message.linear.y, message.angular.z = forward, aside, yaw

    return change


def _steers(what: str, does: str, change: Change, must: Must, **more: Any) -> FaultKind:
    return speaks("cmd_vel", what, does, change, must, stage=STEERED, backends=("pybullet", "mujoco"), **more)


KINDS: tuple[FaultKind, ...] = (
    _steers("nan", "a forward speed that is no number", twist(math.nan), crawls("cmd_vel")),
    _steers("infinite", "an infinite turn", twist(yaw=math.inf), crawls("cmd_vel")),
    _steers("sideways", "a speed to the left", twist(aside=0.1), crawls("cmd_vel")),
    _steers("huge", "1e6 m/s", twist(1e6), RESTS),
    _steers("silence", "forward for a while, and then nothing", twist(0.02), RESTS),
    _steers("flood", f"{FLOOD} messages as fast as they go", twist(0.02), RESTS, times=FLOOD),
)
if not ROBOT:
    KINDS = ()
