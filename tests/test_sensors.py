"""Sensors in whole stacks: the same noise in every lockstep run, which no dead sensor blocks."""

import pytest
import yaml
from crawler_interfaces.msg import SensorReadings
from sensor_msgs.msg import Imu
from transcript import TOPICS, assert_equal_to_the_bit, lockstep_run

from crawler_bringup.stack.options import Options
from crawler_core.robot.robot_file import robots_directory

SECONDS = 1.0
LAW = {"heading": True, "heading_rest": 0.1}


@pytest.fixture(scope="module")
def gyro_robot(tmp_path_factory):
    """Return the path of a robot whose law holds its heading by an IMU that loses readings."""
    directory = tmp_path_factory.mktemp("robots") / "miniaq"
    directory.mkdir()
    for file in (robots_directory() / "miniaq").iterdir():
        (directory / file.name).write_bytes(file.read_bytes())
    document = yaml.safe_load((directory / "robot.yaml").read_text())
    document["sensors"]["imu"] |= {"loss": 0.05}
    document["reality"] = {"typical": {}}  # ideal motors
    (directory / "robot.yaml").write_text(yaml.safe_dump(document, sort_keys=False))
    return str(directory / "robot.yaml")


def test_two_lockstep_runs_with_a_noisy_sensor_are_equal_to_the_bit_and_a_dead_one_blocks_none(gyro_robot, monkeypatch):
    for name, kind in (("imu/data_raw", Imu), ("sensor_readings", SensorReadings)):
        monkeypatch.setitem(TOPICS, name, kind)
    monkeypatch.setitem(TOPICS, "joint_states", TOPICS.pop("joint_states"))  # it stays the last
    options = Options(robot=gyro_robot, backend="model", settings={"controller": LAW})
    runs = [lockstep_run(options, SECONDS, reality="typical", seed=7) for _ in range(2)]
    (first, stack), *others = runs
    readings = first.messages("sensor_readings")
    assert sum(len(one.sensors) for one in readings) == pytest.approx(0.95 * 250 * SECONDS, rel=0.1)
    for other, _ in others:
        assert_equal_to_the_bit(first, other, stack, SECONDS)
        for name in ("imu/data_raw", "sensor_readings"):
            assert first.raw[name] == other.raw[name]
    dead = {"sensor_fail": "gone", "sensor_fail_after": 0.4}  # which blocks nothing
    without, _ = lockstep_run(options, SECONDS, reality="typical", seed=7, **dead)
    assert first.raw["joint_commands"] != without.raw["joint_commands"]  # the law uses its readings
    assert "no reading of the gyro" in without.messages("controller_state", 1)[0].note
