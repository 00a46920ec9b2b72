"""What the stack decides for both front doors: pace, end, contradictions, and the gaits that cannot be."""

import pytest
import yaml

from crawler_bringup.stack.backend_flag import BackendFlag, apply_flags
from crawler_bringup.stack.backend_registry import BACKENDS
from crawler_bringup.stack.options import Options
from crawler_bringup.stack.settings import merge, parse_assignments
from crawler_bringup.stack.stack import make_stack
from crawler_core.errors import UserError
from crawler_core.robot.robot_file import robot_names, robots_directory


def backend(options):
    """The parameters of the backend's node."""
    return next(node for node in make_stack(options).nodes if node.name == "backend").parameters


def settings(**values):
    return {"backend": values}


def test_lockstep_goes_as_fast_as_it_can_unless_a_pace_is_given():
    unpaced = Options(backend="model", settings=settings(lockstep=True))
    paced = Options(backend="model", settings=settings(lockstep=True, real_time_factor=2.0))
    assert backend(unpaced)["real_time_factor"] == 0.0
    assert backend(paced)["real_time_factor"] == 2.0
    assert "real_time_factor" not in backend(Options(backend="model"))


@pytest.mark.parametrize("name", ["mock", "hardware", "emulated"])
def test_lockstep_is_for_simulations(name):
    with pytest.raises(UserError, match="time passes by itself"):
        make_stack(Options(backend=name, settings=settings(lockstep=True)))


def test_the_time_of_a_simulation_stands_still_at_the_end_and_that_of_motors_cannot():
    assert backend(Options(backend="model", duration=7.0))["stop_at"] == 7.0
    assert backend(Options(backend="mock", duration=7.0))["stop_at"] == 7.0
    assert "stop_at" not in backend(Options(backend="model"))


def test_a_run_without_a_duration_lasts_five_periods_or_twenty_seconds():
    fast = make_stack(Options(duration=None, settings={"gait": {"omega": 8.0}}))
    slow = make_stack(Options(duration=None, settings={"gait": {"omega": 0.5}}))
    assert fast.duration == 20.0
    assert slow.duration == pytest.approx(5.0 * slow.gait.period)
    assert make_stack(Options(duration=None, settings=settings(stop_at=3.0))).duration == 3.0


def test_two_ends_of_a_run_contradict_each_other():
    with pytest.raises(UserError, match=r"--duration 5 contradicts backend\.stop_at = 3"):
        make_stack(Options(duration=5.0, settings=settings(stop_at=3.0)))


@pytest.mark.parametrize("name", list(BACKENDS))
def test_a_gait_that_the_equations_rule_out_is_refused_whatever_moves(name):
    with pytest.raises(UserError, match="the equations do not hold for this gait: Foot"):
        make_stack(Options(backend=name, settings={"gait": {"omega": 40.0, "amplitude": 10.0}}))


def test_pretended_motors_are_for_backends_that_have_motors():
    stack = make_stack(Options(backend="hardware", emulate=True))
    assert stack.nodes[0].executable == "emulated_backend"
    with pytest.raises(UserError, match="the backend model has none"):
        make_stack(Options(backend="model", emulate=True))


LOCKSTEP = BackendFlag("lockstep:=true", "lockstep", True)


def test_a_flag_stands_over_a_file_and_contradicts_what_was_assigned():
    file = {"backend": {"lockstep": False}}
    assert apply_flags(file, "model", [LOCKSTEP], "set:=", [])["backend"] == {"lockstep": True}
    words = ["backend.lockstep=false"]
    said = merge(file, parse_assignments(words))
    with pytest.raises(UserError, match=r"lockstep:=true contradicts set:=backend\.lockstep=False: give one of them"):
        apply_flags(said, "model", [LOCKSTEP], "set:=", words)


def test_a_flag_that_says_what_was_assigned_is_no_contradiction():
    words = ["backend.lockstep=true"]
    assert apply_flags(parse_assignments(words), "model", [LOCKSTEP], "set:=", words) == {"backend": {"lockstep": True}}


def test_a_flag_that_means_nothing_to_the_backend_is_refused():
    window = BackendFlag("--gui", "gui", True, about="PyBullet's window")
    with pytest.raises(UserError, match="--gui is about PyBullet's window: the backend model has none"):
        apply_flags({}, "model", [window], "--set ", [])


@pytest.mark.parametrize("word", ["omega=8", "gait.omega", "gait.=8"])
def test_an_assignment_names_section_and_parameter(word):
    with pytest.raises(UserError, match=r"write section\.name=value"):
        parse_assignments([word])


def test_the_whole_ring_ticks_as_the_robot_file_wants_unless_the_user_says_otherwise(tmp_path):
    def rates(robot, **backend):
        nodes = make_stack(Options(robot=robot, settings=settings(**backend))).nodes
        return {node.parameters["rate"] for node in nodes}

    document = yaml.safe_load((robots_directory() / "three_link/robot.yaml").read_text())
    document.update(name="hasty", rate=500, backends={**document.get("backends", {}), "mock": {"rate": 125}})
    file = tmp_path / "robot.yaml"
    file.write_text(yaml.safe_dump(document))
    (tmp_path / "hasty.urdf.xacro").write_text((robots_directory() / "three_link/three_link.urdf.xacro").read_text())
    assert rates("three_link") == {200.0}
    assert rates(str(file)) == {500.0}
    assert rates(str(file), rate=50.0) == {50.0}
    mock = make_stack(Options(robot=str(file), backend="mock"))
    assert {node.parameters["rate"] for node in mock.nodes} == {125.0}


def test_a_robot_that_waits_for_its_law_has_a_pace_of_its_own_unless_the_user_says_lockstep(tmp_path):
    document = yaml.safe_load((robots_directory() / "three_link/robot.yaml").read_text())
    document.update(name="patient", backends={"model": {"lockstep": True, "real_time_factor": 0.5}})
    file = tmp_path / "robot.yaml"
    file.write_text(yaml.safe_dump(document))

    def said(**given):
        told = backend(Options(robot=str(file), backend="model", settings=settings(**given)))
        return told["lockstep"], told["real_time_factor"]

    assert said() == (True, 0.5)
    assert said(lockstep=True) == (True, 0.0)
    assert said(lockstep=True, real_time_factor=2.0) == (True, 2.0)
    assert said(lockstep=False) == (False, 0.5)
    document["backends"]["model"].pop("real_time_factor")
    file.write_text(yaml.safe_dump(document))
    assert said() == (True, 0.0)
    told = backend(Options(robot=str(file), backend="model", settings=settings(lockstep=False)))
    assert (told["lockstep"], told.get("real_time_factor")) == (False, None)  # the backend's own


@pytest.mark.parametrize("name", ["model", "pybullet", "mock"])
@pytest.mark.parametrize("robot", robot_names())
def test_every_robot_has_a_ring_on_every_backend_that_needs_no_motors(robot, name):
    stack = make_stack(Options(robot=robot, backend=name))
    assert {node.executable for node in stack.nodes} == {f"{name}_backend", "gait_node", "controller_node"}
    rates = {node.parameters["rate"] for node in stack.nodes}
    assert len(rates) == 1
    waits = {node.name: node.parameters.get("lockstep", False) for node in stack.nodes}
    assert waits["backend"] == waits["controller"]
