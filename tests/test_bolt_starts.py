"""BOLT starts from rest in the whole control loop: physics, sensors, its emulated board; and it stops."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from stack_helpers import engine_parameters

from crawler_core.types import Observation
from crawler_studies.simulation.robot import start_loop
from crawler_studies.study.study_case import StudyCase

HEIGHTS_M = (1e-4, 0.02, 0.05)  # the foot on the ground, and dropped from two heights
BOARD_RATE_HZ = 250.0
TYPICAL: dict[str, Any] = {"reality": "typical"}


def start(index: int) -> dict[str, float]:
    """One of 24 starts: eight angles of the crank, three heights."""
    return {"start_crank": 45.0 * (index % 8), "start_height": HEIGHTS_M[index // 8]}


def in_simulation(
    kind: str, seconds: float, robot: Mapping[str, float], rate: float = BOARD_RATE_HZ, contact: str = "backend",
    **backend: Any,
) -> list[Observation]:  # fmt: skip
    """States of a run in a simulation."""
    case = StudyCase("bolt", settings={"robot": robot, "controller": {"contact": contact}})
    with start_loop(case, kind, backend, rate) as loop:
        return list(loop.run(round(seconds * 1e9 / loop.dt_ns)))


def on_its_board(seconds: float, robot: Mapping[str, float], contact: str = "backend") -> list[Observation]:
    """States of a run on the emulated board, in virtual time."""
    return in_simulation("emulated", seconds, robot, contact=contact)


def speed(states: list[Observation], since: float) -> float:
    """Mean speed forward (m/s) from a time (s) on. The motor's limits hold in every tick."""
    assert np.nanmax([abs(s.effort[0]) for s in states]) <= 120.0
    assert np.nanmax([abs(s.effort[0] * s.velocity[0]) for s in states]) <= 1350.0 * 1.05  # of a speed that has changed
    first = next(state for state in states if state.time_ns >= since * 1e9)
    assert first.base is not None
    assert states[-1].base is not None
    forward = states[-1].base.position[0] - first.base.position[0]
    return forward / (1e-9 * (states[-1].time_ns - first.time_ns))


@pytest.mark.parametrize("contact", ["accelerometer", "angle", "none"])
def test_it_starts_from_rest_by_each_source_of_contact_with_typical_sensors_and_motors(contact):
    assert speed(in_simulation("model", 4.2, start(21), contact=contact, **TYPICAL), 3.0) >= 1.0


@pytest.mark.parametrize("engine", engine_parameters())
def test_it_starts_from_rest_in_physics(engine):
    """For a short time: it moves forward; the exhaustive test has the whole start."""
    states = in_simulation(engine, 2.0, start(0), physics_rate=4000)
    assert speed(states, 1.2) > 0.7


def test_it_starts_from_rest_on_its_board():
    assert speed(on_its_board(2.6, start(8)), 1.6) > 0.9


@pytest.mark.exhaustive
@pytest.mark.parametrize("index", range(24))
@pytest.mark.parametrize("backend", [*engine_parameters("model"), "board"])
def test_each_of_24_starts_runs_at_1_m_s_after_3_s(backend, index):
    if backend == "board":
        states = on_its_board(5.0, start(index))
    else:
        states = in_simulation(backend, 5.0, start(index), rate=1000.0)
    assert speed(states, 3.0) >= 1.0


@pytest.mark.exhaustive
@pytest.mark.parametrize("index", range(24))
@pytest.mark.parametrize("contact", ["switch", "accelerometer", "angle"])
def test_each_of_24_starts_runs_on_the_board_by_what_a_real_leg_has(contact, index):
    assert speed(on_its_board(5.0, start(index), contact), 3.0) >= (0.9 if contact == "angle" else 1.0)


@pytest.mark.parametrize("phase", [0.0, 0.21])  # s, of a stride of 0.33 s
def test_when_its_gait_ends_the_leg_comes_to_rest_and_does_not_run_backward(phase):
    case = StudyCase("bolt")
    with start_loop(case, "model", {}, BOARD_RATE_HZ) as loop:
        for _ in loop.run(round((3.0 + phase) * BOARD_RATE_HZ)):
            pass
        assert loop.observation.base is not None
        began = loop.observation.base.position[0]
        assert loop.observation.base.linear[0] > 0.9
        loop.end_gait()
        states = list(loop.run(round(5.0 * BOARD_RATE_HZ)))
    way = np.array([state.base.position[0] for state in states if state.base]) - began
    assert 0.0 < way.max() < 1.0  # m until it stands
    assert way.max() - way[-1] < 0.2  # it sinks back onto its foot
    last = states[-1]
    assert last.base is not None
    assert math.hypot(*last.base.linear) < 0.05
    assert abs(last.velocity[0]) < 0.5
