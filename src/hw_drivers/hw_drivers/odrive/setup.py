"""Finding the drives and setting them up, with a sentence for whatever is wrong, before any torque."""

from __future__ import annotations

from collections.abc import Sequence

from crawler_core.errors import UserError
from hw_drivers.bus.bus import BusFault, Device
from hw_drivers.odrive.axis import Axis
from hw_drivers.odrive.codec import ask
from hw_drivers.odrive.messages import (
    MAX_NODE_ID,
    AxisState,
    GetBusVoltageCurrent,
    GetEncoderEstimates,
    GetTemperature,
    GetVersion,
    SetAxisState,
)
from hw_drivers.odrive.network import Network
from hw_drivers.odrive.plan import AxisPlan

MIN_FIRMWARE = (0, 6)  # older ones lay out some messages otherwise, and take the question for an address as a new one


def scan(network: Network, heartbeat_period: float) -> tuple[Device, ...]:
    """Everyone who answers, or beats by itself."""
    for node in range(MAX_NODE_ID + 1):
        network.port.send(ask(node, GetVersion))
    network.wait(2.0 * heartbeat_period)
    found = sorted(set(network.versions) | set(network.heartbeats))
    network.listen_for_twins(node for node in found if _modern(network, node))
    return tuple(Device(node, "ODrive", _detail(network, node)) for node in found)


def set_up(network: Network, plans: Sequence[AxisPlan], silence: float) -> None:
    """Torque off, and every drive found and well. Raises UserError, or BusFault where the interface fails.

    Modes and limits are sent when the torque comes on: a drive that was switched off in between has forgotten them.
    """
    nodes = [plan.joint.id for plan in plans]
    for i, node in enumerate(nodes):
        if node in nodes[:i]:
            first, second = plans[nodes.index(node)].joint.joint, plans[i].joint.joint
            raise UserError(
                f"{first} and {second} both have CAN node {node}: give each drive its own id, and set it in "
                f"hardware.joints.{second}.id."
            )
    network.forget()
    network.axes = {plan.joint.id: Axis(plan) for plan in plans}
    for node in nodes:
        network.send(node, SetAxisState(AxisState.IDLE))  # whatever an earlier program left on goes off
    missing = network.ask(nodes, GetVersion, lambda node: node in network.versions)
    for node in missing:
        raise UserError(_missing(network, network.axes[node], silence))
    for node in nodes:
        if not _modern(network, node):
            version = network.versions[node]
            raise UserError(
                f"the ODrive of {network.axes[node].plan.joint.joint}, CAN node {node}, has firmware "
                f"{version.firmware_major}.{version.firmware_minor}.{version.firmware_revision}, but 0.6 is needed: "
                "update it with the drive's own tool."
            )
    network.listen_for_twins(nodes)
    for node in nodes:
        if len(network.serials[node]) > 1:
            raise UserError(_twins(network, node))
    for node in nodes:
        for kind in (GetTemperature, GetBusVoltageCurrent):
            network.port.send(ask(node, kind))  # whether they answer decides nothing
    if not network.wait(silence, lambda: all(axis.beaten and axis.located for axis in _axes(network))):
        network.ask(nodes, GetEncoderEstimates, lambda node: network.axes[node].located)
    for axis in _axes(network):
        _check(axis, silence)


def _axes(network: Network) -> list[Axis]:
    return list(network.axes.values())


def _modern(network: Network, node: int) -> bool:
    version = network.versions.get(node)
    return version is not None and (version.firmware_major, version.firmware_minor) >= MIN_FIRMWARE


def _detail(network: Network, node: int) -> str:
    words = []
    if version := network.versions.get(node):
        words.append(f"firmware {version.firmware_major}.{version.firmware_minor}.{version.firmware_revision}")
    words.extend(f"serial number {number[::-1].hex()}" for number in sorted(network.serials.get(node, ())))
    return ", ".join(words)


def _missing(network: Network, axis: Axis, silence: float) -> str:
    joint = axis.plan.joint
    says = f"the ODrive of {joint.joint}, CAN node {joint.id}, does not answer on {network.port.port}"
    try:
        others = [str(device.id) for device in scan(network, silence / 2.0) if device.id != joint.id]
    except BusFault as fault:
        return f"{says}: {fault}: {fault.remedy}."
    if joint.id in network.heartbeats:
        return (
            f"{says}, but its heartbeat comes: its firmware is older than 0.6, which is needed; update it with the "
            "drive's own tool."
        )
    if others:
        return f"{says}, but there are nodes {', '.join(others)}: set its node_id, or hardware.joints.{joint.joint}.id."
    return f"{says}, nor does any other: check the cable, the terminators, the drives' power and their bit rate."


def _twins(network: Network, node: int) -> str:
    numbers = " and ".join(number[::-1].hex() for number in sorted(network.serials[node]))
    return (
        f"several ODrives on {network.port.port} have node id {node}, that of "
        f"{network.axes[node].plan.joint.joint}: give those with the serial numbers {numbers} an id each."
    )


def _check(axis: Axis, silence: float) -> None:
    joint = axis.plan.joint
    who = f"the ODrive of {joint.joint}, CAN node {joint.id},"
    if not axis.beaten:
        raise UserError(
            f"{who} answers, but sends no heartbeat within {silence:.2g} s: set axis0.config.can."
            "heartbeat_msg_rate_ms, and heartbeat_period of the bus with it."
        )
    meanings, remedy = axis.troubles(torque=False)
    if meanings:
        raise UserError(f"{who} reports that {meanings}: {remedy}; then run 'crawler hw reboot'.")
    if not axis.located:
        raise UserError(f"{who} does not tell where its motor is: calibrate its encoder, and check that it is ready.")
    if axis.has_torque:
        raise UserError(
            f"{who} does not go idle (it is in state {axis.heartbeat.axis_state}): wait until its calibration is "
            "over, or switch it off and on."
        )
