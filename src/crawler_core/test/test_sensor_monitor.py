"""Sensors that freeze, deliver nonsense, are late or silent: what is dropped and said, and what stops the robot."""

import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crawler_core.errors import UserError
from crawler_core.loop.backend_sensors import make_robot_sensors
from crawler_core.loop.supervised_backend import SupervisedBackend
from crawler_core.parameters import describe
from crawler_core.robot.robot_file import load_robot
from crawler_core.safety.supervisor import MotionState, Supervisor
from crawler_core.sensors.measured_contacts import MeasuredContacts
from crawler_core.sensors.sensor_fault import BATTERY_FAULTS, NO_FAULT, SENSOR_FAULTS, SensorFault
from crawler_core.sensors.sensor_monitor import SensorMonitor
from crawler_core.sensors.sensor_spec import SensorSpec
from crawler_core.types import (
    BaseState,
    BatteryReading,
    Contact,
    ContactMode,
    ContactSource,
    ForceReading,
    ImuReading,
    JointCommand,
    Observation,
    PoseReading,
    SwitchReading,
)

DT_S = 0.005
DT_NS = 5_000_000
IMU = SensorSpec("imu", "imu", "body", rate=200.0, gyro_noise=0.01, gyro_range=10.0, accel_range=80.0)
SENSORS = (
    IMU,
    SensorSpec("toe", "contact_switch", foot="foot_1"),
    SensorSpec("gauge", "foot_force", foot="foot_2", force_noise=0.1),
    SensorSpec("battery", "battery", rate=20.0, voltage_noise=0.01),
    SensorSpec("camera", "external_pose", "body", rate=30.0, delay=0.04, position_noise=0.001),
)
SPEC = replace(load_robot("three_link"), sensors=SENSORS)


class Standing:
    """A simulation that stands still on both feet; on request its devices read sensors."""

    simulated = True
    kind = "standing"

    def __init__(self, simulated=True, readings=()):
        self.simulated = simulated
        self.readings = readings
        self.time_ns = 0
        self.relaxed = 0

    def open(self):
        pass

    def observe(self):
        base = contacts = None
        if self.simulated:
            base = BaseState((0.0, 0.0, 0.1), (1.0, 0.0, 0.0, 0.0), (0.0,) * 3, (0.0,) * 3)
            foot = ContactMode.STICK, ContactSource.SIMULATED, (0.0, 0.0, 1.0), (0.0,) * 3
            contacts = tuple(Contact(name, *foot) for name in ("foot_1", "foot_2"))
        angles = np.array([1.9, 1.9])
        return Observation(self.time_ns, angles, np.zeros(2), np.zeros(2), base, contacts or (), self.readings)

    def apply(self, command):
        return command

    def advance(self, dt):
        self.time_ns += DT_NS

    def relax(self):
        self.relaxed += 1

    def close(self):
        pass


class Reading(Standing):
    """Devices that read one of the sensors."""

    def sensor_names(self):
        return ("imu",)


def supervised(spec=SPEC, fault=NO_FAULT, profile="typical", backend=None):
    backend = backend or Standing()
    sensors = make_robot_sensors(spec, backend, profile, 1, fault)
    runner = SupervisedBackend(backend, Supervisor(spec, DT_S), DT_S, sensors=sensors)
    runner.open()
    runner.enable()
    return runner


def run(runner, seconds):
    """Run with the joints commanded to stay; return the states, until the torque goes off."""
    command = JointCommand(np.array([1.9, 1.9]), np.zeros(2), np.full(2, np.nan))
    states = [runner.observation]
    for _ in range(round(seconds / DT_S)):
        runner.tick(command)
        states.append(runner.observation)
        if runner.supervisor.motion is not MotionState.ACTIVE:
            break
    return states


def imu(time_ns, angular=(0.0, 0.0, 0.0), linear=(0.0, 0.0, 9.81)):
    return ImuReading("imu", time_ns, angular, linear)


def test_healthy_sensors_are_ok_and_have_an_age():
    runner = supervised()
    states = run(runner, 1.0)
    assert runner.sensors.problems == {}
    health = runner.health()
    assert {health[f"{sensor.name}.status"] for sensor in SENSORS} == {"ok"}
    assert health["imu.age"] == 0.0
    assert 0.04 <= health["camera.age"] <= 0.04 + 1 / 30 + DT_S
    assert {one.sensor for state in states for one in state.readings} == {sensor.name for sensor in SENSORS}


def test_before_the_first_reading_a_sensor_is_waited_for():
    monitor = SensorMonitor([IMU])
    for time_ns in range(0, 900_000_000, DT_NS):
        monitor.check(time_ns, ())
    assert (monitor.health()["imu.status"], monitor.problems, monitor.health()["imu.age"]) == ("waiting", {}, "")
    for time_ns in range(900_000_000, 1_100_000_000, DT_NS):
        monitor.check(time_ns, ())
    assert monitor.problems == {"imu": "the sensor imu is gone: it has delivered nothing since the start"}


STATUS = {"frozen": "frozen", "nan": "invalid", "late": "late", "gone": "gone"}


@pytest.mark.parametrize(
    ("name", "kind"),
    [(n, k) for n in ("imu", "gauge", "battery", "camera") for k in STATUS if (n, k) != ("battery", "frozen")]
    + [("battery", kind) for kind in BATTERY_FAULTS],
)
def test_each_fault_of_each_sensor_is_said_and_its_readings_are_dropped(kind, name):
    runner = supervised(fault=SensorFault(kind, 0.5, name))
    states = run(runner, 2.5)
    assert runner.health()[f"{name}.status"] == STATUS.get(kind, "invalid")
    assert f"the sensor {name} " in runner.sensors.problems[name]
    assert {runner.health()[f"{sensor.name}.status"] for sensor in SENSORS if sensor.name != name} == {"ok"}
    late = [one for state in states[-100:] for one in state.readings]
    assert name not in {one.sensor for one in late}
    assert len({one.sensor for one in late}) == len(SENSORS) - 1
    assert runner.supervisor.motion is MotionState.ACTIVE  # the run goes on with less


def test_a_bias_is_delivered():
    biased = run(supervised(fault=SensorFault("biased", 0.0)), 0.2)[-1].readings
    assert {one.sensor: one for one in biased}["imu"].angular == pytest.approx((0.5, 0.5, 0.5), abs=0.05)
    assert not {one.sensor: one for one in biased}["toe"].closed


@pytest.mark.parametrize("kind", STATUS)
def test_without_a_required_sensor_the_torque_goes_off(kind):
    spec = replace(SPEC, sensors=(replace(IMU, required=True), *SENSORS[1:]))
    runner = supervised(spec, SensorFault(kind, 0.5, "imu"))
    states = run(runner, 3.0)
    report = runner.supervisor.report
    assert runner.supervisor.motion is MotionState.FAULTED
    assert "the sensor imu " in report.fault
    assert "sensors.imu.required" in report.remedy
    assert runner.backend.relaxed
    assert 0.5 <= states[-1].time_ns * 1e-9 <= 1.1  # after a tenth of a second; the frozen one shows later
    runner.reset()
    runner.enable()
    run(runner, 0.1)
    assert runner.supervisor.motion is MotionState.FAULTED  # it is still gone


def test_a_sensor_that_comes_back_is_used_again():
    monitor = SensorMonitor([IMU])
    for k in range(400):
        good = monitor.check(k * DT_NS, () if 50 < k < 300 else (imu(k * DT_NS, (k * 1e-6, 0.0, 0.0)),))
        assert bool(good) == (not 50 < k < 300)
        if k in (200, 399):
            assert bool(monitor.failed) == (k == 200)
    assert monitor.problems == {}


def test_time_that_stands_still_is_no_fault():
    monitor = SensorMonitor([IMU])
    for k in range(10):
        monitor.check(k * DT_NS, (imu(k * DT_NS, (k * 1e-6, 0.0, 0.0)),))
    monitor.check(60_000_000_000, ())
    assert monitor.failed == []


@pytest.mark.parametrize(
    ("reading", "problem"),
    [
        (imu(0, angular=(0.0, math.nan, 0.0)), "no numbers"),
        (imu(0, angular=(0.0, 10.5, 0.0)), "10.5 rad/s: its range ends at 10"),
        (imu(0, linear=(0.0, -90.0, 0.0)), "90 m/s^2: its range ends at 80"),
        (imu(-200_000_000), "are 0.2 s old: 0.1 s are allowed"),
        (imu(200_000_000), "stamps 0.2 s ahead"),
        (ForceReading("gauge", 0, math.inf), "no number"),
        (BatteryReading("battery", 0, 0.0), "delivers 0 V: 7.8 to 16.2 V are plausible for 12 V"),
        (BatteryReading("battery", 0, 24.0), "24 V: 7.8 to 16.2 V are plausible"),
        (BatteryReading("battery", 0, math.nan), "no number"),
        (PoseReading("camera", 0, (0.0, 0.0, math.nan), (1.0, 0.0, 0.0, 0.0)), "no numbers"),
        (PoseReading("camera", 0, (0.0, 0.0, 0.0), (0.5, 0.0, 0.0, 0.0)), "quaternion of length 0.5"),
        (SwitchReading("imu", 0, True), "of kind imu, and delivers a SwitchReading"),
    ],
)
def test_bad_readings_are_dropped(reading, problem):
    monitor = SensorMonitor(SENSORS)
    assert monitor.check(0, (reading,)) == ()
    assert problem in "".join(monitor.problems.values())


def test_a_reading_of_an_undeclared_sensor_is_dropped():
    assert SensorMonitor([IMU]).check(0, (SwitchReading("nose", 0, True),)) == ()


def test_equal_readings_without_noise_and_feet_in_the_air_are_not_frozen():
    sensors = [replace(IMU, gyro_noise=0.0), *SENSORS[1:3]]
    monitor = SensorMonitor(sensors)
    for k in range(200):
        now = k * DT_NS
        assert (
            len(monitor.check(now, (imu(now), SwitchReading("toe", now, True), ForceReading("gauge", now, 0.0)))) == 3
        )


def test_sensors_that_the_devices_read_are_not_simulated():
    runner = supervised(backend=Reading(readings=(imu(0, (0.5, 0.0, 0.0)),)))
    found = {one.sensor: one for one in runner.observation.readings}
    assert found["imu"].angular == (0.5, 0.0, 0.0)
    assert "battery" in found
    assert runner.sensors.own == {sensor.name for sensor in SENSORS}


def test_readings_that_come_between_two_states_of_one_time_belong_to_the_next():
    backend = Reading(simulated=False, readings=(imu(0, (0.5, 0.0, 0.0)),))
    runner = supervised(backend=backend)
    assert [one.time_ns for one in runner.observation.readings] == [0]
    backend.readings = (imu(1000, (0.6, 0.0, 0.0)),)
    runner.resync()  # observes again, while no time has passed
    assert [one.time_ns for one in runner.observation.readings] == [0]
    backend.readings = (imu(DT_NS, (0.7, 0.0, 0.0)),)
    assert [one.time_ns for one in run(runner, DT_S)[-1].readings] == [1000, DT_NS]


def test_nothing_is_simulated_on_motors():
    runner = supervised(backend=Reading(simulated=False, readings=(imu(0, (0.5, 0.0, 0.0)),)))
    assert [one.sensor for one in runner.observation.readings] == ["imu"]
    assert runner.sensors.own == {"imu"}
    run(runner, 1.2)
    assert "battery" not in runner.sensors.problems  # a run on motors watches what something reads
    motors: Any = Standing(simulated=False)
    with pytest.raises(UserError, match="it is for simulations"):
        make_robot_sensors(SPEC, motors, "", 0, SensorFault("gone"))


def test_contacts_of_motors_come_from_switches():
    toe = SwitchReading("toe", 0, True)
    contacts = supervised(backend=Standing(simulated=False, readings=(toe,))).observation.contacts
    assert [(one.foot, one.mode, one.source) for one in contacts] == [
        ("foot_1", ContactMode.STICK, ContactSource.MEASURED),
        ("foot_2", ContactMode.UNKNOWN, ContactSource.MEASURED),
    ]
    assert {one.source for one in supervised().observation.contacts} == {ContactSource.SIMULATED}


def test_contacts_last_until_their_sensor_fails():
    contacts = MeasuredContacts(SPEC.foot_names, SENSORS)
    contacts.update([SwitchReading("toe", 0, True), ForceReading("gauge", 0, 2.0)])
    first, second = contacts.update([])
    assert (first.mode, second.mode, second.force[2]) == (ContactMode.STICK, ContactMode.STICK, 2.0)
    assert contacts.update([SwitchReading("toe", 0, False)])[0].mode is ContactMode.OPEN
    assert contacts.update([], failed=["toe"])[0].mode is ContactMode.UNKNOWN
    assert MeasuredContacts(SPEC.foot_names, [IMU]).update([]) == ()


def test_faults_that_cannot_be_are_sentences():
    backend: Any = Standing()
    for fault, spec, sentence in (
        (SensorFault("gone", sensor="eye"), SPEC, "sensor for backend.sensor_fail_name"),
        (SensorFault("gone"), replace(SPEC, sensors=()), "has no sensors"),
        (SensorFault("no_voltage", sensor="imu"), SPEC, "it is for a battery"),
    ):
        with pytest.raises(UserError, match=sentence):
            make_robot_sensors(spec, backend, "", 0, fault)
    assert set(SENSOR_FAULTS) == {"none", "biased", *STATUS, *BATTERY_FAULTS}


def test_the_page_lists_each_key_of_a_sensor():
    page = (Path(__file__).parents[3] / "docs/sensors.md").read_text()
    table = page.split("## Declare a sensor")[1].split("| robot |")[0]
    listed = set(re.findall("`([a-z_]+)`", "".join(re.findall(r"^\| (`.*?) \|", table, re.MULTILINE))))
    assert listed == {info.name + ("_deg" if info.unit == "degrees" else "") for info in describe(SensorSpec)}
