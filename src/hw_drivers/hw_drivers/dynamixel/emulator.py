"""An emulated Dynamixel bus: the real bytes, both ways, and servos that turn and fail."""

from __future__ import annotations

import random
import struct
import time
from collections.abc import Callable, Iterable, Sequence

from crawler_core.reality.reality import IDEAL, Reality
from hw_drivers.bus.joint_map import JointMap
from hw_drivers.dynamixel import codec
from hw_drivers.dynamixel.codec import BROADCAST_ID, PING, SYNC_READ, SYNC_WRITE, WRITE, Packet, PacketParser
from hw_drivers.dynamixel.emulated_servo import STALL_ERROR_RAD, EmulatedServo
from hw_drivers.dynamixel.plan import plan_servo
from hw_drivers.dynamixel.settings import DynamixelSettings
from hw_drivers.emulation.emulated_encoder import EmulatedEncoder
from hw_drivers.emulation.emulator import SerialEmulator
from hw_drivers.emulation.virtual_clock import VirtualClock

LATE_REPLY_DELAY_S = 0.15


class DynamixelEmulator(SerialEmulator):
    """Servos on a serial line."""

    def __init__(
        self,
        servos: Sequence[EmulatedServo],
        joints: Sequence[JointMap] = (),
        *,
        baud: int = 1_000_000,
        clock: Callable[[], float] = time.monotonic,
        loss: float = 0.0,
        seed: int = 0,
    ) -> None:
        """`joints` belong to the first servos, in order. `loss` is the share of the answers that get lost."""
        super().__init__(joints, baud, clock)
        self._loss, self._random = loss, random.Random(f"{seed} answers")
        self.servos = list(servos)
        self.packets = 0  # received, whole and undamaged
        self._fault, self._faulty_joint, self._every, self._count = "none", "", 1, 0
        self._parser = PacketParser()
        self.serve()

    def _motor_motion(self) -> Iterable[tuple[float, float]]:
        now = self._clock()
        for servo in self.servos:
            servo.advance(now)
            yield servo.link

    def set_supply(self, volts: float) -> None:
        with self._lock:
            for servo in self.servos:
                servo.supply = volts

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
        if fault == "none":
            self._drop_replies()
        self._set_connected(fault != "gone")
        if fault == "gone":
            self._parser.reset()
        self._fault, self._faulty_joint = fault, joint

    def _servo_names(self) -> list[str]:
        return self._joint_names() + [""] * (len(self.servos) - len(self._joints))

    def is_command(self, data: bytes) -> bool:
        return any(packet.instruction in (WRITE, SYNC_WRITE) for packet in PacketParser().feed(data))

    def _receive(self, data: bytes) -> None:
        for packet in self._parser.feed(data):
            self._handle(packet)

    def _handle(self, packet: Packet) -> None:
        self.packets += 1
        answers = self._answers(packet, self._clock())
        data, is_late = self._spoil(answers, is_chain=packet.instruction == SYNC_READ)
        if len({servo.id for servo, _ in answers}) < len(answers):
            data = bytes(a & b for a, b in zip(data, data[1:] + b"\xff", strict=True))  # two talk at once
        return_delay = sum(servo.return_delay for servo, _ in answers)
        self._reply(data, return_delay + (LATE_REPLY_DELAY_S if is_late else 0.0))

    def _spoil(self, answers: list[tuple[EmulatedServo, Packet]], is_chain: bool) -> tuple[bytes, bool]:
        """Return the bytes that reach the wire, and True if they come late."""
        sent, is_late = b"", False
        for servo, answer in answers:
            data = codec.encode(answer)
            if self._loss and self._random.random() < self._loss:
                if is_chain:
                    break  # those behind wait for it in vain
                continue
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


def emulate(
    settings: DynamixelSettings,
    joints: Sequence[JointMap],
    start: Sequence[float],
    *,
    clock: VirtualClock | None = None,
    reality: Reality = IDEAL,
    seed: int = 0,
) -> DynamixelEmulator:
    """Make the servos of the robot file, with their joints at `start` (rad)."""
    time_source = clock or time.monotonic
    now = time_source()
    servos = [
        EmulatedServo(
            joint.id,
            plan_servo(joint).model,
            joint.to_motor(angle),
            now,
            reality=reality,
            encoder=EmulatedEncoder(reality, joint.joint, seed),
            ratio=joint.direction * joint.gear,
        )
        for joint, angle in zip(joints, start, strict=True)
    ]
    for joint, servo in zip(joints, servos, strict=True):
        if joint.effort:
            servo.motor.dead_band = STALL_ERROR_RAD * reality.gear_friction / joint.effort
    return DynamixelEmulator(servos, joints, baud=settings.baud, clock=time_source, loss=reality.loss, seed=seed)
