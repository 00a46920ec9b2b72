"""One emulated motor behind its gear, with its sensors."""

from __future__ import annotations

import math

from crawler_core.reality.reality import IDEAL, Reality
from hw_drivers.board.firmware import Sensors
from hw_drivers.board.plan import MotorPlan
from hw_drivers.bus.joint_map import TURN_RAD
from hw_drivers.emulation.effort_drive import EffortDrive
from hw_drivers.emulation.emulated_encoder import EmulatedEncoder
from hw_drivers.emulation.emulator import Load

STEP_S = 5e-4  # of the dynamics
AMBIENT_C = 30.0
HOT_C = 130.0
REST_SPEED_SHARE = 0.01  # of the speed without load: friction fades below it, so that a motor comes to rest
DEFAULT_ACCELERATION_RAD_S2 = 1000.0  # at full torque, of a rotor with unknown inertia


class FreeRotor:
    """The load of a motor that turns its rotor alone."""

    damping = 0.0

    def __init__(self, inertia: float, angle: float) -> None:
        """`inertia` in kg m² and `angle` in rad, at the joint."""
        self._inertia = inertia
        self._angle = angle
        self._rate = 0.0  # rad/s

    def push(self, effort: float, seconds: float) -> tuple[float, float]:
        self._rate += effort / self._inertia * seconds
        self._angle += self._rate * seconds
        return self._angle, self._rate


class EmulatedMotor:
    """A brushed motor, or a brushless one as its drive sees it: current (V - k w) / R, torque k i less friction.

    Everything is at the output shaft, where the constant k (N·m/A and V·s/rad) is the motor's times the gear. The
    current settles within the winding's L/R, which is less than a period of the board's loop, and is taken as settled.
    """

    def __init__(
        self, plan: MotorPlan, max_supply: float, angle: float, reality: Reality = IDEAL, seed: int = 0
    ) -> None:
        """Put the joint at `angle` (rad). `max_supply`: V."""
        motor = plan.settings
        self._plan, self._joint = plan, plan.joint
        self._constant = motor.torque_constant * plan.joint.gear
        self._sense = -1.0 if motor.reverse_motor else 1.0
        self._rest_speed = REST_SPEED_SHARE * max_supply / self._constant
        self.load: Load = FreeRotor(motor.inertia or plan.max_torque / DEFAULT_ACCELERATION_RAD_S2, angle)
        self.temperature = AMBIENT_C
        self.is_broken = False  # its encoder
        self.current = 0.0  # A, in the direction of the torque
        self._friction = max(motor.friction, reality.gear_friction)  # N·m
        self._drive: EffortDrive | None = None  # None: it follows its commands exactly
        self._encoder: EmulatedEncoder | None = None  # None: the sensors measure exactly
        if reality != IDEAL:
            limit = plan.joint.effort or plan.max_torque
            self._drive = EffortDrive(reality, limit, plan.joint.velocity, STEP_S)
            self._encoder = EmulatedEncoder(
                reality, plan.joint.joint, seed, is_effort_driven=plan.joint.is_effort_driven
            )
            self._encoder.record(0.0, angle, 0.0)
        self._time = 0.0  # s
        self.angle, self.rate = plan.shaft(angle), 0.0  # rad and rad/s of the output shaft
        per_turn = motor.counts * (1.0 if motor.on_output else plan.joint.gear)
        self._per_rad = per_turn / TURN_RAD
        self._turns = math.floor(self.angle / TURN_RAD)
        self._pulses = 0
        self._index_count = 0

    def turn(self, volts: float, closed: bool, seconds: float) -> None:
        """Apply a voltage for `seconds`, or none where the bridge is open."""
        self.current = self._settled_current(volts, closed)
        torque = self._constant * self.current - self._friction * math.tanh(self.rate / self._rest_speed)
        # the load brakes by the robot file's damping of the motor, which the current has done here already
        effort = self._joint.direction * (torque + self.load.damping * self.rate)
        angle, rate = self.load.push(effort, seconds)
        self.angle, self.rate = self._plan.shaft(angle), self._joint.direction * rate
        self._time += seconds
        if self._encoder is not None:
            self._encoder.record(self._time, angle, rate)
        turns = math.floor(self.angle / TURN_RAD)
        if turns != self._turns:
            self._pass_index(max(turns, self._turns))
            self._turns = turns

    def _settled_current(self, volts: float, closed: bool) -> float:
        """Return the current (A) that the voltage drives, with the drive's delay, lag and limit."""
        drive = self._drive
        if not closed:
            if drive is not None:
                drive.switch_off()
            return 0.0
        if drive is not None:
            volts = drive.delayed(volts)
        current = (self._sense * volts - self._constant * self.rate) / self._plan.settings.resistance
        return current if drive is None else drive.follow(self._constant * current) / self._constant

    def find_index(self) -> None:
        """Turn it past its index and back, as by hand."""
        limited = not self._joint.is_continuous
        self._pass_index(self._plan.index_turn if limited else self._turns)

    def update_sensors(self, sensors: Sensors) -> None:
        """Write its present values into `sensors`."""
        motor = self._plan.settings
        angle = self.angle if self._encoder is None else self._plan.shaft(self._encoder.measure(self._time)[0])
        if motor.encoder == "absolute":
            count = math.floor(angle * self._per_rad) % motor.counts
            sensors.count = motor.counts - 1 - count if motor.reverse_encoder else count
        else:
            sensors.count = _wrapped(self._count(angle))
            sensors.index_count, sensors.index_pulses = self._index_count, self._pulses
        sensors.current = self._sense * self.current if motor.regulated else math.nan
        sensors.temperature = self.temperature
        sensors.encoder_ok = not self.is_broken

    def _count(self, angle: float) -> int:
        count = math.floor(angle * self._per_rad)
        return -count if self._plan.settings.reverse_encoder else count

    def _pass_index(self, turn: int) -> None:
        self._pulses += 1
        self._index_count = _wrapped(self._count(turn * TURN_RAD))


def _wrapped(count: int) -> int:
    return (count + 2**31) % 2**32 - 2**31
