"""A Dynamixel bus on a pseudo-terminal: the real bytes, both ways, and servos that turn and fail."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Iterable, Sequence

from hw_drivers.bus.joint_map import JointMap
from hw_drivers.dynamixel import codec
from hw_drivers.dynamixel.codec import BROADCAST_ID, PING, SYNC_READ, SYNC_WRITE, Packet, PacketParser
from hw_drivers.dynamixel.emulated_servo import EmulatedServo
from hw_drivers.dynamixel.plan import plan_servo
from hw_drivers.dynamixel.settings import DynamixelSettings
from hw_drivers.emulation.emulator import SerialEmulator

LATE_REPLY_DELAY_S = 0.15
READ_TIMEOUT_S = 0.02
READ_TIMEOUT_WITH_LATE_REPLIES_S = 1e-3


class DynamixelEmulator(SerialEmulator):
    """Servos behind a pseudo-terminal."""

    def __init__(
        self,
        servos: Sequence[EmulatedServo],
        joints: Sequence[JointMap] = (),
        *,
        baud: int = 1_000_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`joints` belong to the first servos, in order."""
        super().__init__(joints, baud, clock)
        self.servos = list(servos)
        self.packets = 0  # received, whole and undamaged
        self._fault, self._faulty_joint, self._every, self._count = "none", "", 1, 0
        self._parser = PacketParser()
        self._start_thread(self._serve)

    def _motor_motion(self) -> Iterable[tuple[float, float]]:
        now = self._clock()
        for servo in self.servos:
            servo.advance(now)
            yield servo.motor.angle, servo.motor.rate

    def torque(self) -> tuple[bool, ...]:
        with self._lock:
            return tuple(servo.torque for servo in self.servos)

    def inject(self, fault: str, joint: str = "", every: int = 1) -> None:
        """Begin a fault. With `every` n, it spoils one in n answers."""
        with self._lock:
            super().inject(fault, joint)
            self._every, self._count = every, 0

    def _inject(self, fault: str, joint: str) -> None:
        for name, servo in zip(self._servo_names(), self.servos, strict=True):
            if fault == "none":
                servo.revive()
            elif not joint or name == joint:
                servo.advance(self._clock())
                if fault == "dead":
                    servo.is_dead = True
                elif fault == "hot":
                    servo.overheat()
        self._set_connected(fault != "gone")
        if fault == "gone":
            self._parser.reset()
        self._fault, self._faulty_joint = fault, joint

    def _servo_names(self) -> list[str]:
        return self._joint_names() + [""] * (len(self.servos) - len(self._joints))

    def _serve(self) -> None:
        for data in self._late.take(time.monotonic()):
            self._port.write(data)
        data = self._port.read(READ_TIMEOUT_WITH_LATE_REPLIES_S if self._late else READ_TIMEOUT_S)
        if not data:
            return
        with self._lock:
            packets = self._parser.feed(data) if self._port.has_baud(self._baud) else []
        for packet in packets:
            self._handle(packet, len(data))

    def _handle(self, packet: Packet, received_size: int) -> None:
        with self._lock:
            self.packets += 1
            answers = self._answers(packet, self._clock())
            data, is_late = self._spoil(answers, is_chain=packet.instruction == SYNC_READ)
        if len({servo.id for servo, _ in answers}) < len(answers):
            data = bytes(a & b for a, b in zip(data, data[1:] + b"\xff", strict=True))  # two talk at once
        self._wait_for_wire(received_size + len(data))
        if is_late:
            self._late.append((time.monotonic() + LATE_REPLY_DELAY_S, data))
        else:
            self._port.write(data)

    def _spoil(self, answers: list[tuple[EmulatedServo, Packet]], is_chain: bool) -> tuple[bytes, bool]:
        """Return the bytes that reach the wire, and True if they come late."""
        sent, is_late = b"", False
        for servo, answer in answers:
            data = codec.encode(answer)
            if self._is_hit(servo):
                if self._fault == "lost":
                    if is_chain:
                        break
                    continue
                if self._fault == "corrupt":
                    data = data[:-3] + bytes([data[-3] ^ 0x10]) + data[-2:]
                elif self._fault == "truncated":
                    data = data[: len(data) // 2]
                is_late = is_late or self._fault == "late"
            sent += data
        return sent, is_late

    def _answers(self, packet: Packet, now: float) -> list[tuple[EmulatedServo, Packet]]:
        """Return the answers with their servos, in the order on the wire."""
        if packet.instruction in (SYNC_READ, SYNC_WRITE) and len(packet.data) >= 4:
            for servo in self.servos:
                servo.advance(now)
                servo.feed_watchdog(now)
            address, size = struct.unpack("<HH", packet.data[:4])
            rest = packet.data[4:]
            if packet.instruction == SYNC_READ:
                return self._chained_answers(rest, address, size, now)
            for at in range(0, len(rest) - size, size + 1):
                for servo in self._with_id(rest[at]):
                    if not servo.is_dead:
                        servo.write(address, rest[at + 1 : at + 1 + size])
            return []
        asked = self.servos if packet.id == BROADCAST_ID else self._with_id(packet.id)
        answers = [(servo, answer) for servo in asked if (answer := servo.answer(packet, now))]
        return answers if packet.id != BROADCAST_ID or packet.instruction == PING else []

    def _chained_answers(
        self, idents: bytes, address: int, size: int, now: float
    ) -> list[tuple[EmulatedServo, Packet]]:
        chain = []
        for ident in idents:
            read = codec.read(ident, address, size)
            found = [(servo, answer) for servo in self._with_id(ident) if (answer := servo.answer(read, now))]
            if not found:
                break  # the servos behind a silent one wait for it in vain
            chain += found
        return chain

    def _with_id(self, ident: int) -> list[EmulatedServo]:
        return [servo for servo in self.servos if servo.id == ident]

    def _is_hit(self, servo: EmulatedServo) -> bool:
        """Return True if the injected fault spoils this answer."""
        name = self._servo_names()[self.servos.index(servo)]
        if self._fault == "none" or self._faulty_joint not in ("", name):
            return False
        self._count += 1
        return self._count % self._every == 0


def emulate(settings: DynamixelSettings, joints: Sequence[JointMap], start: Sequence[float]) -> DynamixelEmulator:
    """Make the servos of the robot file, with their joints at `start` (rad)."""
    now = time.monotonic()
    servos = [
        EmulatedServo(joint.id, plan_servo(joint).model, joint.to_motor(angle), now)
        for joint, angle in zip(joints, start, strict=True)
    ]
    return DynamixelEmulator(servos, joints, baud=settings.baud)
