"""The robot file's BOLT and its runs, for tests: from rest, and thrown onto the track."""

from dataclasses import replace
from pathlib import Path

import yaml

from crawler_core.robot.robot_file import load_robot, robots_directory
from crawler_models.bolt.equations.leg import Leg
from crawler_models.bolt.prediction import robot_law
from crawler_models.bolt.simulation.running import RunningParameters
from crawler_models.bolt.simulation.sampled_run import Start

REST = load_robot("bolt")
REST_LAW = robot_law(REST)
REST_START = Start.of(REST)
THROWN_FILE = Path(robots_directory()) / "bolt" / "thrown_start.yaml"
THROWN = yaml.safe_load(THROWN_FILE.read_text())
SPEC = load_robot("bolt", THROWN["robot"])
LEG = Leg.from_parameters(SPEC.parameters)
LAW = RunningParameters(**THROWN["controller"])
START = Start.of(SPEC)
BLOCKED = replace(LEG, I_r=1e12)  # its crank does not move
RIGID = replace(LEG, k=0.0, I_r=0.0)  # the paper's foot
