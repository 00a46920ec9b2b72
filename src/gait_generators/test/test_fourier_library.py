"""What the libraries of the three-link robot promise, tested against the reference simulation and the geometry."""

import dataclasses
import math
import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from crawler_core.robot.robot_file import load_robot
from crawler_models.three_link import ThreeLink, crawl
from crawler_models.three_link.compiled import ShapeTable
from gait_generators.kinds.fourier import Fourier
from gait_generators.kinds.gait_registry import make_gait
from gait_generators.kinds.limit_check import check_limits
from gait_generators.shapes.shape_library import read_library

LIBRARIES = ("swing_18", "swing_30")
# mm, the worst step of nine frictions; the best harmonic gaits of ±18° make 5 (3.2), 0, 20, 31 and 41 (16 rad/s)
FLOORS = {
    "swing_18": {3.2: 160.0, 5.1: 160.0, 8.0: 160.0, 12.0: 145.0, 16.0: 135.0},
    "swing_30": {3.2: 250.0, 5.1: 250.0, 8.0: 250.0, 12.0: 200.0, 16.0: 170.0},
}
SHAPES = [
    pytest.param(file, library, id=f"{library}-{name}")
    for library in LIBRARIES
    for name, file in read_library(load_robot("three_link"), library).items()
]


def gait_of(file):
    return Fourier(file.tuned_for.omega, file.shape)


@pytest.mark.parametrize(("file", "library"), SHAPES)
def test_it_stays_within_the_limits_that_it_was_tuned_for(file, library):
    gait, limits = gait_of(file), file.tuned_for
    assert (limits.swing, limits.velocity, limits.acceleration) == (float(library[-2:]), 6.0, 200.0)
    position, velocity, acceleration = gait.sample(np.linspace(0.0, gait.period, 20_001))
    assert np.abs(np.degrees(position) - 110.0).max() <= limits.swing
    assert np.abs(velocity).max() <= limits.velocity
    assert np.abs(acceleration).max() <= limits.acceleration


@pytest.mark.parametrize(("file", "library"), SHAPES)
def test_the_feet_part_once_and_close_once_in_a_period(file, library):
    gait = gait_of(file)
    phi = gait.sample(np.linspace(0.0, gait.period, 20_001)).position
    distance = np.abs(0.187 - 0.170 * np.exp(1j * phi[:, 0]) - 0.170 * np.exp(-1j * phi[:, 1]))  # Table I's lengths
    direction = np.sign(np.diff(distance))
    assert np.count_nonzero(direction != np.roll(direction, 1)) == 2


@pytest.mark.parametrize(("file", "library"), SHAPES)
def test_its_worst_step_is_what_it_promises_and_no_foot_lifts(crawler, file, library):
    """Nine frictions by the compiled map; of these the worst and the nominal one by the reference simulation too."""
    nominal, gait = ThreeLink.from_parameters(crawler.parameters), gait_of(file)
    mu1, mu2 = 0.172 * np.array(list(product((0.9, 1.0, 1.1), repeat=2))).T
    found = ShapeTable(nominal, [gait]).crawl(0, file.tuned_for.omega, mu1, mu2, nominal.g)
    assert found.valid.all()
    assert (found.min_normal_force >= file.tuned_for.lightest_foot * nominal.mass * nominal.g).all()
    worst, middle = int(np.argmin(found.step_length)), len(mu1) // 2
    for k, promised in ((worst, file.predicted.worst_step), (middle, file.predicted.nominal_step)):
        step = crawl(dataclasses.replace(nominal, mu1=mu1[k], mu2=mu2[k]), gait)
        assert step.valid, step.reason
        assert 1e3 * step.step_length == pytest.approx(promised, abs=0.01)  # the file's angles have eight decimals
        assert found.step_length[k] == pytest.approx(step.step_length, abs=1e-6)
    assert 1e3 * found.step_length[worst] >= FLOORS[library].get(file.tuned_for.omega, 0.0)


@pytest.mark.parametrize(("file", "library"), SHAPES)
def test_the_robots_limits_leave_room_for_leading_a_servo_of_20_ms(crawler, file, library):
    values = {"omega": file.tuned_for.omega, "library": library, "servo_lag": 0.02}
    check_limits(crawler, make_gait(crawler, "fourier", values))


@pytest.mark.parametrize("library", LIBRARIES)
def test_phase_0_is_the_middle_of_the_rise_in_every_shape(crawler, library):
    """As in the harmonic gait, so that going from one shape to another does not undo half a step."""
    for file in read_library(crawler, library).values():
        opening = sum(complex(c, -s) for c, s in zip(file.shape.cos[:, 0], file.shape.sin[:, 0], strict=True))
        assert opening.real == pytest.approx(0.0, abs=1e-9)
        assert opening.imag < -math.radians(10.0)


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_documentation_tells_the_promised_steps(crawler, library):
    page = (Path(__file__).parents[3] / "docs/fourier_gait.md").read_text()
    (text,) = re.findall(rf"^\*\*`{library}`\*\*; the stroke.*\n\n((?:\|.*\n)+)", page, re.MULTILINE)
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()[2:]]
    told = {float(omega): (float(worst), float(nominal)) for omega, _, _, _, worst, nominal, *_ in rows}
    promised = {
        file.tuned_for.omega: (file.predicted.worst_step, file.predicted.nominal_step)
        for file in read_library(crawler, library).values()
        if file.tuned_for is not None and file.predicted is not None
    }
    assert told.keys() == promised.keys()
    for omega, steps in promised.items():
        assert told[omega] == pytest.approx(steps, abs=0.051), omega
