"""Commands that stay away for a while, on a robot whose equations end where a foot leaves the ground."""

import itertools
import math

import numpy as np
import pytest

from crawler_core.robot.robot_file import load_robot
from crawler_core.safety.joint_setpoints import JointSetpoints, LimitedSetpoints
from crawler_core.types import FloatArray, JointCommand
from crawler_models.standing_plant import StandingPlant

DT = 0.005
NONE = np.full(2, np.nan)
BEGINS, COASTS, MEETS = 50, 4, 40  # ticks: until the gait goes at its pace, of coasting, until it is met again


def gait(t: float, omega: float, pace: float = 1.0) -> JointCommand:
    phase = omega * t + np.array([0.0, math.radians(20.0)])
    swing = math.radians(18.0)
    return JointCommand(math.radians(110.0) + swing * np.sin(phase), pace * swing * omega * np.cos(phase), NONE)


class Guarded:
    """The three-link robot by its equations, behind the limits of its setpoints."""

    def __init__(self, position: FloatArray) -> None:
        spec = load_robot("three_link", {})
        self.plant = StandingPlant(spec)
        self.plant.stand(position)
        self.setpoints = JointSetpoints(spec.actuated, spec.safety.approach_velocity, DT)
        self.setpoints.start(position.tolist(), [0.0, 0.0])

    def tick(self, setpoints: LimitedSetpoints) -> None:
        self.plant.advance(np.array(setpoints.position), np.array(setpoints.velocity), NONE, DT)

    def follow(self, command: JointCommand) -> None:
        self.tick(self.setpoints.follow(command.position.tolist(), command.velocity.tolist()))


def test_commands_of_which_any_may_be_missing_do_not_lift_a_foot():
    omega, chance = 1.3, np.random.default_rng(3)
    for begins in range(8):
        robot, missed = Guarded(gait(begins, omega).position), 0
        for k in range(200):
            missed = 0 if chance.random() < 0.5 else missed + 1
            if not missed:
                robot.follow(gait(begins + k * DT, omega))
            else:
                robot.tick(robot.setpoints.coast() if missed <= COASTS else robot.setpoints.brake())


def test_commands_that_stay_away_and_come_back_do_not_lift_a_foot():
    omega = 3.0
    for quarter, missed in itertools.product(range(4), (5, 6, 12)):
        meets = quarter / 4 * 2.0 * math.pi / omega
        begun = BEGINS * DT
        robot = Guarded(gait(meets - 0.5 * begun, omega).position)
        for k in range(1, BEGINS + 1):
            pace = k / BEGINS
            robot.follow(gait(meets - 0.5 * begun * (1.0 - pace**2), omega, pace))
        for k in range(missed):
            robot.tick(robot.setpoints.coast() if k < COASTS else robot.setpoints.brake())
        for k in range(missed + 1, missed + MEETS):
            robot.follow(gait(meets + k * DT, omega))
        wanted = gait(meets + (missed + MEETS - 1) * DT, omega)
        assert robot.plant.joints()[0] == pytest.approx(wanted.position, abs=0.02)
