"""The choices of the stack: pace, end, contradictions, and gaits that are ruled out."""

import shutil
from typing import Any

import pytest
import yaml

from crawler_bringup.stack.backend_flag import BackendFlag, apply_flags
from crawler_bringup.stack.backend_registry import BACKENDS
from crawler_bringup.stack.options import Options
from crawler_bringup.stack.settings import merge, parse_assignments
from crawler_bringup.stack.stack import make_stack
from crawler_core.errors import UserError
from crawler_core.loop.backend_settings import BackendSettings
from crawler_core.parameters import describe
from crawler_core.robot.robot_file import robot_names, robots_directory
from crawler_view.markers.markers_node import MarkersSettings
from crawler_view.server.view_settings import ViewSettings
from gait_generators.kinds.gait_registry import GAITS
from gait_generators.node.gait_settings import GaitSettings
from hybrid_controller.laws.law_registry import LAWS
from hybrid_controller.node.controller_settings import ControllerSettings


def backend(options):
    """Return the parameters of the backend node."""
    return next(node for node in make_stack(options).nodes if node.name == "backend").parameters


def settings(**values):
    return {"backend": values}


def test_lockstep_goes_as_fast_as_it_can_unless_a_pace_is_given():
    unpaced = Options(backend="model", settings=settings(lockstep=True))
    paced = Options(backend="model", settings=settings(lockstep=True, real_time_factor=2.0))
    assert backend(unpaced)["real_time_factor"] == 0.0
    assert backend(paced)["real_time_factor"] == 2.0
    assert "real_time_factor" not in backend(Options(backend="model"))


@pytest.mark.parametrize("name", ["mock", "hardware"])
def test_lockstep_is_for_simulations(name):
    with pytest.raises(UserError, match="time passes by itself"):
        make_stack(Options(backend=name, settings=settings(lockstep=True)))


def test_emulated_motors_run_in_lockstep_with_the_time_of_their_simulation():
    options = Options(backend="hardware", emulate=True, settings=settings(lockstep=True), record="x")
    assert (backend(options)["lockstep"], backend(options)["real_time_factor"]) == (True, 0.0)
    nodes = {node.name: node.parameters for node in make_stack(options).nodes}
    assert nodes["recorder"]["simulated"] is True
    assert nodes["gait"]["use_sim_time"] is True


def test_the_backend_ends_the_run():
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
def test_a_gait_that_the_equations_rule_out_is_rejected_on_every_backend(name):
    with pytest.raises(UserError, match="the equations do not hold for this gait: Foot"):
        make_stack(Options(backend=name, settings={"gait": {"omega": 40.0, "amplitude": 10.0}}))


def test_emulated_motors_are_for_backends_with_motors():
    stack = make_stack(Options(backend="hardware", emulate=True))
    assert stack.nodes[0].executable == "emulated_backend"
    with pytest.raises(UserError, match="the backend model has none"):
        make_stack(Options(backend="model", emulate=True))


LOCKSTEP = BackendFlag("lockstep:=true", "lockstep", True)


@pytest.mark.parametrize("joints", ["commanded", "measured"])
def test_a_law_that_does_not_hold_with_the_motors_of_a_run_is_refused(joints):
    fast = {"gait": {"omega": 8.0}, "controller": {"joints": joints, "k_p": 80.0}}
    motors = Options(backend="hardware", emulate=True, controller="hybrid", settings=fast)
    with pytest.raises(UserError, match=r"servos of 60 rad/s with 4 ms of delay at 200 Hz"):
        make_stack(motors)
    assert make_stack(Options(backend="model", controller="hybrid", settings=fast)).note == ""


def test_a_law_near_its_limits_is_noted():
    near: dict[str, dict[str, Any]] = {
        "gait": {"omega": 8.0},
        "controller": {"joints": "measured", "servo_bandwidth": 100.0},
    }
    assert "phase margin of 11 degrees" in make_stack(Options(backend="model", controller="hybrid", settings=near)).note


def test_a_flag_overrides_a_file_and_contradicts_an_assignment():
    file = {"backend": {"lockstep": False}}
    assert apply_flags(file, "model", [LOCKSTEP], "set:=", [])["backend"] == {"lockstep": True}
    words = ["backend.lockstep=false"]
    both = merge(file, parse_assignments(words))
    with pytest.raises(UserError, match=r"lockstep:=true contradicts set:=backend\.lockstep=False: give one of them"):
        apply_flags(both, "model", [LOCKSTEP], "set:=", words)


def test_a_flag_that_equals_an_assignment_is_no_contradiction():
    words = ["backend.lockstep=true"]
    assert apply_flags(parse_assignments(words), "model", [LOCKSTEP], "set:=", words) == {"backend": {"lockstep": True}}


def test_a_flag_that_the_backend_lacks_is_rejected():
    window = BackendFlag("--gui", "gui", True, about="PyBullet's window")
    with pytest.raises(UserError, match="--gui is about PyBullet's window: the backend model has none"):
        apply_flags({}, "model", [window], "--set ", [])


@pytest.mark.parametrize("word", ["omega=8", "gait.omega", "gait.=8"])
def test_an_assignment_names_section_and_parameter(word):
    with pytest.raises(UserError, match=r"write section\.name=value"):
        parse_assignments([word])


def test_all_nodes_have_the_rate_of_the_robot_file_unless_the_user_gives_one(tmp_path):
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


def test_lockstep_of_the_robot_file_keeps_its_pace_and_that_of_the_user_is_unpaced(tmp_path):
    document = yaml.safe_load((robots_directory() / "three_link/robot.yaml").read_text())
    document.update(name="patient", backends={"model": {"lockstep": True, "real_time_factor": 0.5}})
    file = tmp_path / "robot.yaml"
    file.write_text(yaml.safe_dump(document))
    shutil.copy(robots_directory() / "three_link/three_link.urdf.xacro", tmp_path / "patient.urdf.xacro")

    def pace(**given):
        parameters = backend(Options(robot=str(file), backend="model", settings=settings(**given)))
        return parameters["lockstep"], parameters["real_time_factor"]

    assert pace() == (True, 0.5)
    assert pace(lockstep=True) == (True, 0.0)
    assert pace(lockstep=True, real_time_factor=2.0) == (True, 2.0)
    assert pace(lockstep=False) == (False, 0.5)
    document["backends"]["model"].pop("real_time_factor")
    file.write_text(yaml.safe_dump(document))
    assert pace() == (True, 0.0)
    own = backend(Options(robot=str(file), backend="model", settings=settings(lockstep=False)))
    assert (own["lockstep"], own.get("real_time_factor")) == (False, None)  # the backend's own


@pytest.mark.parametrize("name", ["model", "pybullet", "mock"])
@pytest.mark.parametrize("robot", robot_names())
def test_every_robot_has_a_stack_on_every_backend_without_motors(robot, name):
    stack = make_stack(Options(robot=robot, backend=name))
    assert {node.executable for node in stack.nodes} == {f"{name}_backend", "gait_node", "controller_node"}
    rates = {node.parameters["rate"] for node in stack.nodes}
    assert len(rates) == 1
    waits = {node.name: node.parameters.get("lockstep", False) for node in stack.nodes}
    assert waits["backend"] == waits["controller"]


def test_every_number_that_is_a_ros_parameter_has_a_range():
    classes = {BackendSettings, GaitSettings, ControllerSettings, ViewSettings, MarkersSettings}
    classes |= {entry.settings for entry in BACKENDS.values()}
    classes |= {entry.parameters for table in (GAITS, LAWS) for entry in table.values()}
    infos = [info for cls in classes for info in describe(cls) if info.type in (int, float)]
    assert [info.name for info in infos if info.lower is None or info.upper is None] == []


@pytest.mark.parametrize(
    ("controller", "gait", "names", "readers"),
    [
        ("none", "none", ["backend", "recorder"], 1),
        ("none", "", ["backend", "gait", "recorder"], 2),
        ("", "none", ["backend", "controller", "recorder"], 2),
    ],
)
def test_a_node_of_the_users_own_takes_the_place_of_controller_and_gait(controller, gait, names, readers):
    stack = make_stack(Options(controller=controller, gait=gait, backend="mock", record="x", duration=None))
    assert [node.name for node in stack.nodes] == names
    parameters = stack.nodes[0].parameters
    assert (parameters["readers"], parameters["command_mode"]) == (readers, "open" if controller else "answers")
    assert ("controller" in names, "gait" in names) == (stack.has_controller, stack.has_gait)
    assert [topic.name for topic in stack.single_publisher_topics][1:] == [
        {"controller": "joint_commands", "gait": "gait_reference"}[name] for name in names[1:-1][::-1]
    ]
    assert stack.duration == 0.0
    assert stack.prediction.numbers is None


def test_settings_of_nodes_that_are_not_started_are_refused():
    for section, values in {"gait": {"omega": 2.0}, "controller": {"reference_timeout": 2.0}}.items():
        with pytest.raises(UserError, match=f"{section}.{next(iter(values))} is set, but no {section} node is started"):
            make_stack(Options(controller="none", gait="none", backend="mock", settings={section: values}))
    with pytest.raises(UserError, match="command_mode = open is not allowed here"):
        make_stack(Options(backend="mock", settings=settings(command_mode="open")))
