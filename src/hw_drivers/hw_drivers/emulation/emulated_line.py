"""A serial line between a driver and an emulated device in one process, in virtual time."""

from __future__ import annotations

import errno
import math
from bisect import insort
from typing import Protocol

from hw_drivers.bus.bus import BusFault
from hw_drivers.emulation.disturbance import Disturbance, disturbed_ways
from hw_drivers.emulation.virtual_clock import NEVER_NS, VirtualClock
from hw_drivers.ports.serial_port import BITS_PER_BYTE, SerialPort, open_error


class SerialDevice(Protocol):
    """The device's end of a line."""

    def receive(self, data: bytes) -> None:
        """Take bytes that arrive now."""
        ...

    def step(self) -> None:
        """Do what the device does once a period."""
        ...

    def is_command(self, data: bytes) -> bool:
        """Return True if the device answers these bytes by nothing that the driver waits for."""
        ...


class EmulatedLine(SerialPort):
    """The driver's port. Bytes take the time that they take on a real line, one after the other in each direction.

    A read lets time pass until bytes arrive or its deadline is over; no other call of a driver takes time.
    """

    def __init__(self, name: str, baud: int, clock: VirtualClock, device: SerialDevice, period_s: float) -> None:
        """`baud` is the device's; the device steps every `period_s`, infinity: never."""
        super().__init__(name, baud)
        self._clock = clock
        self._device = device
        self._device_baud = baud
        self._is_plugged_in = True
        self._is_open = False
        self._to_device: list[tuple[int, bytes, bool]] = []  # arrival (ns), bytes, at the device's rate; in order
        self._to_driver: list[tuple[int, bytes]] = []
        self._ways = disturbed_ways(None, 0)
        self._free_ns = [0, 0]  # when the last byte to the device and to the driver has left
        self._period_ns = NEVER_NS if math.isinf(period_s) else round(1e9 * period_s)
        self._next_step_ns = min(clock.now_ns + self._period_ns, NEVER_NS)
        clock.attach(self)

    # the driver's side

    def open(self) -> None:
        """Open it. Raises UserError while it is unplugged."""
        if not self._is_plugged_in:
            raise open_error(self.path, self._baud, FileNotFoundError(errno.ENOENT, "No such file or directory"))
        self._is_open = True
        self._to_driver.clear()

    def set_baud(self, baud: int) -> None:
        self._require_open()
        self._baud = baud

    def write(self, data: bytes) -> None:
        self._require_open()
        for arrival, came in self._carry(0, data, self._baud):
            insort(self._to_device, (arrival, came, self._baud == self._device_baud), key=_arrival)

    def read(self, deadline: float) -> bytes:
        """Return the received bytes, letting time pass for the first one until `deadline` (s)."""
        clock, deadline_ns = self._clock, math.ceil(1e9 * deadline - 1e-3)
        while True:
            self._require_open()
            if self._to_driver and self._to_driver[0][0] <= clock.now_ns:
                return self._take()
            arrival = self._to_driver[0][0] if self._to_driver else NEVER_NS
            event = min(arrival, clock.next_due_ns())
            if event > max(deadline_ns, clock.now_ns):
                clock.advance_to(deadline_ns)
                return b""
            clock.advance_to(event)

    def close(self) -> None:
        """Close it. May be called twice."""
        self._is_open = False

    def _require_open(self) -> None:
        if not self._is_open:
            raise self._closed()

    def _closed(self) -> BusFault:
        reason = "it is not open" if self._is_plugged_in else "it was unplugged"
        return self._gone(OSError(errno.ENODEV, reason))

    def _take(self) -> bytes:
        data = b""
        while self._to_driver and self._to_driver[0][0] <= self._clock.now_ns:
            data += self._to_driver.pop(0)[1]
        return data

    # the device's side

    def send(self, data: bytes, delay_s: float = 0.0) -> None:
        """Send bytes to the driver, which leave after `delay_s`; on a port that is not open they are lost."""
        if data and self._is_plugged_in:
            for arrival, came in self._carry(1, data, self._device_baud, round(1e9 * delay_s)):
                if self._is_open:
                    insort(self._to_driver, (arrival, came), key=_arrival)

    def disturb(self, disturbance: Disturbance | None, seed: int = 0) -> None:
        """Disturb the line in both directions from now on; None ends that."""
        self._ways = disturbed_ways(disturbance, seed)

    def drop(self) -> None:
        """Lose what is under way to the driver."""
        self._to_driver.clear()
        self._free_ns[1] = self._clock.now_ns

    def plug_in(self) -> None:
        self._is_plugged_in = True

    def unplug(self) -> None:
        """Hang up: what is under way is lost, and the driver must open the port again."""
        self._is_plugged_in = self._is_open = False
        self._to_device.clear()
        self._to_driver.clear()

    def due_ns(self) -> int:
        return min(self._to_device[0][0] if self._to_device else NEVER_NS, self._next_step_ns)

    def run(self) -> None:
        now = self._clock.now_ns
        if self._next_step_ns <= now:
            self._next_step_ns += self._period_ns
            self._device.step()
        while self._to_device and self._to_device[0][0] <= now:
            _, data, is_readable = self._to_device.pop(0)
            if is_readable:  # at another rate it is noise
                self._device.receive(data)

    def _carry(self, direction: int, data: bytes, baud: int, delay_ns: int = 0) -> list[tuple[int, bytes]]:
        """Send bytes now; return when (ns) the last of them arrives, and how they do."""
        begin = max(self._clock.now_ns + delay_ns, self._free_ns[direction])
        arrival = self._free_ns[direction] = begin + round(1e9 * len(data) * BITS_PER_BYTE / baud)
        way = self._ways[direction]
        if way is None:
            return [(arrival, data)]
        is_command = direction == 0 and self._device.is_command(data)
        data = way.spoil(data)
        return [(at, data) for at in way.arrivals(arrival, is_command=is_command)] if data else []


def _arrival(sent: tuple[int, bytes] | tuple[int, bytes, bool]) -> int:
    return sent[0]
