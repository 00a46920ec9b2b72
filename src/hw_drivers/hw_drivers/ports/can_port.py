"""A CAN interface through python-can: opened with sentences for what is wrong, and a fault when it vanishes."""

from __future__ import annotations

import contextlib
import errno
from pathlib import Path
from typing import Any

from crawler_core.errors import UserError
from hw_drivers.bus.bus import BusFault
from hw_drivers.odrive.codec import CanFrame
from hw_drivers.ports.device_lock import DeviceLock

NET_SYSFS = Path("/sys/class/net")
IFF_UP = 0x1
CAN_ERR_BUSOFF = 0x40  # SocketCAN's CAN_ERR_BUSOFF, in the id of an error frame
SEND_TIMEOUT_S = 0.01  # s that the interface's queue may be full: with nobody on the bus, nothing leaves it
MAX_FRAMES_PER_RECEIVE = 4096  # of one `receive`: a babbling node must not keep us here


class CanPort:
    """One interface. After it vanished, each call tries to open it again."""

    def __init__(self, port: str, bitrate: int) -> None:
        self.port = port
        self._interface, _, self._channel = port.partition(":") if ":" in port else ("socketcan", "", port)
        self._bitrate = bitrate
        self._bus: Any = None
        self._wanted = False
        self._claim = (
            DeviceLock(port) if self._interface == "socketcan" else None
        )  # the others can be opened once, or pretend

    def open(self) -> None:
        """Open it. Raises UserError with the remedy."""
        self._shut()
        try:
            import can
        except ImportError:
            raise UserError("ODrives need python-can: install python3-can, or pip install python-can.") from None
        if self._interface == "socketcan":
            self._check_link()
        try:
            self._bus = can.Bus(
                channel=self._channel, interface=self._interface, bitrate=self._bitrate, ignore_config=True
            )
        except (can.CanError, OSError, ValueError, ImportError, NotImplementedError) as error:
            raise UserError(self._why_not(error)) from None
        if self._claim is not None:
            try:
                self._claim.take()
            except UserError:
                self._shut()
                raise
        self._wanted = True

    def send(self, frame: CanFrame) -> None:
        """Send one frame. Raises BusFault."""
        import can

        message = can.Message(
            arbitration_id=frame.id, data=frame.data, is_remote_frame=frame.remote, is_extended_id=False
        )
        bus = self._alive()
        try:
            bus.send(message, timeout=SEND_TIMEOUT_S)
        except (can.CanError, OSError) as error:
            raise self._gone(error) from None

    def receive(self) -> list[CanFrame]:
        """Every frame that has come since the last call; does not wait. Raises BusFault."""
        import can

        bus = self._alive()
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
            raise self._gone(error) from None
        return frames

    def close(self) -> None:
        """Release it. Never raises."""
        self._wanted = False
        self._shut()
        if self._claim is not None:
            self._claim.drop()

    def _shut(self) -> None:
        bus, self._bus = self._bus, None
        if bus is not None:
            with contextlib.suppress(Exception):  # an adapter that was pulled out cannot be closed in order
                bus.shutdown()

    def _alive(self) -> Any:
        """The open interface, opened again where it had vanished."""
        if self._bus is None:
            if not self._wanted:
                raise BusFault(f"the CAN interface {self.port} is not open", remedy="open it first")
            try:
                self.open()
            except UserError as error:
                cause, _, remedy = str(error).rstrip(".").partition(": ")
                raise BusFault(cause, remedy=f"{remedy}; then call reset and enable") from None
        return self._bus

    def _gone(self, error: Exception) -> BusFault:
        self._shut()
        if _errno(error) == errno.ENOBUFS or "timed out" in str(error).lower():
            return BusFault(
                f"nothing leaves the CAN interface {self.port}: nobody acknowledges its frames",
                remedy=f"check the cable, the two terminators, the drives' power and that they run at {self._bitrate} "
                "bit/s, then call reset and enable",
            )
        return BusFault(
            f"the CAN interface {self.port} has failed: {error}",
            remedy=f"check the adapter and its cable, bring {self._channel} up again, then call reset and enable",
        )

    def _bus_off(self) -> BusFault:
        self._shut()
        return BusFault(
            f"the CAN interface {self.port} is bus-off: too many frames failed",
            remedy="check the cable, the two terminators and that all devices have the same bit rate; bring the "
            "interface down and up again (or set restart-ms), then call reset and enable",
        )

    def _check_link(self) -> None:
        device = NET_SYSFS / self._channel
        if not device.exists():
            raise UserError(
                f"there is no CAN interface '{self._channel}': plug the adapter in, and run "
                f"'sudo ip link set {self._channel} up type can bitrate {self._bitrate}'."
            )
        if not int((device / "flags").read_text(), 16) & IFF_UP:
            raise UserError(
                f"the CAN interface {self._channel} is down: run "
                f"'sudo ip link set {self._channel} up type can bitrate {self._bitrate}'."
            )

    def _why_not(self, error: Exception) -> str:
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
