"""The figures' data against what the paper says of them."""

import csv

import numpy as np
import pytest

from crawler_core.robot.robot_file import load_robot
from crawler_models.miniaq.equations.quadruped import LEG_NAMES
from crawler_studies.miniaq import figures as miniaq
from crawler_studies.miniaq.figures import phase_errors
from crawler_studies.plots.drawing import Drawing

SIDE = {"fl": "fr", "hl": "hr"}


@pytest.fixture(scope="module")
def data():
    return miniaq.PAPER_FIGURES.make_data(load_robot("miniaq"))


def table(data, name):
    drawing = miniaq.PAPER_FIGURES.figures[name](data)
    assert isinstance(drawing, Drawing)
    return drawing.tables[""]


def later(columns, seconds=2.0):
    """The rows in which the walk is what it stays."""
    since = columns["t_s"] >= seconds - 1e-9
    return {name: column[since] for name, column in columns.items()}


def test_fig5_roll_and_pitch_are_small_and_strictly_periodic(data):
    walk = later(table(data, "5"))
    assert 2.0 < walk["roll_deg"].max() < 3.0
    assert walk["roll_deg"].min() == pytest.approx(-walk["roll_deg"].max(), abs=0.01)  # left and right alike
    assert walk["pitch_deg"].min() == pytest.approx(-2.2, abs=0.1)
    assert walk["pitch_deg"].max() == pytest.approx(0.0, abs=0.1)
    stride = 400  # ms, and rows
    for angle in ("roll_deg", "pitch_deg"):
        # what the walk's tolerance of 1e-6 leaves
        np.testing.assert_allclose(walk[angle][stride:], walk[angle][:-stride], atol=2e-3)
    # left and right feet take turns: half a stride later it rolls to the other side with the same pitch
    half = stride // 2
    np.testing.assert_allclose(walk["roll_deg"][half:], -walk["roll_deg"][:-half], atol=2e-3)
    np.testing.assert_allclose(walk["pitch_deg"][half:], walk["pitch_deg"][:-half], atol=2e-3)


def test_fig6_it_goes_forward_evenly_and_the_point_on_the_side_stays_on_it(data):
    walk = table(data, "6")
    apart = np.sqrt(sum((walk[f"{axis}_side_mm"] - walk[f"{axis}_cog_mm"]) ** 2 for axis in "xyz"))
    np.testing.assert_allclose(apart, 18.0, atol=1e-9)  # half of the body's 36 mm
    strides = np.diff(walk["x_cog_mm"][2000::400])
    assert np.ptp(strides) < 0.01  # mm
    assert 40.0 < strides.mean() < 60.0


def test_fig7_it_turns_in_place_and_nearly_evenly(data):
    turn = later(table(data, "7"))
    assert turn["yaw_deg"][-1] - turn["yaw_deg"][0] > 180.0  # in three seconds, to the left
    assert np.abs(turn["yaw_deg"] - turn["line_deg"]).max() < 3.0
    assert np.corrcoef(turn["t_s"], turn["yaw_deg"])[0, 1] > 0.999
    assert turn["off_the_start_mm"].max() < 88.0  # the body's length


def test_fig8_is_12_strides_and_a_half_of_feet_that_are_down_for_longer_than_they_are_meant_to_be(data):
    walk = table(data, "8")
    assert walk["t_s"][-1] == pytest.approx(12.5 * 0.4)
    for leg in LEG_NAMES:
        assert walk[f"meant_{leg}"].mean() == pytest.approx(0.5, abs=0.02)  # its half stride too many
    hind = [walk[f"down_{leg}"][1:].mean() for leg in ("hl", "hr")]
    front = [walk[f"down_{leg}"][1:].mean() for leg in ("fl", "fr")]
    assert min(hind) > 0.9
    assert max(front) < 0.6


def test_fig9_three_feet_are_down_and_the_hind_ones_are_dragged(data):
    stride = table(data, "9")
    down = np.stack([stride[f"down_{leg}"] for leg in LEG_NAMES])[:, 1:]
    back = np.stack([stride[f"forward_N_{leg}"] for leg in LEG_NAMES])[:, 1:] < 0.0
    assert (down.sum(axis=0) >= 3).mean() > 0.85
    dragged = (down * back).mean(axis=1)
    assert dragged[2:].min() > 2.0 * dragged[:2].max()
    # two feet are meant to be down, but for the samples in which the pairs change
    meant = np.stack([stride[f"meant_{leg}"] for leg in LEG_NAMES]).sum(axis=0)
    assert (meant == 2).mean() > 0.98


def test_a_phase_error_on_the_left_is_its_mirror_image_on_the_right(data, monkeypatch):
    monkeypatch.setattr(phase_errors, "ERROR_STEP_DEG", 20.0)
    drawing = miniaq.PAPER_FIGURES.figures["phase"](data)
    assert isinstance(drawing, Drawing)
    effects, corners = drawing.tables[""], drawing.tables["corners"]
    assert effects["error_deg"].tolist() == [-20.0, 0.0, 20.0]
    for left, right in SIDE.items():
        for name in ("speed_mm_s", "mismatch_percent", "hind_drag_percent"):
            np.testing.assert_allclose(effects[f"{name}_{left}"], effects[f"{name}_{right}"], rtol=5e-3)
        np.testing.assert_allclose(effects[f"yaw_deg_s_{left}"], -effects[f"yaw_deg_s_{right}"], atol=0.05)
    assert len(corners["speed_mm_s"]) == 16
    # all legs off by the same: the same walk, a little earlier or later
    for same in (0, -1):
        assert corners["speed_mm_s"][same] == pytest.approx(effects["speed_mm_s_fl"][1], rel=5e-3)
    # without an error it goes straight on
    assert abs(effects["yaw_deg_s_fl"][1]) < 0.01


def test_every_figure_is_drawn_with_its_data(data, tmp_path):
    for name in ("5", "6", "7", "8", "9"):
        picture, *files = miniaq.PAPER_FIGURES.figures[name](data).save(tmp_path)
        assert picture.read_bytes().startswith(b"\x89PNG")
        for file in files:
            with file.open() as stream:
                assert len(list(csv.reader(stream))) > 100
