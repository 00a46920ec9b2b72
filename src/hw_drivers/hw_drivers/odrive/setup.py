"""Search and set-up of the drives, with every check that is possible before torque."""

from __future__ import annotations

from collections.abc import Sequence

from crawler_core.errors import UserError
from hw_drivers.bus.bus import BusFault, Device
from hw_drivers.odrive.axis import Axis
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

MIN_FIRMWARE = (0, 6)  # older ones have other layouts, and take the query for an address as a new address


def scan(network: Network, heartbeat_period: float) -> tuple[Device, ...]:
    """Return the nodes that answer, or send heartbeats."""
    for node in range(MAX_NODE_ID + 1):
        network.query(node, GetVersion)
    network.wait(2.0 * heartbeat_period)
    found = sorted(set(network.versions) | set(network.heartbeats))
    network.collect_serials(node for node in found if _is_supported(network, node))
    return tuple(Device(node, "ODrive", _detail(network, node)) for node in found)


def set_up(network: Network, plans: Sequence[AxisPlan], heartbeat_timeout: float) -> None:
    """Switch the torque off, and find and check every drive. Raises UserError, or BusFault for the interface.

    Modes and limits are sent when the torque comes on: a drive that was switched off in between has lost them.
    """
    nodes = [plan.joint.id for plan in plans]
    network.reset()
    network.axes = {plan.joint.id: Axis(plan) for plan in plans}
    for node in nodes:
        network.send(node, SetAxisState(AxisState.IDLE))  # an earlier program may have left it on
    missing = network.query_until(nodes, GetVersion, lambda node: node in network.versions)
    for node in missing:
        raise UserError(_missing_node(network, network.axes[node], heartbeat_timeout))
    for node in nodes:
        if not _is_supported(network, node):
            version = network.versions[node]
            raise UserError(
                f"the ODrive of {network.axes[node].plan.joint.joint}, CAN node {node}, has firmware "
                f"{version.firmware_major}.{version.firmware_minor}.{version.firmware_revision}, but 0.6 is needed: "
                "update it with the drive's own tool."
            )
    network.collect_serials(nodes)
    for node in nodes:
        if len(network.serials[node]) > 1:
            raise UserError(_shared_id(network, node))
    for node in nodes:
        for kind in (GetTemperature, GetBusVoltageCurrent):
            network.query(node, kind)  # answers are optional
    if not network.wait(heartbeat_timeout, lambda: all(a.has_heartbeat and a.has_angle for a in network.axes.values())):
        network.query_until(nodes, GetEncoderEstimates, lambda node: network.axes[node].has_angle)
    for axis in network.axes.values():
        _check(axis, heartbeat_timeout)


def _is_supported(network: Network, node: int) -> bool:
    version = network.versions.get(node)
    return version is not None and (version.firmware_major, version.firmware_minor) >= MIN_FIRMWARE


def _detail(network: Network, node: int) -> str:
    words = []
    if version := network.versions.get(node):
        words.append(f"firmware {version.firmware_major}.{version.firmware_minor}.{version.firmware_revision}")
    words.extend(f"serial number {number[::-1].hex()}" for number in sorted(network.serials.get(node, ())))
    return ", ".join(words)


def _missing_node(network: Network, axis: Axis, heartbeat_timeout: float) -> str:
    """Return the sentence for a node that does not answer."""
    joint = axis.plan.joint
    silent = f"the ODrive of {joint.joint}, CAN node {joint.id}, does not answer on {network.port.port}"
    try:
        others = [str(device.id) for device in scan(network, heartbeat_timeout / 2.0) if device.id != joint.id]
    except BusFault as fault:
        return f"{silent}: {fault.as_user_error()}"
    if joint.id in network.heartbeats:
        return (
            f"{silent}, but its heartbeat comes: its firmware is older than 0.6, which is needed; update it with the "
            "drive's own tool."
        )
    if others:
        return (
            f"{silent}, but there are nodes {', '.join(others)}: set its node_id, or hardware.joints.{joint.joint}.id."
        )
    return f"{silent}, nor does any other: check the cable, the terminators, the drives' power and their bit rate."


def _shared_id(network: Network, node: int) -> str:
    """Return the sentence for drives with one node id."""
    numbers = " and ".join(number[::-1].hex() for number in sorted(network.serials[node]))
    return (
        f"several ODrives on {network.port.port} have node id {node}, that of "
        f"{network.axes[node].plan.joint.joint}: give those with the serial numbers {numbers} an id each."
    )


def _check(axis: Axis, heartbeat_timeout: float) -> None:
    joint = axis.plan.joint
    drive = f"the ODrive of {joint.joint}, CAN node {joint.id},"
    if not axis.has_heartbeat:
        raise UserError(
            f"{drive} answers, but sends no heartbeat within {heartbeat_timeout:.2g} s: set axis0.config.can."
            "heartbeat_msg_rate_ms, and heartbeat_period of the bus with it."
        )
    meanings, remedy = axis.explain_errors(torque=False)
    if meanings:
        raise UserError(f"{drive} reports that {'; '.join(meanings)}: {remedy}; then run 'crawler hw reboot'.")
    if not axis.has_angle:
        raise UserError(f"{drive} does not report its angle: calibrate its encoder, and check that it is ready.")
    if axis.has_torque:
        raise UserError(
            f"{drive} does not go idle (it is in state {axis.heartbeat.axis_state}): wait until its calibration is "
            "over, or switch it off and on."
        )
