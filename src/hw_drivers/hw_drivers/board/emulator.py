"""An emulated board: the firmware's own bytes, both ways, spoiled by faults."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from crawler_core.reality.reality import IDEAL, Reality
from crawler_core.types import SensorReading
from hw_drivers.board.codec import FRAME_END
from hw_drivers.board.emulated_board import EmulatedBoard
from hw_drivers.board.emulated_motor import AMBIENT_C, HOT_C
from hw_drivers.board.emulated_world import EmulatedWorld
from hw_drivers.board.settings import BoardSettings
from hw_drivers.bus.joint_map import JointMap
from hw_drivers.emulation.emulator import INJECTABLE_FAULTS, Load, SerialEmulator
from hw_drivers.emulation.virtual_clock import VirtualClock
from hw_drivers.sensors.sensor_map import SensorMap

LINE_FAULTS = ("lost", "late", "corrupt", "truncated")
LATE_REPLY_DELAY_S = 0.15
LOOP_PERIOD_S = 1e-3  # of the board
MAX_STEP_S = 0.02  # of the board's time at once: behind a terminal it stands still while this computer is too busy


class BoardEmulator(SerialEmulator):
    """A board and its motors. A fault of the line is the whole board's, whichever joint is named.

    Of its own faults, `reboot` restarts the board, which then forgets where shafts without absolute encoders are;
    `encoder` breaks that of a joint; `stop` presses the emergency stop; `weak` breaks the supply down.
    """

    faults = (*INJECTABLE_FAULTS, "reboot", "encoder", "stop", "weak")

    def __init__(
        self,
        board: EmulatedBoard,
        *,
        baud: int = 1_000_000,
        clock: Callable[[], float] = time.monotonic,
        loss: float = 0.0,
        seed: int = 0,
    ) -> None:
        """`loss` is the share of the board's answers that get lost."""
        joints = [plan.joint for plan in board.plans]
        super().__init__(joints, baud, clock, period_s=LOOP_PERIOD_S, poll_period_s=LOOP_PERIOD_S)
        self._loss, self._random = loss, random.Random(f"{seed} answers")
        self.board = board
        self._line_fault = "none"
        self._is_dead = False
        self._normal_supply = board.supply  # V
        self._last_step = clock()
        self.serve()

    def driver_options(self) -> dict[str, Any]:
        options = super().driver_options()
        return {**options, "sleep": self._clock.sleep} if isinstance(self._clock, VirtualClock) else options

    def attach_sensors(self, sensors: Sequence[SensorMap]) -> None:
        with self._lock:
            self.board.world = EmulatedWorld(sensors)

    def measure(self, reading: SensorReading) -> None:
        with self._lock:
            self.board.world.measure(reading)

    def set_supply(self, volts: float) -> None:
        with self._lock:
            if self.board.supply == self._normal_supply:
                self.board.supply = volts
            self._normal_supply = volts

    def attach_load(self, joint: str, load: Load) -> None:
        """Let the joint's motor turn `load` in place of a rotor alone."""
        with self._lock:
            self.board.motors[self._joint_names().index(joint)].load = load

    def _motor_motion(self) -> Iterable[tuple[float, float]]:
        for plan, motor in zip(self.board.plans, self.board.motors, strict=True):
            yield motor.angle * plan.joint.gear, motor.rate * plan.joint.gear

    def torque(self) -> tuple[bool, ...]:
        with self._lock:
            return self.board.torque()

    def _inject(self, fault: str, joint: str) -> None:
        """Begin a fault. `none` also turns each crank past its index."""
        self._set_connected(fault != "gone")
        if fault == "none":
            self._heal()
        elif fault in LINE_FAULTS:
            self._line_fault = fault
        elif fault in ("dead", "reboot"):
            self._is_dead = self._is_dead or fault == "dead"
            self.board.restart()
        elif fault == "stop":
            self.board.is_stop_pressed = True
        elif fault == "weak":
            self.board.supply = 0.0
        for name, motor in zip(self._joint_names(), self.board.motors, strict=True):
            if not joint or name == joint:
                motor.temperature = HOT_C if fault == "hot" else motor.temperature
                motor.is_broken = motor.is_broken or fault == "encoder"

    def _close_port(self) -> None:
        super()._close_port()
        self.board.firmware.close()

    def _heal(self) -> None:
        self._line_fault, self._is_dead = "none", False
        self._drop_replies()
        self.board.supply, self.board.is_stop_pressed = self._normal_supply, False
        for motor in self.board.motors:
            motor.temperature, motor.is_broken = AMBIENT_C, False
        self.board.find_indices()

    def _receive(self, data: bytes) -> None:
        if not self._is_dead:
            self.board.receive(data)
            self._deliver(self.board.send())

    def _step(self) -> None:
        now = self._clock()
        self.board.advance(min(now - self._last_step, MAX_STEP_S))
        self._last_step = now
        self._deliver(self.board.send())

    def _deliver(self, data: bytes) -> None:
        """Send the board's bytes, as far as the fault lets them through."""
        if not data or self._is_dead or self._line_fault == "lost":
            return
        if self._loss and self._random.random() < self._loss:
            return
        if self._line_fault == "corrupt":
            data = FRAME_END.join(_flip_bit(frame) for frame in data.split(FRAME_END))
        elif self._line_fault == "truncated":
            data = FRAME_END.join(frame[: len(frame) // 2] for frame in data.split(FRAME_END))
        self._reply(data, LATE_REPLY_DELAY_S if self._line_fault == "late" else 0.0)


def _flip_bit(frame: bytes) -> bytes:
    """Return a frame with a wrong bit in its middle."""
    half = len(frame) // 2
    return frame[:half] + bytes([frame[half] ^ 0x10]) + frame[half + 1 :] if frame else frame


def emulate(
    settings: BoardSettings,
    joints: Sequence[JointMap],
    start: Sequence[float],
    *,
    clock: VirtualClock | None = None,
    reality: Reality = IDEAL,
    seed: int = 0,
) -> BoardEmulator:
    """Start the board of the robot file, with its joints at `start` (rad)."""
    board = EmulatedBoard(settings, joints, start, reality, seed)
    return BoardEmulator(board, baud=settings.baud, clock=clock or time.monotonic, loss=reality.loss, seed=seed)
