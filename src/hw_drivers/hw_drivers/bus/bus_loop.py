"""The thread of one bus: a cycle of write and read per tick, or by the clock without ticks."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from crawler_core.errors import UserError
from crawler_core.types import FloatArray, SensorReading
from hw_drivers.bus.bus import POWER_OFF_REMEDY, Bus, BusFault, Reading
from hw_drivers.bus.fault_latch import FaultLatch
from hw_drivers.bus.joint_map import JointMap
from hw_drivers.bus.liveness import Liveness

FREE_RUN_AFTER_PERIODS = 2.0  # without a tick, until the loop runs by its own clock
TICK_TIMEOUT_S = 1.0  # without a tick, until the torque goes off: the supervisor is gone
CYCLE_TIMEOUT_S = 2.0  # of a cycle, until the bus counts as lost
MAX_WAITING_READINGS = 1000  # of sensors, until they are fetched
QUICK_RETRY_PERIOD_S = 0.02  # between attempts to take the torque off that were not confirmed: some get through
QUICK_RETRY_TIME_S = 2.0  # from the first attempt, until the longer period
RELEASE_RETRY_PERIOD_S = 0.5  # between later attempts, and between attempts on a port that is opened again


class BusSetpoints(NamedTuple):
    """Setpoints of a bus's joints, in their order."""

    position: FloatArray  # rad
    velocity: FloatArray  # rad/s
    effort: FloatArray  # N·m; NaN: none


class BusLoop:
    """Runs the cycles of one bus. Methods may be called from any thread; their work never overlaps a cycle."""

    def __init__(
        self,
        bus: Bus,
        joints: Sequence[JointMap],
        period: float,
        answer_timeout: float,
        latch: FaultLatch,
        *,
        needs_ticks: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`period` and `answer_timeout` in s. `needs_ticks`: the torque goes off after TICK_TIMEOUT_S without one.

        `clock` (s) is the one of the bus's driver.
        """
        self.bus = bus
        self.records_starts = False
        self.starts: list[float] = []  # s, by the clock, of the cycles while `records_starts`
        self.cycle_time = 0.0  # s, of the last cycle
        self.liveness = Liveness(answer_timeout)
        self._answer_timeout = answer_timeout
        self.readings: tuple[Reading, ...] = ()
        self._sensor_readings: deque[SensorReading] = deque(maxlen=MAX_WAITING_READINGS)
        self.finished = 0.0  # s, end of the last cycle
        self._clock = clock
        self._joints = tuple(joints)
        self._period = period
        self._latch = latch
        self._needs_ticks = needs_ticks
        self._io = threading.RLock()  # one thread at a time uses the bus
        self._wake = threading.Condition()
        self._requested = self._begun = self._done = 0  # cycles
        self._is_ending = False
        self.may_have_torque = False
        self._is_enabled = False  # setpoints are being sent
        self._last_tick = 0.0  # s
        self._release_begin = self._last_release = self._last_opened = -math.inf  # s
        self._release_failures: tuple[BusFault, ...] = ()  # of the last attempt
        none = np.full(len(self._joints), np.nan)
        self._setpoints = BusSetpoints(none, none, none)
        self._has_new_setpoints = False  # since the last tick
        self._by_effort = np.array([joint.is_effort_driven for joint in self._joints])
        self._thread = threading.Thread(target=self._run, name=f"bus {bus.name}", daemon=True)

    def start(self) -> None:
        """Begin. The bus must be open and configured."""
        self.readings = self.bus.read()
        self.finished = self._clock()
        self._thread.start()

    def stop(self) -> None:
        """End the thread; the torque stays as it is. May be called twice."""
        with self._wake:
            self._is_ending = True
            self._wake.notify_all()
        if self._thread.ident is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=CYCLE_TIMEOUT_S)

    def enable(self) -> None:
        """Switch the torque on where the joints are. Raises BusFault."""
        with self._io:
            if self._is_enabled:
                return
            position = np.array([reading.position for reading in self.readings])
            here = BusSetpoints(position, np.zeros_like(position), np.full_like(position, np.nan))
            self.bus.write(*here)
            self.may_have_torque = self._is_enabled = True
            self._last_tick = self._clock()
            self._setpoints = here
            self.bus.enable()

    def set_setpoints(self, position: FloatArray, velocity: FloatArray, effort: FloatArray) -> None:
        """Set the setpoints of the next cycle. An effort lasts for one tick, a position until the next one."""
        with self._wake:
            self._setpoints = BusSetpoints(position, velocity, effort)
            self._has_new_setpoints = True

    def tick(self) -> None:
        with self._wake:
            self._drop_old_efforts()
            self._has_new_setpoints = False
            self._last_tick = self._clock()
            self._requested = self._begun + 1  # one that is under way has older setpoints
            self._wake.notify_all()

    def wait(self) -> None:
        """Wait for the requested cycle. Raises BusFault where it takes longer than CYCLE_TIMEOUT_S."""
        with self._wake:
            requested = self._requested
            done = self._wake.wait_for(
                lambda: self._done >= requested or self._latch.fault is not None, timeout=CYCLE_TIMEOUT_S
            )
        if not done:
            raise self._hang()

    def _hang(self) -> BusFault:
        return BusFault(
            f"the bus '{self.bus.name}' hangs: no cycle ended within {CYCLE_TIMEOUT_S:g} s",
            remedy="check the adapter, then restart the backend",
        )

    def take_sensor_readings(self) -> list[SensorReading]:
        """Return the readings of sensors since the last call, with times by the driver's clock (ns)."""
        taken = []
        while self._sensor_readings:
            taken.append(self._sensor_readings.popleft())
        return taken

    def release(self, timeout: float | None = None) -> tuple[BusFault, ...]:
        """Switch the torque off for each joint and return the failures. Waits up to `timeout` (s) for a running cycle.

        `timeout` is CYCLE_TIMEOUT_S by default. Failed attempts are repeated, on a port that is opened again every
        RELEASE_RETRY_PERIOD_S while a fault is latched.
        """
        # the caller must not hang either: other buses may wait for it
        if not self._io.acquire(timeout=CYCLE_TIMEOUT_S if timeout is None else timeout):
            return (self._release_failure("hangs"),) if self.may_have_torque else ()
        try:
            now = self._clock()
            if self._is_enabled:
                self._release_begin = self._last_opened = now
                self._try_release(reopen=False)
            elif self.may_have_torque and now - self._last_release > self._retry_period(now):
                # the port may have gone and be back
                is_opening_due = now - self._last_opened > RELEASE_RETRY_PERIOD_S
                self._try_release(reopen=is_opening_due and self._latch.fault is not None)
            return self._release_failures if self.may_have_torque else ()
        finally:
            self._io.release()

    def _retry_period(self, now: float) -> float:
        return QUICK_RETRY_PERIOD_S if now - self._release_begin < QUICK_RETRY_TIME_S else RELEASE_RETRY_PERIOD_S

    def _try_release(self, *, reopen: bool) -> None:
        self._is_enabled = False
        try:
            if reopen:
                self._last_opened = self._clock()
                self.bus.close()
                self.bus.open()
            self._release_failures = self.bus.release()
        except UserError:
            pass  # the port is not back: the failures of the last attempt stand
        except Exception as error:  # against the contract, but the other buses must still be released
            self._release_failures = (self._release_failure(f"broke: {error!r}"),)
        self._last_release = self._clock()
        self.may_have_torque = bool(self._release_failures)

    def _release_failure(self, reason: str) -> BusFault:
        return BusFault(
            f"the torque on the bus '{self.bus.name}' could not be switched off, since its driver {reason}",
            remedy=POWER_OFF_REMEDY,
        )

    def recover(self) -> None:
        """Make the bus usable again, with the torque off. Raises BusFault with the remaining fault."""
        if not self._is_running():
            raise BusFault(f"the driver of the bus '{self.bus.name}' has ended", remedy="restart the backend")
        with self._io:
            self.release()
            try:
                try:
                    self.bus.clear()
                except BusFault:
                    self.bus.close()
                    self.bus.open()
                    self.bus.configure(self._joints)
                self.readings = self.bus.read()
            except UserError as error:
                raise BusFault.of(error) from None
            self.may_have_torque = False
            self.liveness.reset()
            self.bus.quality.reset()

    def _is_running(self) -> bool:
        return self._thread.is_alive()

    def _run(self) -> None:
        due = self._clock()
        is_well = True
        while is_well and not self._is_ending:
            due = self._await_cycle(due)
            if not self._is_ending:
                is_well = self._try_cycle()

    def _try_cycle(self) -> bool:
        """Run a cycle; return False where the driver broke, which ends it."""
        try:
            self._cycle()
        except Exception as error:  # of any kind: the motors must not lose their guard
            self._stop_all(
                BusFault(
                    f"the driver of the bus '{self.bus.name}' broke: {error!r}",
                    remedy="report this with the log, then restart the backend",
                )
            )
            return False
        finally:
            self._finish_cycle()
        return True

    def _await_cycle(self, due: float) -> float:
        """Wait for a tick or until `due`; return when the next cycle is due without a tick."""
        with self._wake:
            while not self._is_ending and self._requested <= self._begun:
                left = due - self._clock()
                if left <= 0.0:
                    self._drop_old_efforts()
                    self._begun += 1
                    return max(due + self._period, self._clock())  # missed cycles are not made up for
                self._wake.wait(left)
            self._begun += 1
        return self._clock() + FREE_RUN_AFTER_PERIODS * self._period

    def _drop_old_efforts(self) -> None:
        """Command no effort to effort-driven joints that got no setpoint since the last tick."""
        if not self._has_new_setpoints and self._by_effort.any():
            effort = np.where(self._by_effort, np.nan, self._setpoints.effort)
            self._setpoints = self._setpoints._replace(effort=effort)

    def _cycle(self) -> None:
        with self._io:
            begun = self._clock()
            if self.records_starts:
                self.starts.append(begun)
            if self._latch.fault is not None:
                self.release()
                return
            try:
                if self._is_enabled:
                    self.bus.write(*self._setpoints)
                else:
                    self.bus.keep_alive()
                self.readings = self.bus.read()
                self._sensor_readings.extend(self.bus.take_sensor_readings())
                now = self._clock()
                fault = (
                    self.liveness.check(self.readings, now)
                    or self.bus.quality.check(now, self._answer_timeout)
                    or self._check_ticks(now)
                )
            except BusFault as gone:
                now, fault = self._clock(), gone
            self.cycle_time, self.finished = now - begun, now
            if fault is not None:
                self._stop_all(fault)

    def _check_ticks(self, now: float) -> BusFault | None:
        if not (self._is_enabled and self._needs_ticks and now - self._last_tick > TICK_TIMEOUT_S):
            return None
        return BusFault(f"the backend sent no tick for {TICK_TIMEOUT_S:g} s", remedy="restart the backend")

    def _stop_all(self, fault: BusFault) -> None:
        """Latch a fault, which stops the other buses too, and release this one."""
        self._latch.latch(fault)
        self.release()

    def _finish_cycle(self) -> None:
        with self._wake:
            self._done = self._begun
            self._wake.notify_all()


def for_each_bus(loops: Iterable[BusLoop], action: Callable[[BusLoop], None]) -> None:
    """Apply `action` to every bus, even if it fails at one, then raise the first failure."""
    first: BusFault | None = None
    for loop in loops:
        try:
            action(loop)
        except BusFault as fault:
            first = first or fault
    if first is not None:
        raise first
