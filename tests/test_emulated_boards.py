"""Robots with cranks on emulated boards, on a clock of the test: law, driver, firmware, motors, equations."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pytest
import yaml
from board_bench import Bench

from crawler_core.robot.robot_file import load_robot, robots_directory
from crawler_core.types import FloatArray, JointCommand, Observation
from crawler_studies.simulation.control_loop import ControlLoop
from gait_generators.kinds.gait_registry import make_gait
from hw_drivers.backend.hardware_map import hardware_map
from hw_drivers.emulation.model_load import ModelLoad
from hybrid_controller.laws.law_registry import LAWS, law_parameters
from sim_bridge.model_backend import ModelBackend, ModelSettings


class BoardBackend:
    """Backend with the cycle of the hardware backend: it writes and reads at the start of a tick."""

    simulated: ClassVar[bool] = False
    kind: ClassVar[str] = "bench"

    def __init__(self, spec, motors: Mapping[str, Any]) -> None:
        (bus,) = hardware_map(spec)
        joints = [replace(joint, settings=replace(joint.settings, **motors)) for joint in bus.joints]
        self.spec, self.ground = spec, ModelLoad(spec)
        self.bench = Bench(joints, settings=bus.settings, start=[joint.home for joint in spec.actuated])
        for joint, motor in zip(spec.actuated, self.bench.board.motors, strict=True):
            motor.load = self.ground.load(joint.name)
        self.none = np.full(len(spec.actuated), np.nan)
        self.effort: FloatArray = self.none
        self.time, self.armed = 0.0, False

    def open(self) -> None:
        self.bench.ready(enable=False)
        self.start_time = self.bench.now

    def observe(self) -> Observation:
        position, velocity, effort = (np.full(len(self.spec.joints), np.nan) for _ in range(3))
        for index, one in zip(self.spec.actuated_indices, self.bench.readings, strict=True):
            position[index], velocity[index], effort[index] = one.position, one.velocity, one.effort
        return Observation(round(1e9 * self.time), position, velocity, effort, *self.ground.observe())

    def apply(self, command: JointCommand) -> JointCommand:
        self.effort = command.effort.copy()
        return command

    def advance(self, dt: float) -> None:
        self.time += dt
        self.bench.bus.write(self.none, self.none, self.effort)
        if not self.armed:
            self.bench.bus.enable()
            self.armed = True
        self.bench.readings = self.bench.bus.read()
        self.bench.sleep(max(0.0, self.start_time + self.time - self.bench.now))

    def relax(self) -> None: ...

    def recover(self) -> None: ...

    def health(self) -> Mapping[str, object]:
        return {}

    def close(self) -> None: ...


def speed(name, seconds, settled, *, motors: Mapping[str, Any] | None = None, thrown: bool = False):
    """Return m/s over the ground from `settled` to `seconds`, on the equations or, with `motors`, on its board.

    `motors` are changes of their settings in the robot file. A `thrown` robot begins in its run.
    """
    path = robots_directory() / name / "thrown_start.yaml"
    settings = yaml.safe_load(path.read_text()) if thrown else {"robot": {}, "controller": {}}
    spec = load_robot(name, settings["robot"])
    dt_ns = round(1e9 / spec.section("backends")["hardware"]["rate"])
    chosen = spec.section("controller")["default"]
    law = LAWS[chosen].build(spec, law_parameters(spec, chosen, settings["controller"]), 1e-9 * dt_ns)
    backend: Any = ModelBackend(spec, ModelSettings(), 1e-9 * dt_ns) if motors is None else BoardBackend(spec, motors)
    loop = ControlLoop(spec, make_gait(spec, None, {}), law, backend, dt_ns)
    track = []
    while loop.observation.time_ns < 1e9 * seconds:
        seen = loop.tick()
        if seen.time_ns >= 1e9 * settled:
            track.append((1e-9 * seen.time_ns, *seen.base.position[:2]))
    backend.close()
    passed, x, y = np.subtract(track[-1], track[0])
    return np.hypot(x, y) / passed


def test_the_trot_works_with_four_coarse_encoders_and_without_current_sensors():
    run = 2.4 + 3 * 0.4, 2.4  # s: three strides
    assert speed("miniaq", *run, motors={}) == pytest.approx(speed("miniaq", *run), rel=0.03)


def test_the_leg_runs_on_its_board_as_fast_as_its_delay_allows():
    run = 4.5, 2.0  # s: the speed sways within a stride
    by_equations, on_board = speed("bolt", *run, thrown=True), speed("bolt", *run, motors={}, thrown=True)
    assert by_equations == pytest.approx(1.151, rel=0.03)
    # two ticks of 4 ms between a state and what answers it cost 7 % by the equations too, friction another percent
    assert on_board == pytest.approx(1.065, rel=0.03)
    assert speed("bolt", *run, motors={"friction": 0.0}, thrown=True) > on_board
