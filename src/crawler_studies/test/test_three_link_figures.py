"""The figures' data against what the paper prints and draws."""

import csv

import numpy as np
import pytest

from crawler_core.robot import load_robot
from crawler_models.three_link import ThreeLink
from crawler_studies.three_link import figures as three_link
from crawler_studies.three_link.figures.time_scaling import best_scaling


@pytest.fixture(scope="module")
def lab():
    return three_link.Lab(ThreeLink.from_parameters(load_robot("three_link").parameters))


def near(lab, omega):
    return int(np.argmin(np.abs(lab.omegas - omega)))


def test_fig6_best_phases_follow_the_papers_curves(lab):
    table = three_link.make("6", lab).tables["best"]
    psi, robust = table["psi_best_deg"], table["psi_mu_best_deg"]
    assert psi[near(lab, 9.0)] == pytest.approx(124.0, abs=1.0)  # references in whole degrees, the grid in halves
    assert psi[near(lab, 20.0)] == pytest.approx(114.0, abs=1.0)
    assert psi[0] == pytest.approx(14.0, abs=2.0)  # tends to 0 with the frequency
    fast = lab.omegas > 8.0
    assert np.abs(psi - robust)[fast].max() <= 1.0  # the two merge at high frequency
    assert robust[0] - psi[0] > 35.0


def test_fig8_friction_uncertainty_costs_half_at_16_degrees_and_a_quarter_at_57(lab):
    table = three_link.make("8", lab).tables[""]
    psi, nominal, robust = table["psi_deg"], table["S_0.3_mm"], table["S_mu_0.3_mm"]
    assert (robust / nominal)[np.flatnonzero(psi == 16.0)] == pytest.approx(0.50, abs=0.005)
    best = int(np.argmax(robust))
    assert psi[best] == pytest.approx(57.0, abs=1.5)
    assert robust[best] / nominal.max() == pytest.approx(0.76, abs=0.005)


def test_fig7_direction_reverses_where_it_should(lab):
    tables = three_link.make("7", lab).tables
    omega, step = tables["a"]["omega_rad_s"], tables["a"]["S_mm"]
    backwards = omega[step < 0.0]
    assert backwards.min() == pytest.approx(5.1, abs=0.1)
    assert backwards.max() == pytest.approx(13.0, abs=0.1)
    assert omega[np.isfinite(step)].max() == pytest.approx(18.3, abs=0.1)
    phi0, over_phi0 = tables["b"]["phi0_deg"], tables["b"]["S_mm"]
    assert over_phi0[phi0 == 110.0] > 0.0 > over_phi0[phi0 == 145.0]


def test_fig9_time_scaling_never_loses_and_wins_most_in_the_middle(lab):
    best = lab.along(lab.best).nominal
    for omega in (1.0, 3.2, 5.1):
        scaled = best_scaling(lab.hard, omega, robust=False).value
        assert scaled > 0.999 * best[near(lab, omega)]
    assert best_scaling(lab.hard, 3.2, robust=False).value > 1.85 * best[near(lab, 3.2)]


def test_fig10_time_scaling_at_the_best_phase_lifts_the_step_by_1_85(lab):
    drawing = three_link.make("10", lab)
    lift = float(drawing.title.rpartition(" ")[2])
    assert lift == pytest.approx(1.85, abs=0.015)


def test_fig12_equal_legs_are_best_when_slow_and_a_heavy_rear_leg_when_fast(lab):
    table = three_link.make("12", lab).tables[""]
    asymmetry, slow, fast = table["asymmetry"], table["S_0.3_mm"], table["S_16_mm"]
    assert np.abs(slow[(asymmetry < 0.8) | (asymmetry > 1.25)]).max() < 1e-3
    assert asymmetry[np.argmax(slow)] == pytest.approx(1.0, abs=0.03)
    assert (np.diff(fast) < 0.0).all()


def test_a_figure_is_saved_as_a_picture_with_its_data(lab, tmp_path):
    files = three_link.make("12", lab).save(tmp_path)
    assert [file.name for file in files] == ["fig12.png", "fig12.csv"]
    assert files[0].read_bytes().startswith(b"\x89PNG")
    with files[1].open() as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 301
    middle = rows[150]
    assert float(middle["asymmetry"]) == pytest.approx(1.0)
    assert float(middle["S_0.3_mm"]) > 190.0
