"""Failures of sensors while the robot crawls under a law that does without them."""

from __future__ import annotations

from crawler_core.sensors.sensor_fault import BATTERY_FAULTS, SENSOR_FAULTS
from crawler_testing.faults.fault_kind import FaultKind, expect_crawl
from crawler_testing.fixtures.robot_selection import default_spec
from crawler_testing.fixtures.run_config import ALL_BACKENDS, SIMULATIONS, RunConfig
from crawler_testing.fixtures.run_harness import RunHarness

FAIL_AFTER_S = 2.0  # of the run's time
FAILED_S = 3.0  # of it, for which the robot crawls on with the fault
FAILED_TIMEOUT_S = 30.0
REPORTS = {  # words that follow the sensor's name, by fault; a bias cannot be known
    "frozen": "is frozen",
    "nan": "delivers ",
    "biased": "",
    "late": "delivers readings that are",
    "gone": "is gone",
    "no_voltage": "delivers 0 V",
    "high_voltage": "delivers 2",  # some 24 V
}
ACTIONS = {
    "frozen": "delivers the same values again and again",
    "nan": "delivers NaN",
    "biased": "is wrong by a constant",
    "late": "delivers half a second late",
    "gone": "delivers nothing",
    "no_voltage": "delivers 0 V",
    "high_voltage": "delivers twice its voltage",
}
NOISY_BACKENDS = SIMULATIONS  # without noise equal values are no fault


def _wait(run: RunHarness) -> None:
    """Let the run go on until the sensor has failed for a while."""
    end = run.monitor.stamp + FAIL_AFTER_S + FAILED_S
    run.require(lambda: run.has_ended or run.monitor.stamp >= end, FAILED_TIMEOUT_S, "time did not go on")


def _sensor_fault(fault: str, sensor: str, kind: str) -> FaultKind:
    settings = [f"backend.sensor_fail={fault}", f"backend.sensor_fail_after={FAIL_AFTER_S:g}"]
    settings.append(f"backend.sensor_fail_name={sensor}")
    needs_noise = fault == "frozen"
    if needs_noise:
        settings.append("backend.reality=typical")
    # motors report their supply in coarse steps, so that equal voltages are no fault
    is_reported = bool(REPORTS[fault]) and (fault, kind) != ("frozen", "battery")
    expected = (
        expect_crawl(f"the sensor {sensor} {REPORTS[fault]}", text="its readings are dropped; reported; crawls on")
        if is_reported
        else expect_crawl()
    )
    backends = NOISY_BACKENDS if needs_noise else ALL_BACKENDS
    config = RunConfig(settings=tuple(settings))
    return FaultKind(f"sensors/{sensor}_{fault}", f"the {sensor} {ACTIONS[fault]}", expected, _wait, backends, config)


def _sensor_faults() -> tuple[FaultKind, ...]:
    assert set(REPORTS) == set(SENSOR_FAULTS) - {"none"}
    return tuple(
        _sensor_fault(fault, sensor.name, sensor.kind)
        for sensor in default_spec().sensors
        for fault in REPORTS
        if sensor.kind == "battery" or fault not in BATTERY_FAULTS
    )


SENSOR_FAULT_KINDS = _sensor_faults()
