"""Motors that turn more than a rotor: the load says how, and the motor only how hard it pushes."""

import math
from dataclasses import dataclass

import pytest
from hw_robots import bolt, gymnast
from odrive_bench import TICK, Bench, crank

from crawler_core.types import ContactMode
from hw_drivers.backend.hardware_map import hardware_map
from hw_drivers.emulation.emulation import Emulation
from hw_drivers.emulation.emulator import LoadedEmulator
from hw_drivers.emulation.model_load import ModelLoad


@dataclass
class Flywheel:
    """A joint with an inertia (kg m²) and without friction."""

    inertia: float
    damping: float = 0.0
    angle: float = 0.5  # rad
    rate: float = 0.0  # rad/s
    lived: float = 0.0  # s

    def push(self, effort: float, seconds: float) -> tuple[float, float]:
        self.rate += effort / self.inertia * seconds
        self.angle += self.rate * seconds
        self.lived += seconds
        return self.angle, self.rate


def test_a_motor_with_a_load_turns_as_the_load_does_through_its_gear_and_its_direction():
    wheel = Flywheel(0.02)
    with Bench([crank(mode="torque", is_effort_driven=True)]) as bench:
        assert issubclass(type(bench.emulator), LoadedEmulator)
        bench.emulator.attach_load("crank", wheel)
        bench.ready()
        begun = wheel.lived
        for _ in range(40):
            (reading,) = bench.tick(math.nan, math.nan, 0.15)
        assert wheel.lived - begun == pytest.approx(40 * TICK)
        assert wheel.rate == pytest.approx(0.15 * 40 * TICK / 0.02, rel=0.01)  # N·m s / kg m²
        assert bench.emulator.motion()[0][0] == pytest.approx(wheel.angle)
        assert bench.emulator.motion()[1][0] == pytest.approx(wheel.rate)
        assert reading.velocity == pytest.approx(wheel.rate, rel=0.06)  # an estimate is up to 10 ms old
        assert reading.position == pytest.approx(wheel.angle, abs=0.02)
        bench.axes[0].trip(1)
        turning = wheel.rate
        bench.sleep(0.1)
        assert wheel.rate == turning  # without torque nothing brakes it


def test_a_robot_with_motors_of_both_kinds_has_no_ground():
    spec = gymnast()
    emulation = Emulation(spec, hardware_map(spec))
    try:
        assert emulation.observe_base() == (None, ())
    finally:
        emulation.close()


def test_the_robot_is_held_where_it_starts_until_a_motor_pushes():
    spec = bolt()
    ground = ModelLoad(spec)
    load = ground.load("crank")
    start = load.push(0.0, 0.5)
    assert start == (spec.joints[0].home, 0.0)
    before = ground.observe()[0].position
    assert load.push(0.0, 0.5) == start
    angle, rate = load.push(-5.0, 0.001)
    assert angle < start[0]
    assert rate < spec.joints[0].home_velocity
    for _ in range(100):
        load.push(0.0, 0.001)
    base, (foot,) = ground.observe()
    assert foot.mode is ContactMode.OPEN
    # it flies as it was thrown, but for what the bars' swing moves the body by
    assert base.position[0] - before[0] == pytest.approx(0.101 * spec.start.linear[0], abs=0.03)
