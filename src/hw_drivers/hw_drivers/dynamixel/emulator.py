"""A Dynamixel bus on a pseudo-terminal: the real bytes, both ways, and servos that turn and fail."""

from __future__ import annotations

import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence

import numpy as np

from crawler_core.errors import unknown_name
from crawler_core.types import FloatArray
from hw_drivers.bus.bus import JointMap
from hw_drivers.dynamixel import codec
from hw_drivers.dynamixel.codec import BROADCAST, PING, SYNC_READ, SYNC_WRITE, Packet, Parser
from hw_drivers.dynamixel.emulated_servo import EmulatedServo
from hw_drivers.dynamixel.plan import plan_servo
from hw_drivers.dynamixel.settings import DynamixelSettings
from hw_drivers.emulation.emulator import INJECTABLE_FAULTS
from hw_drivers.ports.emulated_serial_port import EmulatedSerialPort

LATE_REPLY_DELAY_S = 0.15  # s by which a late answer comes too late
POLL_PERIOD_S = 0.02  # s between two looks at whether to end
BITS_PER_BYTE = 10  # on the wire for a byte


class DynamixelEmulator:
    """Servos behind a pseudo-terminal."""

    def __init__(
        self,
        servos: Sequence[EmulatedServo],
        joints: Sequence[JointMap] = (),
        *,
        baud: int = 1_000_000,
        wire: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`joints` belong to the first servos, in order. With `wire` answers take the time they would on a real one."""
        self.servos = list(servos)
        self.packets = 0  # heard, whole and undamaged
        self._joints = list(joints)
        self._baud = baud
        self.wire = wire
        self._clock = clock
        self._fault, self._joint, self._every, self._count = "none", "", 1, 0
        self._held: deque[tuple[float, bytes]] = deque()  # late answers, and when they come
        self._lock = threading.RLock()
        self._parser = Parser()
        self._port = EmulatedSerialPort()
        self.port = self._port.path
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="emulated bus", daemon=True)
        self._thread.start()

    def motion(self) -> tuple[FloatArray, FloatArray]:
        """The joints' true angles and rates now."""
        with self._lock:
            now = self._clock()
            pairs = list(zip(self._joints, self.servos, strict=False))
            for _, servo in pairs:
                servo.advance(now)
            return (
                np.array([joint.to_joint(servo.motor.angle) for joint, servo in pairs]),
                np.array([joint.rate_to_joint(servo.motor.rate) for joint, servo in pairs]),
            )

    def torque(self) -> tuple[bool, ...]:
        """Which motors hold torque."""
        with self._lock:
            return tuple(servo.torque for servo in self.servos)

    def inject(self, fault: str, joint: str = "", every: int = 1) -> None:
        """Begin a fault. With `every` n, one in n answers suffers it."""
        if fault not in INJECTABLE_FAULTS:
            raise unknown_name("fault of an emulated bus", fault, INJECTABLE_FAULTS)
        with self._lock:
            for name, servo in zip(self._names(), self.servos, strict=True):
                if fault == "none":
                    servo.revive()
                elif not joint or name == joint:
                    servo.advance(self._clock())
                    if fault == "dead":
                        servo.dead = True
                    elif fault == "hot":
                        servo.overheat()
            if fault == "gone":
                self._port.unplug()
                self._parser.reset()
            else:
                self._port.plug_in()
            self._fault, self._joint, self._every, self._count = fault, joint, every, 0

    def close(self) -> None:
        """End the thread and remove the port."""
        self._ending.set()
        if self._thread.is_alive():
            self._thread.join()
        self._port.close()

    def _names(self) -> list[str]:
        return [joint.joint for joint in self._joints] + [""] * (len(self.servos) - len(self._joints))

    def _serve(self) -> None:
        while not self._ending.is_set():
            while self._held and self._held[0][0] <= time.monotonic():
                self._port.write(self._held.popleft()[1])
            data = self._port.read(1e-3 if self._held else POLL_PERIOD_S)
            if not data:
                continue
            with self._lock:
                packets = self._parser.feed(data) if self._port.speaks(self._baud) else []
            for packet in packets:
                self._handle(packet, len(data))

    def _handle(self, packet: Packet, heard: int) -> None:
        with self._lock:
            self.packets += 1
            answers = self._answers(packet, self._clock())
            data, late = self._deliver(answers, chained=packet.instruction == SYNC_READ)
        if len({servo.id for servo, _ in answers}) < len(answers):
            data = bytes(a & b for a, b in zip(data, data[1:] + b"\xff", strict=True))  # two talk at once
        if self.wire:
            self._ending.wait((heard + len(data)) * BITS_PER_BYTE / self._baud)
        if late:
            self._held.append((time.monotonic() + LATE_REPLY_DELAY_S, data))
        else:
            self._port.write(data)

    def _deliver(self, answers: list[tuple[EmulatedServo, Packet]], chained: bool) -> tuple[bytes, bool]:
        """The bytes that reach the wire, and whether they come late."""
        sent, late = b"", False
        for servo, answer in answers:
            data = codec.encode(answer)
            if self._strikes(servo):
                if self._fault == "lost":
                    if chained:
                        break
                    continue
                if self._fault == "corrupt":
                    data = data[:-3] + bytes([data[-3] ^ 0x10]) + data[-2:]
                elif self._fault == "truncated":
                    data = data[: len(data) // 2]
                late = late or self._fault == "late"
            sent += data
        return sent, late

    def _answers(self, packet: Packet, now: float) -> list[tuple[EmulatedServo, Packet]]:
        """Who answers what, in the order on the wire."""
        if packet.instruction in (SYNC_READ, SYNC_WRITE) and len(packet.data) >= 4:
            for servo in self.servos:
                servo.advance(now)
                servo.hear(now)
            address, size = struct.unpack("<HH", packet.data[:4])
            rest = packet.data[4:]
            if packet.instruction == SYNC_WRITE:
                for at in range(0, len(rest) - size, size + 1):
                    for servo in self._with_id(rest[at]):
                        if not servo.dead:
                            servo.write(address, rest[at + 1 : at + 1 + size])
                return []
            chain = []
            for ident in rest:
                found = [(s, a) for s in self._with_id(ident) if (a := s.answer(codec.read(ident, address, size), now))]
                if not found:
                    break  # who comes after a silent servo waits for it in vain
                chain += found
            return chain
        asked = self.servos if packet.id == BROADCAST else self._with_id(packet.id)
        answers = [(servo, answer) for servo in asked if (answer := servo.answer(packet, now))]
        return answers if packet.id != BROADCAST or packet.instruction == PING else []

    def _with_id(self, ident: int) -> list[EmulatedServo]:
        return [servo for servo in self.servos if servo.id == ident]

    def _strikes(self, servo: EmulatedServo) -> bool:
        """Whether the injected fault hits this answer."""
        if self._fault == "none" or self._joint not in ("", self._names()[self.servos.index(servo)]):
            return False
        self._count += 1
        return self._count % self._every == 0


def emulate(settings: DynamixelSettings, joints: Sequence[JointMap], start: Sequence[float]) -> DynamixelEmulator:
    """Servos as the robot file wants them, with their joints at `start` (rad)."""
    now = time.monotonic()
    servos = [
        EmulatedServo(joint.id, plan_servo(joint).model, joint.to_motor(angle), now)
        for joint, angle in zip(joints, start, strict=True)
    ]
    return DynamixelEmulator(servos, joints, baud=settings.baud)
