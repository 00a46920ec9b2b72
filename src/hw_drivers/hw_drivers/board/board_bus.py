"""A board with motors behind the contract of `hw_drivers.bus.bus`."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from typing import ClassVar

from crawler_core.errors import UserError
from crawler_core.types import FloatArray
from hw_drivers.board import setup
from hw_drivers.board.codec import NO_SESSION
from hw_drivers.board.link import Link, NoAnswer, Refused, refusal
from hw_drivers.board.messages import (
    Ack,
    Arm,
    BoardState,
    Code,
    Disarm,
    FindIndex,
    Poll,
    Setpoints,
    StateMessage,
)
from hw_drivers.board.plan import INDEX_SEARCH_TURNS, TURN_RAD, MotorPlan, configure_board, plan_motor
from hw_drivers.board.settings import BoardJoint, BoardSettings
from hw_drivers.board.state_tracker import StateTracker
from hw_drivers.bus.bus import BusFault, BusKind, Device, JointMap, Reading
from hw_drivers.ports.serial_port import SerialPort

SEARCH_POLL_PERIOD_S = 0.01  # s between two looks at a search: they feed the watchdog, too


class BoardBus:
    """One board. A cycle is one question with the setpoints of all motors, and one answer with their states.

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
        """Tests bring their own `port`, `clock` and `sleep` (s)."""
        self.name = name
        self._settings = settings
        self._port = port or SerialPort(settings.port, settings.baud)
        self._link = Link(self._port, settings.baud, settings.reply_timeout, clock)
        self._clock, self._sleep = clock, sleep
        self._heard = StateTracker(())
        self._wanted = Setpoints({})
        self._asked = 0  # the number of the setpoints whose answer is awaited; 0: none
        self._enabled = False

    def open(self) -> None:
        """Open the port. Raises UserError."""
        self._port.open()

    def scan(self) -> tuple[Device, ...]:
        """The motors that the board can have. Raises BusFault where none answers, or in another version."""
        return setup.devices(setup.greet(self._link))

    def configure(self, joints: Sequence[JointMap]) -> None:
        """Check and set up the board and all motors. Raises UserError."""
        self._set_up(joints)
        self._require_zeros()

    def find_zeros(self, joints: Sequence[JointMap]) -> tuple[str, ...]:
        """Set up, and turn each joint whose zero the board does not know until it does; which ones those were.

        The torque is off before and afterwards. Raises UserError and BusFault.
        """
        self._set_up(joints)
        searched = self._heard.lost()
        try:
            for plan in searched:
                self._search(plan)
        finally:
            failed = self.release() if searched else ()
        if failed:
            raise failed[0]
        return tuple(plan.joint.joint for plan in searched)

    def read(self) -> tuple[Reading, ...]:
        """The answer to the setpoints, or to a question where none were sent. Raises BusFault for a board's fault."""
        number, self._asked = self._asked or self._link.tell(Poll()), 0
        answer = self._link.answer(number)
        if isinstance(answer, StateMessage):
            self._take(answer)
        elif isinstance(answer, Ack):
            raise BusFault(
                f"the board on {self._port.path} refuses the setpoints: {refusal(answer)}",
                remedy="call reset and enable; if it comes again, report it with the log",
            )
        elif self._link.stranger is not None:
            raise self._restarted()
        return self._heard.readings()

    def write(self, position: FloatArray, velocity: FloatArray, effort: FloatArray) -> None:
        """Setpoints for all motors; while disabled, kept for `enable`. Raises BusFault."""
        rows = zip(self._heard.plans, position.tolist(), velocity.tolist(), effort.tolist(), strict=True)
        self._wanted = Setpoints(
            {plan.number: plan.setpoint(q, w, push, self._heard.aside(plan)) for plan, q, w, push in rows}
        )
        if self._enabled:
            self._asked = self._link.tell(self._wanted)

    def enable(self) -> None:
        """Torque on, each joint where it is. Raises BusFault; then the torque of all is off again."""
        try:
            self._arm()
            self._asked = self._link.tell(self._wanted)
            self.read()
        except BusFault:
            self.release()
            raise

    def release(self) -> tuple[BusFault, ...]:
        """Torque off, and by the emergency stop where the board does not confirm it."""
        self._enabled, self._asked = False, 0
        why = "the board does not answer"
        try:
            if self._link.welcome is not None:
                with contextlib.suppress(NoAnswer, Refused):
                    self._link.confirmed(Disarm())
                    return ()
            stranger = self._link.stranger
            if (stranger is not None and stranger.session == NO_SESSION) or self._link.stop():
                return ()  # a board without a session has no torque
        except BusFault as gone:
            why = str(gone)
        return tuple(
            BusFault(
                f"the torque of {plan.joint.joint} could not be switched off: {why}; the board does that by itself "
                f"{self._settings.watchdog:g} s after the last setpoint",
                remedy="switch the power of the motors off",
                joint=plan.joint.joint,
            )
            for plan in self._heard.plans
        )

    def keep_alive(self) -> None:
        """A board without torque needs no feeding."""

    def clear(self) -> None:
        """Begin anew with the board, and clear what it has latched. Raises BusFault."""
        joints = [plan.joint for plan in self._heard.plans]
        self.release()
        try:
            self._set_up(joints, clear=True)
            self._require_zeros()
        except UserError as error:
            raise BusFault(str(error).rstrip("."), remedy="put that right, then call reset and enable") from None

    def close(self) -> None:
        """Release the port. The board's watchdog takes a torque off that is still on."""
        self._enabled, self._asked = False, 0
        self._port.close()

    def _set_up(self, joints: Sequence[JointMap], *, clear: bool = False) -> None:
        plans = [plan_motor(joint) for joint in joints]
        self._heard, self._wanted = StateTracker(plans), Setpoints({})
        self._enabled, self._asked = False, 0
        try:
            board = configure_board(self._settings, self.name, plans)
            with self._link.patient():
                self._heard.take(setup.set_up(self._link, plans, board, clear=clear), self._clock())
        except BusFault as fault:
            raise UserError(f"{fault}: {fault.remedy}.") from None

    def _require_zeros(self) -> None:
        for plan in self._heard.lost():
            raise UserError(
                f"the board on {self._port.path} has not found the index of {plan.joint.joint} since it started: run "
                f"'crawler hw home' with the robot off the ground, or turn {plan.joint.joint} by hand past its index."
            )

    def _arm(self) -> None:
        try:
            self._link.confirmed(Arm())
        except NoAnswer:
            raise self._silent() from None
        except Refused as refused:
            if refused.ack.code == Code.FAULT:
                self.read()  # which one
            raise BusFault(
                f"the torque does not come on: the board on {self._port.path} says that {refused}",
                remedy="call reset and enable",
            ) from None
        self._enabled = True

    def _search(self, plan: MotorPlan) -> None:
        """Raises BusFault where the index is not found; the torque may still be on then."""
        own, joint = plan.own, plan.joint.joint
        effort = own.search_effort or 0.25 * plan.torque
        self._arm()
        try:
            self._link.confirmed(FindIndex(plan.number, plan.rate(own.search_velocity), effort, INDEX_SEARCH_TURNS))
        except NoAnswer:
            raise self._silent() from None
        except Refused as refused:
            raise BusFault(
                f"the board on {self._port.path} does not search the index of {joint}: {refused}",
                remedy=f"check search_velocity and search_effort of {joint} in the robot file",
                joint=joint,
            ) from None
        end = self._clock() + 2.0 * INDEX_SEARCH_TURNS * TURN_RAD / abs(own.search_velocity)
        while self._clock() < end:
            self._asked = self._link.tell(Setpoints({}))
            self.read()
            if plan not in self._heard.lost():
                return
            self._sleep(SEARCH_POLL_PERIOD_S)
        raise BusFault(
            f"{joint} does not turn while the board searches its index",
            remedy=f"free the joint, or raise its search_effort in the robot file from {effort:g} N m",
            joint=joint,
        )

    def _take(self, seen: StateMessage) -> None:
        """Keep a state. Raises BusFault for what it reports, and where the torque is off that ought to be on."""
        self._heard.take(seen, self._clock())
        if (fault := setup.reported(seen, self._heard.plans)) is not None:
            raise BusFault(str(fault), remedy=f"{fault.remedy}, then call reset and enable", joint=fault.joint)
        if self._enabled and seen.state != BoardState.ARMED:
            raise BusFault(
                f"the torque of the board on {self._port.path} went off by itself", remedy="call reset and enable"
            )

    def _restarted(self) -> BusFault:
        stranger, own = self._link.stranger, self._link.welcome
        if stranger is not None and own is not None and stranger.boot == own.boot:
            return BusFault(
                f"another program has spoken to the board on {self._port.path}",
                remedy="end it, then call reset and enable",
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


BUS_KIND = BusKind(BoardSettings, BoardJoint, BoardBus, "hw_drivers.board.emulator:emulate", by_effort=True, places=True)
