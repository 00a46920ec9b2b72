"""Robots with cranks on emulated boards in virtual time: law, driver, firmware, motors, equations."""

import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from crawler_core.loop.supervised_backend import SupervisedBackend
from crawler_core.reality.reality import IDEAL
from crawler_core.robot.robot_file import load_robot
from crawler_studies.simulation.control_loop import ControlLoop
from gait_generators.kinds.gait_registry import make_gait
from hw_drivers.emulation.emulated_backend import EmulatedBackend
from hw_drivers.emulation.emulated_settings import EmulatedSettings
from hybrid_controller.laws.law_registry import LAWS, law_parameters
from sim_bridge.model_backend import ModelBackend, ModelSettings


def board_backend(spec, dt, motors: Mapping[str, Any]):
    """Return the robot on its emulated board without further imperfections; `motors` changes their settings."""
    section = copy.deepcopy(dict(spec.section("hardware")))
    for joint in section["joints"].values():
        joint.update(motors)
    spec = replace(spec, sections={**spec.sections, "hardware": section})
    backend = EmulatedBackend(spec, EmulatedSettings(), dt)
    backend.set_reality(IDEAL, 0)
    return backend


def speed(name, seconds, settled, *, motors: Mapping[str, Any] | None = None):
    """Return m/s over the ground from `settled` to `seconds`, on the equations or, with `motors`, on its board."""
    spec = load_robot(name)
    dt_ns = round(1e9 / spec.section("backends")["hardware"]["rate"])
    chosen = spec.section("controller")["default"]
    law = LAWS[chosen].build(spec, law_parameters(spec, chosen, {}), 1e-9 * dt_ns)
    dt = 1e-9 * dt_ns
    backend: Any = ModelBackend(spec, ModelSettings(), dt) if motors is None else board_backend(spec, dt, motors)
    loop = ControlLoop(spec, make_gait(spec, None, {}), law, SupervisedBackend.start(spec, backend, dt), dt_ns)
    path = []
    while loop.observation.time_ns < 1e9 * seconds:
        seen = loop.tick()
        if seen.time_ns >= 1e9 * settled:
            path.append((1e-9 * seen.time_ns, *seen.base.position[:2]))
    backend.close()
    passed, x, y = np.subtract(path[-1], path[0])
    return np.hypot(x, y) / passed


@pytest.mark.exhaustive  # the leg runs on its board in every run
def test_the_trot_works_with_four_coarse_encoders_and_without_current_sensors():
    run = 2.4 + 3 * 0.4, 2.4  # s: three strides
    assert speed("miniaq", *run, motors={}) == pytest.approx(speed("miniaq", *run), rel=0.03)


def test_the_leg_runs_on_its_board_as_fast_as_its_delay_allows():
    run = 4.5, 2.0  # s: the speed sways within a stride
    by_equations, on_board = speed("bolt", *run), speed("bolt", *run, motors={})
    assert by_equations > 1.0
    assert on_board == pytest.approx(by_equations, rel=0.07)  # two ticks of 4 ms, and friction
