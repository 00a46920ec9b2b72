"""The library's Fourier gaits in physics: rigid bodies on friction make the steps that the equations promise."""

import math

import numpy as np
import pytest
from bridge_robots import DT, UNKNOWN, three_link
from engines_here import physics, quickest_engine

from crawler_core.types import JointCommand
from gait_generators.kinds.gait_registry import make_gait
from gait_generators.shapes.shape_library import read_library
from gait_generators.transitions.hold import Hold
from gait_generators.transitions.phase_shifted_gait import PhaseShiftedGait
from gait_generators.transitions.transition import plan_transition

PERIODS = 4  # contact events fall between steps; averaging takes out the beat of period and step
SETTLED = 4.0  # s, of the motion, and at least three periods: where feet hardly stick the past fades slowly


def mean_step(engine: str, omega: float, **values: object) -> float:
    """The advance of the base per period (mm), once the gait has begun from the home pose and settled."""
    spec = three_link()
    gait = make_gait(spec, "fourier", {"omega": omega, **values})
    home = Hold(np.array([joint.home for joint in spec.actuated]))
    motion = plan_transition(spec, home, PhaseShiftedGait(gait, 0.0, np.zeros(2)), 0.0, gait.period)
    begin = (3 + math.ceil(max(motion.end, SETTLED) / gait.period)) * gait.period
    end = begin + PERIODS * gait.period
    backend = physics(engine, spec, DT)
    backend.open()
    try:
        x = [0.0]
        for k in range(1, math.ceil(end / DT) + 1):
            sample = motion.sample(k * DT)
            backend.apply(JointCommand(sample.position, sample.velocity, UNKNOWN))
            backend.advance(DT)
            seen = backend.observe()
            assert seen.base is not None
            x.append(seen.base.position[0])
    finally:
        backend.close()
    at = np.interp([begin, end], DT * np.arange(len(x)), x)
    return 1e3 * float(at[1] - at[0]) / PERIODS


@quickest_engine
@pytest.mark.parametrize(
    ("library", "omega"),
    [
        ("swing_18", 8.0),
        ("swing_18", 16.0),
        ("swing_30", 5.1),
        pytest.param("swing_18", 3.2, marks=pytest.mark.exhaustive),
        pytest.param("swing_18", 5.1, marks=pytest.mark.exhaustive),
        pytest.param("swing_18", 12.0, marks=pytest.mark.exhaustive),
        pytest.param("swing_30", 16.0, marks=pytest.mark.exhaustive),
    ],
)
def test_physics_makes_the_steps_that_the_library_promises(engine: str, library: str, omega: float) -> None:
    promised = read_library(three_link(), library)[f"omega_{omega:g}"].predicted
    assert promised is not None
    # a foot that reverses stands still to the end of a physics step, and one of 0.1 mm rolls while it sticks
    assert mean_step(engine, omega, library=library) == pytest.approx(promised.nominal_step, rel=0.01)
