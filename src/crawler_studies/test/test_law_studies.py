"""Studies of a robot under its law: its parameters vary, its prediction counts, and physics has it in the loop."""

import math
from pathlib import Path

import pytest
import yaml

from crawler_core.errors import UserError
from crawler_core.loop.supervised_backend import SupervisedBackend
from crawler_core.robot.robot_file import load_robot
from crawler_studies.evaluators import physics_evaluator
from crawler_studies.evaluators.evaluator import Result
from crawler_studies.evaluators.model_evaluator import ModelEvaluator
from crawler_studies.evaluators.physics_columns import PHYSICS_COLUMNS
from crawler_studies.evaluators.physics_evaluator import PhysicsEvaluator
from crawler_studies.simulation.control_loop import ControlLoop
from crawler_studies.study.study_case import StudyCase, extra_columns
from crawler_studies.study.study_file import differences
from crawler_studies.study.study_identity import study_identity
from crawler_studies.sweep.plan import make_plan as make_sweep
from crawler_studies.tuning.objective import make_objective
from crawler_studies.tuning.plan import TuningRequest, make_plan
from crawler_studies.tuning.report import report_tuning
from crawler_studies.tuning.tuning_loop import open_tuning, tune
from sim_bridge.model_backend import ModelBackend, ModelSettings

LEG = StudyCase("bolt")
# in its run from the start on
RUNNING_LEG = StudyCase("bolt", settings=yaml.safe_load((LEG.spec.directory / "thrown_start.yaml").read_text()))
STIFF = "controller.stiffness"
LIMP = {STIFF: 0.0, "controller.damping": 0.0}


def test_the_parameters_of_the_law_may_vary_with_the_robots_own_values_for_defaults():
    own = load_robot("bolt").section("controller")["running"]
    assert LEG.law_name == "running"
    assert LEG.infos[STIFF].default == own["stiffness"]
    assert LEG.law_at({STIFF: 300.0}).stiffness == 300.0
    assert LEG.law_at({STIFF: 300.0}).damping == own["damping"]
    fixed = StudyCase("bolt", settings={"controller": {"damping": 9.0}})
    assert fixed.law_at({}).damping == 9.0
    with pytest.raises(UserError, match=r"did you mean 'controller\.stiffness'"):
        LEG.info("controller.stifness")


def test_a_law_without_parameters_leaves_a_study_what_it_was():
    plain = study_identity(StudyCase("three_link"), ())
    assert "law" not in plain
    assert "law.name" not in plain
    assert not [name for name in StudyCase("three_link").infos if name.startswith("controller.")]


def test_another_law_or_another_of_its_values_makes_another_study():
    def apart(first, second, varied=()):
        return differences(study_identity(first, varied), study_identity(second, varied))

    other = StudyCase("bolt", settings={"controller": {"stiffness": 300.0}})
    (said,) = apart(LEG, other)
    assert said.startswith("law.stiffness is ")
    assert apart(LEG, other, (STIFF,)) == []
    assert any(said.startswith("law.name") for said in apart(LEG, StudyCase("bolt", law="effort_tracking")))
    assert study_identity(LEG, ())["robot_file"]["rate"] == 1000


def test_the_model_predicts_with_the_laws_parameters_and_keeps_the_robots_columns():
    runs, limp = ModelEvaluator(RUNNING_LEG).evaluate([{}, LIMP])
    assert runs.valid, runs.reason
    assert runs.speed > 0.9
    assert runs.extra.keys() == extra_columns(RUNNING_LEG.spec).keys()
    assert 0.0 < runs.extra["friction_used"] <= RUNNING_LEG.spec.parameters["friction"] * (1.0 + 1e-6)
    assert 0.0 < runs.extra["friction_needed"] < 0.5 * RUNNING_LEG.spec.parameters["friction"]
    assert not limp.valid
    assert limp.reason.endswith(".")


def test_the_loop_without_ros_runs_as_the_equations_predict():
    spec, dt = RUNNING_LEG.spec, 1e-3
    law = RUNNING_LEG.law_entry.build(spec, RUNNING_LEG.law_at({}), dt)
    backend = ModelBackend(spec, ModelSettings(), dt)
    loop = ControlLoop(spec, RUNNING_LEG.at({})[1], law, SupervisedBackend.start(spec, backend, dt), round(1e9 * dt))
    marks = {}
    for _ in range(4000):
        seen = loop.tick()
        assert seen.base is not None
        marks[round(seen.time_ns * 1e-9, 3)] = seen.base.position[0]
    backend.close()
    (told,) = ModelEvaluator(RUNNING_LEG).evaluate([{}])
    strides = round(1.5 / (told.step_length / told.speed))
    span = strides * told.step_length / told.speed
    assert (marks[4.0] - marks[round(4.0 - span, 3)]) / span == pytest.approx(told.speed, rel=0.01)


def test_physics_has_the_law_in_the_loop_and_measures_what_the_model_predicts(monkeypatch):
    monkeypatch.setattr(
        physics_evaluator, "EVENT_BLOCK_TIME_S", 1.0
    )  # s: quicker, and steady enough for what is compared
    monkeypatch.setattr(physics_evaluator, "RELATIVE_TOLERANCE", 0.01)
    point = {"controller.flight_torque": 29.0}
    physics = PhysicsEvaluator.of(
        RUNNING_LEG, {"physics_rate": 4000.0}
    )  # half of the robot's own: quicker, and 3 % slower
    (found,), (told,) = physics.evaluate([point]), ModelEvaluator(RUNNING_LEG).evaluate([point])
    assert told.valid, told.reason
    assert found.valid, found.reason
    assert found.speed == pytest.approx(told.speed, rel=0.05)
    assert found.step_length / found.speed == pytest.approx(told.step_length / told.speed, rel=0.05)
    assert found.extra.keys() == extra_columns(RUNNING_LEG.spec).keys() & PHYSICS_COLUMNS.keys()
    for name in ("peak_power_W", "peak_torque_N_m", "peak_force_N", "energy_per_stride_J", "cost_of_transport"):
        assert found.extra[name] == pytest.approx(told.extra[name], rel=0.1), name
    assert found.extra["friction_used"] <= RUNNING_LEG.spec.parameters["friction"] * 1.01
    assert found.extra["slip_per_stride_m"] < 5e-4


@pytest.mark.exhaustive  # it takes physics long to find out; the equations say so in every run
def test_what_does_not_run_is_a_result_with_a_sentence_in_physics_too():
    (found,) = PhysicsEvaluator.of(LEG, {"physics_rate": 1000.0}).evaluate(
        [{"controller.flight_torque": 0.0, STIFF: 0.0}]
    )
    assert not found.valid
    assert math.isnan(found.step_length)
    assert "touch_down" in found.reason or "settle" in found.reason


class Curve:
    """An evaluator whose every number is known."""

    backend = "model"

    def evaluate(self, points):
        return [
            Result(0.3, 1.0, valid=True, extra={"cost_of_transport": 2.0 + (p[STIFF] / 100.0 - 4.2) ** 2})
            for p in points
        ]


def tuning(**changes):
    words = {"robot": "bolt", "over": (f"{STIFF}=200:600",), "budget": 18}
    return TuningRequest(**{**words, **changes})


@pytest.mark.parametrize("least", [True, False])
def test_any_number_that_studies_keep_of_the_robot_can_be_the_aim(tmp_path: Path, least: bool):
    aim = {"minimise": "cost_of_transport"} if least else {"maximise": "cost_of_transport"}
    plan = make_plan(tuning(**aim))
    object.__setattr__(plan, "evaluator", Curve())
    with open_tuning(plan, tmp_path / "a.sqlite") as study:
        standing = tune(plan, study)
    assert standing.best is not None
    assert standing.best.point[STIFF] == pytest.approx(420.0 if least else 200.0, abs=8.0)
    values = [trial.value for trial in standing.trials]
    assert standing.best.value == (min(values) if least else max(values)) > 0.0
    told = report_tuning(plan, standing, tmp_path / "a.sqlite")
    assert told["objective"] == ("least_cost_of_transport" if least else "cost_of_transport")
    assert f"--set {STIFF}=" in told["command"]
    assert (tmp_path / "a.png").stat().st_size > 10_000


def test_an_aim_is_part_of_the_study_and_the_other_way_is_another():
    def said(**aim):
        return {
            key: value for key, value in make_plan(tuning(**aim)).identity.items() if key in ("maximise", "minimise")
        }

    assert said() == {"maximise": "step"}
    assert said(minimise="peak_power_W") == {"minimise": "peak_power_W"}


def test_a_number_that_is_not_known_is_no_value():
    objective = make_objective("floquet", LEG, "asymmetric", minimised=True)
    value, reason = objective.value(Curve(), {STIFF: 300.0}, lambda: False)
    assert math.isnan(value)
    assert reason == "floquet is not known on model."


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"minimise": "cost_of_transprot"}, "did you mean 'cost_of_transport'"),
        ({"robot": "three_link", "over": ("gait.psi",), "maximise": "cost_of_transport"}, "there is no objective"),
        ({"robot": "three_link", "over": ("gait.psi",), "minimise": "worst_step"}, "worst_step cannot be minimised"),
        ({"over": ("controller.stifness=1:2",)}, r"did you mean 'controller\.stiffness'"),
        ({"settings": {"controller": {"stiffness": -1}}}, r"controller\.stiffness = -1"),
        ({"settings": {"controller": {"stiffness": 300.0}}}, "varied and set"),
        ({"law": "hybrid"}, "drives crank by effort"),
    ],
)
def test_what_cannot_be_an_aim_or_vary_is_refused_with_a_sentence(change, said):
    with pytest.raises(UserError, match=said):
        make_plan(tuning(**change))


def test_a_sweep_varies_the_laws_parameters():
    plan = make_sweep("bolt", "", "model", {"controller": {"damping": 14.0}}, [f"{STIFF}=380:440:4"])
    assert plan.grid.points([0]) == [{STIFF: 380.0}]
    assert plan.identity["law"]["damping"] == 14.0
    assert "stiffness" not in plan.identity["law"]
    assert make_sweep("three_link", "", "model", {}, ["controller.k_v=5:20:3"], "hybrid").case.law_name == "hybrid"
