"""The compiled gait maps against the plain solver and the reference numbers."""

import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from three_link_cases import HARD, SOFT, Harmonic, random_robot, robot

from crawler_models import compilation
from crawler_models.three_link import crawl
from crawler_models.three_link.compiled import GaitMap, Outcome, ShapeTable

STEPS = {0.3: 193.8774, 1.0: 159.8147, 3.2: 23.0822, 8.0: 2.8304, 16.0: 7.3171}  # rad/s: mm


def one(body, motion) -> GaitMap:
    table = ShapeTable(body, [motion])
    return table.crawl(0, 2.0 * math.pi / motion.period, body.mu1, body.mu2, body.g)


def agree(body, motion, found: GaitMap, where: tuple[int, ...] = ()) -> None:
    expected = crawl(body, motion)
    assert bool(found.valid[where]) == expected.valid, expected.reason
    if expected.valid:
        assert 1e3 * found.step_length[where] == pytest.approx(1e3 * expected.step_length, abs=1e-3)
        assert found.speed[where] == pytest.approx(expected.speed, abs=1e-6 / motion.period)
        assert bool(found.unique[where]) == expected.unique
        # crawl looks for the smallest force at its nodes only
        assert found.min_normal_force[where] == pytest.approx(expected.min_normal_force, abs=2e-3)
        assert found.painleve_margin[where] == pytest.approx(expected.painleve_margin, abs=1e-3)


@pytest.mark.parametrize(("omega", "expected"), STEPS.items())
def test_step_length_of_the_nominal_gait(omega, expected):
    assert 1e3 * float(one(robot(), Harmonic(omega)).step_length) == pytest.approx(expected, abs=1e-3)


def test_a_map_of_phase_and_frequency_agrees_with_the_plain_solver_all_over():
    phases, omegas = np.linspace(0.0, 180.0, 100), np.geomspace(0.3, 20.0, 100)
    body = robot()
    table = ShapeTable(body, [Harmonic(1.0, psi=psi) for psi in phases])
    which, omega = np.meshgrid(np.arange(100), omegas, indexing="ij")
    found = table.crawl(which, omega, body.mu1, body.mu2, body.g)
    assert found.valid.all()
    rng = np.random.default_rng(5)
    for i, k in rng.integers(0, 100, (120, 2)):
        agree(body, Harmonic(omegas[k], psi=phases[i]), found, (i, k))


@settings(max_examples=120, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 2**31),
    omega=st.floats(0.3, 20.0),
    psi=st.floats(0.0, 180.0),
    phi0=st.floats(95.0, 145.0),
    amplitude=st.floats(5.0, 25.0),
    alpha=st.one_of(st.just(0.0), st.floats(0.0, 0.9)),
    upsilon=st.floats(-math.pi, math.pi),
)
def test_random_gaits_of_random_robots_agree_with_the_plain_solver(seed, omega, psi, phi0, amplitude, alpha, upsilon):
    body = random_robot(np.random.default_rng(seed))
    motion = Harmonic(omega, psi=psi, phi0=phi0, amplitude=amplitude, alpha=alpha, upsilon=upsilon)
    agree(body, motion, one(body, motion))


def test_contact_loss_is_flagged_where_the_paper_has_it():
    body = robot(friction=SOFT)
    table = ShapeTable(body, [Harmonic(1.0, phi0=145.0)])
    found = table.crawl(0, [18.2, 18.4], body.mu1, body.mu2, body.g)
    assert found.outcome.tolist() == [Outcome.VALID, Outcome.CONTACT_LOST]
    assert math.isnan(found.step_length[1])
    assert found.min_normal_force[0] > 0.0


def test_painleves_paradox_is_flagged():
    """A high and narrow stance on very rough ground: pushed ahead, the front foot jams."""
    body = robot(friction=2.0, friction_scale_2=0.05)
    motion = Harmonic(3.0, psi=90.0, phi0=100.0)
    expected = crawl(body, motion)
    assert "Painleve" in expected.reason
    assert one(body, motion).outcome == Outcome.PAINLEVE


def test_order_and_neighbours_do_not_change_a_result():
    body = robot()
    # at psi = 0 many cycles are steady
    table = ShapeTable(body, [Harmonic(1.0, psi=psi) for psi in (0.0, 20.0, 100.0)])
    rng = np.random.default_rng(0)
    which, omega = rng.integers(0, 3, 200), rng.uniform(0.3, 20.0, 200)
    together = table.crawl(which, omega, HARD, HARD)
    alone = [table.crawl(w, o, HARD, HARD) for w, o in zip(which, omega, strict=True)]
    for name in ("step_length", "min_normal_force", "painleve_margin"):
        # to the bit: a sweep that is cut elsewhere, by an interruption or by other processes, is the same sweep
        np.testing.assert_array_equal(getattr(together, name), [float(getattr(one, name)) for one in alone])


def test_a_motion_with_a_jump_in_its_acceleration_is_refused_not_guessed():
    class Triangle(Harmonic):
        def sample(self, t):
            q, dq, ddq = super().sample(t)
            return q, dq, np.sign(ddq)

    assert one(robot(), Triangle(3.0)).outcome == Outcome.TOO_COARSE


def test_a_second_process_compiles_nothing():
    one(robot(), Harmonic(1.0))  # compiled by now
    program = """
from crawler_models.three_link.compiled import steady, table
from three_link_cases import Harmonic, robot
from crawler_models.three_link.compiled import ShapeTable
ShapeTable(robot(), [Harmonic(1.0)]).crawl(0, 1.0, 0.172, 0.172)
print(sum(f.stats.cache_misses.total() for f in (steady.settle_all, table.fill_chain)))
"""
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "0"


def test_a_change_of_any_source_changes_where_compiled_code_is_kept(tmp_path, monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    config: Any = compilation.numba.config
    monkeypatch.setattr(config, "CACHE_DIR", config.CACHE_DIR)
    monkeypatch.setattr(compilation, "__file__", str(tmp_path / "compilation.py"))
    places = []
    for robot_name in ("one", "other"):
        source = tmp_path / robot_name / "compiled" / "contact.py"
        source.parent.mkdir(parents=True)
        for text in ("1", "2", "1"):
            source.write_text(text)
            compilation.keep_compiled_code()
            places.append(config.CACHE_DIR)
    assert places[0] == places[2] != places[1]
    assert places[3] == places[5] != places[4]
    assert len(set(places)) == 4
