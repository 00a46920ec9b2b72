"""The robot stays safe when a part of the stack dies or misbehaves. Real processes are killed."""

import os
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest
from crawler_interfaces.msg import ControllerState
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState
from stack_helpers import (
    DEADLINE_S,
    LOW_RATE_HZ,
    engine_parameters,
    is_alive,
    lockstep_settings,
    wait_for,
    wait_until_held,
)
from std_srvs.srv import SetBool, Trigger

from crawler_bringup.stack.options import Options
from crawler_nodes.topics import Topic
from crawler_testing.fixtures.running_stack import RunningStack


class Crawl:
    """A stack with all of its messages, in lockstep unless its backend runs in real time."""

    def __init__(self, backend="model", moving=True, robot="three_link", settings=None):
        self.moving = moving  # wait until the robot moves
        self.states, self.commands, self.controller, self.diagnostics = [], [], [], []
        topics = [
            (Topic("joint_states", JointState), self.keep(self.states, JointState)),
            (Topic("joint_commands", JointState), self.keep(self.commands, JointState)),
            (Topic("controller_state", ControllerState), self.keep(self.controller, ControllerState)),
            (Topic("diagnostics", DiagnosticArray), self.keep(self.diagnostics, DiagnosticArray)),
        ]
        settings = lockstep_settings(1.0, rate=LOW_RATE_HZ) if settings is None else settings
        self.stack = RunningStack(Options(robot=robot, backend=backend, settings=settings), topics)

    @staticmethod
    def keep(kept, kind):
        return lambda data, _info: kept.append(deserialize_message(data, kind))

    def __enter__(self):
        self.stack.__enter__()
        try:
            self.wait_until_held(lambda: not self.moving or self.moved() > 0.02)
        except BaseException:
            self.stack.__exit__()
            raise
        return self

    def __exit__(self, *error):
        self.stack.__exit__(*error)

    def wait_until_held(self, condition):
        wait_until_held(self.stack, condition)

    def moved(self):
        return np.ptp([state.position[0] for state in self.states]) if self.states else 0.0

    def motion(self):
        return self.stack.log.status.backend.get("motion", "")

    def kill(self, name):
        self.stack.expected_to_end.add(name)
        child = self.stack.processes.children[name]
        child.send_signal(signal.SIGKILL)
        child.wait()

    def standing_still(self, since, seconds=0.3):
        """Return True if no joint moved in the last `seconds` of the states after number `since`."""
        latest = [
            state.position for state in self.states[max(since, len(self.states) - round(LOW_RATE_HZ * seconds)) :]
        ]
        return len(latest) >= round(LOW_RATE_HZ * seconds) and np.ptp(latest, axis=0).max() < 1e-6

    def steps(self, since):
        """Return the largest joint step between two states after number `since`."""
        return np.abs(np.diff([state.position for state in self.states[since:]], axis=0)).max()

    def call(self, kind, name, **fields):
        return self.stack.call(kind, name, kind.Request(**fields))

    def has_reported(self, text):
        return any(
            text in status.message or any(text in entry.value for entry in status.values)
            for message in self.diagnostics
            for status in message.status
        )


def test_without_the_gait_node_the_controller_stops_at_the_end_of_the_horizon():
    with Crawl(settings=lockstep_settings(1.0, reference_timeout=1.0, rate=LOW_RATE_HZ)) as crawl:
        since = len(crawl.states)
        crawl.kill("gait")
        crawl.wait_until_held(lambda: crawl.controller and crawl.controller[-1].status == ControllerState.STOPPED)
        crawl.wait_until_held(lambda: crawl.standing_still(since))
        assert crawl.motion() == "active"  # the controller holds; nothing had to be cut off
        assert crawl.steps(since) < 12.0 / LOW_RATE_HZ * 1.01
        crawl.wait_until_held(lambda: crawl.has_reported("reference ran out"))


def test_without_the_controller_the_backend_holds_then_relaxes():
    settings = lockstep_settings(1.0, rate=LOW_RATE_HZ)
    settings["backend"]["lockstep_timeout"] = 1.0
    with Crawl(settings=settings) as crawl:
        crawl.kill("controller")
        crawl.wait_until_held(lambda: crawl.has_reported("holding"))
        crawl.wait_until_held(lambda: crawl.motion() == "relaxed")
        crawl.wait_until_held(lambda: crawl.has_reported("commands stopped coming"))


BAD = [
    (["joint_1", "joint_2"], [float("nan"), 1.9], "not a finite number"),
    (["joint_1", "elbow"], [1.9, 1.9], "elbow"),
    (["joint_1", "joint_2"], [9.0, 1.9], "outside"),
    (["joint_1", "joint_2"], [2.9, 1.0], "faster than"),
]


@pytest.mark.parametrize("engine", engine_parameters())
def test_bad_commands_are_refused_or_clamped_and_reported(engine):
    """Commands come from the test, which has killed the controller and uses its name."""
    slow = 20.0  # Hz: diagnostics come every half second of the robot's time, which is few answers then
    with Crawl(engine, settings=lockstep_settings(1.0, rate=slow)) as crawl:
        out = crawl.stack.node.create_publisher(JointState, "joint_commands", 10)
        crawl.wait_until_held(lambda: out.get_subscription_count() > 0)
        crawl.wait_until_held(lambda: crawl.commands)
        name = crawl.commands[0].header.frame_id  # another sender is ignored for long
        crawl.kill("controller")

        def answer(names, position):
            now = crawl.states[-1].header.stamp
            message = JointState(name=names, position=position, velocity=[0.0] * len(names))
            message.header.stamp, message.header.frame_id = now, name
            out.publish(message)
            crawl.wait_until_held(lambda: crawl.states[-1].header.stamp != now or crawl.has_reported("elbow"))

        for names, position, words in BAD:

            def reported(names=names, position=position, words=words):
                answer(names, position)
                return crawl.has_reported(words)

            crawl.wait_until_held(reported)
        assert crawl.motion() == "active"
        positions = np.array([state.position for state in crawl.states])
        assert np.isfinite(positions).all()
        # what is applied is in force exactly; 1e-5 rad is what the solver of the physics may leave of it
        assert positions.max() <= np.radians(172.0) + 1e-5
        assert crawl.steps(0) <= 12.0 / slow + 2e-5


@pytest.mark.parametrize("engine", engine_parameters())
def test_the_emergency_stop_latches(engine):
    with Crawl(engine) as crawl:
        assert crawl.call(Trigger, "backend/estop").success
        crawl.wait_until_held(lambda: crawl.motion() == "e-stopped")
        refused = crawl.call(SetBool, "backend/enable", data=True)
        assert not refused.success
        assert "reset" in refused.message
        assert crawl.call(Trigger, "backend/reset").success
        crawl.wait_until_held(lambda: crawl.motion() == "disabled")
        assert crawl.call(SetBool, "backend/enable", data=True).success
        crawl.wait_until_held(lambda: crawl.motion() == "active")


@pytest.mark.parametrize(
    ("fail", "words"),
    [
        ("dead_joint", "joint_2 does not follow"),
        ("raise", "remedy"),
        # that these faults are found and named is the supervisor's, whose own tests show it in every run
        pytest.param("no_angle", "joint_2", marks=pytest.mark.exhaustive),
        pytest.param("frozen", "nothing new", marks=pytest.mark.exhaustive),
    ],
)
def test_a_failing_robot_is_made_safe_and_the_fault_is_named(holding_robot, fail, words):
    failing = {"backend": {"fail": fail, "fail_after": 0.5, "fail_joint": "joint_2"}}
    with Crawl("mock", moving=False, robot=holding_robot, settings=failing) as crawl:
        crawl.wait_until_held(lambda: crawl.motion() == "faulted")
        if words != "remedy":
            crawl.wait_until_held(lambda: crawl.has_reported(words))
        assert crawl.stack.log.status.backend["remedy"]


def run(crawler, *arguments, **more):
    return subprocess.Popen(
        [*crawler, "run", "--duration", "0", "--no-picture", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **more,
    )


def child_pids(pid):
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True)
    return [int(word) for word in listed.stdout.split()]


# by SIGTERM a run with motors ends in every run of the tests
@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.exhaustive), signal.SIGKILL]
)
def test_ending_the_run_ends_every_process(long_timeouts, crawler, tmp_path, number):
    process = run(crawler, "--out", str(tmp_path / "run"))
    log = tmp_path / "run" / "logs" / "controller.log"
    wait_for(lambda: log.exists() and "tracking" in log.read_text())
    nodes = child_pids(process.pid)
    assert len(nodes) == 3
    os.kill(process.pid, number)
    _, errors = process.communicate(timeout=DEADLINE_S)
    wait_for(lambda: not any(is_alive(pid) for pid in nodes))
    assert "Traceback" not in errors
    for file in (tmp_path / "run" / "logs").glob("*.log"):
        assert "Traceback" not in file.read_text(), file.name
    # Ctrl-C is the normal end of an endless run; SIGTERM is not
    assert process.returncode == {signal.SIGINT: 0, signal.SIGTERM: 143, signal.SIGKILL: -9}[number]


def test_a_node_that_dies_ends_the_run_with_its_last_words(crawler, tmp_path):
    process = run(crawler, "--out", str(tmp_path / "run"), "--json")
    log = tmp_path / "run" / "logs" / "controller.log"
    wait_for(lambda: log.exists() and "tracking" in log.read_text())
    names = {pid: Path(f"/proc/{pid}/cmdline").read_text() for pid in child_pids(process.pid)}
    os.kill(next(pid for pid, line in names.items() if "gait_node" in line), signal.SIGKILL)
    _, errors = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 1
    assert "the node 'gait' ended with exit code -9" in errors
