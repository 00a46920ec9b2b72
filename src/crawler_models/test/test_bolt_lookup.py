"""The table from crank to foot, in Python, as CSV and in C, against the linkage itself."""

import csv
import io
import math
import re
import shutil
import subprocess

import numpy as np
import pytest

from crawler_core.errors import UserError
from crawler_core.robot.robot_file import load_robot
from crawler_models.bolt.equations.leg import Leg
from crawler_models.bolt.equations.six_bar import pins
from crawler_models.bolt.equations.transmission import foot_slope
from crawler_models.bolt.foot_table.foot_table import FootTable, lookup

ANGLES = np.random.default_rng(1).uniform(-20.0, 20.0, 5000)  # rad, of several turns

PROGRAM = """
#include <stdio.h>
#include "bolt_foot.h"
int main(void)
{
    long crank;
    for (crank = 0; crank < 65536; crank += 7) {
        bolt_foot_t foot = bolt_foot((uint16_t)crank);
        printf("%ld %.9g %.9g %.9g %.9g\\n", crank, foot.x * BOLT_FOOT_STEP, foot.y * BOLT_FOOT_STEP,
               foot.dx * BOLT_FOOT_STEP, foot.dy * BOLT_FOOT_STEP);
    }
    return 0;
}
"""


@pytest.fixture(scope="module")
def spec():
    return load_robot("bolt")


@pytest.fixture(scope="module")
def leg(spec):
    return Leg.from_parameters(spec.parameters)


@pytest.mark.parametrize("entries", [64, 512])
def test_the_table_is_as_near_to_the_linkage_as_it_says(leg, entries):
    table = FootTable.of(leg, entries)
    # the error is looked for on a grid between entries, whose peak another angle may pass by a hair
    assert np.abs(table.foot_at(ANGLES) - pins(leg, ANGLES).F).max() < 1.01 * table.foot_error
    assert np.abs(table.slope_at(ANGLES) - foot_slope(leg, ANGLES)).max() < 1.01 * table.slope_error


def test_twice_the_entries_are_four_times_as_near(leg):
    errors = [FootTable.of(leg, entries).foot_error for entries in (128, 256, 512)]
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)  # as linear interpolation has it
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.05)
    assert errors[2] < 4e-6  # m


def test_the_csv_has_the_entries_in_si_units(spec, leg):
    rows = list(csv.DictReader(io.StringIO(lookup(spec, 64).csv())))
    assert len(rows) == 64
    angle = math.radians(float(rows[10]["crank_deg"]))
    assert angle == pytest.approx(2.0 * math.pi * 10 / 64)
    foot = complex(float(rows[10]["x_m"]), float(rows[10]["y_m"]))
    assert foot == pytest.approx(complex(pins(leg, angle).F), abs=1e-9)  # m, its nine digits


def test_the_header_says_what_it_was_made_from(spec):
    text = lookup(load_robot("bolt", {"crank_length": 0.021}), 64).header
    assert re.search(r"l_1 += 0\.021 +crank_length", text)
    assert "2^-16 m" in text
    assert "#define BOLT_FOOT_ENTRIES 64" in text


@pytest.mark.parametrize("entries", [16, 512])
def test_the_header_compiles_and_finds_the_foot_within_the_error_it_states(spec, leg, tmp_path, entries):
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler here")
    table = lookup(spec, entries)
    (tmp_path / "bolt_foot.h").write_text(table.header)
    (tmp_path / "main.c").write_text(PROGRAM)
    strict = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]
    subprocess.run([compiler, *strict, "main.c", "-o", "foot"], cwd=tmp_path, check=True, timeout=120)
    out = subprocess.run([tmp_path / "foot"], capture_output=True, text=True, check=True, timeout=120).stdout
    crank, x, y, dx, dy = np.loadtxt(io.StringIO(out)).T
    angle = 2.0 * np.pi * crank / 65536
    foot_off = np.abs(x + 1j * y - pins(leg, angle).F).max()
    slope_off = np.abs(dx + 1j * dy - foot_slope(leg, angle)).max()
    (foot_said, slope_said) = (float(number) * 1e-6 for number in re.findall(r"([\d.]+) um", table.header))
    assert foot_off < foot_said + 1e-7  # m, the last digit that the header prints
    assert slope_off < slope_said + 1e-7
    assert foot_off > 0.5 * foot_said  # and it does not overstate


def test_what_makes_no_table_is_a_sentence(spec):
    with pytest.raises(UserError, match="power of two"):
        lookup(spec, 100)
    with pytest.raises(UserError, match="cannot turn fully"):
        lookup(load_robot("bolt", {"crank_length": 0.1}), 64)
