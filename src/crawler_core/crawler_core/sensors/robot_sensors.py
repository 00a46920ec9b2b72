"""The sensors of one robot in a run: simulated where nothing else reads them, and supervised."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from crawler_core.errors import BackendFault
from crawler_core.sensors.measured_contacts import MeasuredContacts
from crawler_core.sensors.sensor_monitor import SensorMonitor
from crawler_core.sensors.sensor_spec import SensorSpec
from crawler_core.sensors.simulated_sensors import SimulatedSensors
from crawler_core.types import Contact, Observation


class RobotSensors:
    """Adds the readings of simulated sensors to each state, and drops bad readings.

    A backend that knows no contacts gets those that sensors under the feet measure.
    """

    def __init__(
        self,
        sensors: Sequence[SensorSpec],
        feet: Sequence[str],
        own: Collection[str],
        simulated: SimulatedSensors | None = None,
    ) -> None:
        """Take the sensors with the errors that they have in this run; the backend reads or simulates its `own`."""
        self.sensors = tuple(sensors)
        self.own = frozenset(own)
        self._monitor = SensorMonitor(sensors)
        self._contacts = MeasuredContacts(feet, sensors)
        self._simulated = simulated
        self.restart()

    def restart(self) -> None:
        """Begin a new run."""
        self.contacts: tuple[Contact, ...] = ()  # that sensors under the feet measure
        self._monitor.restart()
        self._contacts.restart()
        if self._simulated is not None:
            self._simulated.restart()
        self._last: Observation | None = None

    def observe(self, seen: Observation, truth: Observation) -> Observation:
        """Return a state with the good readings that have arrived; `truth` has the joints as they are.

        A state of the same time as the one before has the same readings.
        """
        last = self._last
        if last is None or last.time_ns != seen.time_ns:
            simulated = () if self._simulated is None else self._simulated.update(truth)
            readings = self._monitor.check(seen.time_ns, (*seen.readings, *simulated))
            self.contacts = self._contacts.update(readings, self._monitor.failed)
        else:
            readings = last.readings
        self._last = replace(seen, readings=readings, contacts=seen.contacts or self.contacts)
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
