"""One emulated board: the firmware, its motors, and the time of both."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from crawler_core.reality.reality import IDEAL, Reality
from hw_drivers.board.emulated_motor import STEP_S, EmulatedMotor
from hw_drivers.board.emulated_world import EmulatedWorld
from hw_drivers.board.firmware import Firmware
from hw_drivers.board.messages import MAX_MOTORS
from hw_drivers.board.plan import MotorPlan, configure_board, plan_motor
from hw_drivers.board.settings import BoardSettings
from hw_drivers.bus.joint_map import JointMap

TICK_US = 1000  # of the firmware's loop
ROUNDING_US = 1e-3  # of a sum of times
BOARD_NAME = "emulated"


class EmulatedBoard:
    """The firmware with emulated motors. Time passes in `advance` only."""

    def __init__(
        self,
        settings: BoardSettings,
        joints: Sequence[JointMap],
        start: Sequence[float],
        reality: Reality = IDEAL,
        seed: int = 0,
    ) -> None:
        """Put the joints at `start` (rad), which the board knows. Raises UserError."""
        self.plans: list[MotorPlan] = [plan_motor(joint) for joint in joints]
        configure_board(settings, BOARD_NAME, self.plans)
        self.supply = 0.5 * (settings.lowest_supply + settings.highest_supply)  # V
        self.motors = [
            EmulatedMotor(plan, settings.highest_supply, angle, reality, seed)
            for plan, angle in zip(self.plans, start, strict=True)
        ]
        self.world = EmulatedWorld(())
        self.is_stop_pressed = False
        self._time = 0.0  # s
        self._ticks = 0
        self._start()
        self.find_indices()

    def receive(self, data: bytes) -> None:
        self.firmware.receive(data)
        if self.firmware.wants_reboot:
            self.restart()

    def send(self) -> bytes:
        return self.firmware.send()

    def advance(self, seconds: float) -> None:
        """Run the loop and turn the motors for `seconds`."""
        self._time += seconds
        due = int(self._time * 1e6 + ROUNDING_US) // TICK_US
        while self._ticks < due:
            self._ticks += 1
            self._tick()

    def restart(self) -> None:
        """Restart as after a moment without supply: it forgets everything, also where its shafts are."""
        self.firmware.close()
        self._start()

    def find_indices(self) -> None:
        """Turn every crank past its index and back, as by hand."""
        self._update_sensors()
        self.firmware.tick(self._ticks * TICK_US, self.supply, self.is_stop_pressed)
        for motor in self.motors:
            motor.find_index()

    def torque(self) -> tuple[bool, ...]:
        """Return for each motor whether its bridge is closed."""
        return tuple(bool(self.firmware.bridges[plan.number].closed) for plan in self.plans)

    def _start(self) -> None:
        motors = min(1 + max(plan.number for plan in self.plans), MAX_MOTORS)
        self.firmware = Firmware(secrets.randbits(32), motors, BOARD_NAME)
        self.world.has_changed = True
        for sensors in self.firmware.sensors:
            sensors.current = sensors.temperature = float("nan")
            sensors.encoder_ok = 1

    def _update_sensors(self) -> None:
        for plan, motor in zip(self.plans, self.motors, strict=True):
            motor.update_sensors(self.firmware.sensors[plan.number])

    def _tick(self) -> None:
        self._update_sensors()
        if self.world.has_changed:
            self.world.has_changed = False
            self.firmware.sense(self.world.state)
        self.firmware.tick(self._ticks * TICK_US, self.supply, self.is_stop_pressed)
        bridges = [self.firmware.bridges[plan.number] for plan in self.plans]
        drives = [(motor, one.volts, bool(one.closed)) for motor, one in zip(self.motors, bridges, strict=True)]
        for _ in range(round(1e-6 * TICK_US / STEP_S)):
            for motor, volts, closed in drives:
                motor.turn(volts, closed, STEP_S)
