"""An emulated I2C bus with a PCA9685 and servos that turn to their pulses, in place of smbus2's."""

from __future__ import annotations

import errno
import itertools
import math
import random
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from crawler_core.reality.reality import IDEAL, Reality
from hw_drivers.bus.joint_map import JointMap
from hw_drivers.emulation.disturbance import Disturbance, disturbed_ways
from hw_drivers.emulation.emulator import DelayLine, Emulator
from hw_drivers.emulation.position_servo import PositionServo
from hw_drivers.emulation.virtual_clock import VirtualClock
from hw_drivers.pca9685.emulated_pwm_board import EmulatedPwmBoard
from hw_drivers.pca9685.settings import Pca9685Joint, Pca9685Settings
from hw_drivers.ports.i2c_port import EMULATED_PORTS, I2c

MAX_RATE_RAD_S = 15.0
TRANSFER_S = 5e-4  # of some bytes at 100 kHz, in virtual time
LATE_TRANSFER_S = 0.2  # where the board stretches the clock
_numbers = itertools.count()


@dataclass(frozen=True)
class _OpenBus:
    """The open emulated bus, in place of smbus2.SMBus."""

    read_i2c_block_data: Callable[[int, int, int], list[int]]
    write_i2c_block_data: Callable[[int, int, list[int]], None]

    def close(self) -> None: ...


class EmulatedServo:
    """A servo that follows its pulses, and stays where it is without any."""

    def __init__(
        self, settings: Pca9685Joint, angle: float, now: float, reality: Reality = IDEAL, gear: float = 1.0
    ) -> None:
        """`angle` (rad) is the servo's own; `gear`: turns of the servo for one of the joint."""
        self._settings = settings
        self._motion = PositionServo(angle, now, MAX_RATE_RAD_S, reality, gear)
        self._now = now
        self._pulse: float | None = None  # s

    @property
    def angle(self) -> float:
        """The angle (rad) of the link, at the servo."""
        return self._motion.link_angle

    @property
    def rate(self) -> float:
        """The rate (rad/s) of the link, at the servo."""
        return self._motion.link_rate

    def advance(self, pulse: float | None, now: float) -> None:
        """Turn until `now` with a pulse (s)."""
        if pulse is None:
            self._motion.release()
        elif pulse != self._pulse:
            goal = self._goal(pulse)
            if self._motion.has_torque:
                self._motion.aim(goal, self._now)
            else:
                self._motion.hold(goal)
        self._pulse = pulse
        self._now = max(self._now, now)
        self._motion.advance(now)

    def _goal(self, pulse: float) -> float:
        settings = self._settings
        share = (1e6 * pulse - settings.trim_us - settings.low_us) / (settings.high_us - settings.low_us)
        return math.radians(settings.low_deg + share * (settings.high_deg - settings.low_deg))


class Pca9685Emulator(Emulator):
    """A bus with one board. Tests read `board` and `servos`."""

    def __init__(
        self,
        board: EmulatedPwmBoard,
        address: int,
        joints: Sequence[JointMap],
        servos: Sequence[EmulatedServo],
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        loss: float = 0.0,
        seed: int = 0,
    ) -> None:
        """`loss` is the share of the transfers that fail."""
        super().__init__(joints, clock)
        self._loss, self._random = loss, random.Random(f"{seed} transfers")
        self.port = f"emulated-i2c-{next(_numbers)}"
        self.board = board
        self.servos = list(servos)
        self.transfers = 0
        self._address = address
        self._sleep = sleep
        self._fault = "none"
        self._ways = disturbed_ways(None, 0)
        self._writes: DelayLine[bytes] = DelayLine()  # under way; each begins with its register
        # by register and length: the answers under way, and the newest that has come
        self._late_answers: dict[tuple[int, int], tuple[DelayLine[bytes], bytes]] = {}
        self._dead: set[str] = set()  # joints whose servo does not turn
        EMULATED_PORTS[self.port] = self._open

    def driver_options(self) -> dict[str, Any]:
        options = super().driver_options()
        return {**options, "sleep": self._sleep} if options else options

    def _motor_motion(self) -> Iterable[tuple[float, float]]:
        self._advance()
        return [(servo.angle, servo.rate) for servo in self.servos]

    def torque(self) -> tuple[bool, ...]:
        """Return for each servo whether it gets pulses."""
        with self._lock:
            self._advance()
            return tuple(self._pulse(joint) is not None for joint in self._joints)

    def _inject(self, fault: str, joint: str) -> None:
        """Begin a fault. Nothing on the bus shows a servo that is `dead` or `hot`: it is limp.

        Without a joint, `dead` is the board, which loses its power.
        """
        self._advance()
        if fault == "none":
            if self._fault == "dead":
                self.board.power_on()
            self._dead.clear()
            self._fault = fault
        elif fault == "hot" or (fault == "dead" and joint):
            self._dead |= {name for name in self._joint_names() if joint in ("", name)}
        else:
            self._fault = fault

    def disturb(self, disturbance: Disturbance | None, seed: int = 0) -> None:
        """Disturb the wires, or an adapter that stores transfers, from now on; None ends that.

        A spoiled address is not acknowledged; nothing shows other spoiled bytes. `delayed`: the clock is stretched.
        `late`: writes happen later, and reads return what they would have returned so long before.
        """
        self._ways = disturbed_ways(disturbance, seed)
        self._late_answers.clear()

    def _close_port(self) -> None:
        EMULATED_PORTS.pop(self.port, None)

    def read_registers(self, address: int, register: int, length: int) -> list[int]:
        """Transfer as smbus2 does. Raises OSError."""
        with self._lock:
            self._transfer(address)
            sent = self._carry_request(bytes([register]))
            data = self._spoil(self.board.read(sent[0], length)) if sent else b""
            return list(self._carry_answer((register, length), data))

    def write_registers(self, address: int, register: int, data: list[int]) -> None:
        """Transfer as smbus2 does. Raises OSError."""
        with self._lock:
            self._transfer(address)
            sent = self._carry_request(bytes([register]) + self._spoil(bytes(data)))
            way = self._ways[0]
            # of `delayed`, the transfer itself was
            for delay_ns in [0] if way is None or way.kind == "delayed" else way.arrivals(0):
                self._writes.put(self._clock() + 1e-9 * delay_ns, sent)
            self._advance()

    def _open(self) -> I2c:
        if self._fault == "gone":
            raise OSError(errno.ENOENT, "No such file or directory")
        return _OpenBus(self.read_registers, self.write_registers)

    def _carry_request(self, data: bytes) -> bytes:
        """Return the register and the data as they reach the board."""
        return data if self._ways[0] is None else self._ways[0].spoil(data)

    def _carry_answer(self, request: tuple[int, int], data: bytes) -> bytes:
        """Return the bytes that a disturbed way to the driver makes of an answer."""
        way = self._ways[1]
        if way is None:
            return data
        if way.kind != "late":
            return way.spoil(data).ljust(request[1], b"\xff")[: request[1]]  # the driver clocks so many bytes in
        now = self._clock()
        stored, newest = self._late_answers.get(request, (DelayLine(), data))
        stored.put(now + 1e-9 * way.arrivals(0)[0], data)
        newest = [newest, *stored.take(now)][-1]
        self._late_answers[request] = stored, newest
        return newest

    def _transfer(self, address: int) -> None:
        """Begin a transfer. Raises OSError."""
        self.transfers += 1
        if isinstance(self._clock, VirtualClock):
            self._clock.sleep(TRANSFER_S)
        way = self._ways[0]
        if way is not None and way.kind == "delayed":
            now_ns = round(1e9 * self._clock())
            self._sleep(1e-9 * (way.arrivals(now_ns)[0] - now_ns))  # one transfer after the other
        self._advance()
        if self._fault == "gone":
            raise OSError(errno.ENODEV, "No such device")
        if self._fault == "late":
            self._sleep(LATE_TRANSFER_S)
            raise OSError(errno.ETIMEDOUT, "Connection timed out")
        is_lost = bool(self._loss) and self._random.random() < self._loss
        is_lost = is_lost or (way is not None and way.is_hit(1))
        if is_lost or address != self._address or self._fault in ("lost", "dead"):
            raise OSError(errno.EREMOTEIO, "Remote I/O error")

    def _spoil(self, data: bytes) -> bytes:
        if self._fault == "corrupt":
            return bytes(value ^ 0x08 for value in data)
        if self._fault == "truncated":
            return data[: len(data) // 2]
        return data

    def _advance(self) -> None:
        """Turn the servos until now, with the writes that arrive meanwhile."""
        now = self._clock()
        while self._writes and self._writes[0][0] <= now:
            arrival, written = self._writes.pop(0)
            self._turn(arrival)
            if written:
                self.board.write(written[0], written[1:])
        self._turn(now)

    def _turn(self, until: float) -> None:
        for joint, servo in zip(self._joints, self.servos, strict=True):
            servo.advance(self._pulse(joint), until)

    def _pulse(self, joint: JointMap) -> float | None:
        if joint.joint in self._dead or self._fault == "dead":
            return None
        return self.board.pulse(joint.id)


def emulate(
    settings: Pca9685Settings,
    joints: Sequence[JointMap],
    start: Sequence[float],
    *,
    clock: VirtualClock | None = None,
    reality: Reality = IDEAL,
    seed: int = 0,
) -> Pca9685Emulator:
    """Make the board of the robot file, with its joints at `start` (rad)."""
    time_source = clock or time.monotonic
    now = time_source()
    servos = [
        EmulatedServo(joint.settings, joint.to_motor(angle), now, reality, joint.gear)
        for joint, angle in zip(joints, start, strict=True)
    ]
    board = EmulatedPwmBoard(settings.oscillator)
    sleep = time.sleep if clock is None else clock.sleep
    return Pca9685Emulator(
        board, settings.address, joints, servos, clock=time_source, sleep=sleep, loss=reality.loss, seed=seed
    )
