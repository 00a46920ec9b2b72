"""An emulated PCA9685: its registers with their rules, and its pulses."""

from __future__ import annotations

from hw_drivers.pca9685 import registers as r

WRITABLE_LED = range(r.LED0, r.LED0 + r.CHANNELS * r.LED_SIZE)
ALL_LED = range(r.ALL_LED_ON_L, r.ALL_LED_ON_L + r.LED_SIZE)


class EmulatedPwmBoard:
    """The chip behind the transfers. `oscillator` (Hz) is its true one."""

    def __init__(self, oscillator: float = r.OSCILLATOR_HZ) -> None:
        self.oscillator = oscillator
        self.power_on()

    def power_on(self) -> None:
        """Set the registers to the data sheet's values after power-on: asleep, all outputs off."""
        self._registers = bytearray(256)
        self._registers[r.MODE1] = r.SLEEP | r.ALL_CALL
        self._registers[r.MODE2] = r.TOTEM_POLE
        for register, value in ((0x02, 0xE2), (0x03, 0xE4), (0x04, 0xE8), (0x05, 0xE0), (r.PRE_SCALE, 0x1E)):
            self._registers[register] = value
        for channel in range(r.CHANNELS):
            self._registers[r.led(channel) + 3] = r.FULL

    def write(self, register: int, data: bytes) -> None:
        """Write bytes from `register` on; without auto-increment, all into the same one."""
        for value in data:
            self._set(register, value)
            register = self._next(register)

    def read(self, register: int, length: int) -> bytes:
        """Return bytes from `register` on."""
        found = bytearray()
        for _ in range(length):
            found.append(0 if register in ALL_LED else self._registers[register])
            register = self._next(register)
        return bytes(found)

    def pulse(self, channel: int) -> float | None:
        """Return the length (s) of a channel's pulses, or None without any."""
        if self._registers[r.MODE1] & (r.SLEEP | r.RESTART):
            return None
        on_low, on_high, off_low, off_high = self._registers[r.led(channel) : r.led(channel) + r.LED_SIZE]
        if off_high & r.FULL or on_high & r.FULL:
            return None  # never, or always high: no edges for a servo
        length = ((off_low | (off_high & 15) << 8) - (on_low | (on_high & 15) << 8)) % r.STEPS_PER_CYCLE
        return length * (self._registers[r.PRE_SCALE] + 1) / self.oscillator or None

    def period(self) -> float:
        """Return the time (s) from pulse to pulse."""
        return r.STEPS_PER_CYCLE * (self._registers[r.PRE_SCALE] + 1) / self.oscillator

    def _next(self, register: int) -> int:
        if not self._registers[r.MODE1] & r.AUTO_INCREMENT:
            return register
        if register == WRITABLE_LED[-1] or register == r.PRE_SCALE:
            return r.MODE1
        return (register + 1) % 256

    def _set(self, register: int, value: int) -> None:
        registers = self._registers
        if register == r.MODE1:
            self._set_mode(value)
        elif register == r.PRE_SCALE:
            if registers[r.MODE1] & r.SLEEP:  # blocked otherwise
                registers[register] = max(value, r.LOWEST_PRE_SCALE)
        elif register in ALL_LED:
            for channel in range(r.CHANNELS):
                registers[r.led(channel) + register - r.ALL_LED_ON_L] = value
            if register == r.ALL_LED_OFF_H and value & r.FULL:
                registers[r.MODE1] &= ~r.RESTART  # an orderly shutdown
        else:
            registers[register] = value

    def _set_mode(self, value: int) -> None:
        before = self._registers[r.MODE1]
        restart = before & r.RESTART
        if value & r.SLEEP and not before & r.SLEEP and any(map(self._runs, range(r.CHANNELS))):
            restart = r.RESTART  # it remembers that sleep stopped outputs
        elif value & r.RESTART and not value & r.SLEEP:
            restart = 0
        self._registers[r.MODE1] = value & ~r.RESTART | restart

    def _runs(self, channel: int) -> bool:
        return not self._registers[r.led(channel) + 3] & r.FULL
