"""The loop of one bus in virtual time: its cycles run in the thread that ticks it."""

from __future__ import annotations

from typing import Any

from hw_drivers.bus import bus_loop
from hw_drivers.bus.bus_loop import BusLoop
from hw_drivers.emulation.virtual_clock import VirtualClock


class SteppedBusLoop(BusLoop):
    """Runs a cycle within each tick; `run_until` lets it run by its own clock while no tick comes."""

    def __init__(self, *arguments: Any, clock: VirtualClock, **options: Any) -> None:
        """Take what a BusLoop takes."""
        super().__init__(*arguments, clock=clock, **options)
        self.clock = clock
        self._is_started = False
        self._due = 0.0  # s, of the next cycle without a tick

    def start(self) -> None:
        """Begin. The bus must be open and configured."""
        self.readings = self.bus.read()
        self.finished = self.clock()
        self._due = self.finished + self._period
        self._is_started = True

    def stop(self) -> None:
        """End it; the torque stays as it is. May be called twice."""
        self._is_started = False

    def tick(self) -> None:
        super().tick()
        if self._is_started:
            self._begun = self._requested
            self._run_cycle(bus_loop.FREE_RUN_AFTER_PERIODS * self._period)

    def wait(self) -> None:
        """Raise BusFault where the cycle of the last tick did not end, or took longer than CYCLE_TIMEOUT_S."""
        if self._latch.fault is None and (self._done < self._requested or self.cycle_time > bus_loop.CYCLE_TIMEOUT_S):
            raise self._hang()

    def run_until(self, time_ns: int) -> None:
        """Let time pass until `time_ns`, with the cycles that are due without a tick."""
        while self._is_started and self._due <= time_ns / 1e9:
            self.clock.advance_to(min(int(1e9 * self._due), time_ns))
            self._drop_old_efforts()
            self._begun += 1
            self._run_cycle(self._period)
        self.clock.advance_to(time_ns)

    def _is_running(self) -> bool:
        return self._is_started

    def _run_cycle(self, until_next: float) -> None:
        """Run a cycle; the next one without a tick is due `until_next` (s) later."""
        self._is_started = self._try_cycle()
        self._due = self.clock() + until_next
