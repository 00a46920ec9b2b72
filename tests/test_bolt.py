"""BOLT on a running stack: it runs in lockstep with its law, and stops in every way that other robots do."""

import math
import signal
from functools import cache
from typing import Any

import numpy as np
import pytest
import yaml
from crawler_interfaces.msg import ControllerState
from stack_helpers import DEADLINE_S, engine_parameters, lockstep_settings
from std_srvs.srv import SetBool, Trigger
from transcript import Transcript, assert_equal_to_the_bit, lockstep_run

from crawler_bringup.stack.options import Options
from crawler_bringup.stack.stack import make_stack
from crawler_core.errors import UserError
from crawler_core.loop.supervised_backend import SupervisedBackend
from crawler_core.robot.robot_file import load_robot, robots_directory
from crawler_models.bolt.equations.leg import Leg
from crawler_models.bolt.equations.six_bar import passive_angles
from crawler_nodes.messages.header import stamp_ns
from crawler_nodes.run_log.stride_metrics import measure
from crawler_studies.simulation.control_loop import ControlLoop
from crawler_testing.fixtures.running_stack import RunningStack
from gait_generators.kinds.gait_registry import make_gait
from hybrid_controller.laws.law_registry import LAWS, law_name, law_parameters
from sim_bridge.model_backend import ModelBackend, ModelSettings
from sim_bridge.physics.engines import installed_engines

SECONDS = 2.4
SETTLED_S = 1.2  # from which on strides are compared
THROWN = yaml.safe_load((robots_directory() / "bolt" / "thrown_start.yaml").read_text())  # for short runs


def running_stack(transcript: Transcript, backend: str, settings: dict[str, Any]) -> RunningStack:
    return RunningStack(Options(robot="bolt", backend=backend, settings=settings), transcript.topics())


def record_run(backend: str, seconds: float) -> tuple[Transcript, RunningStack]:
    transcript, stack = lockstep_run(Options(robot="bolt", backend=backend, settings=THROWN), seconds)
    assert stack.description.nodes[0].parameters["rate"] == 1000.0
    return transcript, stack


@cache
def run_on(backend: str) -> tuple[Transcript, RunningStack]:
    return record_run(backend, SECONDS)


# in physics it starts from rest in every run, and runs under its law without ROS
each_simulation = pytest.mark.parametrize(
    "backend", ["model", *(pytest.param(name, marks=pytest.mark.exhaustive) for name in installed_engines())]
)


@each_simulation
def test_it_runs_as_predicted_in_the_model_and_in_physics(backend):
    spec = load_robot("bolt", THROWN["robot"])
    law = LAWS[law_name(spec, None)]
    assert law.prediction is not None
    own = law_parameters(spec, law_name(spec, None), THROWN["controller"])
    expected = law.prediction.of(spec, make_gait(spec, None, {}), own)
    assert expected["valid"], expected["reason"]
    _, stack = run_on(backend)
    within = 0.02 if backend == "model" else 0.05
    found = measure(stack.log, stack.description.gait.period, SETTLED_S)
    assert found is not None
    assert found.cycles >= 2
    assert found.period == pytest.approx(expected["period_s"], rel=within)
    assert found.speed == pytest.approx(expected["speed_m_s"], rel=within)
    shares = {branch for _, branch in stack.log.branches}
    assert {"flight", "stance"} <= shares
    assert stack.log.status.backend["late_ticks"] == stack.log.status.backend["clamped"] == "0"


@each_simulation
def test_the_effort_is_the_cranks_alone_within_its_torque_and_power(backend):
    transcript, _ = run_on(backend)
    crank = load_robot("bolt").actuated[0]
    states = {stamp_ns(message.header.stamp): message for message in transcript.messages("joint_states")}
    commands = transcript.messages("joint_commands")
    assert commands[0].name == ["crank"]
    pairs = [(states[stamp_ns(c.header.stamp)].velocity[0], c.effort[0]) for c in commands]
    rate, effort = np.array(pairs).T
    assert np.isfinite(effort).all()
    assert 10.0 < np.abs(effort).max() <= crank.effort
    assert np.abs(effort * rate).max() <= crank.power * (1.0 + 1e-9)
    assert rate.max() < 0.0  # it never turns backward


@each_simulation
def test_passive_joints_move_in_states_and_in_tf(backend):
    transcript, _ = run_on(backend)
    spec = load_robot("bolt")
    states = transcript.messages("joint_states")
    assert states[0].name == list(spec.joint_names)
    position = np.array([state.position for state in states])
    closed = passive_angles(Leg.from_parameters(spec.parameters), position[:, 0])
    apart = np.angle(np.exp(1j * (position[:, 1:] - closed)))
    assert np.abs(apart).max() < 1e-3  # rad: under the landing's force the engine's pins give way by some um
    rotations: dict[str, list[list[float]]] = {}
    for message in transcript.messages("/tf"):
        for entry in message.transforms:
            q = entry.transform.rotation
            rotations.setdefault(entry.child_frame_id, []).append([q.w, q.x, q.y, q.z])
    for link in ("crank_link", "hfe_link", "kfe_link", "femur_link", "tibia_link"):
        assert np.ptp(rotations[link], axis=0).max() > 0.05, link


@pytest.mark.exhaustive  # of a law that reacts to events the gymnast shows it in every run
@pytest.mark.parametrize("backend", engine_parameters())
def test_two_runs_with_the_law_in_force_are_equal_to_the_bit(backend):
    """The shorter one is the beginning of the longer."""
    long, (short, stack) = run_on(backend)[0], record_run(backend, 1.0)
    assert_equal_to_the_bit(long, short, stack, 1.0)


def test_studies_without_ros_equal_the_stack_to_the_bit():
    spec, dt = load_robot("bolt", THROWN["robot"]), 1e-3
    backend = ModelBackend(spec, ModelSettings(), dt)
    law = LAWS["running"].build(spec, law_parameters(spec, "running", THROWN["controller"]), dt)
    loop = ControlLoop(
        spec, make_gait(spec, None, {}), law, SupervisedBackend.start(spec, backend, dt), round(1e9 * dt)
    )
    states = {stamp_ns(message.header.stamp): message for message in run_on("model")[0].messages("joint_states")}
    for _ in range(1500):
        seen = loop.tick()
        assert states[seen.time_ns].position.tolist() == seen.position.tolist()
    backend.close()


def effort_of(transcript: Transcript, latest: int) -> Any:
    return np.nan_to_num([message.effort[0] for message in transcript.messages("joint_states", latest)])


def rate_of(transcript: Transcript, latest: int) -> Any:
    return np.array([message.velocity[0] for message in transcript.messages("joint_states", latest)])


def test_without_the_gait_node_the_crank_is_braked():
    transcript = Transcript()
    with running_stack(transcript, "model", lockstep_settings(1.0, reference_timeout=1.0)) as stack:
        stack.wait_until(
            lambda: len(transcript.raw["joint_states"]) > 300 and rate_of(transcript, 1)[0] < -5.0, DEADLINE_S
        )
        assert rate_of(transcript, 1)[0] < -5.0
        stack.expected_to_end.add("gait")
        child = stack.processes.children["gait"]
        child.send_signal(signal.SIGKILL)
        child.wait()

        def braked():
            return stack.log.status.backend.get("motion") == "active" and np.abs(rate_of(transcript, 100)).max() < 2.0

        stack.wait_until(braked, DEADLINE_S)
        assert braked()
        assert math.isnan(transcript.messages("joint_commands", 1)[0].effort[0])
        assert transcript.messages("controller_state", 1)[0].status == ControllerState.STOPPED


def test_the_emergency_stop_takes_the_torque_off_until_reset_and_enable():
    transcript = Transcript()
    with running_stack(transcript, "model", lockstep_settings(1.0)) as stack:
        stack.wait_until(lambda: len(transcript.raw["joint_states"]) > 300, DEADLINE_S)
        assert stack.call(Trigger, "backend/estop", Trigger.Request()).success
        stack.wait_until(lambda: stack.log.status.backend.get("motion") == "e-stopped", DEADLINE_S)
        # states of before the stop may still be on their way when the diagnostics have come
        stack.wait_until(lambda: not effort_of(transcript, 20).any(), DEADLINE_S)
        since = len(transcript.raw["joint_states"])
        stack.wait_until(lambda: len(transcript.raw["joint_states"]) > since + 20, DEADLINE_S)
        assert not effort_of(transcript, 20).any()
        assert not stack.call(SetBool, "backend/enable", SetBool.Request(data=True)).success
        assert stack.call(Trigger, "backend/reset", Trigger.Request()).success
        assert stack.call(SetBool, "backend/enable", SetBool.Request(data=True)).success

        def pushes():
            return stack.log.status.backend["motion"] == "active" and np.abs(effort_of(transcript, 20)).min() > 0.0

        stack.wait_until(pushes, DEADLINE_S)
        assert pushes()


@pytest.mark.exhaustive  # without its gait it is braked in every run
def test_without_the_controller_the_crank_is_braked_and_then_relaxed():
    transcript = Transcript()
    with running_stack(transcript, "model", {"backend": {"lockstep": False, "rate": 250.0}}) as stack:
        stack.wait_until(lambda: len(transcript.raw["joint_states"]) > 50, DEADLINE_S)
        stack.expected_to_end.add("controller")
        child = stack.processes.children["controller"]
        child.send_signal(signal.SIGKILL)
        child.wait()
        stack.wait_until(lambda: stack.log.status.backend.get("motion") == "relaxed", DEADLINE_S)
        stack.wait_until(lambda: not effort_of(transcript, 5).any(), DEADLINE_S)
        assert stack.log.status.backend["motion"] == "relaxed"
        assert not effort_of(transcript, 5).any()


@pytest.mark.exhaustive  # the conformance suite asks mock servos in every run
def test_mock_servos_report_the_foot_as_unknown():
    transcript = Transcript()
    with running_stack(transcript, "mock", {}) as stack:
        stack.wait_until(
            lambda: "nothing is known of the contact" in stack.log.status.warnings.get("controller", ""), DEADLINE_S
        )
        assert "nothing is known of the contact of foot" in stack.log.status.warnings["controller"]
        assert np.isfinite([message.position for message in transcript.messages("joint_states")]).all()


@pytest.mark.exhaustive  # the drivers' tests run it without a stack every time
def test_it_hops_on_its_emulated_motor_with_the_same_law():
    transcript = Transcript()
    with RunningStack(Options(robot="bolt", backend="hardware", emulate=True), transcript.topics()) as stack:
        stack.wait_until(lambda: stack.log.base.distance > 0.5, DEADLINE_S)  # from rest
        assert stack.log.base.distance > 0.5
        assert len(stack.log.strides.events) >= 3  # landings
        assert stack.log.status.warnings.get("controller", "") == ""


def test_simulated_time_waits_for_the_law_and_motors_tick_slower():
    def backend(name, emulate=False, **transcript):
        return make_stack(Options(robot="bolt", backend=name, emulate=emulate, settings=transcript)).nodes[0].parameters

    for name in ("model", "pybullet", "mujoco"):
        assert (backend(name)["rate"], backend(name)["lockstep"]) == (1000.0, True)
        assert backend(name)["real_time_factor"] == 1.0
        assert backend(name, backend={"lockstep": True})["real_time_factor"] == 0.0  # as for any robot
    for name, emulate in (("hardware", False), ("hardware", True), ("mock", False)):
        assert backend(name, emulate)["rate"] == 250.0
        assert backend(name, emulate).get("lockstep", False) == emulate
    with pytest.raises(UserError, match="drives crank by effort"):
        make_stack(Options(robot="bolt", controller="joint_tracking"))
