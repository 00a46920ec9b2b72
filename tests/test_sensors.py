"""Sensors in whole stacks: the same noise in every lockstep run, and the robot without them."""

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


def test_three_runs_of_a_law_that_reads_a_noisy_sensor_are_equal_to_the_bit(gyro_robot, monkeypatch):
    for name, kind in (("imu/data_raw", Imu), ("sensor_readings", SensorReadings)):
        monkeypatch.setitem(TOPICS, name, kind)
    monkeypatch.setitem(TOPICS, "joint_states", TOPICS.pop("joint_states"))  # it stays the last
    options = Options(robot=gyro_robot, backend="model")
    runs = [lockstep_run(options, SECONDS, law=LAW, reality="typical", seed=7) for _ in range(3)]
    (first, stack), *others = runs
    readings = first.messages("sensor_readings")
    assert sum(len(one.sensors) for one in readings) == pytest.approx(0.95 * 250 * SECONDS, rel=0.1)
    for other, _ in others:
        assert_equal_to_the_bit(first, other, stack, SECONDS)
        for name in ("imu/data_raw", "sensor_readings"):
            assert first.raw[name] == other.raw[name]
    different, _ = lockstep_run(options, SECONDS, law=LAW, reality="typical", seed=8)
    assert first.raw["joint_commands"] != different.raw["joint_commands"]  # the law uses its readings
