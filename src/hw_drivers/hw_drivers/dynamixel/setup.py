"""Search and set-up of the servos, with every check that is possible before torque."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from crawler_core.errors import UserError
from hw_drivers.bus.bus import Device, NoAnswer
from hw_drivers.dynamixel import codec
from hw_drivers.dynamixel import tables as t
from hw_drivers.dynamixel.link import ATTEMPTS, Link, Refused
from hw_drivers.dynamixel.plan import ServoPlan

SCAN_TIME_S = 0.3  # for 253 servos to answer a broadcast ping, 1 ms each and some spare
GARBLED_CAUSE = "two servos share it, or the wire is bad: connect them one at a time and give each its own id"


def scan(link: Link) -> tuple[Device, ...]:
    """Return the servos that answer a broadcast ping."""
    found = {}
    for answer in link.request_all(codec.ping(codec.BROADCAST_ID), SCAN_TIME_S + link.reply_timeout):
        if len(answer.parameters) == 3:
            number, firmware = struct.unpack("<HB", answer.parameters)
            found[answer.id] = Device(answer.id, t.NAMES.get(number, f"model {number}"), f"firmware {firmware}")
    return tuple(found[ident] for ident in sorted(found))


def set_up(link: Link, plans: Sequence[ServoPlan]) -> None:
    """Switch the torque off, then write the plans. Raises UserError."""
    _check_models(link, plans)
    for plan in plans:
        try:
            _check(link, plan)
            _write(link, plan)
        except NoAnswer:
            raise UserError(_missing_servo(link, plan)) from None
        except Refused as error:
            raise UserError(
                f"the servo of {plan.joint.joint}, id {plan.joint.id}, refused its set-up ({error}): "
                f"update its firmware, or check that it is an {plan.model_name}."
            ) from None


def _check_models(link: Link, plans: Sequence[ServoPlan]) -> None:
    """Raise UserError unless each id answers a ping and is the robot file's model."""
    for plan in plans:
        joint, garbled = plan.joint, link.garbled
        try:
            answer = link.confirm(codec.ping(joint.id), joint.id, 3)
        except NoAnswer:
            if link.garbled >= garbled + ATTEMPTS:
                raise UserError(f"the servo id {joint.id} of {joint.joint} answers garbled: {GARBLED_CAUSE}.") from None
            raise UserError(_missing_servo(link, plan)) from None
        except Refused as error:
            raise UserError(
                f"the servo id {joint.id} of {joint.joint} refuses a ping ({error}): update its firmware."
            ) from None
        number = struct.unpack("<H", answer.parameters[:2])[0] if len(answer.parameters) >= 2 else 0
        if number != plan.model.number:
            found = t.NAMES.get(number, f"model number {number}")
            raise UserError(
                f"the servo of {joint.joint}, id {joint.id}, is an {found} and no {plan.model_name}: "
                f"change hardware.joints.{joint.joint}.model, or the servo."
            )


def _missing_servo(link: Link, plan: ServoPlan) -> str:
    """Return the sentence for a silent id: it is missing, all are missing, or it has another rate."""
    joint = plan.joint
    where = f"on {link.port.path} at {link.baud} baud"
    silent = f"the servo of {joint.joint}, id {joint.id}, does not answer {where}"
    others = [str(device.id) for device in scan(link)]
    if others:
        return f"{silent}, but there are ids {', '.join(others)}: set its id, or hardware.joints.{joint.joint}.id."
    for baud in t.BAUD_RATES:
        if baud == link.baud:
            continue
        try:
            link.port.set_baud(baud)
            found = Link(link.port, baud, link.reply_timeout, link.clock).request(codec.ping(joint.id), [joint.id], 3)
        finally:
            link.port.set_baud(link.baud)
        if found:
            return f"{silent}, but it does at {baud}: set hardware.buses.<name>.baud to {baud}, or the servo's rate."
    return f"{silent}, nor does any other: check the cable, the servos' power and the port."


def _check(link: Link, plan: ServoPlan) -> None:
    joint, ident = plan.joint.joint, plan.joint.id
    errors, remedy = t.HARDWARE_ERRORS.explain(link.read(ident, t.HARDWARE_ERROR))
    if errors:
        raise UserError(
            f"the servo of {joint}, id {ident}, reports {', '.join(errors)}: {remedy}, "
            "then switch its power off and on, or run 'crawler hw reboot'."
        )
    low, high = plan.model.voltage
    voltage = link.read(ident, t.PRESENT_VOLTAGE) * t.VOLTAGE_UNIT_V
    if not low <= voltage <= high:
        raise UserError(
            f"the servo of {joint}, id {ident}, is supplied with {voltage:.1f} V, "
            f"but an {plan.model_name} needs {low:g} to {high:g} V: change the supply."
        )
    temperature = link.read(ident, t.PRESENT_TEMPERATURE)
    if temperature >= plan.temperature_limit:
        raise UserError(
            f"the servo of {joint}, id {ident}, is at {temperature} °C, its limit is {plan.temperature_limit:g} °C: "
            "let it cool down."
        )


def _write(link: Link, plan: ServoPlan) -> None:
    ident = plan.joint.id
    if link.read(ident, t.STATUS_LEVEL) != 2:
        link.send(codec.write(ident, t.STATUS_LEVEL.address, b"\x02"))  # so far it may answer no write
    link.write(ident, t.WATCHDOG, 0)
    link.write(ident, t.TORQUE, 0)
    permanent: dict[t.Register, int] = {t.RETURN_DELAY: 0, t.OPERATING_MODE: plan.mode}
    if plan.mode == t.POSITION_MODE:
        permanent |= {t.MIN_POSITION: plan.lowest, t.MAX_POSITION: plan.highest}  # the supervisor limits the joint
    if plan.current:
        permanent[t.CURRENT_LIMIT] = plan.current
    for register, value in permanent.items():
        if link.read(ident, register) != value:  # this memory wears out
            link.write(ident, register, value)
    link.write(ident, t.PROFILE_VELOCITY, 0)  # the supervisor shapes the motion
    link.write(ident, t.PROFILE_ACCELERATION, 0)
    if plan.current:
        link.write(ident, t.GOAL_CURRENT, plan.current)
    sources = [register.address + i for register in t.CYCLE_REGISTERS for i in range(register.size)]
    gather = struct.pack(f"<{len(sources)}H", *sources)
    link.confirm(codec.write(ident, t.INDIRECT_ADDRESS, gather), ident)
