"""The state that a servo reports in each cycle, and the joint's reading."""

from __future__ import annotations

import math
from dataclasses import dataclass

from hw_drivers.bus.bus import Reading
from hw_drivers.dynamixel import tables as t
from hw_drivers.dynamixel.plan import ServoPlan

RESTARTED = "it has restarted"


@dataclass(frozen=True)
class ServoState:
    """The registers of tables.CYCLE_REGISTERS, in their units and their order, and the time."""

    position: int
    velocity: int
    goal: int  # its low half
    current: int
    voltage: int
    temperature: int
    error: int
    torque: int  # 1: on
    watchdog: int
    tick: int
    id: int  # 0 after a restart, which empties the indirect addresses
    time: float  # s, by the driver's clock


def unpack_state(data: bytes, time: float) -> ServoState:
    """Unpack the CYCLE_BYTES bytes of a cycle."""
    values, at = [], 0
    for register in t.CYCLE_REGISTERS:
        values.append(register.unpack(data[at : at + register.size]))
        at += register.size
    position, velocity, goal, current, voltage, temperature, error, torque, watchdog, tick, ident = values
    return ServoState(
        position, velocity, goal, current, voltage, temperature, error, torque, watchdog, tick, ident, time
    )


def reading(plan: ServoPlan, state: ServoState | None, enabled: bool) -> Reading:
    """Return the joint's reading. `enabled`: the torque should be on."""
    joint = plan.joint
    if state is None:
        return Reading.missing(joint.joint)
    if state.id != joint.id:
        remedy = f"check the power of {joint.joint}, then call reset and enable"
        return Reading(joint.joint, state.time, math.nan, math.nan, errors=(RESTARTED,), remedy=remedy)
    errors, remedy = _errors(plan, state, enabled)
    current = state.current * plan.model.current_unit if plan.model.current_unit else math.nan
    return Reading(
        joint.joint,
        state.time,
        position=joint.to_joint(state.position * t.RAD_PER_TICK),
        velocity=joint.rate_to_joint(state.velocity * t.VELOCITY_UNIT_RAD_S),
        effort=current * plan.model.torque_constant * joint.direction * joint.gear,
        temperature=float(state.temperature),
        voltage=state.voltage * t.VOLTAGE_UNIT_V,
        errors=errors,
        remedy=remedy,
    )


def _errors(plan: ServoPlan, state: ServoState, enabled: bool) -> tuple[tuple[str, ...], str]:
    if state.error:
        return t.HARDWARE_ERRORS.explain(state.error)
    if state.temperature >= plan.temperature_limit:
        words = f"overheating at {state.temperature} °C, its limit is {plan.temperature_limit:g} °C"
        return (words,), t.HARDWARE_ERRORS[t.OVERHEATING][1]
    if enabled and state.watchdog == t.WATCHDOG_EXPIRED:
        return ("its watchdog stopped it, since no packets came",), "lighten the load of this computer"
    if enabled and not state.torque:
        return ("its torque went off by itself",), "check the supply and the servo's shutdown settings"
    return (), ""
