"""The snake's figures and tables against its paper, and what physics measures beside it."""

import numpy as np
import pytest

from crawler_core.robot.robot_file import load_robot
from crawler_studies.evaluators.model_evaluator import ModelEvaluator
from crawler_studies.plots.drawing import Drawing
from crawler_studies.snake import figures as snake
from crawler_studies.snake.figures import tables
from crawler_studies.study.study_case import StudyCase, extra_columns
from crawler_studies.sweep.plan import make_plan
from crawler_studies.sweep.table import make_rows, make_table, sweep_columns


@pytest.fixture(scope="module")
def data():
    return snake.PAPER_FIGURES.make_data(load_robot("snake"))


def table_of(name, data):
    drawing = snake.PAPER_FIGURES.figures[name](data)
    assert isinstance(drawing, Drawing)
    return drawing.tables[""]


def test_fig3_the_papers_wave_strays_and_comes_back_and_the_closed_one_does_not_stray(data):
    table = table_of("3", data)
    at_front = table["point"] == 7.0
    for end in ("x", "y"):
        way = table[f"{end}_paper_l"][at_front]
        assert way[0] == pytest.approx(way[-1], abs=1e-12)
        np.testing.assert_allclose(table[f"{end}_closed_l"][at_front], way[0], atol=1e-12)
    assert table["y_paper_l"][at_front].min() == pytest.approx(-0.30, abs=0.01)


def test_fig4_f_grows_evenly_and_d_unit_faster(data):
    table = table_of("4", data)
    alpha, f, d_unit = table["alpha_deg"], table["f"], table["d_unit"]
    assert d_unit[-1] == pytest.approx(3.35, abs=0.02)
    assert f[-1] == pytest.approx(0.52, abs=0.005)
    half = int(np.argmin(np.abs(alpha - 0.5 * alpha[-1])))
    assert f[half] / f[-1] == pytest.approx(0.5, abs=0.05)  # "roughly proportional"
    assert d_unit[half] / d_unit[-1] == pytest.approx(0.25, abs=0.05)  # "more like a secondary curve"
    assert table["f_closed"].max() < 1e-12


def test_table_1_agrees_to_the_printed_digit():
    table = tables.table1_columns()
    np.testing.assert_array_equal(np.round(table["alpha_max_deg"], 1), table["alpha_max_printed_deg"])
    np.testing.assert_array_equal(np.round(table["f"], 2), table["f_printed"])
    np.testing.assert_array_equal(np.round(table["d_unit"], 2), table["d_unit_printed"])


def test_table_2_is_off_in_one_d_unit_one_f_and_in_lengths_that_come_from_rounded_ones(data):
    table = tables.table2_columns(data.spec)
    off = np.abs(table["d_unit"] - table["d_unit_printed"]) > 0.00051  # half of the printed digit, and its rounding
    assert off.tolist() == [False, True, False, False, False, False]
    assert table["d_unit"][1] == pytest.approx(0.986, abs=0.0005)
    assert table["d_mm"][1] == pytest.approx(828.0, abs=0.05)
    wrong = np.abs(table["f"] - table["f_printed"]) > 0.00051
    assert wrong.tolist() == [False, False, True, False, False, False]
    assert table["f"][2] == pytest.approx(0.4311, abs=0.00005)  # printed as 0.430
    # 840 mm are ten links
    np.testing.assert_array_equal(np.round(840.0 * table["d_unit_printed"], 1), table["d_printed_mm"])
    assert (np.round(table["d_mm"], 1) != table["d_printed_mm"]).all()
    np.testing.assert_array_equal(np.round(table["loss_of_printed_percent"]), table["loss_printed_percent"])
    assert round(table["loss_percent"][1]) == 14  # of the d_unit that is meant, and not 11


def test_a_table_is_saved_under_its_name_and_marks_the_misprint(data, tmp_path):
    (file,) = snake.PAPER_FIGURES.figures["table2"](data).save(tmp_path)
    assert file.name == "table2.md"
    marked = [line for line in file.read_text().splitlines() if "**0.956**" in line]
    assert len(marked) == 1
    assert marked[0].startswith("| 4 | 45 | 0.333 |")


def test_fig1_goes_through_a_cycle_on_the_ground_and_advances_by_what_the_equations_say(data):
    table = table_of("1", data)
    tail = table["x_m"][table["point"] == 0.0]
    assert tail[-1] - tail[0] == pytest.approx(data.predicted("serpenoid", [(4, 45.0)])[0].step_length, abs=2e-4)
    for row in np.unique(table["interval"]):
        here = table["interval"] == row
        assert table["z_m"][here].min() == pytest.approx(0.0, abs=1e-9)  # it lies on the ground
        lengths = np.hypot(np.diff(table["x_m"][here]), np.diff(table["z_m"][here]))
        np.testing.assert_allclose(lengths, 0.084, atol=1e-12)


def test_the_ratio_of_the_joints_speeds_grows_with_n_and_their_rates_jump_between_steps():
    table = tables.rates_columns()
    even, odd = table["ratio"][::2], table["ratio"][1::2]
    assert (np.diff(even) > 0.0).all()
    assert (np.diff(odd) > 0.0).all()
    assert (table["ratio"][0], table["ratio"][-1]) == pytest.approx((5.41, 145.3), rel=1e-3)
    np.testing.assert_allclose(table["jump"], table["fastest"])  # from standstill to the fastest at once


def test_shorter_links_advance_further_at_one_amplitude_and_less_at_the_largest(data):
    table = tables.links_columns(data.spec)
    assert (np.diff(table["d_fixed_mm"]) > 0.0).all()
    assert (np.diff(table["d_share_mm"]) < 0.0).all()
    assert (np.diff(table["f_over_d_share"]) < 0.0).all()


def test_an_evaluation_has_the_snakes_own_numbers_and_minds_no_lifted_foot():
    results = ModelEvaluator(StudyCase("snake", "serpenoid_closed")).evaluate([{"gait.n": 6.0, "gait.alpha": 45.0}])
    assert results[0].valid
    own = results[0].extra
    assert own["d_step_m"] == pytest.approx(0.084 * 2.98698, abs=1e-6)
    assert own["slip"] == pytest.approx(0.0, abs=1e-6)
    assert own["f"] < 1e-12


def test_a_gait_that_asks_too_much_of_a_servo_is_not_valid_and_says_which():
    results = ModelEvaluator(StudyCase("snake", "serpenoid", {"robot": {"links": 20}})).evaluate([{"gait.alpha": 45.0}])
    assert not results[0].valid
    assert "joint_" in results[0].reason
    assert "its limit is 6.00 N m" in results[0].reason


def test_a_sweeps_table_has_the_snakes_own_columns_and_no_other_robots_has():
    plan = make_plan("snake", "serpenoid_closed", "model", {}, ["gait.n=4,6"])
    results = plan.evaluator.evaluate(plan.grid.points([0, 1]))
    table = make_table(
        plan.grid, make_rows(plan.grid, [0, 1], results, plan.extra_columns), plan.identity, plan.extra_columns
    )
    assert table["d_step_m"].to_pylist() == pytest.approx([0.0828005, 0.2509063], abs=1e-7)
    assert table["peak_torque_N_m"].to_pylist()[0] < table["peak_torque_N_m"].to_pylist()[1] < 6.0
    assert table["f"].to_pylist() == pytest.approx([0.0, 0.0], abs=1e-12)
    assert "f" not in sweep_columns(plan.grid, extra_columns(load_robot("three_link")))
    # nobody has checked these of a snake
    assert not {"unique", "painleve_margin", "min_normal_force_N"} & set(table.column_names)


@pytest.mark.exhaustive  # sim_bridge's own tests see the loss, and that the closed wave lacks it
def test_with_the_files_servos_physics_loses_more_with_n_5_than_with_4_where_the_paper_lost_less(data):
    four, five = data.measured("serpenoid", [(4, 58.0), (5, 58.0)])
    (closed,) = data.measured("serpenoid_closed", [(5, 58.0)])
    assert all(result.valid for result in (four, five, closed))
    assert four.extra["slip"] == pytest.approx(0.045, abs=0.02)  # 9 % in the paper's experiment
    assert five.extra["slip"] == pytest.approx(0.117, abs=0.03)  # 7 % there
    assert closed.extra["slip"] < five.extra["slip"] - 0.05
    assert closed.step_length > 1.05 * five.step_length
    assert closed.extra["friction_work_J"] < 0.7 * five.extra["friction_work_J"]
