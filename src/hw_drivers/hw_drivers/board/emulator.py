"""A board on a pseudo-terminal: the firmware's own bytes, both ways, which faults spoil on their way."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence

import numpy as np

from crawler_core.errors import unknown_name
from crawler_core.types import FloatArray
from hw_drivers.board.codec import FRAME_END
from hw_drivers.board.emulated_board import EmulatedBoard
from hw_drivers.board.emulated_motor import AMBIENT_C, HOT_C
from hw_drivers.board.settings import BoardSettings
from hw_drivers.bus.bus import JointMap
from hw_drivers.emulation.emulator import INJECTABLE_FAULTS, Load
from hw_drivers.ports.emulated_serial_port import EmulatedSerialPort

# reboot: the board restarts, and forgets where shafts without absolute encoders are; encoder: a joint's fails;
# stop: the emergency stop is pressed; weak: the supply breaks down
BOARD_INJECTABLE_FAULTS = (*INJECTABLE_FAULTS, "reboot", "encoder", "stop", "weak")
LINE_FAULTS = ("lost", "late", "corrupt", "truncated")
LATE_REPLY_DELAY_S = 0.15  # s by which a late answer comes too late
POLL_PERIOD_S = 1e-3  # s between two turns of the board's loop
MAX_STEP_S = 0.02  # s that may pass on the board at once: while this computer is too busy for it, its time stands still
BITS_PER_BYTE = 10  # on the wire for a byte


class BoardEmulator:
    """A board and its motors. A fault of the line is the whole board's, whichever joint is named."""

    def __init__(
        self,
        board: EmulatedBoard,
        *,
        baud: int = 1_000_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.board = board
        self.wire = False  # whether bytes take the time that they would on a real line, both ways
        self._joints = [plan.joint for plan in board.plans]
        self._byte = BITS_PER_BYTE / baud
        self._clock = clock
        self._baud = baud
        self._fault = "none"
        self._dead = False
        self._supply = board.supply
        self._held: deque[tuple[float, bytes]] = deque()  # answers, and when they come
        self._looked = clock()
        self._lock = threading.RLock()
        self._port = EmulatedSerialPort()
        self.port = self._port.path
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="emulated board", daemon=True)
        self._thread.start()

    def carry(self, joint: str, load: Load) -> None:
        """Let the joint's motor turn `load` in place of a rotor by itself."""
        with self._lock:
            self.board.motors[self._place(joint)].load = load

    def motion(self) -> tuple[FloatArray, FloatArray]:
        """The joints' true angles and rates."""
        with self._lock:
            pairs = list(zip(self.board.plans, self.board.motors, strict=True))
            return (
                np.array([plan.joint.to_joint(motor.angle * plan.joint.gear) for plan, motor in pairs]),
                np.array([plan.rate(motor.rate) for plan, motor in pairs]),
            )

    def torque(self) -> tuple[bool, ...]:
        """Whether each motor holds torque."""
        with self._lock:
            return self.board.torque()

    def inject(self, fault: str, joint: str = "") -> None:
        """Begin a fault of BOARD_INJECTABLE_FAULTS; `none` heals everything, and somebody shows each crank its index."""
        if fault not in BOARD_INJECTABLE_FAULTS:
            raise unknown_name("fault of an emulated board", fault, BOARD_INJECTABLE_FAULTS)
        with self._lock:
            if fault == "gone":
                self._port.unplug()
            else:
                self._port.plug_in()
            if fault == "none":
                self._heal()
            elif fault in LINE_FAULTS:
                self._fault = fault
            elif fault == "dead":
                self._dead = True
                self.board.restart()
            elif fault == "reboot":
                self.board.restart()
            elif fault == "stop":
                self.board.stop_pressed = True
            elif fault == "weak":
                self.board.supply = 0.0
            for one, motor in zip(self._joints, self.board.motors, strict=True):
                if not joint or one.joint == joint:
                    motor.temperature = HOT_C if fault == "hot" else motor.temperature
                    motor.broken = motor.broken or fault == "encoder"

    def close(self) -> None:
        """End the thread and remove the port. May be called twice."""
        self._ending.set()
        if self._thread.is_alive():
            self._thread.join()
        self._port.close()
        self.board.firmware.close()

    def _place(self, joint: str) -> int:
        return [one.joint for one in self._joints].index(joint)

    def _heal(self) -> None:
        self._fault, self._dead = "none", False
        self._held.clear()
        self.board.supply, self.board.stop_pressed = self._supply, False
        for motor in self.board.motors:
            motor.temperature, motor.broken = AMBIENT_C, False
        self.board.find_indices()

    def _serve(self) -> None:
        while not self._ending.is_set():
            data = self._port.read(POLL_PERIOD_S)
            with self._lock:
                if data and not self._dead and self._port.speaks(self._baud):
                    if self.wire:
                        self._ending.wait(len(data) * self._byte)
                    self.board.receive(data)
                now = self._clock()
                if not self._port.late():
                    self.board.advance(min(now - self._looked, MAX_STEP_S))
                    self._looked = now
                self._deliver(self.board.send(), now)
                while self._held and self._held[0][0] <= now:
                    self._port.write(self._held.popleft()[1])

    def _deliver(self, data: bytes, now: float) -> None:
        """Send what the board says, as far as the fault lets it through."""
        if not data or self._dead or self._fault == "lost":
            return
        if self.wire:
            self._ending.wait(len(data) * self._byte)
        if self._fault == "late":
            self._held.append((now + LATE_REPLY_DELAY_S, data))
            return
        if self._fault == "corrupt":
            data = FRAME_END.join(_flipped(one) for one in data.split(FRAME_END))
        elif self._fault == "truncated":
            data = FRAME_END.join(one[: len(one) // 2] for one in data.split(FRAME_END))
        self._port.write(data)


def _flipped(frame: bytes) -> bytes:
    """A frame with a bit wrong in its middle."""
    half = len(frame) // 2
    return frame[:half] + bytes([frame[half] ^ 0x10]) + frame[half + 1 :] if frame else frame


def emulate(settings: BoardSettings, joints: Sequence[JointMap], start: Sequence[float]) -> BoardEmulator:
    """A board as the robot file wants it, with its joints at `start` (rad), alive."""
    return BoardEmulator(EmulatedBoard(settings, joints, start), baud=settings.baud)
