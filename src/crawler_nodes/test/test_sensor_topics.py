"""Topics of the sensors of a backend node, and poses that come from outside."""

import time
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseWithCovarianceStamped
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import BatteryState, Imu, JointState
from tf2_msgs.msg import TFMessage

from crawler_core.parameters import parameter
from crawler_core.robot.robot_file import load_robot
from crawler_core.types import BaseState, Observation, PoseReading
from crawler_nodes.backend_node.node import BackendNode, autostart
from crawler_nodes.messages.header import set_stamp, stamp_ns

HOME = np.radians([110.0, 110.0])


@dataclass(frozen=True)
class Settings:
    gain: float = parameter(1.0, lower=0.0, upper=1.0, doc="unused")


class Still:
    """A simulation in which nothing moves."""

    simulated = True
    kind = "still"

    def __init__(self, spec, settings, dt):
        self.time_ns = 0
        self.dt_ns = round(dt * 1e9)

    def open(self):
        pass

    def observe(self):
        base = BaseState((0.0, 0.0, 0.1), (1.0, 0.0, 0.0, 0.0), (0.0,) * 3, (0.0,) * 3)
        return Observation(self.time_ns, HOME.copy(), np.zeros(2), np.full(2, np.nan), base)

    def apply(self, command):
        return command

    def advance(self, dt):
        self.time_ns += self.dt_ns

    def relax(self):
        pass

    def close(self):
        pass


class Motors(Still):
    """The same in real time."""

    simulated = False

    def observe(self):
        return Observation(time.time_ns(), HOME.copy(), np.zeros(2), np.full(2, np.nan))


class Listener:
    """A node that keeps the messages of some topics."""

    def __init__(self, graph, **kinds):
        self.node = graph.add(partial(Node, "listener"))
        self.messages = {name: [] for name in kinds}
        for name, kind in kinds.items():
            self.node.create_subscription(kind, name.replace("__", "/"), self.messages[name].append, 100)


@pytest.fixture
def backend(graph):
    nodes = []

    def start(kind=Still, **parameters):
        nodes.append(graph.add(partial(BackendNode, kind, Settings), rate=50.0, **parameters))
        autostart(nodes[-1])
        return nodes[-1]

    yield start
    for node in nodes:
        node.shut_down_safely()


def test_sensors_have_their_topics_frames_and_diagnostics(graph, backend):
    listener = Listener(graph, imu__data_raw=Imu, battery_state=BatteryState, diagnostics=DiagnosticArray)
    fixed = []
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    listener.node.create_subscription(TFMessage, "/tf_static", fixed.append, latched)
    node = backend(reality="typical", answer_timeout=0.0)
    heard = listener.messages
    graph.spin_until(lambda: len(heard["imu__data_raw"]) > 3 and heard["battery_state"] and fixed)
    imu = heard["imu__data_raw"][-1]
    assert imu.header.frame_id == f"{graph.namespace}/imu"
    assert stamp_ns(imu.header.stamp) % 20_000_000 == 0
    assert imu.linear_acceleration.z == pytest.approx(9.81, abs=1.0)
    assert imu.orientation_covariance[0] == -1.0
    frames = {one.child_frame_id: one.header.frame_id for one in fixed[-1].transforms}
    assert frames[f"{graph.namespace}/imu"] == f"{graph.namespace}/{node.spec.base_link}"

    def values():
        return {one.key: one.value for one in heard["diagnostics"][-1].status[0].values} if heard["diagnostics"] else {}

    graph.spin_until(lambda: values().get("imu.status") == "ok")
    assert float(values()["imu.age"]) >= 0.0


def test_a_dead_sensor_is_a_warning_that_says_so(graph, backend):
    listener = Listener(graph, diagnostics=DiagnosticArray)
    backend(sensor_fail="gone", sensor_fail_name="imu", sensor_fail_after=0.2, answer_timeout=0.0)

    def warning():
        last = listener.messages["diagnostics"]
        return last and "the sensor imu is gone: it has delivered nothing for" in last[-1].status[0].message

    graph.spin_until(warning)
    assert listener.messages["diagnostics"][-1].status[0].level == b"\x01"


def test_a_required_sensor_that_dies_takes_the_torque_off_and_says_what_to_do(graph, backend, tmp_path):
    robot = tmp_path / "robot.yaml"
    text = (load_robot("three_link").directory / "robot.yaml").read_text()
    robot.write_text(text.replace("kind: imu,", "kind: imu, required: true,"))
    (tmp_path / "three_link.urdf.xacro").symlink_to(load_robot("three_link").directory / "three_link.urdf.xacro")
    listener = Listener(graph, diagnostics=DiagnosticArray)
    dead = {"sensor_fail": "gone", "sensor_fail_name": "imu", "sensor_fail_after": 0.2, "answer_timeout": 0.0}
    node = backend(robot=str(robot), **dead)
    node.supervised.enable()

    def status():
        return listener.messages["diagnostics"][-1].status[0] if listener.messages["diagnostics"] else None

    graph.spin_until(lambda: status() and status().level == b"\x02")
    values = {one.key: one.value for one in status().values}
    assert "the sensor imu is gone" in status().message
    assert values["motion"] == "faulted"
    assert "sensors.imu.required" in values["remedy"]


def test_a_pose_from_outside_becomes_a_reading_on_motors(graph, backend):
    listener = Listener(graph, joint_states=JointState)
    out = listener.node.create_publisher(PoseWithCovarianceStamped, "external_pose", 10)
    node = backend(Motors)
    found = []
    publish = node.publish
    node.publish = lambda observation: (found.extend(observation.readings), publish(observation))
    message = PoseWithCovarianceStamped()
    message.pose.pose.position.x, message.pose.pose.orientation.w = 0.25, 1.0

    def send():
        set_stamp(message.header.stamp, time.time_ns() - 30_000_000)
        out.publish(message)
        return found

    graph.spin_until(send)
    assert isinstance(found[0], PoseReading)
    assert (found[0].sensor, found[0].position) == ("camera", (0.25, 0.0, 0.0))
    assert listener.node.count_publishers(f"/{graph.namespace}/external_pose") == 1  # the backend does not publish it
    assert not listener.node.count_publishers(f"/{graph.namespace}/imu/data_raw")  # nothing reads one here
