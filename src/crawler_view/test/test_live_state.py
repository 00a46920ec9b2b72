"""The live state has the values of the topics."""

import math
from dataclasses import replace

import pytest
from crawler_interfaces.msg import ContactState, ContactStateArray, ControllerState, SensorReadings
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from nav_msgs.msg import Odometry
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from crawler_core.description.urdf import build_urdf
from crawler_core.robot.robot_file import load_robot
from crawler_core.types import BatteryReading, ImuReading
from crawler_nodes.messages.sensor_readings import SensorReadingsWriter
from crawler_view.scene.live_state import LiveState


def at(message, seconds):
    message.header.stamp.sec, message.header.stamp.nanosec = int(seconds), round(seconds % 1.0 * 1e9)
    return serialize_message(message)


def joints(seconds, **angles):
    return at(JointState(name=list(angles), position=list(angles.values()), velocity=[0.0] * len(angles)), seconds)


def odometry(seconds, x=0.0, speed=0.0, yaw=0.0):
    message = Odometry()
    pose = message.pose.pose
    pose.position.x, pose.position.z = x, 0.1
    pose.orientation.w, pose.orientation.z = math.cos(yaw / 2), math.sin(yaw / 2)
    message.twist.twist.linear.x = speed
    return at(message, seconds)


def report(name, text="", level=DiagnosticStatus.OK, **values):
    entries = [KeyValue(key=key, value=str(value)) for key, value in values.items()]
    status = DiagnosticStatus(name=f"/here/{name}", level=level, message=text, values=entries)
    return serialize_message(DiagnosticArray(status=[status]))


def shown(robot="three_link"):
    state = LiveState()
    state.on_description(serialize_message(String(data=build_urdf(load_robot(robot)))))
    return state


def test_a_frame_has_the_values_of_the_messages_and_none_for_what_is_unknown():
    state = shown()
    assert state.frame() is None  # before the first state
    state.on_joints(joints(2.5, joint_1=1.25, joint_2=math.nan))
    state.on_odometry(odometry(2.5, x=0.75))
    foot = ContactState(foot="foot_1", mode=ContactState.SLIP_NEG)
    foot.force.x, foot.force.z, foot.slip_velocity.x = 0.5, 3.0, -0.125
    unknown = ContactState(foot="foot_2", mode=ContactState.UNKNOWN)
    unknown.force.x = unknown.slip_velocity.x = math.nan
    state.on_contacts(at(ContactStateArray(contacts=[foot, unknown]), 2.5))
    state.on_controller(serialize_message(ControllerState(branch="contact_tracking")))
    frame = state.frame()
    assert frame["t"] == 2.5
    assert dict(zip(frame["names"], frame["position"], strict=True)) == {"joint_1": 1.25, "joint_2": None}
    assert frame["base"] == [0.75, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0]
    assert frame["feet"][0] == {"foot": "foot_1", "mode": "slip_neg", "force": [0.5, 0.0, 3.0], "slip": -0.125}
    assert frame["feet"][1]["slip"] is None
    assert frame["feet"][1]["force"][0] is None
    assert frame["branch"] == "contact_tracking"
    assert frame["step"] is None  # nothing says how long a stride is


def test_a_change_that_a_person_waits_for_is_news_until_it_is_shown():
    state = shown()
    assert not state.has_news
    state.on_diagnostics(report("backend", motion="active"))
    assert state.has_news
    state.status()
    state.on_diagnostics(report("backend", motion="active", ticks=9))
    assert not state.has_news
    state.on_diagnostics(report("backend", motion="e-stopped"))
    assert state.has_news


def test_sensors_have_their_latest_values_and_their_age():
    state, spec = shown(), load_robot("three_link")
    writer = SensorReadingsWriter(spec, "backend")
    state.on_readings(writer.fill(2_000_000_000, [BatteryReading("battery", 1_900_000_000, 11.5)]))
    still = ImuReading("imu", 2_000_000_000, (0.1, 0.2, 0.3), (0.0, 0.0, 9.81))
    for time_ns in (1_980_000_000, 2_000_000_000):
        state.on_readings(writer.fill(2_000_000_000, [replace(still, time_ns=time_ns)]))
    state.on_readings(serialize_message(SensorReadings(sensors=["nose"])))  # another robot's
    state.on_joints(joints(2.25, joint_1=1.25))
    assert state.frame()["sensors"] == [
        {"name": "imu", "kind": "imu", "age": 0.25, "values": [0.1, 0.2, 0.3, 0.0, 0.0, 9.81]},
        {"name": "battery", "kind": "battery", "age": 0.35, "values": [11.5, None]},
    ]
    state.on_description(serialize_message(String(data=build_urdf(load_robot("snake")))))
    state.on_joints(joints(2.5, joint_1=1.25))
    assert state.frame()["sensors"] == []


def test_slip_is_along_the_heading_of_a_robot_that_turns():
    state = shown("miniaq")
    state.on_joints(joints(1.0, crank_fl=0.0))
    state.on_odometry(odometry(1.0, yaw=math.pi / 2))
    foot = ContactState(foot="foot_fl", mode=ContactState.SLIP_POS)
    foot.slip_velocity.y = 0.25
    state.on_contacts(at(ContactStateArray(contacts=[foot]), 1.0))
    assert state.frame()["feet"][0]["slip"] == pytest.approx(0.25, abs=1e-6)


def test_the_step_is_what_the_base_gains_in_the_gaits_period():
    state = shown()
    state.on_diagnostics(report("gait", period=2.0))
    for k in range(31):
        state.on_odometry(odometry(0.1 * k, x=0.03 * k, speed=0.3))
    state.on_joints(joints(3.0, joint_1=0.0))
    frame = state.frame()
    assert frame["step"] == pytest.approx(0.6, abs=1e-6)
    assert frame["distance"] == pytest.approx(0.9)


def test_joint_states_are_subscribed_once_time_passes():
    """A backend counts their subscribers and starts with the last one: the page must not count as the controller."""
    state = shown()
    assert not state.is_running
    assert "joint_states" not in [topic.name for topic, _ in state.topics()]
    state.on_diagnostics(report("backend", ticks=0))
    assert not state.is_running
    state.on_diagnostics(report("backend", ticks=1))
    assert state.is_running


def test_lost_messages_of_fast_topics_are_not_sent_again():
    state = shown()
    flowing = [
        topic
        for topic, _ in [*state.topics(), *state.joint_topics()]
        if topic.name not in ("robot_description", "diagnostics")
    ]
    assert {topic.name for topic in flowing} >= {"joint_states", "odom", "ground_truth/odom", "sensor_readings"}
    assert not any(topic.reliable for topic in flowing)


def test_another_robot_resets_the_state():
    state = shown()
    state.on_joints(joints(2.5, joint_1=1.25))
    state.on_description(serialize_message(String(data="<robot")))  # no URDF: the robot before is still shown
    assert state.scene["robot"] == "three_link"
    assert state.frame() is not None
    state.on_description(serialize_message(String(data=build_urdf(load_robot("snake")))))
    assert state.scene["robot"] == "snake"
    assert state.scene_count == 2
    assert state.frame() is None


def test_a_fault_is_that_of_the_backends_report():
    state = shown()
    assert state.is_silent
    fault = {"motion": "faulted", "fault": "joint_1 does not follow", "joint": "joint_1", "remedy": "free it"}
    state.on_diagnostics(report("backend", "joint_1 does not follow", DiagnosticStatus.ERROR, **fault))
    state.on_joints(joints(1.0, joint_1=0.0))
    status = state.status()
    assert not status["silent"]
    assert status["nodes"]["backend"] == {"level": 2, "message": "joint_1 does not follow", "values": fault}
