"""The registers of one PCA9685: its modes and its channels."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from hw_drivers.bus.bus import NoAnswer
from hw_drivers.pca9685 import registers as r
from hw_drivers.ports.i2c_port import I2cPort

OFF_H_OFFSET = 3  # in a channel's four registers
AWAKE_MODE = r.AUTO_INCREMENT  # with neither SLEEP nor ALL_CALL


class PwmBoard:
    """One PCA9685. Methods raise NoAnswer, or BusFault where the bus is gone."""

    def __init__(self, port: I2cPort, address: int, sleep: Callable[[float], None] = time.sleep) -> None:
        self.port = port
        self.address = address
        self._sleep = sleep

    def is_pca9685(self) -> bool:
        """Return True if its registers look like a PCA9685's; no register holds its name."""
        return all(self._get(register) == value for register, value in r.IDENTITY.items())

    def mode(self) -> int:
        """Return MODE1, which has SLEEP set after a power cut."""
        return self._get(r.MODE1)

    def is_awake(self) -> bool:
        """Return True if it runs as `start` left it."""
        return self.mode() & ~r.RESTART == AWAKE_MODE

    def start(self, pre_scale: int) -> None:
        """Set it up with all outputs off. The prescaler takes its value in sleep only."""
        self.all_off()
        self._set(r.MODE1, AWAKE_MODE | r.SLEEP)
        self._set(r.PRE_SCALE, pre_scale)
        self._set(r.MODE2, r.TOTEM_POLE)
        self.wake()

    def wake(self) -> None:
        """End sleep and restart the outputs that it had stopped."""
        self._set(r.MODE1, AWAKE_MODE)
        self._sleep(r.WAKE_TIME_S)
        if self._get(r.MODE1) & r.RESTART:
            self._set(r.MODE1, AWAKE_MODE | r.RESTART)

    def pre_scale(self) -> int:
        """Return the prescaler's divisor less one."""
        return self._get(r.PRE_SCALE)

    def all_off(self) -> None:
        """Stop the pulses of all channels, in one transfer of one byte."""
        self._set(r.ALL_LED_OFF_H, r.FULL)

    def off(self, channel: int) -> None:
        self._set(r.led(channel) + OFF_H_OFFSET, r.FULL)

    def is_off(self, channel: int) -> bool:
        """Return True if a channel is as `off` and `all_off` leave it, in two readings: I2C has no checksums."""
        return all(self._get(r.led(channel) + OFF_H_OFFSET) == r.FULL for _ in range(2))

    def channel(self, channel: int) -> bytes:
        return self.port.read(self.address, r.led(channel), r.LED_SIZE)

    def write(self, channels: Mapping[int, bytes]) -> None:
        """Write the four registers of several channels. Neighbours share a transfer and change together."""
        run: list[int] = []
        for channel in [*sorted(channels), None]:
            if run and (channel is None or channel != run[-1] + 1 or len(run) * r.LED_SIZE >= r.MAX_BLOCK_BYTES):
                self.port.write(self.address, r.led(run[0]), b"".join(channels[one] for one in run))
                run = []
            if channel is not None:
                run.append(channel)

    def _get(self, register: int) -> int:
        data = self.port.read(self.address, register, 1)
        if len(data) != 1:
            raise NoAnswer
        return data[0]

    def _set(self, register: int, value: int) -> None:
        self.port.write(self.address, register, bytes([value]))
