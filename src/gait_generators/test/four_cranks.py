"""A robot with four cranks that turn for ever, as gaits of four legs drive them."""

import dataclasses
import math

from crawler_core.robot.robot_file import load_robot
from crawler_core.robot.robot_spec import RobotSpec

HOME = 2.0  # rad, where the feet are lowest


def with_four_cranks() -> RobotSpec:
    spec = load_robot("three_link")
    crank = dataclasses.replace(
        spec.joints[0],
        continuous=True,
        lower=-math.inf,
        upper=math.inf,
        home=HOME,
        velocity=60.0,
        acceleration=2000.0,
        command_interface="effort",
    )
    names = ("crank_fl", "crank_fr", "crank_hl", "crank_hr")
    return dataclasses.replace(spec, joints=tuple(dataclasses.replace(crank, name=name) for name in names))
