"""What a run was measured by, and a ruler's distance in its summary."""

import argparse
import json

import pytest

from crawler_bringup.stack.options import Options
from crawler_bringup.stack.stack import make_stack
from crawler_cli.run.ruler import length, read_summary, save_summary, with_ruler
from crawler_cli.run.run_watch import RunOutcome
from crawler_cli.run.summary import print_summary, summarise
from crawler_core.errors import UserError
from crawler_nodes.run_log.base_track import BasePose
from crawler_nodes.run_log.log import RunLog
from crawler_nodes.run_log.measure_source import measured_by


def crawled(estimate=0.0, truth=0.0, **backend):
    """A log of 40 s whose base goes so far (m), with diagnostics of the backend."""
    log = RunLog()
    log.start = 0.0
    for track, distance in ((log.estimate, estimate), (log.truth, truth)):
        for k in range(401 if distance else 0):
            track.poses.append(BasePose(0.1 * k, distance * k / 400, 0.0, 0.0, 0.0))
    log.time = 40.0
    log.status.backend = backend
    return log


def summary_of(log, directory):
    return summarise(make_stack(Options(backend="model")), RunOutcome(log), directory)


@pytest.mark.parametrize(
    ("log", "source"),
    [
        (crawled(estimate=0.7, truth=0.6, estimator="stick_slip"), "ground truth"),
        (crawled(estimate=0.7, estimator="stick_slip"), "estimate (stick_slip)"),
        (crawled(estimate=0.7, estimator="stick_slip", external_pose="used"), "external pose (with stick_slip)"),
        (crawled(estimate=0.7, estimator="truth"), "ground truth"),
        (crawled(estimate=0.7), "ground truth"),  # an earlier stack, whose odom was the truth
        (crawled(estimator="none"), ""),
    ],
)
def test_a_run_says_what_its_distance_was_measured_by(log, source, tmp_path):
    assert measured_by(log) == source
    summary = summary_of(log, tmp_path)
    assert summary["measured_by"] == (source or None)
    assert (summary["distance_m"] is None) == (not source)


def test_the_estimate_stands_beside_the_truth(tmp_path, capsys):
    summary = summary_of(crawled(estimate=0.63, truth=0.6, estimator="stick_slip"), tmp_path)
    assert summary["distance_m"] == pytest.approx(0.6)
    assert summary["estimated_distance_m"] == pytest.approx(0.63)
    print_summary(summary)
    out = capsys.readouterr().out
    assert "ground truth" in out
    assert "+5.00 %" in out


def test_a_run_without_odometry_says_how_its_distance_can_be_known(tmp_path, capsys):
    print_summary(summary_of(crawled(estimator="none"), tmp_path))
    out = " ".join(capsys.readouterr().out.split())
    assert "The distance is not known" in out
    assert "--distance 615mm" in out
    assert "shorter than one stride" not in out


def test_a_ruler_replaces_the_estimate_and_keeps_it_beside(tmp_path):
    before = summary_of(crawled(estimate=0.5, estimator="stick_slip"), tmp_path)
    save_summary(tmp_path, before)
    after = with_ruler(read_summary(tmp_path), length("615mm"))
    assert (after["distance_m"], after["measured_by"]) == (pytest.approx(0.615), "ruler")
    assert after["step_length_m"] == pytest.approx(before["step_length_m"] * 1.23)
    assert after["difference_percent"] == pytest.approx(
        100.0 * (after["step_length_m"] / before["predicted_step_length_m"] - 1.0)
    )
    assert (after["estimated_distance_m"], after["estimate_source"]) == (pytest.approx(0.5), "estimate (stick_slip)")
    again = with_ruler(after, 0.6)  # a second look at the ruler
    assert (again["estimated_distance_m"], again["distance_m"]) == (pytest.approx(0.5), 0.6)


def test_without_any_estimate_a_ruler_gives_the_mean_step(tmp_path):
    before = summary_of(crawled(estimator="none"), tmp_path)
    after = with_ruler(before, 0.4)
    assert after["speed_m_s"] == pytest.approx(0.01)
    assert after["step_length_m"] == pytest.approx(0.01 * before["gait_period_s"])


@pytest.mark.parametrize(("text", "metres"), [("615mm", 0.615), ("-3 cm", -0.03), ("1.2m", 1.2), (".5 m", 0.5)])
def test_a_length_has_a_unit(text, metres):
    assert length(text) == pytest.approx(metres)


@pytest.mark.parametrize("text", ["615", "mm", "1e9m", "nan m", "6 feet"])
def test_another_length_is_refused(text):
    with pytest.raises(argparse.ArgumentTypeError, match="615mm"):
        length(text)


@pytest.mark.parametrize("content", ["", "[]", json.dumps({"robot": "x"})])
def test_a_directory_without_a_summary_is_refused_in_a_sentence(content, tmp_path):
    (tmp_path / "summary.json").write_text(content)
    with pytest.raises(UserError, match="needs the summary of a run"):
        read_summary(tmp_path)
