"""Two lockstep runs are equal to the bit, whatever else the machine does."""

import pytest
from transcript import assert_equal_to_the_bit, lockstep_run

from crawler_bringup.stack.options import Options
from sim_bridge.physics.engines import installed_engines

SECONDS = 1.2
RATE = 500.0


@pytest.mark.parametrize(
    ("robot", "omega", "backend"),
    [
        # a rerun of a recording shows it of the equations in every run
        pytest.param("three_link", 8.0, "model", marks=pytest.mark.exhaustive),
        pytest.param("snake", 2.0, "model", marks=pytest.mark.exhaustive),
        # robots with laws are, on the first engine, in every run
        *(pytest.param("snake", 2.0, engine, marks=pytest.mark.exhaustive) for engine in installed_engines()),
        pytest.param("three_link", 8.0, installed_engines()[0], marks=pytest.mark.exhaustive),
        *(("three_link", 8.0, engine) for engine in installed_engines()[1:]),
    ],
)
def test_two_runs_are_equal_to_the_bit(robot, omega, backend):
    options = Options(robot=robot, backend=backend, settings={"gait": {"omega": omega}})
    first, stack = lockstep_run(options, SECONDS, rate=RATE)
    second, _ = lockstep_run(options, SECONDS, rate=RATE)
    assert_equal_to_the_bit(first, second, stack, SECONDS)
