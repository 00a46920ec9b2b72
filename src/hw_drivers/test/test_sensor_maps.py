"""The keys hardware.sensors of a robot file, what is refused there, and sensors on the emulated backend."""

import copy
import itertools
from dataclasses import replace

import pytest
from hw_robots import DESCRIPTIONS, ideal_motors

from crawler_core.errors import UserError
from crawler_core.loop.backend_sensors import make_robot_sensors
from crawler_core.robot.robot_file import load_robot
from crawler_core.sensors.sensor_fault import SensorFault
from crawler_core.sensors.sensor_spec import SensorSpec
from crawler_core.types import BatteryReading, ImuReading, SwitchReading
from hw_drivers.backend.calibration import Calibration, read_calibration, write_calibration
from hw_drivers.backend.hardware_backend import HardwareBackend
from hw_drivers.backend.hardware_map import hardware_map, hardware_sensors
from hw_drivers.backend.hardware_settings import HardwareSettings
from hw_drivers.bus.bus import Reading
from hw_drivers.sensors.sensor_map import SensorMap
from hw_drivers.sensors.sensor_schedule import SensorSchedule
from hw_drivers.sensors.supply_sensor import SupplySensor, SupplySettings
from hw_drivers.tools.gyro_rest import rest_bias

DT = 0.005


def with_sensors(name, declared, mapped):
    """Return a robot of this source tree with other sensors."""
    spec = load_robot(str(DESCRIPTIONS / f"{name}/robot.yaml"))
    section = copy.deepcopy(dict(spec.section("hardware")))
    section["sensors"] = mapped
    return replace(spec, sensors=tuple(declared), sections={**spec.sections, "hardware": section})


IMU = SensorSpec("imu", "imu", link="body", rate=200.0, gyro_noise=1e-3, accel_noise=0.01)
TOE = SensorSpec("toe", "contact_switch", foot="foot", rate=200.0)
CELLS = SensorSpec("cells", "battery", rate=20.0, voltage=48.0)


def test_each_bus_gets_its_sensors():
    robot = with_sensors(
        "bolt",
        (IMU, TOE, CELLS),
        {
            "imu": {"kind": "board", "bus": "board"},
            "toe": {"kind": "board", "bus": "board", "input": 2, "normally_closed": True},
            "cells": {"kind": "supply", "bus": "board"},
        },
    )
    (bus,) = hardware_map(robot)
    assert [(one.name, one.kind_name, one.bus) for one in bus.sensors] == [
        ("imu", "board", "board"),
        ("toe", "board", "board"),
        ("cells", "supply", "board"),
    ]
    assert (bus.sensors[1].settings.input, bus.sensors[1].settings.normally_closed) == (2, True)
    assert hardware_sensors(robot) == bus.sensors


@pytest.mark.parametrize(
    ("mapped", "words"),
    [
        ({"gyro": {"kind": "i2c"}}, "gyro"),
        ({"imu": {}}, "hardware.sensors.imu.kind is missing: it is one of board, i2c, supply"),
        ({"imu": {"kind": "spi"}}, "spi"),
        ({"imu": {"kind": "supply", "bus": "board"}}, "for a sensor of kind imu: it is one of board, i2c"),
        ({"toe": {"kind": "i2c"}}, "for a sensor of kind contact_switch: it is one of board"),
        ({"imu": {"kind": "board"}}, "hardware.sensors.imu.bus"),
        ({"imu": {"kind": "board", "bus": "can"}}, "can"),
        ({"imu": {"kind": "i2c", "part": "bno055"}}, "part"),
        ({"imu": {"kind": "i2c", "bus": "board"}}, "bus"),
        ({"toe": {"kind": "board", "bus": "board", "input": 9}}, "input = 9"),
        ({"cells": {"kind": "board", "bus": "board", "scale": 0}}, "scale = 0 is not allowed"),
        (
            {"toe": {"kind": "board", "bus": "board"}, "heel": {"kind": "board", "bus": "board"}},
            "hardware.sensors.toe and hardware.sensors.heel are the same device",
        ),
    ],
)
def test_what_contradicts_itself_is_refused(mapped, words):
    heel = replace(TOE, name="heel")
    with pytest.raises(UserError, match=words):
        hardware_map(with_sensors("bolt", (IMU, TOE, heel, CELLS), mapped))


def test_a_bus_that_reads_no_such_sensor_is_refused_and_a_required_one_must_be_mapped():
    with pytest.raises(UserError, match="a bus of kind dynamixel does not read it, but one of kind board does"):
        hardware_map(with_sensors("three_link", (IMU,), {"imu": {"kind": "board", "bus": "servos"}}))
    with pytest.raises(UserError, match=r"imu is required, but nothing reads it: write hardware.sensors.imu"):
        hardware_map(with_sensors("three_link", (replace(IMU, required=True),), {}))


def test_sensors_that_nothing_reads_are_absent_and_said():
    backend = HardwareBackend(with_sensors("three_link", (IMU,), {}), HardwareSettings(calibration="none"), DT)
    assert backend.sensor_names() == []
    assert backend.health()["sensors_not_read"] == "imu"


def test_a_gyroscopes_bias_comes_back_from_the_calibration(tmp_path):
    robot = with_sensors("three_link", (IMU,), {"imu": {"kind": "i2c"}})
    path = tmp_path / "robot.yaml"
    write_calibration(path, "three_link", Calibration({"joint_1": 1.0}, {"imu": (0.01, -0.02, 0.0)}))
    assert read_calibration(path, robot).gyro_biases == {"imu": (0.01, -0.02, 0.0)}
    for text, words in (
        ("gyro_bias: {elbow: [0, 0, 0]}", "elbow"),
        ("gyro_bias: {imu: [0, 0]}", "three rates"),
        ("gyro_bias: {imu: [0, 0, 9]}", "gyro_bias.imu = 9"),
        ("gyro_bias: 1", "gyro_bias"),
    ):
        path.write_text(f"robot: three_link\nzero_deg: {{}}\n{text}\n")
        with pytest.raises(UserError, match=words):
            read_calibration(path, robot)


def test_a_bias_is_that_of_a_robot_at_rest():
    still = [ImuReading("imu", k, (0.01, 0.0, -0.01), (0.0, 0.0, 9.81)) for k in range(30)]
    assert rest_bias(still) == pytest.approx((0.01, 0.0, -0.01))
    assert rest_bias(still[:5]) is None
    assert rest_bias([*still, ImuReading("imu", 31, (0.5, 0.0, 0.0), (0.0, 0.0, 9.81))]) is None


def test_a_supply_is_the_median_of_the_motors_at_the_sensors_rate():
    supply = SupplySensor(SensorMap(CELLS, "supply", SupplySettings(bus="servos")))

    def read(time, *volts):
        return supply.read([Reading(f"joint_{i}", time, 0.0, 0.0, voltage=v) for i, v in enumerate(volts)])

    assert read(1.0, 11.9, 12.0, 3.0) == BatteryReading("cells", 1_000_000_000, 11.9)
    assert read(1.005, 11.9, 12.0, 3.0) is None  # not due
    assert read(1.05, float("nan")) is None
    assert read(1.06, 12.2).voltage == 12.2


def test_a_schedule_passes_its_rate_on_average():
    schedule = SensorSchedule(100.0)
    passed = [k for k in range(1000) if schedule.is_due(0.004 * k)]
    assert len(passed) == pytest.approx(400, abs=2)
    assert max(b - a for a, b in itertools.pairwise(passed)) <= 3
    assert schedule.is_due(100.0)  # after a pause


def readings(robot, ticks=60, fault=None):
    """Return the readings of a run on emulated devices, through the drivers, with the states' times."""
    backend = ideal_motors(robot, DT)
    sensors = make_robot_sensors(robot, backend, "ideal", 3, fault or SensorFault())
    backend.open()
    found = []
    for _ in range(ticks):
        state = backend.observe()
        seen = sensors.observe(state, state)
        found += [(seen.time_ns, one) for one in seen.readings]
        backend.advance(DT)
    problem = "; ".join(sensors.problems.values())
    backend.close()
    return found, problem


@pytest.mark.parametrize(
    ("name", "mapped"),
    [
        ("bolt", {n: {"kind": "board", "bus": "board"} for n in ("imu", "toe")}),
        ("three_link", {"imu": {"kind": "i2c", "part": "mpu6050"}}),
    ],
)
def test_emulated_devices_deliver_the_truth_through_the_drivers_with_times_and_every_run_is_equal(name, mapped):
    supply = {"kind": "supply", "bus": "board" if name == "bolt" else "servos"}
    declared = [IMU, replace(CELLS, voltage=48.0 if name == "bolt" else 12.0)]
    declared += [TOE] if "toe" in mapped else []
    robot = with_sensors(name, declared, {**mapped, "cells": supply})
    found, problem = readings(robot)
    assert problem == ""
    by_name = {one.name: [(now, r) for now, r in found if r.sensor == one.name] for one in declared}
    imu = by_name["imu"]
    assert len(imu) >= 50
    assert all(-1_000_000 <= now - one.time_ns <= 2.1e9 * DT for now, one in imu)
    assert imu[-1][1].linear == pytest.approx((0.0, 0.0, 9.81), abs=0.02)  # at rest
    assert imu[-1][1].angular == pytest.approx((0.0, 0.0, 0.0), abs=1e-3)
    assert by_name["cells"][-1][1].voltage == pytest.approx(declared[1].voltage, abs=0.1)
    if "toe" in mapped:
        assert isinstance(by_name["toe"][-1][1], SwitchReading)
    assert readings(robot)[0] == found


def test_an_emulated_sensor_that_is_gone_is_said_by_those_who_watch_it():
    robot = with_sensors("three_link", (IMU,), {"imu": {"kind": "i2c"}})
    found, problem = readings(robot, 120, SensorFault("gone", 0.2))
    assert found[-1][0] < 0.25e9
    assert "the sensor imu is gone" in problem
