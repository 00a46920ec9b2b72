"""The actions of `crawler hw`: each takes the task and returns the exit code."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from crawler_cli.console.exit_code import EXIT_NOT_DONE
from crawler_cli.hardware.emulation_console import emulate
from crawler_cli.hardware.hardware_task import HardwareTask
from crawler_core.errors import BackendFault, UserError, unknown_name
from crawler_core.loop.pacer import Pacer
from crawler_core.loop.supervised_backend import SupervisedBackend
from crawler_core.types import BatteryReading, ForceReading, ImuReading, SensorReading, SwitchReading
from hw_drivers.backend.calibration import Calibration, calibration_path, read_calibration, write_calibration
from hw_drivers.backend.hardware_settings import HardwareSettings
from hw_drivers.bus.bus import Reading, Source
from hw_drivers.tools.bus_scan import find_zeros, open_bus, release_all, scan_buses
from hw_drivers.tools.gyro_rest import rest_bias
from hw_drivers.tools.sensor_scan import SensorScanResult, scan_sensors
from hw_drivers.tools.slow_motion import TICK_S, check_goal, move_joints, with_position_drives

MONITOR_PERIOD_S = 0.2  # between two rows of monitor
REST_TIME_S = 1.0  # of the measurement of a gyroscope's bias, and
REST_ATTEMPTS = 5
ROW = "{:<10} {:>10} {:>10} {:>9} {:>8} {:>8}  {}"


def _scan(task: HardwareTask) -> int:
    with task.ports() as buses:
        found = scan_buses(buses)
        sensors = scan_sensors(buses, task.sensors, task.make_sensor_driver)
    task.result["sensors"] = {
        one.sensor.name: {"kind": one.sensor.kind_name, "found": one.found or None, "problem": one.problem or None}
        for one in sensors
    }
    task.result["devices"] = [
        {
            "bus": entry.bus,
            "id": entry.id,
            "joint": entry.joint,
            "model": entry.device.model if entry.device else None,
            "detail": entry.device.detail if entry.device else None,
        }
        for entry in found
    ]
    for entry in found:
        what = f"{entry.device.model}, {entry.device.detail}" if entry.device else "does not answer"
        task.print(f"{entry.bus:<12} id {entry.id:<4} {entry.joint or 'no joint':<12} {what}")
    for one in sensors:
        task.print(f"sensor {one.sensor.name:<12} {one.found or f'is missing: {one.problem}'}")
    return task.report(
        [
            BackendFault(
                f"the motor of {entry.joint}, id {entry.id} on '{entry.bus}', does not answer",
                remedy="check its cable, its power and its id",
                joint=entry.joint,
            )
            for entry in found
            if entry.device is None
        ]
        + [_sensor_fault(one) for one in sensors if one.problem and one.sensor.sensor.required]
    )


def _sensor_fault(result: SensorScanResult) -> BackendFault:
    cause, _, remedy = result.problem.partition(": ")
    return BackendFault(cause, remedy=remedy or "check its wires")


def _monitor(task: HardwareTask) -> int:
    once = task.arguments.once or task.arguments.json
    with task.robot() as (supervised, backend):
        task.print(ROW.format("joint", "angle deg", "deg/s", "N m", "deg C", "V", "errors"))
        pacer = Pacer(1.0)
        while True:
            sensed = _watch_sensors(supervised, pacer)
            readings = backend.readings()
            task.result["joints"] = {name: _as_json(reading) for name, reading in readings.items()}
            for name, reading in readings.items():
                task.print(_row(name, reading))
            task.result["sensors"] = {one.name: _sensor_values(sensed.get(one.name, [])) for one in task.sensors}
            for name, values in task.result["sensors"].items():
                task.print(_sensor_row(name, values, backend.sensor_problems().get(name, "")))
            if fault := supervised.latched_fault:
                return task.report([fault])
            if once:
                return 0


def _watch_sensors(supervised: SupervisedBackend, pacer: Pacer) -> dict[str, list[SensorReading]]:
    """Tick without commands for a row of monitor, or until a fault. Return the readings by sensor."""
    sensed: dict[str, list[SensorReading]] = {}
    for _ in range(round(MONITOR_PERIOD_S / TICK_S)):
        if not supervised.tick(None):
            break
        for reading in supervised.observation.readings:
            sensed.setdefault(reading.sensor, []).append(reading)
        pacer.wait(TICK_S)
    return sensed


def _sensor_values(readings: Sequence[SensorReading]) -> dict[str, Any]:
    """Return the rate (Hz) and the last values of a sensor."""
    if not readings:
        return {"rate": 0.0}
    seconds = 1e-9 * (readings[-1].time_ns - readings[0].time_ns)
    values: dict[str, Any] = {"rate": (len(readings) - 1) / seconds if seconds > 0.0 else math.nan}
    match readings[-1]:
        case ImuReading(angular=angular, linear=linear):
            values |= {"gyro_deg_s": [math.degrees(rate) for rate in angular], "accel_m_s2": list(linear)}
        case SwitchReading(closed=closed):
            values["closed"] = closed
        case ForceReading(force=force):
            values["force"] = force
        case BatteryReading(voltage=voltage):
            values["voltage"] = voltage
    return values


def _sensor_row(name: str, values: Mapping[str, Any], problem: str) -> str:
    if len(values) == 1:
        return f"{name:<10} gives nothing{problem and ': '}{problem}"
    texts = {
        "gyro_deg_s": lambda rates: "gyro " + " ".join(f"{rate:7.2f}" for rate in rates) + " deg/s",
        "accel_m_s2": lambda forces: "accel " + " ".join(f"{force:6.2f}" for force in forces) + " m/s^2",
        "closed": lambda closed: "closed" if closed else "open",
        "force": lambda force: f"{force:.2f} N",
        "voltage": lambda voltage: f"{voltage:.2f} V",
    }
    shown = ", ".join(text(values[key]) for key, text in texts.items() if key in values)
    rate = "" if math.isnan(values["rate"]) else f"{values['rate']:5.0f} Hz  "
    return f"{name:<10} {rate}{shown}"


def _row(name: str, reading: Reading) -> str:
    numbers = (
        f"{math.degrees(reading.position):.2f}",
        f"{math.degrees(reading.velocity):.2f}",
        f"{reading.effort:.3f}",
        f"{reading.temperature:.0f}",
        f"{reading.voltage:.1f}",
    )
    return ROW.format(name, *numbers, ", ".join(reading.errors) or "-")


def _as_json(reading: Reading) -> dict[str, Any]:
    return {
        "angle_deg": math.degrees(reading.position),
        "velocity_deg_s": math.degrees(reading.velocity),
        "effort": reading.effort,
        "temperature": reading.temperature,
        "voltage": reading.voltage,
        "errors": list(reading.errors),
        "source": reading.source.value,
    }


def _calibrate(task: HardwareTask) -> int:
    arguments = task.arguments
    chosen = [arguments.joint] if arguments.joint else [] if arguments.sensor else list(task.spec.actuated_names)
    gyros = [one.name for one in task.sensors if one.sensor.kind == "imu" and arguments.sensor in ("", one.name)]
    if arguments.sensor and not gyros:
        raise unknown_name("IMU of hardware.sensors", arguments.sensor, [one.name for one in task.sensors])
    path = Path(task.arguments.calibration or calibration_path(task.spec.name))
    home = {joint.name: joint.home for joint in task.spec.actuated}
    maps = {joint.joint: joint for bus in task.buses for joint in bus.joints}
    before = read_calibration(path, task.spec) if path.exists() else Calibration()
    zeros = dict(before.zeros)
    with task.robot() as (supervised, backend):
        for name, reading in backend.readings().items():
            if name in chosen and reading.source is Source.COMMANDED:
                raise UserError(f"{name} cannot be calibrated: its servo does not measure its angle. Use its trim_us.")
        for name in chosen:
            _wait_until_placed(name, math.degrees(home[name]))
            try:
                supervised.step(None)
            except BackendFault as fault:
                return task.report([fault])
            motor = maps[name]
            zeros[name] = motor.to_motor(backend.readings()[name].position) - motor.rate_to_motor(home[name])
            task.print(f"{name}: the zero is at {math.degrees(zeros[name]):.2f} degrees of the motor")
        biases = dict(before.gyro_biases) | ({} if arguments.joint else _measure_biases(task, supervised, gyros))
    write_calibration(path, task.spec.name, Calibration(zeros, biases))
    task.result |= {"zero_deg": {name: math.degrees(zero) for name, zero in zeros.items()}, "calibration": str(path)}
    task.result["gyro_bias"] = {name: list(bias) for name, bias in biases.items()}
    task.print(f"written to {path}")
    return 0


def _measure_biases(
    task: HardwareTask, supervised: SupervisedBackend, gyros: Sequence[str]
) -> dict[str, tuple[float, float, float]]:
    """Measure the biases (rad/s) of gyroscopes while the robot is left alone. Raises UserError where it moves.

    A sensor that gives nothing is left out, unless it was asked for.
    """
    found: dict[str, tuple[float, float, float]] = {}
    if gyros:
        task.print(f"leave the robot alone for {REST_TIME_S:g} s: the bias of {' and '.join(gyros)} is measured")
    for _ in range(REST_ATTEMPTS):
        missing = [name for name in gyros if name not in found]
        if not missing:
            break
        readings: dict[str, list[ImuReading]] = {name: [] for name in missing}
        pacer = Pacer(1.0)
        for _ in range(round(REST_TIME_S / TICK_S)):
            supervised.tick(None)
            for reading in supervised.observation.readings:
                if isinstance(reading, ImuReading) and reading.sensor in readings:
                    readings[reading.sensor].append(reading)
            pacer.wait(TICK_S)
        for name in missing:
            if not readings[name] and not task.arguments.sensor:
                task.print(f"{name}: it gives nothing, and its bias stays unknown")
                gyros = [one for one in gyros if one != name]
            elif (bias := rest_bias(readings[name])) is not None:
                found[name] = bias
                degrees = ", ".join(f"{math.degrees(rate):.3f}" for rate in bias)
                task.print(f"{name}: the rates at rest are {degrees} degrees per second")
    if lost := [name for name in gyros if name not in found]:
        raise UserError(
            f"the bias of {' and '.join(lost)} is not known: the robot moved, or the sensor gave nothing. Nothing was "
            "written. Leave the robot alone, or calibrate joints alone with --joint."
        )
    return found


def _wait_until_placed(name: str, home_deg: float) -> None:
    """Ask the user to move a joint by hand, and wait for Enter. Raises UserError at the end of the input."""
    question = f"Put {name} by hand at {home_deg:g} degrees, its home, and press Enter "
    print(question, end="", file=sys.stderr, flush=True)
    if not sys.stdin.readline():
        raise UserError("the input ended before every joint was set: nothing was written. Start again.")


def _home(task: HardwareTask) -> int:
    if isinstance(task.settings, HardwareSettings):  # emulated devices know their zeros
        for name in find_zeros(task.buses):
            task.print(f"{name}: its zero was not known, and is found")
    placed = [joint for joint in with_position_drives(task.spec, task.buses).actuated if not joint.is_effort_driven]
    return _move(task, lambda now: {joint.name: joint.home for joint in placed})


def _jog(task: HardwareTask) -> int:
    arguments, name = task.arguments, task.arguments.joint
    if not name or (arguments.to is None and arguments.by is None):
        raise UserError("jog needs a joint and a goal: --joint NAME with --to DEGREES or --by DEGREES.")
    if arguments.to is not None:
        return _move(task, lambda now: {name: math.radians(arguments.to)})
    return _move(task, lambda now: {name: now[name] + math.radians(arguments.by)})


def _move(task: HardwareTask, goal_from: Callable[[Mapping[str, float]], dict[str, float]]) -> int:
    speed = math.radians(task.arguments.speed)
    task.spec = with_position_drives(task.spec, task.buses)
    check_goal(task.spec, {}, speed)
    with task.robot() as (supervised, backend):
        goal = goal_from({name: reading.position for name, reading in backend.readings().items()})
        check_goal(task.spec, goal, speed)
        task.print("moving " + ", ".join(f"{name} to {math.degrees(angle):.1f}" for name, angle in goal.items()))
        move_joints(supervised, task.spec, goal, speed)
        task.result["joints"] = {name: _as_json(reading) for name, reading in backend.readings().items()}
        for name in goal:
            task.print(f"{name} is at {task.result['joints'][name]['angle_deg']:.2f} degrees; the torque goes off")
    return 0


def _estop(task: HardwareTask) -> int:
    with task.ports() as buses:
        faults = release_all(buses)
    if any("another program uses" in str(fault) for fault in faults):
        return _estop_through_run(task)
    if not faults:
        task.print("the torque of every joint is off")
    return task.report(faults)


def _estop_through_run(task: HardwareTask) -> int:
    """Call the emergency stop of the run that has the port."""
    from std_srvs.srv import Trigger

    from crawler_nodes.client.stack_monitor import StackMonitor

    with StackMonitor(namespace=task.arguments.namespace, name="estop") as monitor:
        answer = monitor.call(Trigger, "backend/estop", Trigger.Request(), 5.0)
    task.print(answer.message)
    return 0 if answer.success else EXIT_NOT_DONE


def _reboot(task: HardwareTask) -> int:
    with task.ports() as buses:
        for bus in buses:
            with open_bus(bus) as driver:
                try:
                    driver.configure(bus.joints)
                except UserError as error:
                    task.print(f"{bus.name}: {error}")
                driver.clear()
    task.print("no motor reports an error; the torque is off")
    return 0


ACTIONS: Mapping[str, Callable[[HardwareTask], int]] = {
    "scan": _scan,
    "monitor": _monitor,
    "calibrate": _calibrate,
    "home": _home,
    "jog": _jog,
    "estop": _estop,
    "reboot": _reboot,
    "emulate": emulate,
}
