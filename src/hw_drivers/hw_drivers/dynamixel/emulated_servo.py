"""One emulated servo: its control table, and a motor that turns."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from hw_drivers.dynamixel import tables as t
from hw_drivers.dynamixel.codec import PING, READ, REBOOT, WRITE, Packet, status
from hw_drivers.dynamixel.tables import (
    ACCESS_ERROR,
    INSTRUCTION_ERROR,
    LENGTH_ERROR,
    LIMIT_ERROR,
    RANGE_ERROR,
    Register,
)

INTEGRATION_STEP_S = 1e-3
POSITION_BANDWIDTH_RAD_S = 40.0  # of the critically damped position loop
AMBIENT_C = 31
HOT_C = 85
STALL_ERROR_RAD = 0.2  # between goal and position, from which on it draws its maximum current
READ_ONLY_RANGES = ((0, 7), (120, 147))  # addresses from, to (exclusive)
GOAL_ADDRESSES = range(100, 120)


@dataclass
class Motor:
    angle: float  # rad
    rate: float = 0.0  # rad/s


class EmulatedServo:
    """An X series servo that answers packets. `now` is in s of any clock that goes forward."""

    def __init__(self, ident: int, model: t.ServoModel, angle: float, now: float, firmware: int = 52) -> None:
        self.model = model
        self.motor = Motor(angle)
        self.is_dead = False
        self.is_hot = False
        self._now = now
        self._last_packet = now
        self._permanent = bytearray(t.RAM_START)
        self._table = bytearray(t.TABLE_END)
        for register, value in (
            (t.MODEL_NUMBER, model.number),
            (t.FIRMWARE, firmware),
            (t.ID, ident),
            (t.BAUD, 3),
            (t.RETURN_DELAY, 250),
            (t.OPERATING_MODE, t.POSITION_MODE),
            (t.TEMPERATURE_LIMIT, 72),
            (t.CURRENT_LIMIT, model.max_current),
            (t.VELOCITY_LIMIT, round(model.no_load / t.VELOCITY_UNIT_RAD_S)),
            (t.MAX_POSITION, t.TICKS_PER_TURN - 1),
            (t.SHUTDOWN, 0x35),
        ):
            self.set(register, value)
        self._permanent[:] = self._table[: t.RAM_START]
        self._power_on()

    @property
    def id(self) -> int:
        return self.get(t.ID)

    @property
    def torque(self) -> bool:
        return bool(self.get(t.TORQUE)) and not self.is_dead

    def get(self, register: Register) -> int:
        return register.unpack(bytes(self._table[register.address : register.address + register.size]))

    def set(self, register: Register, value: int) -> None:
        """Set a register from inside, even a read-only one."""
        self._table[register.address : register.address + register.size] = register.pack(value)

    def answer(self, packet: Packet, now: float) -> Packet | None:
        """Answer an instruction for this servo alone, or return None where it is silent."""
        self.advance(now)
        if self.is_dead:
            return None
        self.feed_watchdog(now)
        if packet.instruction == PING:
            return self._status(0, struct.pack("<HB", self.get(t.MODEL_NUMBER), self.get(t.FIRMWARE)))
        if packet.instruction == READ:
            if len(packet.data) != 4:
                return self._status(LENGTH_ERROR)
            address, size = struct.unpack("<HH", packet.data)
            return (
                self._status(0, self.read(address, size))
                if address + size <= t.TABLE_END
                else self._status(RANGE_ERROR)
            )
        if packet.instruction == WRITE:
            if len(packet.data) < 3:
                return self._status(LENGTH_ERROR)
            return self._status(self.write(int.from_bytes(packet.data[:2], "little"), packet.data[2:]))
        if packet.instruction == REBOOT:
            answer = self._status(0)
            self._power_on()
            return answer
        return self._status(INSTRUCTION_ERROR)

    def feed_watchdog(self, now: float) -> None:
        """Restart the watchdog's time: a packet came, for any servo."""
        self._last_packet = now

    def read(self, address: int, size: int) -> bytes:
        """Return registers, the indirect ones included."""
        return bytes(self._table[self._source(i)] for i in range(address, address + size))

    def write(self, address: int, data: bytes) -> int:
        """Write registers as a packet requests; return the error code."""
        end = address + len(data)
        if not data:
            return LENGTH_ERROR
        if end > t.TABLE_END:
            return RANGE_ERROR
        if any(address < stop and end > start for start, stop in READ_ONLY_RANGES):
            return ACCESS_ERROR
        indirect = t.INDIRECT_ADDRESS <= address < self.model.indirect_data
        if (address < t.RAM_START or indirect) and self.torque:
            return ACCESS_ERROR
        if address in GOAL_ADDRESSES and self.get(t.WATCHDOG) == t.WATCHDOG_EXPIRED:
            return RANGE_ERROR
        if address == t.GOAL_POSITION.address and self.get(t.OPERATING_MODE) == t.POSITION_MODE:
            goal = t.GOAL_POSITION.unpack(data)
            if not self.get(t.MIN_POSITION) <= goal <= self.get(t.MAX_POSITION):
                return LIMIT_ERROR
        if address == t.TORQUE.address and data[0] and not self.torque:
            if self.get(t.HARDWARE_ERROR):
                return RANGE_ERROR
            self._hold()
        self._table[address:end] = data
        if address < t.RAM_START:
            self._permanent[address:end] = data
        return 0

    def advance(self, now: float) -> None:
        """Turn the motor until `now`."""
        watchdog = self.get(t.WATCHDOG)
        expiry = self._last_packet + watchdog * t.WATCHDOG_UNIT_S
        if 0 < watchdog < t.WATCHDOG_EXPIRED and now > expiry:
            self._turn(expiry)
            self._hold()
            self.set(t.WATCHDOG, t.WATCHDOG_EXPIRED)
        self._turn(now)
        self._measure()

    def overheat(self) -> None:
        """Overheat: report that and switch the torque off, as SHUTDOWN says."""
        self.is_hot = True
        self.set(t.HARDWARE_ERROR, t.OVERHEATING)
        self.set(t.TORQUE, 0)

    def revive(self) -> None:
        """End its faults. A dead servo returns as after power-on, a hot one keeps its error."""
        if self.is_dead:
            self._power_on()
        self.is_dead = self.is_hot = False

    def _power_on(self) -> None:
        self._table[:] = bytes(len(self._table))
        self._table[: t.RAM_START] = self._permanent
        self.set(t.STATUS_LEVEL, 2)
        if self.is_hot:
            self.overheat()
        for i in range(t.CYCLE_BYTES):
            at = t.INDIRECT_ADDRESS + 2 * i
            self._table[at : at + 2] = struct.pack("<H", self.model.indirect_data + i)
        self._hold()
        self._measure()

    def _source(self, address: int) -> int:
        """Return the address behind an indirect one."""
        i = address - self.model.indirect_data
        if not 0 <= i < t.CYCLE_BYTES:
            return address
        at = t.INDIRECT_ADDRESS + 2 * i
        return min(int.from_bytes(self._table[at : at + 2], "little"), t.TABLE_END - 1)

    def _hold(self) -> None:
        self.set(t.GOAL_POSITION, round(self.motor.angle / t.RAD_PER_TICK))

    def _turn(self, until: float) -> None:
        motor, goal, max_rate = self.motor, self.get(t.GOAL_POSITION) * t.RAD_PER_TICK, self.model.no_load
        omega = POSITION_BANDWIDTH_RAD_S
        torque = self.torque
        while self._now < until:
            step = min(INTEGRATION_STEP_S, until - self._now)
            self._now = until if step < INTEGRATION_STEP_S else self._now + step
            if torque:
                acceleration = omega * (omega * (goal - motor.angle) - 2.0 * motor.rate)
                motor.rate = min(max(motor.rate + acceleration * step, -max_rate), max_rate)
            else:
                motor.rate = 0.0  # the gears' friction holds a shaft without torque
            motor.angle += motor.rate * step

    def _measure(self) -> None:
        share = min(max((self.get(t.GOAL_POSITION) * t.RAD_PER_TICK - self.motor.angle) / STALL_ERROR_RAD, -1.0), 1.0)
        self.set(t.PRESENT_CURRENT, round(share * self.model.max_current) if self.torque else 0)
        self.set(t.REALTIME_TICK, int(self._now / t.REALTIME_UNIT_S) % t.REALTIME_WRAP_TICKS)
        self.set(t.PRESENT_VELOCITY, round(self.motor.rate / t.VELOCITY_UNIT_RAD_S))
        self.set(t.PRESENT_POSITION, round(self.motor.angle / t.RAD_PER_TICK))
        self.set(t.PRESENT_VOLTAGE, round(sum(self.model.voltage) / 2.0 / t.VOLTAGE_UNIT_V))
        self.set(t.PRESENT_TEMPERATURE, HOT_C if self.is_hot else AMBIENT_C)

    def _status(self, error: int, parameters: bytes = b"") -> Packet:
        alert = t.ALERT if self.get(t.HARDWARE_ERROR) else 0
        return status(self.id, error | alert, parameters)
