"""A CAN interface through python-can."""

from __future__ import annotations

import errno
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crawler_core.errors import UserError
from hw_drivers.bus.bus import BusFault
from hw_drivers.ports.device_lock import DeviceLock
from hw_drivers.ports.reopening_port import ReopeningPort

NET_SYSFS = Path("/sys/class/net")
IFF_UP = 0x1
CAN_ERR_BUSOFF = 0x40  # SocketCAN's, in the id of an error frame
SEND_TIMEOUT_S = 0.01  # for a full queue: without another node on the bus, nothing leaves it
MAX_FRAMES_PER_RECEIVE = 4096  # a babbling node must not block the cycle


@dataclass(frozen=True, slots=True)
class CanFrame:
    """A classic CAN frame with an 11-bit id; a remote frame asks for the message of its id."""

    id: int
    data: bytes = b""
    remote: bool = False


class CanPort(ReopeningPort[Any]):
    def __init__(self, port: str, bitrate: int) -> None:
        self.port = port
        self._interface, _, self._channel = port.partition(":") if ":" in port else ("socketcan", "", port)
        self._bitrate = bitrate
        # other interfaces can be opened once only, or are virtual
        lock = DeviceLock(port) if self._interface == "socketcan" else None
        super().__init__(f"the CAN interface {port}", lock)

    def send(self, frame: CanFrame) -> None:
        """Send one frame. Raises BusFault."""
        import can

        message = can.Message(
            arbitration_id=frame.id, data=frame.data, is_remote_frame=frame.remote, is_extended_id=False
        )
        bus = self._opened()
        try:
            bus.send(message, timeout=SEND_TIMEOUT_S)
        except (can.CanError, OSError) as error:
            raise self._failure(error) from None

    def receive(self) -> list[CanFrame]:
        """Return every frame since the last call, without waiting. Raises BusFault."""
        import can

        bus = self._opened()
        frames = []
        try:
            for _ in range(MAX_FRAMES_PER_RECEIVE):
                message = bus.recv(timeout=0.0)
                if message is None:
                    break
                if message.is_error_frame:
                    if message.arbitration_id & CAN_ERR_BUSOFF:
                        raise self._bus_off()
                elif not message.is_extended_id:
                    frames.append(CanFrame(message.arbitration_id, bytes(message.data), message.is_remote_frame))
        except (can.CanError, OSError, ValueError) as error:
            raise self._failure(error) from None
        return frames

    def _connect(self) -> Any:
        try:
            import can
        except ImportError:
            raise UserError("ODrives need python-can: install python3-can, or pip install python-can.") from None
        if self._interface == "socketcan":
            self._check_link()
        try:
            return can.Bus(channel=self._channel, interface=self._interface, bitrate=self._bitrate, ignore_config=True)
        except (can.CanError, OSError, ValueError, ImportError, NotImplementedError) as error:
            raise UserError(self._open_error(error)) from None

    def _shut(self, handle: Any) -> None:
        handle.shutdown()

    def _failure(self, error: Exception) -> BusFault:
        self._disconnect()
        if _errno(error) == errno.ENOBUFS or "timed out" in str(error).lower():
            return BusFault(
                f"nothing leaves the CAN interface {self.port}: no node acknowledges its frames",
                remedy=f"check the cable, the two terminators, the drives' power and that they run at {self._bitrate} "
                "bit/s, then call reset and enable",
            )
        return BusFault(
            f"the CAN interface {self.port} has failed: {error}",
            remedy=f"check the adapter and its cable, bring {self._channel} up again, then call reset and enable",
        )

    def _bus_off(self) -> BusFault:
        self._disconnect()
        return BusFault(
            f"the CAN interface {self.port} is bus-off: too many frames failed",
            remedy="check the cable, the two terminators and that all devices have the same bit rate; bring the "
            "interface down and up again (or set restart-ms), then call reset and enable",
        )

    def _check_link(self) -> None:
        device = NET_SYSFS / self._channel
        bring_up = f"'sudo ip link set {self._channel} up type can bitrate {self._bitrate}'"
        if not device.exists():
            raise UserError(f"there is no CAN interface '{self._channel}': plug the adapter in, and run {bring_up}.")
        if not int((device / "flags").read_text(), 16) & IFF_UP:
            raise UserError(f"the CAN interface {self._channel} is down: run {bring_up}.")

    def _open_error(self, error: Exception) -> str:
        import can

        code = _errno(error)
        if isinstance(error, NotImplementedError):
            known = ", ".join(sorted(can.VALID_INTERFACES))
            return f"python-can has no interface '{self._interface}': take one of {known}."
        if code == errno.EAFNOSUPPORT:
            return "this kernel has no SocketCAN: run 'sudo modprobe can_raw', or take another kernel."
        if code in (errno.EPERM, errno.EACCES):
            return f"{self.port} may not be opened: a serial adapter needs the group dialout, a container the network."
        return f"the CAN interface {self.port} cannot be opened ({error}): check the port in the robot file."


def _errno(error: Exception) -> int | None:
    return getattr(error, "error_code", None) or getattr(error, "errno", None)
