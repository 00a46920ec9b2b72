"""The robot file's BOLT and its run, for tests."""

from dataclasses import replace

from crawler_core.robot.robot_file import load_robot
from crawler_models.bolt.equations.leg import Leg
from crawler_models.bolt.prediction import robot_law
from crawler_models.bolt.simulation.sampled_run import Start

SPEC = load_robot("bolt")
LEG = Leg.from_parameters(SPEC.parameters)
LAW = robot_law(SPEC)
START = Start.of(SPEC)
BLOCKED = replace(LEG, I_r=1e12)  # its crank does not move
RIGID = replace(LEG, k=0.0, I_r=0.0)  # the paper's foot
