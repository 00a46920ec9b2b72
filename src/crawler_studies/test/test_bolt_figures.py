"""The figures' data against what the paper prints, and what its run asks for."""

import csv
import re

import numpy as np
import pytest

from crawler_core.robot.robot_file import load_robot
from crawler_models.bolt.equations.six_bar import pins
from crawler_studies.bolt import figures as bolt
from crawler_studies.bolt.figures.figure_data import HEURISTIC
from crawler_studies.plots.drawing import Drawing


@pytest.fixture(scope="module")
def data():
    return bolt.PAPER_FIGURES.make_data(load_robot("bolt"))


def tables(data, name):
    drawing = bolt.PAPER_FIGURES.figures[name](data)
    assert isinstance(drawing, Drawing)
    return drawing.tables


def steady(table, name, strides=8):
    """A column over the last strides of the paper's run."""
    since = table["t_s"] > table["t_s"][-1] - strides * 0.2843
    return table[name][since]


def test_fig4_loop_1_swings_less_than_the_heuristic_one(data):
    table = tables(data, "4")[""]
    for angle in ("theta_2", "theta_3"):
        assert np.ptp(table[f"{angle}_optimised_deg"]) < 45.0
        assert np.isfinite(table[f"{angle}_heuristic_deg"]).all()
    assert np.ptp(table["theta_3_optimised_deg"]) < np.ptp(table["theta_3_heuristic_deg"])


def test_fig5_the_foot_follows_the_ideal_path_and_the_heuristic_column_has_none(data):
    table = tables(data, "5")[""]
    assert np.ptp(table["x_foot_mm"]) == pytest.approx(232.4, abs=0.1)
    assert np.ptp(table["y_foot_mm"]) == pytest.approx(61.8, abs=0.1)
    off = np.hypot(table["x_foot_mm"] - table["x_foot_ideal_mm"], table["y_foot_mm"] - table["y_foot_ideal_mm"])
    assert np.sqrt((off**2).mean()) == pytest.approx(5.8, abs=0.05)
    assert np.isnan(table["x_foot_heuristic_mm"]).all()
    # the optimised knee keeps to one quadrant, the heuristic one does not
    assert (table["x_knee_mm"] > 0.0).all()
    assert (table["y_knee_mm"] < 0.0).all()
    assert table["y_knee_heuristic_mm"].min() < 0.0 < table["y_knee_heuristic_mm"].max()


def test_the_heuristic_columns_second_loop_is_open_at_every_angle():
    p = pins(HEURISTIC, np.radians(np.arange(360.0)))
    far = np.abs(p.E - p.C)
    assert far.max() == pytest.approx(0.085)  # l_4 - l_f: C is on B
    assert far.max() < HEURISTIC.l_3 - HEURISTIC.l_t


def test_fig10_a_stride_of_frames_stands_on_the_ground_or_above_it(data):
    table = tables(data, "10")[""]
    np.testing.assert_allclose(np.diff(table["t_s"]), 0.03, atol=1e-12)
    assert table["foot_y_m"].min() > -1e-6  # m
    assert table["foot_y_m"].max() > 0.05


def test_fig11_the_errors_decay_with_epsilon_through_every_switch(data):
    for name, epsilon in (("10ms", 1e-2), ("1ms", 1e-3)):
        table = tables(data, "11")[name]
        t, w = table["t_s"], np.stack([table[f"w_{k}_m"] for k in range(1, 5)], axis=1)
        early = (t > 0.0) & (t < 8.0 * epsilon)
        expected = w[0] * np.exp(-t[early, None] / epsilon)
        # Runge and Kutta's rule with a tenth of epsilon, or a hundredth, in a step
        np.testing.assert_allclose(w[early], expected, rtol=1e-3, atol=1e-3 * np.abs(w[0]).max() * np.exp(-8.0))
        later = np.linalg.norm(w[t > 30.0 * epsilon], axis=1)
        assert len(np.unique(table["mode"])) == 2  # it has touched down and lifted off
        assert later.max() < 1e-9  # m


def test_fig12_the_run_is_the_papers_284_ms_and_1_3_m_s_and_periodic(data):
    run = data.run
    assert len(run.period) == 16
    assert run.period[-8:] == pytest.approx(0.2843, abs=1e-4)
    assert run.speed[-8:] == pytest.approx(1.307, abs=1e-3)
    table = tables(data, "12")[""]
    assert steady(table, "y_b_m").min() > 0.3
    assert np.ptp(run.period[-8:]) < 1e-6  # s: a limit cycle


def test_fig12_the_body_goes_back_in_stance_which_the_paper_does_not_see(data):
    table = tables(data, "12")[""]
    assert steady(table, "dx_b_m_s").min() < -1.0  # m/s; "monotonically increasing" in the paper
    assert steady(table, "dq1_rad_s").max() > 25.0  # rad/s: the impact throws the crank back


def test_fig13_the_command_begins_anew_at_every_switch_and_waits_at_0(data):
    table = tables(data, "13")[""]
    q1, commanded = table["q1_deg"], table["commanded_deg"]
    begins = np.flatnonzero(np.abs(np.diff(commanded)) > 5.0) + 1  # the ramp itself falls by 1.2° from row to row
    assert len(begins) >= 2 * 15
    for row in begins:
        assert commanded[row] == pytest.approx(q1[row], abs=2.0)  # within a row's time of the switch
    waits = np.mod(commanded, 360.0)
    assert (np.minimum(waits, 360.0 - waits) < 1e-6).mean() > 0.2


def test_fig14_the_dependent_angles_stay_in_the_linkages_ranges(data):
    table = tables(data, "14")[""]
    for name, low, high in (("q3_deg", -59.9, -39.9), ("q4_deg", -74.4, -35.8), ("q5_deg", -71.8, -43.7)):
        assert table[name].min() == pytest.approx(low, abs=0.1)
        assert table[name].max() == pytest.approx(high, abs=0.1)


def test_fig16_the_foot_in_the_bodys_frame_is_the_linkages(data):
    table = tables(data, "16")[""]
    foot = pins(data.leg, np.radians(table["q1_deg"])).F
    np.testing.assert_allclose(table["f_x_in_body_m"], foot.real, atol=1e-8)  # m: what SPF leaves open
    np.testing.assert_allclose(table["f_y_over_ground_m"], table["y_b_m"] + foot.imag, atol=1e-8)


def test_the_papers_run_asks_for_a_friction_that_no_floor_has(data):
    strides = tables(data, "friction")["strides"]
    assert strides["friction_needed"][-8:] == pytest.approx(19.5, abs=0.1)
    assert strides["peak_torque_N_m"][-8:].max() > 200.0
    assert strides["peak_power_W"].max() == pytest.approx(1350.0, abs=0.5)  # at the motor's limit


def test_the_robot_files_run_asks_for_what_its_floor_has(data):
    floor = tables(data, "floor")
    ours, papers = floor["robot_file_strides"], floor["paper_strides"]
    last = slice(-8, None)
    assert len(ours["period_s"]) == 16
    assert (ours["length_m"][last] / ours["period_s"][last]).min() > 1.0  # m/s
    assert ours["friction"][last].max() <= data.spec.parameters["friction"] * (1.0 + 1e-6)
    assert ours["slip_m"][last].max() < 5e-3
    assert ours["peak_power_W"].max() <= 1350.0 + 1e-6
    assert ours["backward_rad_s"][last].max() <= 0.0
    assert papers["backward_rad_s"].max() > 25.0


def test_table_2_is_markdown_with_what_is_printed_and_what_is_found(data, tmp_path):
    (file,) = bolt.PAPER_FIGURES.figures["table2"](data).save(tmp_path)
    assert file.name == "table2.md"
    rows = [line.strip("|").split("|") for line in file.read_text().splitlines() if line.startswith("|")]
    assert len({len(row) for row in rows}) == 1
    cells = {row[0].strip().split(" ")[0]: [cell.strip() for cell in row[1:]] for row in rows}
    assert cells["l_c"][:3] == ["0.164 m", "0.08 m", "0.08 m"]
    assert cells["theta"][:3] == ["53°", "41.41°", "41.41°"]
    (rms,) = (row for row in rows if "rms" in row[0])
    assert [float(text) for text in re.findall(r"[\d.]+(?= mm)", "|".join(rms))] == pytest.approx(
        [5.8, 5.8, 2.78], abs=0.01
    )
    assert rms[1].strip() == "-"


def test_every_figure_is_drawn_with_its_data(data, tmp_path):
    for name in ("4", "5", "10", "floor"):
        picture, *files = bolt.PAPER_FIGURES.figures[name](data).save(tmp_path)
        assert picture.read_bytes().startswith(b"\x89PNG")
        for file in files:
            with file.open() as stream:
                assert len(list(csv.reader(stream))) > 10
