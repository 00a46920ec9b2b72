"""The snake's figures and tables against its paper, and what physics measures beside it."""

import numpy as np
import pytest

from crawler_core.robot import load_robot
from crawler_studies.model_evaluator import ModelEvaluator
from crawler_studies.own_columns import own_columns
from crawler_studies.snake import figures as snake
from crawler_studies.subject import Subject
from crawler_studies.sweep.plan import make_plan
from crawler_studies.sweep.rows import columns, rows
from crawler_studies.sweep.table import make_table


@pytest.fixture(scope="module")
def lab():
    return snake.make_lab(load_robot("snake"))


def test_fig3_the_papers_wave_strays_and_comes_back_and_the_closed_one_does_not_stray(lab):
    table = snake.DRAWINGS["3"](lab).tables[""]
    at_front = table["point"] == 7.0
    for end in ("x", "y"):
        way = table[f"{end}_paper_l"][at_front]
        assert way[0] == pytest.approx(way[-1], abs=1e-12)
        np.testing.assert_allclose(table[f"{end}_closed_l"][at_front], way[0], atol=1e-12)
    assert table["y_paper_l"][at_front].min() == pytest.approx(-0.30, abs=0.01)


def test_fig4_f_grows_evenly_and_d_unit_faster(lab):
    table = snake.DRAWINGS["4"](lab).tables[""]
    alpha, f, d_unit = table["alpha_deg"], table["f"], table["d_unit"]
    assert d_unit[-1] == pytest.approx(3.35, abs=0.02)
    assert f[-1] == pytest.approx(0.52, abs=0.005)
    half = int(np.argmin(np.abs(alpha - 0.5 * alpha[-1])))
    assert f[half] / f[-1] == pytest.approx(0.5, abs=0.05)  # "roughly proportional"
    assert d_unit[half] / d_unit[-1] == pytest.approx(0.25, abs=0.05)  # "more like a secondary curve"
    assert table["f_closed"].max() < 1e-12


def test_table_1_agrees_to_the_printed_digit(lab):
    table = snake.DRAWINGS["table1"](lab).tables[""]
    np.testing.assert_array_equal(np.round(table["alpha_max_deg"], 1), table["alpha_max_printed_deg"])
    np.testing.assert_array_equal(np.round(table["f"], 2), table["f_printed"])
    np.testing.assert_array_equal(np.round(table["d_unit"], 2), table["d_unit_printed"])


def test_table_2_agrees_but_for_its_misprint(lab):
    table = snake.DRAWINGS["table2"](lab).tables[""]
    assert np.abs(table["f"] - table["f_printed"]).max() < 0.0012
    off = np.abs(table["d_unit"] - table["d_unit_printed"]) > 0.0012
    assert off.tolist() == [False, True, False, False, False, False]
    assert table["d_unit"][1] == pytest.approx(0.986, abs=0.0005)
    assert table["d_mm"][1] == pytest.approx(828.0, abs=0.05)
    # the printed loss of that row follows from the misprint; all others are as printed
    np.testing.assert_array_equal(np.round(table["loss_percent"][~off]), table["loss_printed_percent"][~off])
    assert round(table["loss_percent"][1]) == 14


def test_a_table_is_saved_under_its_name(lab, tmp_path):
    files = snake.DRAWINGS["table2"](lab).save(tmp_path)
    assert [file.name for file in files] == ["table2.png", "table2.csv"]
    assert files[1].read_text().splitlines()[0].startswith("n,alpha_deg,f_printed,f,")


def test_an_evaluation_has_the_snakes_own_numbers_and_minds_no_lifted_foot():
    results = ModelEvaluator(Subject("snake", "serpenoid_closed")).evaluate([{"gait.n": 6.0, "gait.alpha": 45.0}])
    assert results[0].valid
    own = results[0].own
    assert own["d_step_m"] == pytest.approx(0.084 * 2.98698, abs=1e-6)
    assert own["slip"] == pytest.approx(0.0, abs=1e-6)
    assert own["f"] < 1e-12


def test_a_gait_that_asks_too_much_of_a_servo_is_not_valid_and_says_which():
    results = ModelEvaluator(Subject("snake", "serpenoid", {"robot": {"links": 20}})).evaluate([{"gait.alpha": 45.0}])
    assert not results[0].valid
    assert "joint_" in results[0].reason
    assert "its limit is 6.00 N m" in results[0].reason


def test_a_sweeps_table_has_the_snakes_own_columns_and_no_other_robots_has():
    plan = make_plan("snake", "serpenoid_closed", "model", {}, ["gait.n=4,6"])
    results = plan.evaluator.evaluate(plan.grid.points([0, 1]))
    table = make_table(plan.grid, rows(plan.grid, [0, 1], results, plan.own), plan.identity, plan.own)
    assert table["d_step_m"].to_pylist() == pytest.approx([0.0828005, 0.2509063], abs=1e-7)
    assert table["peak_torque_N_m"].to_pylist()[0] < table["peak_torque_N_m"].to_pylist()[1] < 6.0
    assert table["f"].to_pylist() == pytest.approx([0.0, 0.0], abs=1e-12)
    assert "f" not in columns(plan.grid, own_columns(load_robot("three_link")))
    # nobody has checked these of a snake
    assert not {"unique", "painleve_margin", "min_normal_force_N"} & set(table.column_names)


@pytest.mark.exhaustive  # sim_bridge's own tests see the loss, and that the closed wave lacks it
def test_physics_measures_the_loss_that_the_paper_reports_on_wood(lab):
    (paper,), (closed,) = (lab.measured(gait, [(5, 58.0)]) for gait in ("serpenoid", "serpenoid_closed"))
    assert paper.valid
    assert closed.valid
    assert paper.own["slip"] == pytest.approx(0.12, abs=0.03)  # 7 % in the paper's experiment
    assert closed.own["slip"] < paper.own["slip"] - 0.05
    assert closed.step_length > 1.05 * paper.step_length
    assert closed.own["friction_work_J"] < 0.7 * paper.own["friction_work_J"]
