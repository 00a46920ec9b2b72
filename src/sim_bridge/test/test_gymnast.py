"""The robot for tests in the conformance suite: closed chain, effort, free base, a start in the air."""

from bodies import InPyBullet
from bridge_robots import gymnast

from crawler_core.conformance import BackendConformance
from crawler_core.robot import RobotSpec
from sim_bridge.pybullet_backend import PyBulletSettings


class GymnastConformance(BackendConformance):
    loop_tolerance = 1e-5  # m that the engine's constraint lets a driven loop gape by

    def make_spec(self) -> RobotSpec:
        return gymnast()


class TestPrescribed(GymnastConformance, InPyBullet):
    tolerance = 1e-5  # rad that the solver's residual leaves in a step


class TestServos(GymnastConformance, InPyBullet):
    settings = PyBulletSettings(actuation="servo", servo_stiffness=4.0, servo_damping=2e-3)
    tolerance = 0.05  # rad that the robot's weight on its leg bends a servo of this stiffness
    settling = 0.5
