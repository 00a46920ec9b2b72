"""Beginning with a board: who it is, what its motors are, and a sentence for whatever is wrong, before any torque."""

from __future__ import annotations

from collections.abc import Sequence

from crawler_core.errors import UserError
from hw_drivers.board import faults
from hw_drivers.board.codec import line_size
from hw_drivers.board.link import Link, NoAnswer, OtherVersion, Refused
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
from hw_drivers.bus.bus import BusFault, Device

MAX_STATE_POLLS = 100  # at a state, until the board's loop has run
HARMLESS_FAULT = BoardFault.LINK_LOST  # of a program that has ended: it is no reason not to begin


def greet(link: Link) -> Welcome:
    """A session with the board; its torque is off then. Raises BusFault."""
    path = link.port.path
    try:
        return link.begin()
    except OtherVersion as error:
        raise BusFault(
            f"the board on {path} speaks version {error.version} of the protocol, and this program version {PROTOCOL_VERSION}",
            remedy="flash firmware of that version, or take a release of this stack that speaks the board's",
        ) from None
    except NoAnswer:
        raise BusFault(
            f"no board answers on {path}", remedy="check its power, its cable, its firmware and the baud rate"
        ) from None


def devices(welcome: Welcome) -> tuple[Device, ...]:
    """The motors that a board can have."""
    name = welcome.name.rstrip(b"\x00").decode("ascii", "replace")
    detail = f"firmware {welcome.major}.{welcome.minor}.{welcome.revision}, protocol {welcome.version}"
    return tuple(Device(number, name, detail) for number in range(welcome.motors))


def set_up(link: Link, plans: Sequence[MotorPlan], board: ConfigureBoard, *, clear: bool = False) -> StateMessage:
    """Configure the board; `clear`: and clear what is latched. Raises UserError, or BusFault where the port is gone."""
    try:
        welcome = greet(link)
    except BusFault as fault:
        raise UserError(f"{fault}: {fault.remedy}.") from None
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
            link.confirmed(Reset())
        except Refused:
            pass  # what is still the case is said below
        except NoAnswer:
            raise UserError(_silent(link)) from None
        seen = fresh_state(link)
    if trouble := reported(seen, plans):
        raise UserError(f"{trouble}: {trouble.remedy}; then run 'crawler hw reboot'.")
    longest = Setpoints({plan.number: MotorSetpoint(MotorMode.POSITION) for plan in plans})
    link.exchange = line_size(len(longest.pack())) + line_size(StateMessage.size(len(plans)))
    return seen


def state(link: Link) -> StateMessage:
    """How everything is now. Raises UserError where the board does not say."""
    try:
        seen = link.confirmed(Poll())
    except NoAnswer:
        raise UserError(_silent(link)) from None
    except Refused as refused:
        raise UserError(f"the board on {link.port.path} does not tell its state: {refused}; update it.") from None
    if not isinstance(seen, StateMessage):
        raise UserError(f"the board on {link.port.path} does not tell its state: update its firmware.")
    return seen


def fresh_state(link: Link) -> StateMessage:
    """How everything is now that the board's loop has run once more: until then it says what was before."""
    first = seen = state(link)
    for _ in range(MAX_STATE_POLLS):
        if seen.time != first.time:
            break
        seen = state(link)
    return seen


def reported(seen: StateMessage, plans: Sequence[MotorPlan]) -> BusFault | None:
    """The first fault that a state tells, of a motor or of the board."""
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
        link.confirmed(message)
    except NoAnswer:
        raise UserError(_silent(link)) from None
    except Refused as refused:
        raise UserError(f"the board on {link.port.path} refuses {what}: {refused}.") from None


def _silent(link: Link) -> str:
    return f"the board on {link.port.path} has said hello and is silent since: check its cable and its power."
