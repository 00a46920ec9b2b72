"""The conformance suite of all backends on emulated ODrives, PWM boards and boards with motors, in virtual time."""

import math
from dataclasses import replace
from typing import ClassVar

import pytest
from hw_robots import gymnast, ideal_motors, on_its_board, three_link, three_link_on_a_board

from crawler_core.conformance.backend_conformance import BackendConformance
from crawler_core.loop.backend import Backend
from crawler_core.robot.robot_spec import JointSpec, RobotSpec
from hw_drivers.backend.hardware_backend import HardwareBackend
from hw_drivers.backend.hardware_settings import HardwareSettings

MOTOR = {"torque_constant": 0.05, "max_current": 20.0, "gear": 8.0}
CAN = {"kind": "odrive", "port": "can0"}


def bench_robot(joints: dict[str, JointSpec], hardware: dict) -> RobotSpec:
    """A robot that is nothing but motors."""
    spec = three_link()
    return replace(
        spec,
        name="bench",
        equations="",
        joints=tuple(joints.values()),
        feet=(),
        sections={**spec.sections, "hardware": hardware},
    )


def joint(name: str, limit: float = math.inf) -> JointSpec:
    """An actuated joint that may go to ±limit (rad), or for ever."""
    return JointSpec(name, True, math.isinf(limit), -limit, limit, 10.0, 400.0, 1.5, home=0.3)


class TestOdrive(BackendConformance):
    """A crank that turns for ever, and joints in the two modes whose loop is closed in the driver."""

    dt = 0.01  # s
    # rad: in mode velocity, the integrator in the drive against the gain here leaves this after half a second
    tolerance = 5e-3
    settling = 0.5  # s, ten time constants of the position loops

    def make_spec(self) -> RobotSpec:
        joints = {"crank": joint("crank"), "wheel": joint("wheel"), "leg": joint("leg", 1.5)}
        return bench_robot(
            joints,
            {
                "buses": {"can": CAN},
                "joints": {
                    "crank": {"bus": "can", "id": 1, "direction": -1, "wrap": 800.0, **MOTOR},
                    "wheel": {"bus": "can", "id": 2, "mode": "velocity", "zero_deg": 40.0, **MOTOR},
                    "leg": {"bus": "can", "id": 3, "mode": "torque", "stiffness": 0.5, "damping": 0.02, **MOTOR},
                },
            },
        )

    def make_backend(self, spec: RobotSpec, dt: float) -> Backend:
        return ideal_motors(spec, dt)

    def make_broken_backend(self, spec: RobotSpec, dt: float) -> Backend:
        return HardwareBackend(spec, HardwareSettings(port="can99"), dt)


class TestGymnast(BackendConformance):
    """A crank that closes a loop, and a flywheel that is driven by effort."""

    dt = 0.02  # s
    tolerance = 5e-3
    waits_at_start = True
    settling = 0.5  # s, ten time constants of the position loop

    def make_spec(self) -> RobotSpec:
        return gymnast()

    def make_backend(self, spec: RobotSpec, dt: float) -> Backend:
        return ideal_motors(spec, dt)

    def make_broken_backend(self, spec: RobotSpec, dt: float) -> Backend:
        return HardwareBackend(spec, HardwareSettings(port="can99"), dt)


class TestPca9685(BackendConformance):
    dt = 0.02  # s
    tolerance = 4e-3  # rad: half a step of 4.88 µs, where 2 ms are half a turn
    settling = 0.0  # s: what is told is the command

    def make_spec(self) -> RobotSpec:
        joints = {name: joint(name, 1.3) for name in ("hip", "knee")}
        rest = {"bus": "pwm", "rest_deg": math.degrees(0.3)}
        return bench_robot(
            joints,
            {
                "buses": {"pwm": {"kind": "pca9685"}},
                "joints": {"hip": {"id": 0, **rest}, "knee": {"id": 7, "direction": -1, "trim_us": 20.0, **rest}},
            },
        )

    def make_backend(self, spec: RobotSpec, dt: float) -> Backend:
        return ideal_motors(spec, dt)

    def make_broken_backend(self, spec: RobotSpec, dt: float) -> Backend:
        return HardwareBackend(spec, HardwareSettings(port="/dev/i2c-nowhere"), dt)


class TestBoard(BackendConformance):
    """Joints round whose angles the board closes the loop."""

    dt = 0.01  # s
    tolerance = 1e-3  # rad
    settling = 0.5  # s, twenty time constants of the board's loop

    def make_spec(self) -> RobotSpec:
        return three_link_on_a_board()

    def make_backend(self, spec: RobotSpec, dt: float) -> Backend:
        return ideal_motors(spec, dt)

    def make_broken_backend(self, spec: RobotSpec, dt: float) -> Backend:
        return HardwareBackend(spec, HardwareSettings(port="/dev/ttyNowhere"), dt)


class _OnItsBoard(BackendConformance):
    effort_tolerance = 1e-6  # N·m of floats of 4 bytes
    waits_at_start = True
    robot: ClassVar[str]

    def make_spec(self) -> RobotSpec:
        return on_its_board(self.robot)

    def make_backend(self, spec: RobotSpec, dt: float) -> Backend:
        return ideal_motors(spec, dt)


@pytest.mark.exhaustive  # the same crank is on an ODrive in every run
class TestBoltOnItsBoard(_OnItsBoard):
    """A crank that the equations of a leg turn."""

    dt = 0.01
    robot = "bolt"


class TestMiniaqOnItsBoard(_OnItsBoard):
    """Four cranks with coarse encoders, and the equations of a quadruped."""

    dt = 0.04  # s: of its 18 counts some must pass in five ticks
    speed_step = 2.0  # rad/s of a count that comes late; efforts that do not end drive the cranks 22 rad/s apart
    home_tolerance = 2.0 * math.pi / 18  # rad of a count
    robot = "miniaq"
