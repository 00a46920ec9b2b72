"""One PCA9685: its life cycle and its channels, register by register."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from hw_drivers.pca9685 import registers as r
from hw_drivers.ports.i2c_port import I2cPort, NoAcknowledge

OFF_H_OFFSET = 3  # of a channel's four registers
AWAKE_MODE = r.AUTO_INCREMENT  # and neither SLEEP nor ALL_CALL


class PwmBoard:
    """Methods raise NoAcknowledge, or BusFault where the bus is gone."""

    def __init__(self, port: I2cPort, address: int, sleep: Callable[[float], None] = time.sleep) -> None:
        self.port = port
        self.address = address
        self._sleep = sleep

    def is_one(self) -> bool:
        """Whether it is a PCA9685, as far as a chip without a name can tell."""
        return all(self._get(register) == value for register, value in r.IDENTITY.items())

    def mode(self) -> int:
        """MODE1. After a power cut it says SLEEP."""
        return self._get(r.MODE1)

    def is_awake(self) -> bool:
        """Whether it runs as `start` left it."""
        return self.mode() & ~r.RESTART == AWAKE_MODE

    def start(self, pre_scale: int) -> None:
        """Set it up, all outputs off. The prescaler takes its value in sleep only."""
        self.all_off()
        self._set(r.MODE1, AWAKE_MODE | r.SLEEP)
        self._set(r.PRE_SCALE, pre_scale)
        self._set(r.MODE2, r.TOTEM_POLE)
        self.wake()

    def wake(self) -> None:
        """End sleep; outputs that it had stopped go on."""
        self._set(r.MODE1, AWAKE_MODE)
        self._sleep(r.WAKE_TIME_S)
        if self._get(r.MODE1) & r.RESTART:
            self._set(r.MODE1, AWAKE_MODE | r.RESTART)

    def pre_scale(self) -> int:
        """What the prescaler divides by, less one."""
        return self._get(r.PRE_SCALE)

    def all_off(self) -> None:
        """No more pulses on any channel, in one transfer of one byte."""
        self._set(r.ALL_LED_OFF_H, r.FULL)

    def off(self, channel: int) -> None:
        """No more pulses on one channel."""
        self._set(r.led(channel) + OFF_H_OFFSET, r.FULL)

    def is_off(self, channel: int) -> bool:
        """Whether a channel gives no pulses, whatever the mode of the board."""
        return bool(self._get(r.led(channel) + OFF_H_OFFSET) & r.FULL)

    def channel(self, channel: int) -> bytes:
        """The four registers of a channel."""
        return self.port.read(self.address, r.led(channel), r.LED_SIZE)

    def write(self, channels: Mapping[int, bytes]) -> None:
        """The four registers of several channels; neighbours share a transfer, so that they change together."""
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
            raise NoAcknowledge
        return data[0]

    def _set(self, register: int, value: int) -> None:
        self.port.write(self.address, register, bytes([value]))
