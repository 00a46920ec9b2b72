"""One emulated board: the firmware, the motors that it drives, and the time that makes both go on."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from hw_drivers.board.emulated_motor import EmulatedMotor
from hw_drivers.board.firmware import Firmware
from hw_drivers.board.messages import MAX_MOTORS
from hw_drivers.board.plan import MotorPlan, configure_board, plan_motor
from hw_drivers.board.settings import BoardSettings
from hw_drivers.bus.bus import JointMap

TICK_US = 1000  # us, of the firmware's loop
STEPS_PER_TICK = 2  # of the motors' dynamics in a tick
BOARD_NAME = "emulated"


class EmulatedBoard:
    """The firmware gets no time but what `advance` gives it."""

    def __init__(self, settings: BoardSettings, joints: Sequence[JointMap], start: Sequence[float]) -> None:
        """The joints stand at `start` (rad), and the board knows where that is. Raises UserError."""
        self.plans: list[MotorPlan] = [plan_motor(joint) for joint in joints]
        configure_board(settings, BOARD_NAME, self.plans)
        self.supply = 0.5 * (settings.lowest_supply + settings.highest_supply)  # V
        self.motors = [
            EmulatedMotor(plan, settings.highest_supply, angle) for plan, angle in zip(self.plans, start, strict=True)
        ]
        self.stop_pressed = False
        self._time = 0.0  # s
        self._ticks = 0
        self._start()
        self.find_indices()

    def receive(self, data: bytes) -> None:
        """Bytes from the host."""
        self.firmware.receive(data)
        if self.firmware.wants_reboot:
            self.restart()

    def send(self) -> bytes:
        """Bytes for the host."""
        return self.firmware.send()

    def advance(self, seconds: float) -> None:
        """Let the loop run and the motors turn for so long."""
        self._time += seconds
        due = int(self._time * 1e6) // TICK_US
        while self._ticks < due:
            self._ticks += 1
            self._tick()

    def restart(self) -> None:
        """As after a moment without supply: it forgets everything, where its shafts are, too."""
        self.firmware.close()
        self._start()

    def find_indices(self) -> None:
        """Somebody turns every crank by hand past its index, and back."""
        self._tell()
        self.firmware.tick(self._ticks * TICK_US, self.supply, self.stop_pressed)
        for motor in self.motors:
            motor.find_index()

    def torque(self) -> tuple[bool, ...]:
        """Whether each motor's bridge is closed."""
        return tuple(bool(self.firmware.bridges[plan.number].closed) for plan in self.plans)

    def _start(self) -> None:
        motors = min(1 + max(plan.number for plan in self.plans), MAX_MOTORS)
        self.firmware = Firmware(secrets.randbits(32), motors, BOARD_NAME)
        for sensors in self.firmware.sensors:
            sensors.current = sensors.temperature = float("nan")
            sensors.encoder_ok = 1

    def _tell(self) -> None:
        for plan, motor in zip(self.plans, self.motors, strict=True):
            motor.tell(self.firmware.sensors[plan.number])

    def _tick(self) -> None:
        self._tell()
        self.firmware.tick(self._ticks * TICK_US, self.supply, self.stop_pressed)
        bridges = [self.firmware.bridges[plan.number] for plan in self.plans]
        drives = [(motor, one.volts, bool(one.closed)) for motor, one in zip(self.motors, bridges, strict=True)]
        for _ in range(STEPS_PER_TICK):
            for motor, volts, closed in drives:
                motor.turn(volts, closed, 1e-6 * TICK_US / STEPS_PER_TICK)
