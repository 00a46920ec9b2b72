"""The PCA9685's registers, from NXP's data sheet (revision 4)."""

from __future__ import annotations

CHANNELS = 16
STEPS_PER_CYCLE = 4096  # of one PWM cycle

MODE1 = 0x00
RESTART = 0x80  # reads 1 where sleep stopped running outputs; writing 1 restarts them
AUTO_INCREMENT = 0x20
SLEEP = 0x10  # the oscillator is off; PRE_SCALE takes a value only then
ALL_CALL = 0x01
MODE2 = 0x01
TOTEM_POLE = 0x04  # OUTDRV: outputs drive both ways, as servos need it
SUBADR1 = 0x02
ALLCALLADR = 0x05
IDENTITY = {SUBADR1: 0xE2, ALLCALLADR: 0xE0}  # after power-on; the chip has no register with its name
LED0 = 0x06  # ON_L, ON_H, OFF_L, OFF_H_OFFSET, and so on for the next channel
LED_SIZE = 4
FULL = 0x10  # in ON_H: always on; in OFF_H_OFFSET: always off, which wins
ALL_LED_ON_L = 0xFA
ALL_LED_OFF_H = 0xFD
PRE_SCALE = 0xFE
LOWEST_PRE_SCALE = 3
HIGHEST_PRE_SCALE = 255
OSCILLATOR_HZ = 25e6  # nominal; boards differ by some per cent
WAKE_TIME_S = 0.0005  # until the oscillator runs
ADDRESSES = range(0x40, 0x78)  # that its six pins can choose
ALL_CALL_ADDRESS = 0x70  # of every board, until ALL_CALL is cleared
MAX_BLOCK_BYTES = 32  # of one SMBus transfer


def led(channel: int) -> int:
    return LED0 + LED_SIZE * channel
