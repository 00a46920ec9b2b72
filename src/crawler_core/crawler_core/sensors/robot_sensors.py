"""The sensors of one robot in a run: simulated where nothing else reads them, and supervised."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from crawler_core.errors import BackendFault
from crawler_core.sensors.sensor_monitor import SensorMonitor
from crawler_core.sensors.simulated_sensors import SimulatedSensors
from crawler_core.types import Observation


class RobotSensors:
    """Adds the readings of simulated sensors to each state, and drops bad readings."""

    def __init__(self, monitor: SensorMonitor, simulated: SimulatedSensors | None = None) -> None:
        self._monitor = monitor
        self._simulated = simulated

    def restart(self) -> None:
        """Begin a new run."""
        self._monitor.restart()
        if self._simulated is not None:
            self._simulated.restart()
        self._last: Observation | None = None

    def observe(self, seen: Observation, truth: Observation) -> Observation:
        """Return a state with the good readings that have arrived; `truth` has the joints as they are.

        A state of the same time as the one before has the same readings.
        """
        last = self._last
        if last is not None and last.time_ns == seen.time_ns:
            readings = last.readings
        else:
            simulated = () if self._simulated is None else self._simulated.update(truth)
            readings = self._monitor.check(seen.time_ns, (*seen.readings, *simulated))
        self._last = replace(seen, readings=readings)
        return self._last

    @property
    def problem(self) -> str:
        """What is wrong with the sensors; empty where nothing is."""
        return "; ".join(self._monitor.problems)

    @property
    def fault(self) -> BackendFault | None:
        """The reason why the robot must not move; None where it may."""
        return self._monitor.fault

    def health(self) -> Mapping[str, object]:
        """Return the condition of the sensors, for diagnostics."""
        return self._monitor.health()
