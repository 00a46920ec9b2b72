"""MinIAQ on a running stack: it walks in lockstep under its law, follows cmd_vel, and stops in every way."""

import math
import signal
from typing import Any

import numpy as np
import pytest
from crawler_interfaces.msg import ControllerState
from geometry_msgs.msg import Twist
from stack_helpers import DEADLINE_S, lockstep_settings
from std_srvs.srv import SetBool, Trigger
from transcript import Transcript, assert_equal_to_the_bit, lockstep_run

from crawler_bringup.stack.options import Options
from crawler_bringup.stack.stack import make_stack
from crawler_core.errors import UserError
from crawler_core.loop.supervised_backend import SupervisedBackend
from crawler_core.robot.robot_file import load_robot
from crawler_nodes.messages.header import stamp_ns
from crawler_nodes.run_log.stride_metrics import measure
from crawler_studies.simulation.control_loop import ControlLoop
from crawler_testing.fixtures.running_stack import RunningStack
from gait_generators.kinds.gait_registry import make_gait
from hybrid_controller.laws.law_registry import LAWS, law_parameters
from hybrid_controller.laws.phase_lock import phase_differences
from sim_bridge.mock.mock_backend import MockBackend, MockSettings
from sim_bridge.model_backend import ModelBackend, ModelSettings
from sim_bridge.physics.engines import default_physics

SECONDS = 2.5
SETTLED = 1.2  # s from which strides are compared: the legs have found their phases by then
RATE = 500.0
PHYSICS = default_physics()
SPEC = load_robot("miniaq")
TROT: Any = make_gait(SPEC, "trot", {})


def running_stack(transcript: Transcript, backend: str, settings: dict[str, Any]) -> RunningStack:
    return RunningStack(Options(robot="miniaq", backend=backend, settings=settings), transcript.topics())


def record_run(backend: str, seconds: float) -> tuple[Transcript, RunningStack]:
    transcript, stack = lockstep_run(Options(robot="miniaq", backend=backend), seconds)
    assert stack.description.nodes[0].parameters["rate"] == RATE
    return transcript, stack


@pytest.fixture(scope="module")
def runs() -> dict[str, tuple[Transcript, RunningStack]]:
    return {backend: record_run(backend, SECONDS) for backend in ("model", PHYSICS)}


def cranks(transcript: Transcript, what: str, latest: int = 0) -> Any:
    messages = transcript.messages("joint_states", latest)
    return np.array([getattr(message, what) for message in messages])[:, SPEC.actuated_indices]


@pytest.mark.parametrize("backend", ["model", PHYSICS])
def test_it_trots_as_its_equations_say_with_its_coarse_encoders(runs, backend):
    _, stack = runs[backend]
    found = measure(stack.log, TROT.period, SETTLED)
    assert found is not None
    # the equations' cranks turn evenly; those of the stack ripple by 7 % between the encoders' edges
    assert found.speed == pytest.approx(0.121, rel=0.08)
    assert stack.log.status.backend["late_ticks"] == stack.log.status.backend["clamped"] == "0"
    assert stack.log.status.warnings.get("controller", "") == ""


@pytest.mark.parametrize("backend", ["model", PHYSICS])
def test_the_legs_keep_in_step_at_the_gaits_speed(runs, backend):
    transcript, _ = runs[backend]
    angles = cranks(transcript, "position")[round(SETTLED * RATE) :]
    apart = np.degrees([phase_differences(row) for row in angles - TROT.start])
    assert np.abs(apart).max() < 8.0  # the paper's controller keeps 20
    whole = round(3 * TROT.period * RATE)
    rates = (angles[whole] - angles[0]) / (3 * TROT.period)
    assert rates == pytest.approx(TROT.rate, rel=0.01)
    assert transcript.messages("controller_state", 1)[0].branch == "in_step"


@pytest.mark.exhaustive  # its runs with sensors are compared in every run
def test_two_runs_with_the_law_in_force_are_equal_to_the_bit(runs):
    """The shorter one is the beginning of the longer."""
    long, (short, stack) = runs[PHYSICS][0], record_run(PHYSICS, 1.0)
    assert_equal_to_the_bit(long, short, stack, 1.0)


def test_studies_without_ros_equal_the_stack_to_the_bit(runs):
    dt = 1.0 / RATE
    backend = ModelBackend(SPEC, ModelSettings(), dt)
    law = LAWS["phase_lock"].build(SPEC, law_parameters(SPEC, "phase_lock", {}), dt)
    loop = ControlLoop(
        SPEC, make_gait(SPEC, None, {}), law, SupervisedBackend.start(SPEC, backend, dt), round(1e9 * dt)
    )
    states = {stamp_ns(message.header.stamp): message for message in runs["model"][0].messages("joint_states")}
    for _ in range(800):
        seen = loop.tick()
        assert states[seen.time_ns].position.tolist() == seen.position.tolist()
    backend.close()


def test_passive_joints_and_a_yawing_body_are_in_tf(runs):
    transcript, _ = runs["model"]
    rotations: dict[str, list[list[float]]] = {}
    for message in transcript.messages("/tf"):
        for entry in message.transforms:
            q = entry.transform.rotation
            rotations.setdefault(entry.child_frame_id, []).append([q.w, q.x, q.y, q.z])
    for leg in ("fl", "fr", "hl", "hr"):
        for bar in ("crank", "coupler", "rocker"):
            assert np.ptp(rotations[f"{bar}_{leg}_link"], axis=0).max() > 0.05


def yaw_of(transcript: Transcript) -> float:
    q = transcript.messages("ground_truth/odom", 1)[0].pose.pose.orientation
    return 2.0 * math.atan2(q.z, q.w)


@pytest.mark.exhaustive  # another robot is driven in every run
def test_cmd_vel_turns_it_in_place_and_silence_stops_it():
    transcript = Transcript()
    with running_stack(transcript, "model", lockstep_settings(1.0)) as stack:
        driver = stack.node.create_publisher(Twist, "cmd_vel", 10)
        twist = Twist()
        twist.angular.z = 1.5

        def saying(condition):
            def held():
                driver.publish(twist)
                return condition()

            return held

        def in_place():
            rates = (
                cranks(transcript, "velocity", 200).mean(axis=0)
                if len(transcript.raw["joint_states"]) > 300
                else np.zeros(4)
            )
            return (rates[[0, 2]] < -5.0).all() and (rates[[1, 3]] > 5.0).all()

        stack.wait_until(saying(in_place), DEADLINE_S)
        assert in_place()
        before = yaw_of(transcript)
        stack.wait_until(saying(lambda: yaw_of(transcript) - before > 0.3), DEADLINE_S)
        assert yaw_of(transcript) - before > 0.3  # to the left
        stack.wait_until(lambda: "no cmd_vel for 0.5 s" in stack.log.status.warnings.get("gait", ""), DEADLINE_S)

        def still():  # but for a tremble at an edge of the encoders, which is all that they see
            return np.degrees(np.ptp(cranks(transcript, "position", 200), axis=0)).max() < 3.0

        stack.wait_until(still, DEADLINE_S)
        assert still()
        assert stack.log.status.backend["motion"] == "active"


@pytest.mark.exhaustive  # other robots stop so in every run, and the tests of the law restart it
def test_the_emergency_stop_takes_the_torque_off_and_it_walks_on_in_step_after_reset_and_enable():
    transcript = Transcript()
    with running_stack(transcript, "model", lockstep_settings(1.0)) as stack:
        stack.wait_until(lambda: len(transcript.raw["joint_states"]) > 300, DEADLINE_S)
        assert stack.call(Trigger, "backend/estop", Trigger.Request()).success
        stack.wait_until(lambda: stack.log.status.backend.get("motion") == "e-stopped", DEADLINE_S)
        # states of before the stop may still be on their way when the diagnostics have come
        stack.wait_until(lambda: not transcript.efforts(20).any(), DEADLINE_S)
        # the robot's weight turns the cranks on until it has sunk
        stack.wait_until(lambda: np.abs(cranks(transcript, "velocity", 100)).max() < 1.0, DEADLINE_S)
        assert np.abs(cranks(transcript, "velocity", 100)).max() < 1.0
        assert not transcript.efforts(20).any()
        assert not stack.call(SetBool, "backend/enable", SetBool.Request(data=True)).success
        assert stack.call(Trigger, "backend/reset", Trigger.Request()).success
        assert stack.call(SetBool, "backend/enable", SetBool.Request(data=True)).success

        def walks():
            angles = cranks(transcript, "position", 100)
            apart = np.degrees([phase_differences(row) for row in angles - TROT.start])
            turned = (angles[-1] - angles[0]) * RATE / (len(angles) - 1)
            return np.abs(apart).max() < 15.0 and (np.abs(turned / TROT.rate - 1.0) < 0.2).all()

        stack.wait_until(walks, DEADLINE_S)
        assert walks()


@pytest.mark.exhaustive  # any law's cranks are: the running leg's are in every run
def test_without_the_gait_node_the_cranks_are_braked():
    transcript = Transcript()
    with running_stack(transcript, "model", lockstep_settings(1.0, reference_timeout=1.0)) as stack:
        stack.wait_until(lambda: len(transcript.raw["joint_states"]) > 300, DEADLINE_S)
        assert cranks(transcript, "velocity", 1).min() > 5.0
        stack.expected_to_end.add("gait")
        child = stack.processes.children["gait"]
        child.send_signal(signal.SIGKILL)
        child.wait()

        def braked():
            return (
                stack.log.status.backend.get("motion") == "active"
                and np.abs(cranks(transcript, "velocity", 50)).max() < 0.5
            )

        stack.wait_until(braked, DEADLINE_S)
        assert braked()
        assert np.isnan(transcript.messages("joint_commands", 1)[0].effort).all()
        assert transcript.messages("controller_state", 1)[0].status == ControllerState.STOPPED


class Clocked(MockBackend):
    """Mock motors whose time goes with the ticks alone: they are as quick as a tick, so none may be late."""

    def __init__(self, dt: float) -> None:
        self.now = 0  # ns
        own = {name: value for name, value in SPEC.section("backends")["mock"].items() if name != "rate"}
        super().__init__(SPEC, MockSettings(**own), dt, clock=lambda: self.now)

    def advance(self, dt: float) -> None:
        self.now += round(1e9 * dt)


def test_on_mock_motors_the_legs_turn_in_step():
    dt = 1.0 / SPEC.section("backends")["mock"]["rate"]
    law = LAWS["phase_lock"].build(SPEC, law_parameters(SPEC, "phase_lock", {}), dt)
    backend = SupervisedBackend.start(SPEC, Clocked(dt), dt)
    loop = ControlLoop(SPEC, make_gait(SPEC, None, {}), law, backend, round(1e9 * dt))
    seen = [loop.tick() for _ in range(round((SETTLED + TROT.period) / dt))][-round(TROT.period / dt) - 1 :]
    angles = np.array([one.position[SPEC.actuated_indices] for one in seen])
    rates = (angles[-1] - angles[0]) / (dt * (len(seen) - 1))
    apart = [phase_differences(row) for row in angles - TROT.start]
    assert rates == pytest.approx(TROT.rate, rel=0.01)
    assert np.degrees(np.abs(apart)).max() < 8.0  # as under the robot's weight


def test_on_mock_motors_nothing_is_known_of_the_feet():
    transcript = Transcript()
    with running_stack(transcript, "mock", {}) as stack:
        stack.wait_until(lambda: transcript.raw["contact_states"] and transcript.raw["joint_commands"], DEADLINE_S)
        assert transcript.raw["joint_commands"]
        assert not any(contact.mode for contact in transcript.messages("contact_states", 1)[0].contacts)


def test_its_runs_in_simulated_time_wait_for_the_law_and_other_laws_are_refused():
    def backend(name, **transcript):
        return make_stack(Options(robot="miniaq", backend=name, settings=transcript)).nodes[0].parameters

    for name in ("model", "pybullet", "mujoco"):
        assert (backend(name)["rate"], backend(name)["lockstep"]) == (RATE, True)
        assert backend(name)["real_time_factor"] == 1.0
    assert backend("mock")["rate"] == 250.0
    with pytest.raises(UserError, match="drives crank_fl, crank_fr, crank_hl, crank_hr by effort"):
        make_stack(Options(robot="miniaq", controller="joint_tracking"))
    with pytest.raises(UserError, match=r"gait.frequency = 0 Hz is too slow: it must be at least 0.05 Hz"):
        make_stack(Options(robot="miniaq", settings={"gait": {"frequency": 0.0}}))
