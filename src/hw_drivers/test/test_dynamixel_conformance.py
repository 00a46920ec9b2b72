"""The conformance suite of all backends, on emulated buses: real bytes, in virtual time."""

from hw_robots import ideal_motors, three_link

from crawler_core.conformance.backend_conformance import BackendConformance
from crawler_core.loop.backend import Backend
from crawler_core.robot.robot_spec import RobotSpec
from hw_drivers.backend.hardware_backend import HardwareBackend
from hw_drivers.backend.hardware_settings import HardwareSettings


class TestDynamixel(BackendConformance):
    dt = 0.01  # s
    tolerance = 3e-3  # rad: goal and answer are both rounded to 1.5 mrad
    settling = 0.5  # s, twenty time constants of the emulated servos

    def make_spec(self) -> RobotSpec:
        return three_link()

    def make_backend(self, spec: RobotSpec, dt: float) -> Backend:
        return ideal_motors(spec, dt)

    def make_broken_backend(self, spec: RobotSpec, dt: float) -> Backend:
        return HardwareBackend(spec, HardwareSettings(port="/dev/ttyNowhere"), dt)
