"""The hardware backend on emulated buses, whose motors move the robot's equations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from crawler_core.errors import unknown_name
from crawler_core.loop.backend_entry import BackendEntry
from crawler_core.reality.reality import Reality
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.sensors.simulated_sensors import SimulatedSensors
from crawler_core.types import Observation
from hw_drivers.backend.hardware_backend import HardwareBackend, configured_buses
from hw_drivers.backend.hardware_map import BusMap
from hw_drivers.bus.bus import Bus, Reading
from hw_drivers.bus.bus_loop import BusLoop
from hw_drivers.emulation.disturbance import LINE_FAULTS
from hw_drivers.emulation.emulated_settings import EmulatedSettings
from hw_drivers.emulation.emulation import Emulation
from hw_drivers.emulation.reading_fault import READING_FAULTS, ReadingFault
from hw_drivers.emulation.stepped_bus_loop import SteppedBusLoop
from hw_drivers.sensors.sensor_kinds import SENSOR_KINDS
from hw_drivers.sensors.sensor_loop import SensorLoop
from hw_drivers.sensors.sensor_map import SensorMap

POLL_RATE_HZ = 1e6  # of a sensor that no bus reads: in every tick, since it has a sample when it has measured


PHASE_STEP_NS = 1_000_000


class EmulatedBackend(HardwareBackend):
    """The real drivers on emulated motors, in virtual time: the bytes in both directions are those of real ones.

    Time passes with ticks only, so that a busy computer makes a run slower and changes nothing in it. Each bus has a
    clock of its own, since the cycles of several buses take place side by side; the slowest of them is the time of all.
    A tick takes longer than dt where a cycle does, as with motors.

    `emulation` holds the emulated buses while the backend is open.
    """

    simulated: ClassVar[bool] = True
    kind: ClassVar[str] = "emulated"
    default_profile: ClassVar[str] = "typical"  # of the robot file's reality

    def __init__(self, spec: RobotSpec, settings: EmulatedSettings, dt: float) -> None:
        """Raises UserError where the robot file or the settings cannot be used; nothing is emulated yet."""
        if settings.fail_joint and settings.fail_joint not in spec.actuated_names:
            raise unknown_name("actuated joint", settings.fail_joint, spec.actuated_names)
        self._real_buses = configured_buses(spec, settings.hardware)
        super().__init__(spec, settings.hardware, dt, self._real_buses)
        self._settings = settings
        self._reality, self._seed = spec.reality(self.default_profile), 0
        self._simulated_sensors: SimulatedSensors | None = None  # None: with the errors of the typical profile
        self._reading_fault: ReadingFault | None = None
        self.emulation: Emulation | None = None

    def set_reality(self, reality: Reality, seed: int) -> None:
        """Use these imperfections from the next `open` on."""
        self._reality, self._seed = reality, seed

    @property
    def time_ns(self) -> int:
        """The time since `open`, that of the bus that is ahead."""
        return self._now_ns - self._opened_ns

    def emulate_sensors(self, simulated: SimulatedSensors) -> None:
        """Let the emulated sensors measure what these do, from the next `open` on."""
        self._simulated_sensors = simulated

    def open(self) -> None:
        """Emulate the buses, with every joint at home, and open the drivers on them. Raises UserError or BusFault."""
        self.emulation = Emulation(self._spec, self._real_buses, self._sensors, reality=self._reality, seed=self._seed)
        if self._simulated_sensors is not None and self.emulation.sensors is not None:
            self.emulation.sensors.simulated = self._simulated_sensors
        self._reading_fault = None
        self._clocks = self.emulation.clocks
        self._opened_ns = 0
        self._buses = tuple(self.emulation.connected(bus) for bus in self._real_buses)
        super().open()
        self._align()
        self._opened_ns = self._now_ns
        self._epoch_ns = self._clock_epoch_ns()
        self._take_readings()  # that are older than this run
        self._tick_due_ns = self._opened_ns + round(1e9 * self._dt)
        self._phase_ns = 0  # from the start of a tick to its observation
        self._fault_is_due = self._settings.fail != "none"

    def observe(self) -> Observation:
        """Return the motors' last readings, with the base and the feet where the motors' true angles moved them."""
        seen = super().observe()
        if self.emulation is None:
            return seen
        self._align()
        base, contacts = self.emulation.observe_base()
        self.emulation.measure(self.time_ns, base, contacts)
        for sensor in self.sensor_loops:
            sensor.poll()
        readings = (*seen.readings, *self._take_readings())
        return replace(seen, time_ns=self.time_ns, base=base, contacts=contacts, readings=readings)

    def advance(self, dt: float) -> None:
        """Let time pass until the next tick, and run a cycle on every bus."""
        self._align(self._tick_due_ns)
        begin = self._now_ns
        self._tick_due_ns = begin + round(1e9 * dt)
        self._inject_fault()
        super().advance(dt)
        # states are observed at even times, although cycles with and without a sensor's values differ a little
        cycle = self._now_ns - begin
        if 2 * cycle <= round(1e9 * dt):
            self._phase_ns = max(self._phase_ns, -(-cycle // PHASE_STEP_NS) * PHASE_STEP_NS)
        self._align(begin + self._phase_ns)

    def health(self) -> Mapping[str, object]:
        """Return diagnostics: those of the drivers, and how often the robot has left the range of its equations."""
        left = {} if self.emulation is None else {"equations_left": self.emulation.times_left}
        return {**super().health(), **left}

    def readings(self) -> dict[str, Reading]:
        """Return the newest reading of each actuated joint, spoiled by a fault of its sensors."""
        readings, fault = super().readings(), self._reading_fault
        return readings if fault is None else {name: fault.spoil(one) for name, one in readings.items()}

    def let_time_pass(self, seconds: float) -> None:
        """Let time pass without ticks, as where the supervisor hangs: each bus goes on by its own clock."""
        self._align(self._now_ns + round(1e9 * seconds))

    def recover(self) -> None:
        """Clear the motors' errors, and stand a fallen robot up. Raises BusFault or BackendFault."""
        if self.emulation is not None:
            self.emulation.recover()
        super().recover()

    def close(self) -> None:
        """Release the ports and end the emulation. May be called twice."""
        super().close()
        if self.emulation is not None:
            self.emulation.close()
            self.emulation = None

    def _make_loop(self, driver: Bus, bus: BusMap, needs_ticks: bool) -> BusLoop:
        return SteppedBusLoop(
            driver,
            bus.joints,
            self._dt,
            self._answer_timeout,
            self.latch,
            needs_ticks=needs_ticks,
            clock=self._clocks[bus.name],
        )

    def _make_sensor_loop(self, sensor: SensorMap) -> SensorLoop:
        assert self.emulation is not None
        assert self.emulation.sensors is not None
        make = SENSOR_KINDS[sensor.kind_name].make
        assert make is not None  # no bus reads it
        clock = self._now_s
        driver = make(sensor, clock=clock, sleep=_no_sleep, **self.emulation.sensors.driver_options(sensor))
        return SensorLoop(sensor.name, driver, POLL_RATE_HZ, clock=clock)

    def _start_sensors(self) -> None:
        """Leave the sensors to `observe`, which polls them."""

    def _now_s(self) -> float:
        return 1e-9 * self._now_ns

    def _clock_epoch_ns(self) -> int:
        return -self._opened_ns

    @property
    def _now_ns(self) -> int:
        """The time of the bus that is ahead."""
        return max(clock.now_ns for clock in self._clocks.values())

    def _align(self, time_ns: int = 0) -> None:
        """Bring every bus to the time of the one that is ahead, or to `time_ns` where that is later."""
        time_ns = max(time_ns, self._now_ns)
        for loop in self.loops:
            assert isinstance(loop, SteppedBusLoop)
            loop.run_until(time_ns)

    def _inject_fault(self) -> None:
        """Begin the fault of `settings.fail` once `settings.fail_after` has passed."""
        passed = self.time_ns / 1e9
        if self.emulation is not None and self._fault_is_due and passed >= self._settings.fail_after:
            self._fault_is_due = False
            if self._settings.fail in READING_FAULTS:
                self._reading_fault = ReadingFault(self._settings.fail, self._settings.fail_joint)
            elif self._settings.fail in LINE_FAULTS:
                self.emulation.disturb(LINE_FAULTS[self._settings.fail], self._seed)
            else:
                self.emulation.inject(self._settings.fail, self._settings.fail_joint)


def _no_sleep(_seconds: float) -> None:
    """Let an emulated device be ready at once."""


def _check(spec: RobotSpec, settings: EmulatedSettings) -> None:
    configured_buses(spec, settings.hardware)


BACKEND_ENTRY = BackendEntry("hw_drivers", "emulated_backend", EmulatedBackend, EmulatedSettings, check=_check)
