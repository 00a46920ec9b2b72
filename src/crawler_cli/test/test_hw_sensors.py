"""The command hw shows a robot's sensors, and measures the bias of a gyroscope."""

import argparse
import json
import signal

import pytest
import yaml

from crawler_cli.commands import hw
from crawler_core.errors import UserError


@pytest.fixture
def run(capsys):
    """Run an action on an emulated robot with --json."""
    before = signal.getsignal(signal.SIGTERM)

    def act(action, robot, *words):
        parser = argparse.ArgumentParser()
        hw.add_arguments(parser)
        arguments = parser.parse_args([action, "--robot", robot, "--emulate", "--json", *words])
        assert hw.run(arguments) == 0
        return json.loads(capsys.readouterr().out)

    yield act
    signal.signal(signal.SIGTERM, before)


def test_scan_names_the_device_of_each_sensor(run):
    found = run("scan", "bolt")["sensors"]
    assert {name: one["kind"] for name, one in found.items()} == {
        "imu": "board",
        "foot_switch": "board",
        "battery": "supply",
    }
    assert "IMU 0x6c on the board" in found["imu"]["found"]
    assert "LSM6DSOX at 0x6a on" in run("scan", "three_link")["sensors"]["imu"]["found"]


def test_monitor_shows_their_rates_and_values(run):
    seen = run("monitor", "bolt")["sensors"]
    assert seen["imu"]["rate"] > 50.0
    assert seen["imu"]["accel_m_s2"] == pytest.approx([0.0, 0.0, 9.81], abs=1.0)
    assert seen["battery"]["voltage"] == pytest.approx(48.0, abs=0.5)
    assert seen["foot_switch"]["closed"] in (True, False)


def test_calibrate_measures_the_rates_at_rest_and_a_run_takes_them_off(run, tmp_path):
    file = tmp_path / "bias.yaml"
    bias = run("calibrate", "three_link", "--sensor", "imu", "--calibration", str(file))["gyro_bias"]["imu"]
    assert yaml.safe_load(file.read_text())["gyro_bias"]["imu"] == pytest.approx(bias, abs=1e-6)
    assert max(map(abs, bias)) > 1e-3
    corrected = run("monitor", "three_link", "--calibration", str(file))["sensors"]["imu"]["gyro_deg_s"]
    assert corrected == pytest.approx([0.0, 0.0, 0.0], abs=0.3)


def test_a_gyroscope_that_moves_or_is_no_gyroscope_is_not_calibrated(run, tmp_path, monkeypatch):
    with pytest.raises(UserError, match="battery"):
        run("calibrate", "three_link", "--sensor", "battery", "--calibration", str(tmp_path / "no.yaml"))
    monkeypatch.setattr("crawler_cli.hardware.actions.rest_bias", lambda readings: None)  # somebody shakes it
    monkeypatch.setattr("crawler_cli.hardware.actions.REST_ATTEMPTS", 1)
    with pytest.raises(UserError, match=r"the robot moved, or the sensor gave nothing\. Nothing was written"):
        run("calibrate", "three_link", "--sensor", "imu", "--calibration", str(tmp_path / "no.yaml"))
    assert not (tmp_path / "no.yaml").exists()
