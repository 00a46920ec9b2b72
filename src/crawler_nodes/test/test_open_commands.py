"""Commands of a user's own nodes, with ordinary messages, to a backend without a controller."""

import runpy
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import rclpy
from builtin_interfaces.msg import Duration, Time
from ideal_joints import HOME, PATIENT, IdealBackend, IdealSettings, RealTime
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy, qos_profile_sensor_data
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, Header
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from crawler_core.errors import UserError
from crawler_nodes.backend_node.node import BackendNode, autostart
from crawler_nodes.messages.joint_message import JointMessage
from crawler_nodes.messages.open_command_readers import OpenCommandReaders
from crawler_nodes.rejection_log import QUIET_S, RejectionLog
from crawler_nodes.transport.command_source_arbiter import PublisherSequences

NAMES = ["joint_1", "joint_2"]
EXAMPLES = Path(__file__).parents[3] / "examples"
BEST_EFFORT = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)


class OpenBench:
    """A backend node without a controller, its warnings, and a user's node."""

    def __init__(self, graph):
        self.graph, self.spin_until = graph, graph.spin_until
        self.user = graph.add(partial(Node, "my_node"))
        self.states, self.warnings = [], []
        self.user.create_subscription(JointState, "joint_states", self.states.append, qos_profile_sensor_data)
        self.node = None

    def start(self, backend=IdealBackend, **parameters):
        if parameters.get("lockstep"):
            parameters.setdefault("real_time_factor", 0.0)
        parameters = {**PATIENT, "command_mode": "open", **parameters}
        self.node = self.graph.add(partial(BackendNode, backend, IdealSettings), **parameters)
        self.node._log = SimpleNamespace(warn=self.warnings.append)
        autostart(self.node)
        self.spin_until(lambda: self.states)
        return self.node

    def publisher(self, kind, topic, qos=10, node=None):
        made = (node or self.user).create_publisher(kind, topic, qos)
        self.spin_until(made.get_subscription_count)
        return made

    @property
    def position(self):
        return np.array(self.states[-1].position)

    @property
    def motion(self):
        return self.node.supervised.supervisor.motion.value

    def command_until(self, publish, condition):
        """Publish once for each state, as the stack in lockstep waits for it, until a condition holds."""
        answered = -1

        def is_done():
            nonlocal answered
            self.node.run_due()
            if len(self.states) != answered:
                answered = len(self.states)
                publish()
            return condition()

        self.spin_until(is_done)

    def call(self, kind, name, **fields):
        return self.graph.call(self.user, kind, f"backend/{name}", kind.Request(**fields))


@pytest.fixture
def bench(graph):
    bench = OpenBench(graph)
    yield bench
    if bench.node is not None:
        bench.node.shut_down_safely()


@pytest.mark.parametrize(("qos", "stamp"), [(10, "none"), (BEST_EFFORT, "wall clock"), (10, "state")])
def test_an_ordinary_joint_state_moves_the_joints_it_names(bench, qos, stamp):
    bench.start(lockstep=True, rate=20.0)
    commands = bench.publisher(JointState, "joint_commands", qos)

    def publish():
        header = {
            "none": Header(),
            "wall clock": Header(stamp=bench.user.get_clock().now().to_msg(), frame_id="base_link"),
            "state": bench.states[-1].header,
        }[stamp]
        commands.publish(JointState(header=header, name=["joint_2"], position=[HOME[1] + 0.1]))

    bench.command_until(publish, lambda: bench.position[1] == HOME[1] + 0.1)
    assert bench.position[0] == HOME[0]
    assert bench.warnings == []


def test_a_trajectory_goes_on_alone_and_holds_and_an_array_moves_the_joints_in_the_robots_order(bench):
    node = bench.start(lockstep=True, rate=20.0)
    target = list(HOME + [0.05, -0.05])
    points = [JointTrajectoryPoint(positions=[target[1]], velocities=[0.0], time_from_start=Duration(sec=1))]
    trajectories = bench.publisher(JointTrajectory, "joint_trajectory")
    trajectories.publish(JointTrajectory(joint_names=["joint_2"], points=points))
    bench.spin_until(lambda: node.run_due() or bench.position[1] == target[1])
    assert node.ticks == pytest.approx(20, abs=1)
    assert bench.position[0] == HOME[0]
    assert bench.motion == "active"
    arrays = bench.publisher(Float64MultiArray, "commands")
    bench.command_until(lambda: arrays.publish(Float64MultiArray(data=target)), lambda: list(bench.position) == target)
    assert bench.warnings == []


def test_after_an_emergency_stop_an_earlier_trajectory_does_not_go_on(bench):
    node = bench.start(RealTime)
    trajectories = bench.publisher(JointTrajectory, "joint_trajectory")
    point = JointTrajectoryPoint(positions=list(HOME + 0.5), time_from_start=Duration(sec=60))
    trajectories.publish(JointTrajectory(joint_names=NAMES, points=[point]))
    bench.spin_until(lambda: node.open_commands.has_trajectory)
    bench.call(Trigger, "estop")
    trajectories.publish(JointTrajectory(joint_names=NAMES, points=[point]))
    bench.spin_until(lambda: any("motion is e-stopped: call" in one and "enable" in one for one in bench.warnings))
    bench.call(Trigger, "reset")
    assert bench.call(SetBool, "enable", data=True).success
    assert not node.open_commands.has_trajectory
    assert node.open_commands.next_command() == (None, 0.0)


def test_of_two_commanders_the_first_is_followed_and_the_log_names_the_other(bench):
    bench.start(lockstep=True, rate=20.0)
    second = bench.graph.add(partial(Node, "intruder"))
    commands = bench.publisher(JointState, "joint_commands")
    home = JointState(name=NAMES, position=list(HOME))
    bench.command_until(lambda: commands.publish(home), lambda: bench.node.ticks > 2)
    others = bench.publisher(JointState, "joint_commands", node=second)
    away = JointState(name=NAMES, position=list(HOME + 0.3))

    def publish():
        others.publish(away)
        commands.publish(home)

    bench.command_until(publish, lambda: bench.node.ticks > 30 and bench.warnings)
    assert bench.position == pytest.approx(HOME)
    assert all("/intruder are ignored" in one and "my_node is followed" in one for one in bench.warnings)
    second.destroy_publisher(others)
    array = bench.publisher(Float64MultiArray, "commands")  # the same node may use another topic
    bench.command_until(
        lambda: array.publish(Float64MultiArray(data=list(HOME - 0.01))), lambda: bench.position[0] < HOME[0]
    )


def test_an_old_command_is_refused_with_a_remedy(bench):
    bench.start(lockstep=True)
    commands = bench.publisher(JointState, "joint_commands")
    stale = Header(stamp=Time(sec=int(time.time()) - 60))
    commands.publish(JointState(header=stale, name=NAMES, position=list(HOME)))
    bench.spin_until(lambda: bench.warnings)
    assert "joint_commands is stamped 60" in bench.warnings[0] or "joint_commands is stamped 61" in bench.warnings[0]
    assert "stamp it with the present time" in bench.warnings[0]
    assert bench.node.ticks == 0


class TopicBasedSystem:
    """A stand-in for ros2_control's topic-based system: it reads and writes JointStates as that does.

    It publishes all joints of its configuration with their positions, and the wall clock's time, once per update, but
    not while the sum of the angles is that of the commands.
    """

    def __init__(self, node, names, initial, threshold):
        self._node, self._threshold = node, threshold
        self.commands = dict(zip(names, initial, strict=True))
        self._measured = dict.fromkeys(names, 0.0)
        self.publisher = node.create_publisher(JointState, "joint_commands", QoSProfile(depth=1))
        node.create_subscription(JointState, "joint_states", self._read, qos_profile_sensor_data)

    def _read(self, state):
        self._measured |= {
            name: value for name, value in zip(state.name, state.position, strict=True) if name in self.commands
        }

    def write(self):
        rows = (self._measured.values(), self.commands.values())
        away = sum(abs(value) for value in rows[0]) - sum(abs(value) for value in rows[1])
        if away <= self._threshold and self._threshold >= 0.0:
            return None
        message = JointState(name=list(self.commands), position=list(self.commands.values()))
        message.header.stamp = self._node.get_clock().now().to_msg()
        self.publisher.publish(message)
        return message


def test_the_topic_based_system_of_ros2_control_moves_the_joints(bench):
    bench.start(lockstep=True, rate=20.0)
    system = TopicBasedSystem(bench.user, NAMES, HOME, threshold=-1.0)
    sent = []
    system.commands["joint_1"] += 0.1
    bench.command_until(lambda: sent.append(system.write()), lambda: bench.position[0] == HOME[0] + 0.1)
    assert bench.warnings == []
    data = serialize_message(sent[0])
    assert data[12:17] == b"\x01\x00\x00\x00\x00"  # no frame_id
    assert len(sent[0].velocity) == len(sent[0].effort) == 0


def test_the_example_in_ten_lines_makes_the_robot_move(bench, monkeypatch):
    bench.start(lockstep=True, rate=20.0)
    monkeypatch.setattr(rclpy, "init", lambda: None)
    monkeypatch.setattr(rclpy, "create_node", lambda name: bench.graph.add(partial(Node, name)))
    monkeypatch.setattr(rclpy, "spin", lambda _node: bench.spin_until(lambda: bench.node.ticks > 120))
    runpy.run_path(str(EXAMPLES / "my_controller.py"))
    angles = np.degrees([state.position for state in bench.states])
    assert angles.max(axis=0) == pytest.approx([128.0, 128.0], abs=0.5)
    assert angles.min(axis=0) == pytest.approx([92.0, 92.0], abs=0.5)
    assert bench.warnings == []
    lines = (EXAMPLES / "my_controller.py").read_text().split("\n\n\n", 1)[1].split("\n")
    assert sum(bool(line) for line in lines) <= 10


@pytest.fixture(scope="module")
def read_any():
    """Return a function that reads a message of a user's node for the default robot."""
    from crawler_core.robot.robot_file import default_robot, load_robot

    readers = OpenCommandReaders(load_robot(default_robot()))

    def read(message):
        if isinstance(message, JointState):
            return readers.read_joint_state(JointMessage.of(message))
        if isinstance(message, JointTrajectory):
            return readers.read_trajectory(message)
        return readers.read_array(message)

    return read


def points(*times, **more):
    made = [JointTrajectoryPoint(positions=[1.5, 1.5], time_from_start=Duration(sec=time)) for time in times]
    for name, value in more.items():
        setattr(made[0], name, value)
    return JointTrajectory(joint_names=NAMES, points=made)


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (JointState(), ["names no joint", "joint_1, joint_2"]),
        (JointState(name=["knee"], position=[1.0]), ["'knee'", "no actuated joint: use joint_1, joint_2"]),
        (JointState(name=["joint_1", "joint_1"], position=[1.0, 1.0]), ["twice"]),
        (JointState(name=NAMES, position=[1.0]), ["1 values of position for 2 joints"]),
        (JointState(name=NAMES, velocity=[1.0, 1.0]), ["no position for joint_1", "driven by position"]),
        (JointState(name=NAMES, position=[1.0, float("nan")]), ["position nan for joint_2", "finite"]),
        (JointState(name=NAMES, position=[1e300, 1.0]), ["position 1e+300 for joint_1", "at most 1e+09"]),
        (JointState(name=NAMES, position=[1.0, 1.0], effort=[0.0, float("inf")]), ["effort inf for joint_2"]),
        (Float64MultiArray(data=[1.0]), ["1 numbers for 2 joints", "joint_1, joint_2"]),
        (Float64MultiArray(data=[1.0, float("nan")]), ["value nan for joint_2"]),
        (JointTrajectory(joint_names=NAMES), ["no points"]),
        (points(1, 1), ["does not increase"]),
        (points(1, positions=[]), ["without positions"]),
        (points(1, positions=[1.0, float("nan")]), ["position nan for joint_2"]),
        (points(1, velocities=[1.0]), ["1 values of velocity for 2 joints"]),
        (points(10**6), ["lasts 1e+06 s", "at most 86400 s"]),
    ],
)
def test_what_cannot_be_meant_is_refused_in_a_sentence(read_any, message, words):
    with pytest.raises(UserError) as error:
        read_any(message)
    assert all(word in str(error.value) for word in words), error.value


def test_messages_of_two_publishers_are_told_apart_by_their_numbers():
    sequences = PublisherSequences()
    first = [sequences.index_of(number, 10**7 * number) for number in range(500, 520)]
    mixed = [sequences.index_of(n, 10**7 * n + half) for n in range(520, 540) for half in (0, 3)]
    assert set(first) == {0}
    assert mixed == [0, 1] * 20  # the second began with the number of the first
    assert [sequences.index_of(number, 0) for number in (1, 2, 541)] == [2, 2, 0]
    assert sequences.index_of(None, 0) == 0


def test_a_reason_is_logged_once_until_it_has_been_quiet_and_a_flood_of_reasons_is_cut_off():
    logged, now = [], [0.0]
    node: Any = SimpleNamespace(get_logger=lambda: SimpleNamespace(warning=logged.append))
    log = RejectionLog(node, clock=lambda: now[0])
    for k in range(100):
        log.warn(f"joint_commands is stamped {0.1 * k:.3g} s ago")
        now[0] += 0.01
    assert len(logged) == 1
    now[0] += QUIET_S
    log.warn("joint_commands is stamped 7 s ago")
    assert len(logged) == 2
    for k in range(26 * 26):
        log.warn(f"the joint {chr(97 + k // 26)}{chr(97 + k % 26)} is not known")
    assert len(logged) < 30
