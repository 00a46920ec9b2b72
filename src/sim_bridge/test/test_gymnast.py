"""The robot for tests in the conformance suite: closed chain, effort, free base, a start in the air."""

from bodies import InMuJoCo, InPyBullet
from bridge_robots import gymnast

from crawler_core.conformance.backend_conformance import BackendConformance
from crawler_core.robot.robot_spec import RobotSpec

SERVOS = {"actuation": "servo", "servo_stiffness": 4.0, "servo_damping": 2e-3}


class GymnastConformance(BackendConformance):
    loop_tolerance = 1e-5  # m that the engines' constraint lets a driven loop gape by

    def make_spec(self) -> RobotSpec:
        return gymnast()


class ServosConformance(GymnastConformance):
    settings = SERVOS
    tolerance = 0.05  # rad that the robot's weight on its leg bends a servo of this stiffness
    settling = 0.5


class TestInPyBullet(GymnastConformance, InPyBullet):
    tolerance = 1e-5  # rad that the solver's residual leaves in a step


class TestServosInPyBullet(ServosConformance, InPyBullet):
    pass


class TestInMuJoCo(GymnastConformance, InMuJoCo):
    pass


class TestServosInMuJoCo(ServosConformance, InMuJoCo):
    pass
