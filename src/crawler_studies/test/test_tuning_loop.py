"""A tuning and its study file: nothing is lost, nothing is done twice, and another study is refused."""

import math

import pytest

from crawler_core.errors import UserError
from crawler_studies.evaluators.friction_sets import DEFAULT_SPREAD
from crawler_studies.evaluators.model_evaluator import ModelEvaluator
from crawler_studies.three_link.shape_search import ShapeSearch
from crawler_studies.tuning.plan import TuningRequest, make_plan, study_path
from crawler_studies.tuning.report import report_tuning
from crawler_studies.tuning.tuning_loop import open_tuning, read_tuning, tune


def request(**changes):
    words = {"over": ("gait.psi", "gait.phi0=100:125"), "settings": {"gait": {"omega": 8.0}}, "budget": 14}
    return TuningRequest(**{**words, **changes})


def trials(plan, path, stop_after=10**6):
    """Tune, and stop after so many evaluations in all."""
    count = 0

    def seen(standing):
        nonlocal count
        count = len(standing.trials)

    with open_tuning(plan, path) as study:
        return tune(plan, study, seen, lambda: count >= stop_after).trials


def test_a_tuning_that_is_stopped_again_and_again_is_the_same_as_one_that_is_not(tmp_path):
    plan = make_plan(request())
    whole = trials(plan, tmp_path / "whole.sqlite")
    assert len(whole) == 14
    for stop_after in (1, 2, 7, 11):
        assert len(trials(plan, tmp_path / "parts.sqlite", stop_after)) == stop_after
    assert trials(plan, tmp_path / "parts.sqlite") == whole


def test_what_is_finished_is_not_evaluated_again(tmp_path, monkeypatch):
    plan = make_plan(request())
    whole = trials(plan, tmp_path / "a.sqlite")
    monkeypatch.setattr(ModelEvaluator, "evaluate", lambda *_: pytest.fail("it is all there"))
    assert trials(plan, tmp_path / "a.sqlite") == whole


def test_a_larger_budget_goes_on_as_if_it_had_been_given_at_once(tmp_path):
    trials(make_plan(request(budget=9)), tmp_path / "a.sqlite")
    later = trials(make_plan(request(budget=14)), tmp_path / "a.sqlite")
    assert later == trials(make_plan(request(budget=14)), tmp_path / "b.sqlite")


def test_the_set_line_repeats_the_best_value(tmp_path):
    plan = make_plan(request())
    with open_tuning(plan, tmp_path / "a.sqlite") as study:
        standing = tune(plan, study)
    told = report_tuning(plan, standing, tmp_path / "a.sqlite")
    assert (tmp_path / "a.png").stat().st_size > 10_000
    words = [word.removeprefix("--set ").partition("=") for word in told["set"]]
    settings = {name.removeprefix("gait."): float(value) for name, _, value in words}
    again = make_plan(TuningRequest(over=("robot.friction",), settings={"gait": settings}))
    (result,) = again.evaluator.evaluate([{}])
    assert result.step_length == pytest.approx(told["best_value"], rel=1e-9)
    assert all(f"--set {name}" in told["command"] for name in ("gait.psi=", "gait.phi0=", "gait.omega=8"))


def test_gaits_that_are_not_valid_are_kept_with_their_reason_and_never_win(tmp_path):
    # soft tips and steep legs: contact is lost above some 18 rad/s
    settings = {"robot": {"friction": 0.398}, "gait": {"phi0": 145.0}}
    plan = make_plan(request(maximise="speed", over=("gait.omega=14:24",), settings=settings))
    found = trials(plan, tmp_path / "a.sqlite")
    lost = [trial for trial in found if not trial.valid]
    assert lost
    assert all("leaves the ground" in trial.reason and math.isnan(trial.value) for trial in lost)
    with open_tuning(plan, tmp_path / "a.sqlite") as study:
        best = read_tuning(plan, study).best
    assert best is not None
    assert best.point["gait.omega"] < 19.0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"settings": {"gait": {"omega": 9.0}}}, "gait.omega"),
        ({"settings": {"gait": {"omega": 8.0}, "robot": {"friction": 0.3}}}, "robot.friction"),
        ({"maximise": "speed"}, "maximise"),
        ({"seed": 1}, "seed"),
        ({"over": ("gait.psi", "gait.phi0=100:120")}, "over"),
    ],
)
def test_the_study_of_another_tuning_is_refused(tmp_path, change, said):
    trials(make_plan(request(budget=1)), tmp_path / "a.sqlite")
    with pytest.raises(UserError, match=said):
        open_tuning(make_plan(request(**change)), tmp_path / "a.sqlite")


def test_the_default_file_is_the_same_for_the_same_tuning_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plan = make_plan(request())
    assert study_path(plan, "") == study_path(make_plan(request(budget=99)), "")
    assert study_path(plan, "") != study_path(make_plan(request(seed=1)), "")
    assert study_path(plan, "").name.startswith("three_link_harmonic_model_step_gait-psi_gait-phi0_")


def test_the_gait_that_has_the_parameter_is_chosen():
    plan = make_plan(request(over=("gait.alpha",)))
    assert plan.case.gait_name == "time_scaled"
    assert "the only one of three_link that has gait.alpha" in plan.note
    assert make_plan(request(over=("gait.psi",))).note == ""


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"over": ("gait.alpha",), "gait": "harmonic"}, "give the gait time_scaled"),
        ({"over": ("gait.alfa",)}, "there is no parameter 'gait.alfa'"),
        ({"over": ("gait.omega=1:9",)}, "varied and set"),
        ({"maximise": "stap"}, "did you mean 'step'"),
        ({"maximise": "worst_step", "friction_set": "korners"}, "did you mean 'corners'"),
        ({"maximise": "worst_step", "spread": 1.5}, "spread"),
        ({"budget": 0}, "budget of 0"),
        ({"budget": 10**6}, "budget"),
        ({"seed": -1}, "seed"),
        ({"backend": "modle"}, "did you mean 'model'"),
        ({"settings": {"backend": {"rate": 100.0}}}, "has no use for 'backend' settings"),
        ({"settings": {"gait": {"omega": 800.0}}}, "gait.omega = 800"),
    ],
)
def test_what_cannot_be_tuned_is_refused_with_a_sentence(change, said):
    with pytest.raises(UserError, match=said):
        make_plan(request(**change))


@pytest.mark.exhaustive  # a tuning goes on where it stopped in every run
def test_a_search_for_a_shape_goes_on_where_it_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr("crawler_studies.three_link.shape_search.FIRST_PART_GAITS", 700)
    monkeypatch.setattr("crawler_studies.three_link.shape_search.PART_GAITS", 330)
    case = make_plan(request(gait="fourier", over=("gait.servo_lag",))).case

    def search(name, stop_at=math.inf):
        judged = 0

        def progress(gaits, _worst):
            nonlocal judged
            judged = gaits

        job = ShapeSearch.of(case, DEFAULT_SPREAD, 1030, 0)
        with job.open(tmp_path / name) as study:
            job.run(study, progress, lambda: judged >= stop_at)
            return study.finished()

    whole = search("whole.sqlite")
    assert [row[1] for row in whole] == [700, 330]
    assert whole[1][2] >= whole[0][2] > 0.0
    assert len(search("parts.sqlite", stop_at=760)) == 1  # in the middle of the second part
    assert search("parts.sqlite") == whole
