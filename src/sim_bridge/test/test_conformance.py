"""The conformance suite against every backend of this package."""

from bodies import InMuJoCo, InPyBullet, InTheModel
from bridge_robots import gymnast, three_link

from crawler_core.conformance.backend_conformance import BackendConformance
from crawler_core.loop.backend import Backend
from crawler_core.robot.robot_spec import RobotSpec
from sim_bridge.mock.mock_backend import MockBackend, MockSettings


class ThreeLinkConformance(BackendConformance):
    def make_spec(self) -> RobotSpec:
        return three_link()


SERVOS = {"actuation": "servo", "servo_stiffness": 12.0, "servo_damping": 0.15}


class ServosConformance(ThreeLinkConformance):
    settings = SERVOS
    tolerance = 0.03  # rad that the robot's weight bends a servo of this stiffness
    settling = 0.2


class TestPyBullet(ThreeLinkConformance, InPyBullet):
    tolerance = 1e-5  # rad that the solver's residual leaves in a step


class TestPyBulletServos(ServosConformance, InPyBullet):
    pass


class TestMuJoCo(ThreeLinkConformance, InMuJoCo):
    pass


class TestMuJoCoServos(ServosConformance, InMuJoCo):
    pass


class TestModel(ThreeLinkConformance, InTheModel):
    pass


class FakeTime:
    """A clock that moves only when it is waited for."""

    def __init__(self) -> None:
        self.now = 0

    def read(self) -> int:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += round(seconds * 1e9)


class MockConformance(ThreeLinkConformance):
    lag = 0.0

    def make_backend(self, spec: RobotSpec, dt: float) -> Backend:
        self.time = FakeTime()
        return MockBackend(spec, MockSettings(lag=self.lag), dt, clock=self.time.read, sleep=self.time.sleep)

    def wait(self, seconds: float) -> None:
        self.time.sleep(seconds)


class TestMock(MockConformance):
    pass


class TestMockWithLag(MockConformance):
    lag = 0.02
    settling = 0.5


class TestMockGymnast(MockConformance):
    def make_spec(self) -> RobotSpec:
        return gymnast()
