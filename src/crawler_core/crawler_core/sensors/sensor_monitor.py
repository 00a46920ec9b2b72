"""Supervision of sensors: bad readings are dropped, and a sensor that delivers none is reported."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from crawler_core.errors import BackendFault
from crawler_core.sensors.sensor_spec import SensorSpec
from crawler_core.types import (
    BatteryReading,
    ForceReading,
    ImuReading,
    PoseReading,
    SensorReading,
    SwitchReading,
)

START_TIMEOUT_S = 1.0  # from the first state to the first reading
MIN_TIMEOUT_S = 0.1  # without a good reading
MISSED_READINGS = 10  # that a sensor may miss in a row, where that is longer
FROZEN_S = 0.25  # of equal readings of a sensor with noise
FROZEN_READINGS = 10  # that are equal, at least
MAX_AGE_S = 0.1  # of a reading beyond its sensor's delay
MAX_LEAD_S = 0.1  # by which a reading may be newer than the state
PAUSE_S = 0.2  # between two states, from which on time has stood still
CHECK_PERIOD_NS = 50_000_000  # of the run's time, between two checks of sensors that deliver nothing
RANGE_TOLERANCE = 1.001
QUATERNION_TOLERANCE = 0.01  # of its length
VOLTAGE_SHARES = (0.65, 1.35)  # of the nominal voltage: cells of all kinds, empty under load and while they charge

OK, WAITING = "ok", "waiting"


class SensorMonitor:
    """Checks the readings of a robot's sensors.

    A reading is dropped if it is not finite, out of its sensor's range, too old, or the same as those before for longer
    than noise allows. The last is not known of a switch, of a sensor without noise, and of a battery: motors report
    their supply in steps of 0.1 V.
    """

    def __init__(self, sensors: Iterable[SensorSpec]) -> None:
        """Take the sensors with the errors that they have in this run."""
        self._watches = {sensor.name: _SensorWatch(sensor) for sensor in sensors}
        self._all = tuple(self._watches.values())
        self.restart()

    def restart(self) -> None:
        """Begin again: every sensor may take `START_TIMEOUT_S` for its first reading."""
        self._now_ns: int | None = None
        self._next_due_ns = 0  # of the next check
        self._has_failures = False  # at the last check
        for watch in self._all:
            watch.restart()

    def check(self, now_ns: int, readings: Sequence[SensorReading]) -> tuple[SensorReading, ...]:
        """Return the good ones of the readings that have arrived since the state before."""
        before, self._now_ns = self._now_ns, now_ns
        if before is None or not 0 <= now_ns - before <= PAUSE_S * 1e9:
            for watch in self._all:
                watch.extend(now_ns)
            self._next_due_ns = now_ns
        good = tuple([one for one in readings if self._is_good(one, now_ns)]) if readings else ()
        if now_ns > self._next_due_ns:
            for watch in self._all:
                if now_ns > watch.due_ns:
                    watch.time_out(now_ns)
            self._has_failures = any(watch.has_failed for watch in self._all)
            due = (watch.due_ns for watch in self._all if not watch.has_failed)
            self._next_due_ns = min([now_ns + CHECK_PERIOD_NS, *due])
        return good

    def _is_good(self, reading: SensorReading, now_ns: int) -> bool:
        watch = self._watches.get(reading.sensor)
        return watch is not None and watch.is_good(reading, now_ns)

    @property
    def failed(self) -> list[str]:
        """The sensors that have delivered nothing good for longer than they may."""
        return [watch.sensor.name for watch in self._all if watch.has_failed] if self._has_failures else []

    @property
    def problems(self) -> dict[str, str]:
        """A sentence on each sensor that does not deliver good readings, by its name."""
        bad = [(watch.sensor.name, watch.problem) for watch in self._all if watch.problem]
        return {name: f"the sensor {name} {problem}" for name, problem in bad}

    @property
    def fault(self) -> BackendFault | None:
        """The reason why the robot must not move: a required sensor delivers nothing good."""
        for watch in self._all if self._has_failures else ():
            if watch.has_failed and watch.sensor.required:
                name = watch.sensor.name
                return BackendFault(
                    f"the sensor {name} {watch.problem}, and the robot file requires it",
                    remedy=f"check its supply and its wires, or set sensors.{name}.required to false; "
                    "then call reset and enable",
                )
        return None

    def health(self) -> dict[str, object]:
        """Return the status and the age (s) of each sensor, for diagnostics."""
        values: dict[str, object] = {}
        for watch in self._all:
            values[f"{watch.sensor.name}.status"] = watch.status
            values[f"{watch.sensor.name}.age"] = watch.age(self._now_ns)
        return values


class _SensorWatch:
    """The latest of one sensor."""

    def __init__(self, sensor: SensorSpec) -> None:
        self.sensor = sensor
        share = 1.0 - sensor.loss
        self._timeout_ns = round((sensor.delay + max(MIN_TIMEOUT_S, MISSED_READINGS / (sensor.rate * share))) * 1e9)
        self._max_age_ns = round((sensor.delay + max(MAX_AGE_S, 1.0 / sensor.rate)) * 1e9)
        self._has_noise = _has_noise(sensor)
        self.restart()

    def restart(self) -> None:
        self.status = WAITING
        self.problem = ""  # a predicate for a sentence; empty where there is none
        self.has_failed = False  # no good reading has come in time
        self._measured_ns: int | None = None  # of the last good reading
        self._values: tuple[object, ...] = ()  # of the last reading,
        self._same_since_ns = 0  # and since when they are the same,
        self._same = 0  # and how often
        self.due_ns = 0  # when the next good reading must have come

    def extend(self, now_ns: int) -> None:
        """Wait for the next reading from now on: states begin, or come again after a pause."""
        self.due_ns = now_ns + max(self._timeout_ns, round(START_TIMEOUT_S * 1e9))

    def is_good(self, reading: SensorReading, now_ns: int) -> bool:
        """Check a reading, and remember why it is bad."""
        age_ns = now_ns - reading.time_ns
        if problem := _value_problem(self.sensor, reading):
            self._reject("invalid", problem)
        elif age_ns < -MAX_LEAD_S * 1e9:
            self._reject("late", f"delivers readings with stamps {age_ns * -1e-9:.2g} s ahead: check its clock")
        elif age_ns > self._max_age_ns:
            allowed = self._max_age_ns * 1e-9
            self._reject("late", f"delivers readings that are {age_ns * 1e-9:.2g} s old: {allowed:.2g} s are allowed")
        elif self._has_noise and self._is_frozen(reading):
            seconds = (reading.time_ns - self._same_since_ns) * 1e-9
            self._reject("frozen", f"is frozen: it has delivered the same values for {seconds:.2g} s")
        else:
            self.status, self.problem, self.has_failed = OK, "", False
            self._measured_ns = reading.time_ns
            self.due_ns = now_ns + self._timeout_ns
            return True
        return False

    def time_out(self, now_ns: int) -> None:
        """Note that no good reading has come in time."""
        self.has_failed = True
        if self.status in (OK, WAITING, "gone"):
            self.status = "gone"
            age = self.age(now_ns)
            since = "since the start" if isinstance(age, str) else f"for {age:.2g} s"
            self.problem = f"is gone: it has delivered nothing {since}"

    def age(self, now_ns: int | None) -> float | str:
        """Return the time since the last good measurement (s); empty before the first."""
        return "" if now_ns is None or self._measured_ns is None else (now_ns - self._measured_ns) * 1e-9

    def _reject(self, status: str, problem: str) -> None:
        self.status, self.problem = status, problem

    def _is_frozen(self, reading: SensorReading) -> bool:
        values = _values(reading)
        if values != self._values:
            self._values, self._same_since_ns, self._same = values, reading.time_ns, 1
            return False
        self._same += 1
        return self._same >= FROZEN_READINGS and reading.time_ns - self._same_since_ns >= FROZEN_S * 1e9


def _has_noise(sensor: SensorSpec) -> bool:
    noise = {
        "imu": sensor.gyro_noise + sensor.accel_noise,
        "foot_force": sensor.force_noise,
        "external_pose": sensor.position_noise + sensor.angle_noise,
    }
    return noise.get(sensor.kind, 0.0) > 0.0


def _values(reading: SensorReading) -> tuple[object, ...]:
    match reading:
        case ImuReading(angular=angular, linear=linear):
            return angular, linear
        case ForceReading(force=force):
            return (force or reading.time_ns,)  # never the same in the air, where some sensors have no noise
        case PoseReading(position=position, quaternion=quaternion):
            return position, quaternion
    return (reading.time_ns,)


def _value_problem(sensor: SensorSpec, reading: SensorReading) -> str:
    """Return why the values cannot be used, as a predicate; empty where they can."""
    match reading:
        case ImuReading(angular=(p, q, r), linear=(x, y, z)):
            rate, force = max(abs(p), abs(q), abs(r)), max(abs(x), abs(y), abs(z))
            if not math.isfinite(p + q + r + x + y + z):
                return "delivers values that are no numbers"
            if rate > sensor.gyro_range * RANGE_TOLERANCE:
                return f"delivers {rate:.3g} rad/s: its range ends at {sensor.gyro_range:g}"
            if force > sensor.accel_range * RANGE_TOLERANCE:
                return f"delivers {force:.3g} m/s^2: its range ends at {sensor.accel_range:g}"
        case ForceReading(force=force) if not math.isfinite(force):
            return "delivers a force that is no number"
        case BatteryReading(voltage=voltage):
            if not math.isfinite(voltage):
                return "delivers a voltage that is no number"
            low, high = (share * sensor.voltage for share in VOLTAGE_SHARES)
            if not low <= voltage <= high:
                return (
                    f"delivers {voltage:.3g} V: {low:.3g} to {high:.3g} V are plausible for {sensor.voltage:g} V: "
                    f"check the battery, the sensor's wires and sensors.{sensor.name}.voltage"
                )
        case PoseReading(position=position, quaternion=quaternion):
            length = math.hypot(*quaternion)
            if not math.isfinite(sum(position) + length):
                return "delivers a pose with values that are no numbers"
            if abs(length - 1.0) > QUATERNION_TOLERANCE:
                return f"delivers a quaternion of length {length:.3g}: it must be 1"
    return _kind_problem(sensor, reading)


def _kind_problem(sensor: SensorSpec, reading: SensorReading) -> str:
    if isinstance(reading, _READINGS[sensor.kind]):
        return ""
    return f"is a sensor of kind {sensor.kind}, and delivers a {type(reading).__name__}"


_READINGS: dict[str, type[SensorReading]] = {
    "imu": ImuReading,
    "contact_switch": SwitchReading,
    "foot_force": ForceReading,
    "battery": BatteryReading,
    "external_pose": PoseReading,
}
