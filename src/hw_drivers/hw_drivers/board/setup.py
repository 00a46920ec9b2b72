"""Session and set-up of a board, with every check that is possible before torque."""

from __future__ import annotations

from collections.abc import Sequence

from crawler_core.errors import UserError
from hw_drivers.board import faults
from hw_drivers.board.codec import line_size
from hw_drivers.board.link import Link, OtherVersion, Refused
from hw_drivers.board.messages import (
    PROTOCOL_VERSION,
    BoardFault,
    ConfigureBoard,
    ConfigureMotor,
    MotorMode,
    MotorSetpoint,
    Poll,
    Reset,
    Setpoints,
    StateMessage,
    Welcome,
)
from hw_drivers.board.plan import MotorPlan
from hw_drivers.bus.bus import BusFault, Device, NoAnswer

MAX_STATE_POLLS = 100  # until the board's loop has run
HARMLESS_FAULT = BoardFault.LINK_LOST  # left by a program that has ended


def begin_session(link: Link) -> Welcome:
    """Begin a session with the board; its torque is off then. Raises BusFault."""
    path = link.port.path
    try:
        return link.begin()
    except OtherVersion as error:
        raise BusFault(
            f"the board on {path} speaks version {error.version} of the protocol, but this program version "
            f"{PROTOCOL_VERSION}",
            remedy="flash firmware of that version, or take a release of this stack that speaks the board's",
        ) from None
    except NoAnswer:
        raise BusFault(
            f"no board answers on {path}", remedy="check its power, its cable, its firmware and the baud rate"
        ) from None


def devices(welcome: Welcome) -> tuple[Device, ...]:
    """Return the motors that a board can have."""
    name = welcome.name.rstrip(b"\x00").decode("ascii", "replace")
    detail = f"firmware {welcome.major}.{welcome.minor}.{welcome.revision}, protocol {welcome.version}"
    return tuple(Device(number, name, detail) for number in range(welcome.motors))


def set_up(link: Link, plans: Sequence[MotorPlan], board: ConfigureBoard, *, clear: bool = False) -> StateMessage:
    """Configure the board; `clear` also clears its latched faults. Raises UserError, or BusFault for the port."""
    try:
        welcome = begin_session(link)
    except BusFault as fault:
        raise fault.as_user_error() from None
    for plan in plans:
        if plan.number >= welcome.motors:
            raise UserError(
                f"the board on {link.port.path} has motors 0 to {welcome.motors - 1}, but hardware.joints."
                f"{plan.joint.joint}.id is {plan.number}: change that, or take a board with more motors."
            )
    _confirmed(link, board, "the board's configuration")
    for plan in plans:
        _confirmed(link, plan.configuration(), f"the configuration of {plan.joint.joint}")
    seen = fresh_state(link)
    if clear or (seen.faults == HARMLESS_FAULT and not any(motor.faults for motor in seen.motors.values())):
        try:
            link.confirm(Reset())
        except Refused:
            pass  # a remaining fault is reported below
        except NoAnswer:
            raise UserError(_silent(link)) from None
        seen = fresh_state(link)
    if fault := first_fault(seen, plans):
        raise UserError(f"{fault}: {fault.remedy}; then run 'crawler hw reboot'.")
    largest = Setpoints({plan.number: MotorSetpoint(MotorMode.POSITION) for plan in plans})
    link.exchange_bytes = line_size(len(largest.pack())) + line_size(StateMessage.size(len(plans)))
    return seen


def state(link: Link) -> StateMessage:
    """Return the board's state. Raises UserError where the board does not send it."""
    try:
        seen = link.confirm(Poll())
    except NoAnswer:
        raise UserError(_silent(link)) from None
    except Refused as refused:
        raise UserError(
            f"the board on {link.port.path} does not send its state, since {refused}: update its firmware."
        ) from None
    if not isinstance(seen, StateMessage):
        raise UserError(f"the board on {link.port.path} does not send its state: update its firmware.")
    return seen


def fresh_state(link: Link) -> StateMessage:
    """Return the state after one more run of the board's loop; until then the old state would come."""
    first = seen = state(link)
    for _ in range(MAX_STATE_POLLS):
        if seen.time != first.time:
            break
        seen = state(link)
    return seen


def first_fault(seen: StateMessage, plans: Sequence[MotorPlan]) -> BusFault | None:
    """Return the first fault in a state, of a motor or of the board."""
    for plan in plans:
        motor = seen.motors.get(plan.number)
        if motor is not None and motor.faults:
            words, remedy = faults.explain(motor.faults, faults.MOTOR_FAULTS)
            joint = plan.joint.joint
            return BusFault(f"the motor of {joint} reports: {', '.join(words)}", remedy=remedy, joint=joint)
    if seen.faults:
        words, remedy = faults.explain(seen.faults, faults.BOARD_FAULTS)
        return BusFault(f"the board reports: {', '.join(words)}", remedy=remedy)
    return None


def _confirmed(link: Link, message: ConfigureBoard | ConfigureMotor, what: str) -> None:
    try:
        link.confirm(message)
    except NoAnswer:
        raise UserError(_silent(link)) from None
    except Refused as refused:
        raise UserError(f"the board on {link.port.path} refuses {what}: {refused}.") from None


def _silent(link: Link) -> str:
    return f"the board on {link.port.path} has answered once and is silent since: check its cable and its power."
