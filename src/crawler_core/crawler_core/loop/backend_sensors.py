"""The sensors of a robot on one backend."""

from __future__ import annotations

from dataclasses import replace

from crawler_core.errors import UserError
from crawler_core.loop.backend import Backend, SensorEmulation, SensorReader
from crawler_core.reality.realistic_backend import profile_of
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.sensors.robot_sensors import RobotSensors
from crawler_core.sensors.sensor_fault import NO_FAULT, SensorFault
from crawler_core.sensors.sensor_spec import TOPIC_KINDS
from crawler_core.sensors.simulated_sensors import SimulatedSensors


def make_robot_sensors(
    spec: RobotSpec, backend: Backend, profile: str, seed: int = 0, fault: SensorFault = NO_FAULT
) -> RobotSensors | None:
    """Return the sensors of a robot on a backend; None for a robot without sensors.

    `profile` is that of the setting `reality`, empty for the backend's own. Raise UserError for a fault that no sensor
    of this robot can have here.
    """
    fault.check(spec)
    if not spec.sensors:
        return None
    read = backend.sensor_names() if isinstance(backend, SensorReader) else ()
    if not (backend.simulated or getattr(backend, "simulates_sensors", False)):
        if fault.kind != "none":
            raise UserError(
                f"backend.sensor_fail = '{fault.kind}' is not allowed with {backend.kind}: it is for simulations."
            )
        present = [
            sensor
            for sensor in spec.sensors
            if sensor.name in read or sensor.kind in TOPIC_KINDS or not isinstance(backend, SensorReader)
        ]
        return RobotSensors(present, spec.foot_names, read) if present else None
    chosen = profile_of(backend, profile)
    sensors = [sensor.with_profile(chosen) for sensor in spec.sensors]
    simulated = SimulatedSensors(spec, chosen, seed, without=read)
    if isinstance(backend, SensorEmulation):
        own = tuple(replace(sensor, delay=0.0, loss=0.0) for sensor in spec.sensors if sensor.name in read)
        backend.emulate_sensors(SimulatedSensors(replace(spec, sensors=own), chosen, seed))
    return RobotSensors(sensors, spec.foot_names, [sensor.name for sensor in sensors], simulated, fault)
