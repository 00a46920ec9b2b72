"""Session and set-up of a board, with every check that is possible before torque."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from crawler_core.errors import UserError
from hw_drivers.board.board_sensors import BoardSensors, describe_sensor
from hw_drivers.board.codec import line_size
from hw_drivers.board.faults import BOARD_FAULTS, MOTOR_FAULTS
from hw_drivers.board.link import Link, OtherVersion, Refused
from hw_drivers.board.messages import (
    MAX_INPUTS,
    PROTOCOL_VERSION,
    BoardFault,
    ConfigureBoard,
    ConfigureMotor,
    ConfigureSensors,
    ImuState,
    MotorMode,
    MotorSetpoint,
    Poll,
    Reset,
    SensorSetup,
    SensorState,
    Setpoints,
    StateMessage,
    Welcome,
)
from hw_drivers.board.plan import MotorPlan
from hw_drivers.bus.bus import BusFault, Device, NoAnswer
from hw_drivers.sensors.sensor_map import SensorMap

MAX_STATE_POLLS = 100  # until the board's loop has run
NO_SENSORS = SensorSetup(0, ImuState.NONE, 0, 0.0, 0.0, 0, 0, (0.0,) * MAX_INPUTS)
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


def set_up(
    link: Link, plans: Sequence[MotorPlan], board: ConfigureBoard, sensors: BoardSensors, *, clear: bool = False
) -> StateMessage:
    """Configure the board; `clear` also clears its latched faults. Raises UserError, or BusFault for the port."""
    sensors.restart()
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
    _confirm(link, board, "the board's configuration")
    for plan in plans:
        _confirm(link, plan.configuration(), f"the configuration of {plan.joint.joint}")
    _set_up_sensors(link, welcome, sensors)
    state = request_fresh_state(link)
    if clear or (state.faults == HARMLESS_FAULT and not any(motor.faults for motor in state.motors.values())):
        try:
            link.confirm(Reset())
        except Refused:
            pass  # a remaining fault is reported below
        except NoAnswer:
            raise UserError(_silent(link)) from None
        state = request_fresh_state(link)
    if present := first_fault(state, plans):
        raise UserError(f"{present}: {present.remedy}; then run 'crawler hw reboot'.")
    largest = Setpoints({plan.number: MotorSetpoint(MotorMode.POSITION) for plan in plans})
    state_size = StateMessage.size(len(plans)) + (SensorState.MAX_BYTES if sensors.has_any else 0)
    link.exchange_bytes = line_size(len(largest.pack())) + line_size(state_size)
    sensors.answer_share = line_size(state_size) / link.exchange_bytes
    return state


def find_sensor(link: Link, welcome: Welcome, sensor: SensorMap) -> str:
    """Return the device of a sensor on the board, in words. Raises UserError where it is missing."""
    required = replace(sensor, sensor=replace(sensor.sensor, required=True))
    return describe_sensor(sensor, _set_up_sensors(link, welcome, BoardSensors((required,))))


def _set_up_sensors(link: Link, welcome: Welcome, sensors: BoardSensors) -> SensorSetup:
    """Configure the sensors that the board has. Raises UserError where it lacks a required one."""
    path = link.port.path
    found = NO_SENSORS
    sensors.check_version(welcome.version, path)
    if sensors.has_any:
        found = _request_sensors(link, sensors.imu_configuration())
        sensors.check_setup(found, path)
    if sensors.has_any:
        _request_sensors(link, sensors.configuration())
    return found


def _request_sensors(link: Link, configuration: ConfigureSensors) -> SensorSetup:
    """Configure sensors, and return what the board has."""
    path = link.port.path
    try:
        answer = link.confirm(configuration)
    except NoAnswer:
        raise UserError(_silent(link)) from None
    except Refused as refused:
        raise UserError(f"the board on {path} refuses the configuration of its sensors: {refused}.") from None
    if not isinstance(answer, SensorSetup):
        raise UserError(f"the board on {path} does not tell its sensors: update its firmware.")
    return answer


def request_state(link: Link) -> StateMessage:
    """Return the board's state. Raises UserError where the board does not send it."""
    try:
        state = link.confirm(Poll())
    except NoAnswer:
        raise UserError(_silent(link)) from None
    except Refused as refused:
        raise UserError(
            f"the board on {link.port.path} does not send its state, since {refused}: update its firmware."
        ) from None
    if not isinstance(state, StateMessage):
        raise UserError(f"the board on {link.port.path} does not send its state: update its firmware.")
    return state


def request_fresh_state(link: Link) -> StateMessage:
    """Return the state after one more run of the board's loop; until then the old state would come."""
    first = state = request_state(link)
    for _ in range(MAX_STATE_POLLS):
        if state.time != first.time:
            break
        state = request_state(link)
    return state


def first_fault(state: StateMessage, plans: Sequence[MotorPlan]) -> BusFault | None:
    """Return the first fault in a state, of a motor or of the board."""
    for plan in plans:
        motor = state.motors.get(plan.number)
        if motor is not None and motor.faults:
            words, remedy = MOTOR_FAULTS.explain(motor.faults)
            joint = plan.joint.joint
            return BusFault(f"the motor of {joint} reports: {', '.join(words)}", remedy=remedy, joint=joint)
    if state.faults:
        words, remedy = BOARD_FAULTS.explain(state.faults)
        return BusFault(f"the board reports: {', '.join(words)}", remedy=remedy)
    return None


def _confirm(link: Link, message: ConfigureBoard | ConfigureMotor, subject: str) -> None:
    try:
        link.confirm(message)
    except NoAnswer:
        raise UserError(_silent(link)) from None
    except Refused as refused:
        raise UserError(f"the board on {link.port.path} refuses {subject}: {refused}.") from None


def _silent(link: Link) -> str:
    return f"the board on {link.port.path} has answered once and is silent since: check its cable and its power."
