"""The driver of a board with motors."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from crawler_core.errors import UserError
from crawler_core.types import FloatArray, SensorReading
from hw_drivers.board import setup
from hw_drivers.board.board_sensors import BoardSensors
from hw_drivers.board.codec import NO_SESSION
from hw_drivers.board.link import Link, Refused, explain_refusal
from hw_drivers.board.messages import (
    Ack,
    Arm,
    BoardState,
    Code,
    Disarm,
    FindIndex,
    Poll,
    Request,
    Setpoints,
    StateMessage,
)
from hw_drivers.board.plan import INDEX_SEARCH_TURNS, MotorPlan, configure_board, encoder_step, plan_motor
from hw_drivers.board.settings import BoardJoint, BoardSettings
from hw_drivers.board.state_tracker import StateTracker
from hw_drivers.bus.bus import Bus, BusFault, BusKind, Device, NoAnswer, Reading, torque_off_failed
from hw_drivers.bus.joint_map import TURN_RAD, JointMap
from hw_drivers.bus.link_quality import LinkQuality
from hw_drivers.ports.serial_port import SerialPort
from hw_drivers.sensors.sensor_map import SensorMap

SEARCH_POLL_PERIOD_S = 0.01  # of a search for an index; the polls feed the watchdog, too


class BoardBus(Bus):
    """One board. A cycle is one request with the setpoints of all motors, and one answer with their states.

    The setpoints feed the board's watchdog, which takes the torque off when this program falls silent.
    """

    kind: ClassVar[str] = "board"

    def __init__(
        self,
        name: str,
        settings: BoardSettings,
        *,
        port: SerialPort | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Tests pass their own `port`, `clock` and `sleep` (s)."""
        self.name = name
        self.quality = LinkQuality(f"the bus '{name}'")
        self._settings = settings
        self._port = port or SerialPort(settings.port, settings.baud)
        self._link = Link(self._port, settings.baud, settings.reply_timeout, clock)
        self._clock, self._sleep = clock, sleep
        self._tracker = StateTracker(())
        self._sensors = BoardSensors(())
        self._sensor_readings: list[SensorReading] = []
        self._setpoints = Setpoints({})
        self._pending = 0  # the number of the setpoints whose answer is awaited; 0: none
        self._is_enabled = False
        self._sent_at = 0.0  # s, of the last request for a state

    def open(self) -> None:
        self._port.open()

    def scan(self) -> tuple[Device, ...]:
        """Return the motors that the board can have. Raises BusFault where none answers, or in another version."""
        return setup.devices(setup.begin_session(self._link))

    def attach_sensors(self, sensors: Sequence[SensorMap]) -> None:
        self._sensors = BoardSensors(sensors)

    def find_sensor(self, sensor: SensorMap) -> str:
        welcome = setup.begin_session(self._link)
        return setup.find_sensor(self._link, welcome, sensor)

    def take_sensor_readings(self) -> Sequence[SensorReading]:
        taken, self._sensor_readings = self._sensor_readings, []
        return taken

    def sensor_problems(self) -> Mapping[str, str]:
        return self._sensors.problems()

    def configure(self, joints: Sequence[JointMap]) -> None:
        self._set_up(joints)
        self._require_zeros()

    def find_zeros(self, joints: Sequence[JointMap]) -> tuple[str, ...]:
        self._set_up(joints)
        searched = self._tracker.without_zero()
        try:
            for plan in searched:
                self._search_index(plan)
        finally:
            failed = self.release() if searched else ()
        if failed:
            raise failed[0]
        return tuple(plan.joint.joint for plan in searched)

    def read(self) -> tuple[Reading, ...]:
        number, self._pending = self._pending or self._send(Poll()), 0
        answer = self._link.answer(number)
        self.quality.add(answer is None)
        if isinstance(answer, StateMessage):
            self._update(answer)
        elif isinstance(answer, Ack):
            raise BusFault(
                f"the board on {self._port.path} refuses the setpoints: {explain_refusal(answer)}",
                remedy="call reset and enable; if it comes again, report it with the log",
            )
        elif self._link.foreign_welcome is not None:
            raise self._lost_session()
        return self._tracker.readings()

    def write(self, position: FloatArray, velocity: FloatArray, effort: FloatArray) -> None:
        rows = zip(self._tracker.plans, position.tolist(), velocity.tolist(), effort.tolist(), strict=True)
        self._setpoints = Setpoints(
            {plan.number: plan.setpoint(q, w, push, self._tracker.offset(plan)) for plan, q, w, push in rows}
        )
        if self._is_enabled:
            self._pending = self._send(self._setpoints)

    def _send(self, message: Request) -> int:
        self._sent_at = self._clock()
        return self._link.send(message)

    def _switch_on(self) -> None:
        self._arm()
        self._pending = self._send(self._setpoints)
        self.read()

    def release(self) -> tuple[BusFault, ...]:
        """Switch the torque off, and by the emergency stop where the board does not confirm it."""
        self._is_enabled, self._pending = False, 0
        reason = "the board does not answer"
        try:
            if self._link.welcome is not None:
                with contextlib.suppress(NoAnswer, Refused):
                    self._link.confirm(Disarm())
                    return ()
            other = self._link.foreign_welcome
            if (other is not None and other.session == NO_SESSION) or self._link.stop():
                return ()  # a board without a session has no torque
        except BusFault as gone:
            reason = str(gone)
        watchdog = f"the board does that by itself {self._settings.watchdog:g} s after the last setpoint"
        return tuple(torque_off_failed(plan.joint.joint, f"{reason}; {watchdog}") for plan in self._tracker.plans)

    def clear(self) -> None:
        """Begin a new session with the board, and clear its latched faults. Raises BusFault."""
        joints = self._joints()
        self.release()
        try:
            self._set_up(joints, clear=True)
            self._require_zeros()
        except UserError as error:
            raise BusFault.of(error) from None

    def _joints(self) -> list[JointMap]:
        return [plan.joint for plan in self._tracker.plans]

    def close(self) -> None:
        """Release the port. The board's watchdog takes a torque off that is still on."""
        self._is_enabled, self._pending = False, 0
        self._port.close()

    def _forget_setpoints(self) -> None:
        self._setpoints = Setpoints({})
        self._is_enabled, self._pending = False, 0

    def _set_up(self, joints: Sequence[JointMap], *, clear: bool = False) -> None:
        plans = [plan_motor(joint) for joint in joints]
        self._tracker = StateTracker(plans)
        self._forget_setpoints()
        try:
            board = configure_board(self._settings, self.name, plans)
            with self._link.at_rest():
                state = setup.set_up(self._link, plans, board, self._sensors, clear=clear)
                self._tracker.update(state, self._clock())
        except BusFault as fault:
            raise fault.as_user_error() from None

    def _require_zeros(self) -> None:
        for plan in self._tracker.without_zero():
            raise UserError(
                f"the board on {self._port.path} has not found the index of {plan.joint.joint} since it started: run "
                f"'crawler hw home' with the robot off the ground, or turn {plan.joint.joint} by hand past its index."
            )

    def _arm(self) -> None:
        try:
            self._link.confirm(Arm())
        except NoAnswer:
            raise self._silent() from None
        except Refused as refused:
            if refused.ack.code == Code.FAULT:
                self.read()  # raises the fault itself
            raise BusFault(
                f"the torque does not come on: the board on {self._port.path} says that {refused}",
                remedy="call reset and enable",
            ) from None
        self._is_enabled = True

    def _search_index(self, plan: MotorPlan) -> None:
        """Turn a motor until its index passes. Raises BusFault where it does not; the torque may still be on then."""
        settings, joint = plan.settings, plan.joint.joint
        effort = settings.search_effort or 0.25 * plan.max_torque
        self._arm()
        try:
            velocity = plan.rate(settings.search_velocity)
            self._link.confirm(FindIndex(plan.number, velocity, effort, INDEX_SEARCH_TURNS))
        except NoAnswer:
            raise self._silent() from None
        except Refused as refused:
            raise BusFault(
                f"the board on {self._port.path} does not search the index of {joint}: {refused}",
                remedy=f"check search_velocity and search_effort of {joint} in the robot file",
                joint=joint,
            ) from None
        end = self._clock() + 2.0 * INDEX_SEARCH_TURNS * TURN_RAD / abs(settings.search_velocity)
        while self._clock() < end:
            self._pending = self._send(Setpoints({}))
            self.read()
            if plan not in self._tracker.without_zero():
                return
            self._sleep(SEARCH_POLL_PERIOD_S)
        raise BusFault(
            f"{joint} does not turn while the board searches its index",
            remedy=f"free the joint, or raise its search_effort in the robot file from {effort:g} N m",
            joint=joint,
        )

    def _update(self, state: StateMessage) -> None:
        """Keep a state. Raises BusFault for its faults, and where the torque went off by itself."""
        now = self._clock()
        self._tracker.update(state, now)
        self._sensor_readings += self._sensors.update(state, self._sent_at, now)
        if (fault := setup.first_fault(state, self._tracker.plans)) is not None:
            raise BusFault(str(fault), remedy=f"{fault.remedy}, then call reset and enable", joint=fault.joint)
        if self._is_enabled and state.state != BoardState.ARMED:
            raise BusFault(
                f"the torque of the board on {self._port.path} went off by itself", remedy="call reset and enable"
            )

    def _lost_session(self) -> BusFault:
        other, own = self._link.foreign_welcome, self._link.welcome
        if other is not None and own is not None and other.boot == own.boot:
            return BusFault(
                f"another program has used the board on {self._port.path}", remedy="end it, then call reset and enable"
            )
        return BusFault(
            f"the board on {self._port.path} has restarted",
            remedy="check its supply and its cable, then call reset and enable",
        )

    def _silent(self) -> BusFault:
        return BusFault(
            f"the board on {self._port.path} does not answer",
            remedy="check its cable and its power, then call reset and enable",
        )


BUS_KIND = BusKind(
    BoardSettings,
    BoardJoint,
    BoardBus,
    "hw_drivers.board.emulator:emulate",
    supports_effort=True,
    supports_position=True,
    supply_range=lambda settings, _joint: (settings.lowest_supply, settings.highest_supply),
    angle_step=encoder_step,
)
