"""The axes of one CAN interface: hearing what they send, and asking them, with a deadline."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

from hw_drivers.bus.bus import BusFault
from hw_drivers.odrive.axis import Axis
from hw_drivers.odrive.codec import BadFrame, ask, decode, encode
from hw_drivers.odrive.messages import Address, GetVersion, Heartbeat, Message
from hw_drivers.ports.can_port import CanPort

POLL = 0.001  # s between looks at the interface while waiting
ATTEMPTS = 3


class Network:
    """Whoever is on the interface. `axes` are those that belong to a joint, by node id."""

    def __init__(
        self, port: CanPort, reply_timeout: float, clock: Callable[[], float], sleep: Callable[[float], None]
    ) -> None:
        self.port = port
        self.axes: dict[int, Axis] = {}
        self.versions: dict[int, GetVersion] = {}
        self.serials: dict[int, set[bytes]] = defaultdict(set)
        self.heartbeats: dict[int, Heartbeat] = {}
        self.clock = clock
        self._sleep = sleep
        self._patience = reply_timeout

    def forget(self) -> None:
        """Start anew, as on a bus that was never listened to."""
        self.axes = {}
        self.versions.clear()
        self.serials.clear()
        self.heartbeats.clear()

    def send(self, node_id: int, message: Message) -> None:
        """Send one message. Raises BusFault."""
        self.port.send(encode(node_id, message))

    def hear(self) -> None:
        """Take all that has come. Raises BusFault where the interface is gone."""
        for frame in self.port.receive():
            try:
                node_id, message = decode(frame)
            except BadFrame:
                continue  # cut short, or not of an ODrive: who sent it grows silent, or is none of ours
            if isinstance(message, GetVersion):
                self.versions[node_id] = message
            elif isinstance(message, Address):
                self.serials[node_id].add(message.serial_number)
            elif isinstance(message, Heartbeat):
                self.heartbeats[node_id] = message
            if node_id in self.axes:
                self.axes[node_id].hear(message, self.clock())

    def wait(self, seconds: float, done: Callable[[], bool] = lambda: False) -> bool:
        """Hear until `done`, or for so long; returns whether it was done."""
        end = self.clock() + seconds
        while True:
            self.hear()
            if done():
                return True
            if self.clock() >= end:
                return False
            self._sleep(POLL)

    def ask(self, nodes: Iterable[int], kind: type[Message], done: Callable[[int], bool]) -> list[int]:
        """Ask nodes for a message until `done(node)`; returns those for which it never was.

        Raises BusFault where one could not be asked, after all others were.
        """
        missing = [node for node in nodes if not done(node)]
        failed: BusFault | None = None
        for _ in range(ATTEMPTS):
            if not missing:
                break
            for node in missing:
                try:
                    self.port.send(ask(node, kind))
                except BusFault as fault:
                    failed = fault
            self.wait(self._patience, lambda asked=missing: all(map(done, asked)))  # type: ignore[misc]
            missing = [node for node in missing if not done(node)]
        if missing and failed:
            raise failed
        return missing

    def listen_for_twins(self, nodes: Iterable[int]) -> None:
        """Ask nodes for their serial numbers, and wait for a second answer."""
        for node in nodes:
            self.port.send(ask(node, Address))
        self.wait(self._patience)
