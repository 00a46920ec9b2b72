"""A small robot for the tests: two limited joints, one that turns for ever, one passive."""

import math
from pathlib import Path
from typing import Any

from crawler_core.robot.robot_spec import FootSpec, JointSpec, RobotSpec, SafetySpec


def joint(name: str, **more: object) -> JointSpec:
    values: dict[str, Any] = {
        "name": name,
        "actuated": True,
        "continuous": False,
        "lower": -1.0,
        "upper": 1.0,
        "velocity": 2.0,
        "acceleration": 40.0,
        "effort": 1.0,
        "home": 0.0,
    }
    return JointSpec(**{**values, **more})


def toy() -> RobotSpec:
    return RobotSpec(
        name="toy",
        title="Toy",
        directory=Path("."),
        parameters={},
        base_link="body",
        base_motion=("x", "z", "pitch"),
        joints=(
            joint("hip"),
            joint("bar", actuated=False),
            joint("knee"),
            joint("crank", continuous=True, lower=-math.inf, upper=math.inf),
        ),
        feet=(FootSpec("foot", 0.5),),
        safety=SafetySpec(
            command_timeout=0.05,
            relax_after=0.5,
            approach_velocity=0.5,
            tracking_tolerance=0.2,
            tracking_time=0.1,
            on_exit="rest_then_release",
        ),
        sections={},
        document={},
    )
