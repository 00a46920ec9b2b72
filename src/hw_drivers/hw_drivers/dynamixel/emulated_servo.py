"""One emulated servo: its control table, and a motor that turns."""

from __future__ import annotations

import struct

from crawler_core.reality.reality import IDEAL, Reality
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
from hw_drivers.emulation.emulated_encoder import EmulatedEncoder
from hw_drivers.emulation.position_servo import PositionServo

RECORD_PERIOD_S = 1e-3  # of the motion that is measured later
AMBIENT_C = 31
HOT_C = 85
STALL_ERROR_RAD = 0.2  # between goal and position, from which on it draws its maximum current
READ_ONLY_RANGES = ((0, 7), (120, 147))  # addresses from, to (exclusive)
GOAL_ADDRESSES = range(100, 120)


class EmulatedServo:
    """An X series servo that answers packets. `now` is in s of any clock that goes forward."""

    def __init__(
        self,
        ident: int,
        model: t.ServoModel,
        angle: float,
        now: float,
        firmware: int = 52,
        *,
        reality: Reality = IDEAL,
        encoder: EmulatedEncoder | None = None,
        ratio: float = 1.0,
    ) -> None:
        """`angle` is in rad; `ratio`: turns of the servo for one of the joint, negative where it turns against it."""
        self.model = model
        self.encoder = encoder or EmulatedEncoder(reality, str(ident), 0)
        self._ratio = ratio
        self._offset = self.encoder.zero_error * ratio  # rad, by which its angle is off
        self.motor = PositionServo(angle + self._offset, now, model.no_load, reality, abs(ratio))
        self.supply = sum(model.voltage) / 2.0  # V
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
        self._record()
        self._power_on()

    @property
    def link(self) -> tuple[float, float]:
        """The true angle (rad) and rate (rad/s) of the link, at the servo."""
        return self.motor.link_angle - self._offset, self.motor.link_rate

    @property
    def id(self) -> int:
        return self.get(t.ID)

    @property
    def torque(self) -> bool:
        return bool(self.get(t.TORQUE)) and not self.is_dead

    @property
    def return_delay(self) -> float:
        """The time (s) until it answers."""
        return self.get(t.RETURN_DELAY) * t.RETURN_DELAY_UNIT_S

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
        self._measure()
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
        if address <= t.GOAL_POSITION.address < end:
            self.motor.aim(self.get(t.GOAL_POSITION) * t.RAD_PER_TICK, self._now)
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
        if self.motor.has_torque:
            self.motor.hold(self.get(t.GOAL_POSITION) * t.RAD_PER_TICK)

    def _turn(self, until: float) -> None:
        if not self.torque:
            self.motor.release()
        elif not self.motor.has_torque:
            self.motor.hold(self.get(t.GOAL_POSITION) * t.RAD_PER_TICK)
        while self._now < until:
            self._now = min(self._now + RECORD_PERIOD_S, until)
            self.motor.advance(self._now)
            self._record()

    def _record(self) -> None:
        motor, ratio = self.motor, self._ratio
        self.encoder.record(self._now, (motor.angle - self._offset) / ratio, motor.rate / ratio)

    def _measure(self) -> None:
        angle, rate = self.encoder.measure(self._now)
        share = min(max((self.get(t.GOAL_POSITION) * t.RAD_PER_TICK - self.motor.angle) / STALL_ERROR_RAD, -1.0), 1.0)
        self.set(t.PRESENT_CURRENT, round(share * self.model.max_current) if self.torque else 0)
        self.set(t.REALTIME_TICK, int(self._now / t.REALTIME_UNIT_S) % t.REALTIME_WRAP_TICKS)
        self.set(t.PRESENT_VELOCITY, round(rate * self._ratio / t.VELOCITY_UNIT_RAD_S))
        self.set(t.PRESENT_POSITION, round(angle * self._ratio / t.RAD_PER_TICK))
        self.set(t.PRESENT_VOLTAGE, round(self.supply / t.VOLTAGE_UNIT_V))
        self.set(t.PRESENT_TEMPERATURE, HOT_C if self.is_hot else AMBIENT_C)

    def _status(self, error: int, parameters: bytes = b"") -> Packet:
        alert = t.ALERT if self.get(t.HARDWARE_ERROR) else 0
        return status(self.id, error | alert, parameters)
