"""Gait analysis: the same numbers from a run and from its recording, and a sentence for what is no recording."""

import csv
from pathlib import Path

import numpy as np
import pytest
from recordings import Recorder

from crawler_core.errors import UserError
from crawler_core.robot.robot_file import load_robot
from crawler_core.robot.robot_spec import StrideSpec
from crawler_core.types import Contact, ContactMode, ContactSource
from crawler_studies.evaluators.model_evaluator import ModelEvaluator
from crawler_studies.gait_analysis.analysis import analyse_recording, analyse_run, default_backend
from crawler_studies.gait_analysis.gait_phase import find_gait_start
from crawler_studies.recordings.footsteps import Footsteps
from crawler_studies.recordings.recording import Reference, read_recording
from crawler_studies.simulation.robot import start_loop
from crawler_studies.study.study_case import StudyCase
from sim_bridge.physics.engines import default_physics

WALKER = StudyCase("miniaq", "trot", {"controller": {"encoder_counts": 0}})
SECONDS, SKIP = 3.6, 2.0  # four cycles after two seconds
LATE = 7_000_000_000  # ns on the ring's clock when the recording begins


def of_late(seen):
    """The same state on a clock that began earlier."""
    return seen.__class__(
        seen.time_ns + LATE, seen.position, seen.velocity, seen.effort, base=seen.base, contacts=seen.contacts
    )


@pytest.fixture(scope="module")
def seen():
    """Every state of a run by the equations."""
    with start_loop(WALKER, "model", {}) as loop:
        return list(loop.run(round(SECONDS * 1e9 / loop.dt_ns)))


@pytest.fixture(scope="module")
def analysis():
    return analyse_run(WALKER, "model", {}, SECONDS, SKIP)


def record(path, seen, told=None, follow=None, **contacts):
    spec, gait = WALKER.at({})
    start = LATE * 1e-9
    follow = follow or (lambda t: gait.sample(t - start).position)
    with Recorder(path) as recorder:
        recorder.about(
            **({"robot_name": "miniaq", "gait_name": "trot", "backend_name": "model"} if told is None else told)
        )
        for k, one in enumerate(map(of_late, seen)):
            recorder.contacts(one, **contacts)
            if k % 5 == 0:
                recorder.odometry(one)
            if k % 25 == 0:
                recorder.reference(one.time_ns, spec.actuated_names, follow)
    return path


def test_a_recording_says_the_same_as_the_run_itself(tmp_path, seen, analysis):
    found = analyse_recording(record(tmp_path / "bag", seen), "", "", {}, SKIP)
    assert (found.robot, found.gait, found.source, found.notes) == ("miniaq", "trot", "model", ())
    told, own = found.report.numbers(), analysis.report.numbers()
    assert told["cycles"] == own["cycles"] == 4
    for key in ("feet_down", "mismatch", "drag_share", "speed_m_s"):  # odometry comes every fifth tick
        assert told[key] == pytest.approx(own[key], rel=2e-3), key
    assert told["nearest_gait"] == own["nearest_gait"]
    for foot, numbers in analysis.report.foot_numbers().items():
        assert found.report.foot_numbers()[foot] == pytest.approx(numbers, rel=5e-3, abs=1e-6, nan_ok=True)


def test_a_trotting_robot_drags_its_hind_feet(analysis):
    """As the robot's paper says: three feet are down nearly always, and the hind ones are pushed back for long."""
    numbers, feet = analysis.report.numbers(), analysis.report.foot_numbers()
    assert sum(numbers["share_with_feet_down"][3:]) > 0.85
    assert feet["foot_hl"]["duty"] > 1.5 * feet["foot_fl"]["duty"]
    assert feet["foot_hl"]["backward_time_share"] > 4.0 * feet["foot_fl"]["backward_time_share"]
    assert feet["foot_fl"]["meant_duty"] == pytest.approx(0.5)
    # what goes on steadily is pushed forward as much as backward
    assert numbers["drag_share"] == pytest.approx(0.5, abs=0.01)


def test_a_crawl_without_meaning_is_as_long_as_the_equations_say():
    case = StudyCase("three_link", settings={"gait": {"omega": 8.0}})
    report = analyse_run(case, "model", {}, 4.0, 2.0).report
    (told,) = ModelEvaluator(case).evaluate([{}])
    numbers = report.numbers()
    assert numbers["step_length_m"] == pytest.approx(told.step_length, rel=5e-3)
    assert numbers["share_with_feet_down"] == pytest.approx([0.0, 0.0, 1.0])
    assert np.isnan(numbers["mismatch"])
    assert numbers["nearest_gait"] is None
    assert numbers["drag_share"] == pytest.approx(0.5, abs=1e-3)


def test_the_equations_are_asked_where_there_are_some():
    assert default_backend(load_robot("three_link")) == "model"
    assert (
        default_backend(load_robot(str(Path(__file__).parents[2] / "crawler_core/test/robots/gymnast/robot.yaml")))
        == default_physics()
    )


def test_picture_and_tables_are_written(tmp_path, analysis):
    files = analysis.report.save(tmp_path)
    assert [file.name for file in files] == ["gait.png", "feet.csv", "cycle.csv", "run.csv"]
    assert files[0].stat().st_size > 10_000
    with files[1].open() as stream:
        feet = {row["foot"]: float(row["duty"]) for row in csv.DictReader(stream)}
    assert feet == pytest.approx({foot: own["duty"] for foot, own in analysis.report.foot_numbers().items()})
    cycle = np.genfromtxt(files[2], delimiter=",", names=True)
    assert cycle["foot_hl_down"].mean() == pytest.approx(feet["foot_hl"], abs=0.01)
    run = np.genfromtxt(files[3], delimiter=",", names=True)
    assert run["time_s"][-1] == pytest.approx(SECONDS)
    assert run["foot_fl_meant"].mean() == pytest.approx(0.5, abs=0.01)


def test_a_recorded_reference_that_is_not_the_gaits_leaves_nothing_meant(tmp_path, seen):
    _, gait = WALKER.at({"gait.frequency": 2.6})
    path = record(tmp_path / "bag", seen, follow=lambda t: gait.sample(t).position)
    found = analyse_recording(path, "", "", {}, SKIP)
    assert np.isnan(found.report.numbers()["mismatch"])
    (note,) = found.notes
    assert "the intended contacts are unknown" in note
    known = analyse_recording(path, "", "", {"gait": {"frequency": 2.6}}, SKIP)  # whoever knows may say so
    assert known.notes == ()


def test_who_recorded_it_elsewhere_says_robot_and_gait(tmp_path, seen):
    path = record(tmp_path / "bag", seen, told={})
    with pytest.raises(UserError, match="does not name its robot: give --robot"):
        analyse_recording(path, "", "", {}, SKIP)
    assert analyse_recording(path, "miniaq", "trot", {}, SKIP).report.numbers()["cycles"] == 4
    with pytest.raises(UserError, match=r"has other feet \(foot_fl, .*\) than three_link"):
        analyse_recording(path, "three_link", "", {}, SKIP)
    with pytest.raises(UserError, match=r"no whole cycle of the gait after its first 3\.5 s"):
        analyse_recording(path, "miniaq", "trot", {}, 3.5)


def test_a_recording_of_a_robot_with_other_numbers_is_taken_with_these(tmp_path, seen):
    told = {"robot_name": "miniaq", "gait_name": "trot", "gait": {"frequency": 5.0, "rate": 3.0}}
    path = record(tmp_path / "bag", seen, told={**told, "robot_parameters": {"mass": 0.05}})
    found = analyse_recording(path, "", "", {}, SKIP)
    assert found.report.numbers()["period_s"] == pytest.approx(0.2)  # what is the node's is left aside
    with pytest.raises(UserError, match=r"robot\.mass = 50"):
        analyse_recording(
            record(tmp_path / "heavy", seen, told={**told, "robot_parameters": {"mass": 50}}), "", "", {}, SKIP
        )
    elsewhere = record(tmp_path / "elsewhere", seen, told={**told, "robot_name": "stubby"})
    with pytest.raises(UserError, match=r"a robot 'stubby', which is not installed: give its robot\.yaml"):
        analyse_recording(elsewhere, "", "", {}, SKIP)


def test_feet_of_which_nothing_is_known_are_no_feet(tmp_path, seen):
    path = record(tmp_path / "bag", seen[:50], known=False)
    with pytest.raises(UserError, match="the feet cannot be analysed"):
        analyse_recording(path, "", "", {}, 0.0)


def test_what_a_stranger_has_said_meanwhile_is_left_out(tmp_path, seen):
    joints = WALKER.at({})[0].actuated_names
    with Recorder(tmp_path / "bag") as recorder:
        recorder.about(robot_name="miniaq")
        recorder.contacts(seen[0])
        recorder.reference(seen[0].time_ns, joints, lambda _t: np.full(len(joints), 0.5))
        recorder.reference(seen[0].time_ns, joints, lambda _t: np.full(len(joints), 9.0), more=b"garbage.")
        recorder.reference(seen[0].time_ns, (*joints[1:], "elbow"), lambda _t: np.full(len(joints), 9.0))
        recorder.reference(seen[0].time_ns, joints, lambda _t: np.full(3, 9.0))
    followed = read_recording(tmp_path / "bag").reference
    assert followed.joints == joints
    assert (followed.position == 0.5).all()


def test_what_is_no_recording_is_one_sentence(tmp_path, seen):
    whole = record(tmp_path / "bag", seen[:100])
    (data,) = whole.glob("*.mcap")
    broken = tmp_path / "broken.mcap"

    def said(content):
        broken.write_bytes(content)
        with pytest.raises(UserError) as refused:
            read_recording(broken)
        return str(refused.value)

    assert "no MCAP file" in said(b"hello\n" * 100)
    assert "no MCAP file" in said(b"")
    with pytest.raises(UserError, match="there is no file"):
        read_recording(tmp_path / "nowhere.mcap")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="there is no recording in"):
        read_recording(tmp_path / "empty")
    with Recorder(tmp_path / "other") as recorder:
        recorder.text("/chatter", "hello")
    with pytest.raises(UserError, match="holds no contact_states"):
        read_recording(tmp_path / "other")
    assert read_recording(data).robot == "miniaq"


def test_two_robots_in_one_recording_are_refused(tmp_path, seen):
    with Recorder(tmp_path / "bag") as recorder:
        recorder.contacts(seen[0], topic="/one/contact_states")
        recorder.contacts(seen[0], topic="/two/contact_states")
    with pytest.raises(UserError, match=r"several ContactStateArray \(/one/contact_states, /two/contact_states\)"):
        read_recording(tmp_path / "bag")


@pytest.mark.parametrize("turn", [0.0, 0.3])
def test_the_phase_of_a_gait_is_found_in_its_reference(turn):
    spec, gait = WALKER.at({"gait.turn": turn})
    times = np.arange(0.0, 4.0, 0.01)
    start = 0.0 if turn else 0.137  # sides at different paces come together at the start alone
    reference = Reference(tuple(reversed(spec.actuated_names)), times, gait.sample(times - start).position[:, ::-1])
    assert find_gait_start(spec, gait, reference, 1.0) == pytest.approx(start, abs=1e-6)


def test_forward_is_along_the_heading_of_a_robot_that_turned():
    times, modes = np.arange(3.0), np.full((3, 1), ContactMode.STICK)
    forces = np.tile([0.0, 2.0, 5.0], (3, 1, 1))
    steps = Footsteps.from_contacts(
        ("foot",), times, modes, forces, np.zeros((3, 2)), np.array([0.0, 0.5 * np.pi, -0.5 * np.pi])
    )
    assert steps.forward[:, 0] == pytest.approx([0.0, 2.0, -2.0])
    with pytest.raises(UserError, match="3 samples in 2 s are less than one in each cycle"):
        steps.cycle_ends(StrideSpec(), 1e-9, 0.0)  # whose ends would take 16 GB


def test_an_open_foot_is_up_and_one_that_slides_is_down(seen):
    spec = load_robot("miniaq")
    modes = (ContactMode.OPEN, ContactMode.STICK, ContactMode.SLIP_POS, ContactMode.SLIP_NEG)
    contacts = tuple(
        Contact(foot, mode, ContactSource.SIMULATED, (1.0, 0.0, 1.0), (0.0,) * 3)
        for foot, mode in zip(spec.foot_names, modes, strict=True)
    )
    one = seen[0].__class__(0, seen[0].position, seen[0].velocity, seen[0].effort, seen[0].base, contacts)
    assert Footsteps.of(spec, [one, one]).down[0].tolist() == [False, True, True, True]
