"""One bus in a thread of its own: a cycle of writing and reading per tick, and by the clock where no tick comes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

import numpy as np

from crawler_core.errors import UserError
from crawler_core.types import FloatArray
from hw_drivers.bus.bus import Bus, BusFault, JointMap, Reading
from hw_drivers.bus.fault_latch import FaultLatch
from hw_drivers.bus.liveness import Liveness

FREE_RUN_AFTER_PERIODS = 2.0  # periods without a tick after which the loop goes on by its own clock
TICK_TIMEOUT_S = 1.0  # s without a tick after which the torque goes off: nobody supervises
CYCLE_TIMEOUT_S = 2.0  # s that a cycle may take before the bus counts as lost
RELEASE_RETRY_PERIOD_S = 0.5  # s between two attempts to take the torque off a bus that did not listen


class BusLoop:
    """Keeps one bus alive. Methods may be called from any thread; what they do to the bus never overlaps a cycle."""

    def __init__(
        self,
        bus: Bus,
        joints: Sequence[JointMap],
        period: float,
        patience: float,
        alarm: FaultLatch,
        *,
        guarded: bool = True,
    ) -> None:
        """`period` and `patience` in s. `guarded`: the torque goes off when ticks stay away."""
        self.bus = bus
        self.starts: list[float] = []  # s, time.monotonic(), of the cycles, where somebody sets `timed`
        self.timed = False
        self.cycle_time = 0.0  # s, of the last cycle
        self.liveness = Liveness(patience)
        self.readings: tuple[Reading, ...] = ()
        self.finished = 0.0  # s, when the last cycle was over
        self._joints = tuple(joints)
        self._period = period
        self._alarm = alarm
        self._guarded = guarded
        self._io = threading.RLock()  # one thread at a time uses the bus
        self._wake = threading.Condition()
        self._wanted = self._begun = self._done = 0  # cycles asked for, begun and finished
        self._ending = False
        self._torque = False  # it is, or may be, on
        self._live = False  # setpoints are being sent
        self._ticked = 0.0
        self._tried = 0.0
        self._deaf: tuple[BusFault, ...] = ()  # what the last release could not do
        none = np.full(len(self._joints), np.nan)
        self._goal: tuple[FloatArray, FloatArray, FloatArray] = (none, none, none)
        self._aimed = False  # since the last tick
        self._pushed = np.array([joint.by_effort for joint in self._joints])
        self._thread = threading.Thread(target=self._run, name=f"bus {bus.name}", daemon=True)

    @property
    def torque(self) -> bool:
        """Whether torque is on, or may be."""
        return self._torque

    def start(self) -> None:
        """Begin. The bus must be open and configured."""
        self.readings = self.bus.read()
        self.finished = time.monotonic()
        self._thread.start()

    def stop(self) -> None:
        """End the thread; the torque stays as it is. May be called twice."""
        with self._wake:
            self._ending = True
            self._wake.notify_all()
        if self._thread.ident is not None and self._thread is not threading.current_thread():
            self._thread.join(timeout=CYCLE_TIMEOUT_S)

    def enable(self) -> None:
        """Torque on where the joints are. Raises BusFault."""
        with self._io:
            if self._live:
                return
            position = np.array([reading.position for reading in self.readings])
            still, none = np.zeros_like(position), np.full_like(position, np.nan)
            self.bus.write(position, still, none)
            self._torque = self._live = True
            self._ticked = time.monotonic()
            self._goal = position, still, none
            self.bus.enable()

    def aim(self, position: FloatArray, velocity: FloatArray, effort: FloatArray) -> None:
        """The setpoints that the next cycle sends. An effort is for one tick; a position stays wanted."""
        with self._wake:
            self._goal = position, velocity, effort
            self._aimed = True

    def tick(self) -> None:
        """Ask for a cycle now."""
        with self._wake:
            self._spend_efforts()
            self._aimed = False
            self._ticked = time.monotonic()
            self._wanted = self._begun + 1  # one that is under way has older setpoints
            self._wake.notify_all()

    def wait(self) -> None:
        """Wait for the cycle that was asked for. Raises BusFault where it hangs."""
        with self._wake:
            wanted = self._wanted
            done = self._wake.wait_for(
                lambda: self._done >= wanted or self._alarm.fault is not None, timeout=CYCLE_TIMEOUT_S
            )
        if not done:
            raise BusFault(
                f"the bus '{self.bus.name}' hangs: no cycle ended within {CYCLE_TIMEOUT_S:g} s",
                remedy="check the adapter, then restart the backend",
            )

    def release(self, within: float | None = None) -> tuple[BusFault, ...]:
        """Torque off, each joint tried, once the cycle in hand has ended `within` seconds (CYCLE_TIMEOUT_S). Returns what failed.

        That is tried again now and then, and while a fault lasts on a port opened anew, whoever asks.
        """
        # who asks must not hang too: there may be other buses
        if not self._io.acquire(timeout=CYCLE_TIMEOUT_S if within is None else within):
            return (self._could_not("hangs"),) if self._torque else ()
        try:
            now = time.monotonic()
            again = self._torque and not self._live and now - self._tried > RELEASE_RETRY_PERIOD_S
            if self._live or again:
                self._live = False
                self._tried = now
                try:
                    if again and self._alarm.fault is not None:  # the port may have gone and be back
                        self.bus.close()
                        self.bus.open()
                    self._deaf = self.bus.release()
                except UserError:
                    pass  # it is not back: what the last release could not do still stands
                except Exception as error:  # against the contract, but what follows must go on
                    self._deaf = (self._could_not(f"broke: {error!r}"),)
                self._torque = bool(self._deaf)
            return self._deaf if self._torque else ()
        finally:
            self._io.release()

    def _could_not(self, why: str) -> BusFault:
        return BusFault(
            f"the torque on the bus '{self.bus.name}' could not be switched off, since its driver {why}",
            remedy="switch the power of the motors off",
        )

    def recover(self) -> None:
        """Make the bus usable again, with the torque off. Raises BusFault with what is still wrong."""
        if not self._thread.is_alive():
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
                raise BusFault(str(error).rstrip("."), remedy="put that right, then call reset and enable") from None
            self._torque = False
            self.liveness.forget()

    def _run(self) -> None:
        due = time.monotonic()
        failed: BusFault | None = None
        try:
            while not self._ending:
                due = self._await_turn(due)
                if not self._ending:
                    self._cycle()
                    self._finish()
        except Exception as error:  # whatever it is, the motors must not be left without a guard
            failed = BusFault(
                f"the driver of the bus '{self.bus.name}' broke: {error!r}",
                remedy="report this with the log, then restart the backend",
            )
        if failed is not None:
            self._alarm.sound(failed)
            self.release()
            self._finish()

    def _await_turn(self, due: float) -> float:
        """Wait for a tick or for the clock; returns when the next cycle is due without a tick."""
        with self._wake:
            while not self._ending and self._wanted <= self._begun:
                left = due - time.monotonic()
                if left <= 0.0:
                    self._spend_efforts()
                    self._begun += 1
                    return max(due + self._period, time.monotonic())  # what was missed is not made up for
                self._wake.wait(left)
            self._begun += 1
        return time.monotonic() + FREE_RUN_AFTER_PERIODS * self._period

    def _spend_efforts(self) -> None:
        """Joints that are driven by effort get none where none was aimed since the last tick."""
        if not self._aimed and self._pushed.any():
            position, velocity, effort = self._goal
            self._goal = position, velocity, np.where(self._pushed, np.nan, effort)

    def _cycle(self) -> None:
        with self._io:
            begun = time.monotonic()
            if self.timed:
                self.starts.append(begun)
            if self._alarm.fault is not None:
                self.release()
                return
            try:
                if self._live:
                    self.bus.write(*self._goal)
                else:
                    self.bus.keep_alive()
                self.readings = self.bus.read()
                now = time.monotonic()
                fault = self.liveness.check(self.readings, now)
                if fault is None and self._live and self._guarded and now - self._ticked > TICK_TIMEOUT_S:
                    fault = BusFault(
                        f"the ticks of the backend stayed away for {TICK_TIMEOUT_S:g} s", remedy="restart the backend"
                    )
            except BusFault as gone:
                now, fault = time.monotonic(), gone
            self.cycle_time, self.finished = now - begun, now
            if fault is not None:
                self._alarm.sound(fault)
                self.release()

    def _finish(self) -> None:
        with self._wake:
            self._done = self._begun
            self._wake.notify_all()


def each(loops: Sequence[BusLoop], act: Callable[[BusLoop], None]) -> None:
    """Do something to every bus, even if it fails at one; the first failure is raised at the end."""
    first: BusFault | None = None
    for loop in loops:
        try:
            act(loop)
        except BusFault as fault:
            first = first or fault
    if first is not None:
        raise first
