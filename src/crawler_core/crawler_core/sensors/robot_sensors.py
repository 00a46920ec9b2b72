"""The sensors of one robot in a run: simulated where nothing else reads them, and supervised."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence

from crawler_core.errors import BackendFault
from crawler_core.sensors.measured_contacts import MeasuredContacts
from crawler_core.sensors.sensor_fault import NO_FAULT, SensorFault, SensorFaultInjector
from crawler_core.sensors.sensor_monitor import SensorMonitor
from crawler_core.sensors.sensor_spec import SensorSpec
from crawler_core.sensors.simulated_sensors import SimulatedSensors
from crawler_core.types import Contact, Observation, SensorReading

MAX_ADDED = 1000  # readings that wait for the next state; older ones are dropped


class RobotSensors:
    """Adds the readings of simulated sensors to each state, lets them fail on request, and drops bad readings.

    A backend that knows no contacts gets those that sensors under the feet measure.
    """

    def __init__(
        self,
        sensors: Sequence[SensorSpec],
        feet: Sequence[str],
        own: Collection[str],
        simulated: SimulatedSensors | None = None,
        fault: SensorFault = NO_FAULT,
    ) -> None:
        """Take the sensors with the errors that they have in this run; the backend reads or simulates its `own`."""
        self.sensors = tuple(sensors)
        self.own = frozenset(own)
        self._monitor = SensorMonitor(sensors)
        self._contacts = MeasuredContacts(feet, sensors)
        self._simulated = simulated
        self._injector = None if fault.kind == "none" else SensorFaultInjector(fault)
        self.restart()

    def restart(self) -> None:
        """Begin a new run."""
        self.contacts: tuple[Contact, ...] = ()  # that sensors under the feet measure
        self._monitor.restart()
        self._contacts.restart()
        if self._simulated is not None:
            self._simulated.restart()
        if self._injector is not None:
            self._injector.restart()
        self._added: deque[SensorReading] = deque(maxlen=MAX_ADDED)  # from any thread
        self._time_ns: int | None = None  # of the last state,
        self._readings: tuple[SensorReading, ...] = ()  # its good readings,
        self._delivered: tuple[SensorReading, ...] = ()  # and those of the backend itself

    def add(self, reading: SensorReading) -> None:
        """Take a reading that reaches the robot on another way than through its backend; any thread may."""
        self._added.append(reading)

    def observe(self, seen: Observation, truth: Observation) -> Observation:
        """Return a state with the good readings that have arrived; `truth` has the joints as they are.

        A state of the same time as the one before has the same readings; those that are new belong to the next one.
        """
        if seen.time_ns == self._time_ns:
            self._added.extend(one for one in seen.readings if one not in self._delivered)
        else:
            self._time_ns = seen.time_ns
            readings = seen.readings if self._simulated is None else (*seen.readings, *self._simulated.update(truth))
            if self._added:
                readings = (*(self._added.popleft() for _ in range(len(self._added))), *readings)
            if self._injector is not None:
                readings = tuple(self._injector.apply(seen.time_ns, readings))
            self._readings = self._monitor.check(seen.time_ns, readings)
            self.contacts = self._contacts.update(self._readings, self._monitor.failed)
        self._delivered = seen.readings
        if seen.readings or self._readings or (self.contacts and not seen.contacts):
            joints = seen.position, seen.velocity, seen.effort
            contacts = seen.contacts or self.contacts
            return Observation(seen.time_ns, *joints, seen.base, contacts, self._readings, seen.measured_ns)
        return seen

    @property
    def problems(self) -> Mapping[str, str]:
        """A sentence on each sensor that does not deliver good readings, by its name."""
        return self._monitor.problems

    @property
    def fault(self) -> BackendFault | None:
        """The reason why the robot must not move; None where it may."""
        return self._monitor.fault

    def health(self) -> Mapping[str, object]:
        """Return the condition of the sensors, for diagnostics."""
        return self._monitor.health()
