"""The nodes of one CAN interface: their messages, and queries with a deadline."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable

from hw_drivers.bus.bus import BusFault
from hw_drivers.bus.struct_message import BadMessage
from hw_drivers.odrive.axis import Axis
from hw_drivers.odrive.codec import decode, encode, encode_query
from hw_drivers.odrive.messages import Address, GetVersion, Heartbeat, Message
from hw_drivers.ports.can_port import CanPort

POLL_PERIOD_S = 0.001
UNIQUE_ANSWER = GetVersion  # a message that no drive sends by itself
ATTEMPTS = 3  # of a query


class Network:
    """All nodes on the interface. `axes` are those that belong to a joint, by node id."""

    def __init__(
        self, port: CanPort, reply_timeout: float, clock: Callable[[], float], sleep: Callable[[float], None]
    ) -> None:
        self.port = port
        self.axes: dict[int, Axis] = {}
        self.versions: dict[int, GetVersion] = {}
        self.serials: dict[int, set[bytes]] = defaultdict(set)
        self.heartbeats: dict[int, Heartbeat] = {}
        self._clock = clock
        self._sleep = sleep
        self._reply_timeout = reply_timeout
        self.old_answers = self.timely_answers = 0
        self._queried: dict[tuple[int, type[Message]], float] = {}  # s, of unanswered queries
        self._last_query: dict[tuple[int, type[Message]], float] = {}  # s
        self._last_receive = -math.inf  # s

    def reset(self) -> None:
        self.axes = {}
        self.versions.clear()
        self.serials.clear()
        self.heartbeats.clear()
        self._queried.clear()
        self._last_query.clear()

    def send(self, node_id: int, message: Message) -> None:
        """Send one message. Raises BusFault."""
        self.port.send(encode(node_id, message))

    def query(self, node_id: int, kind: type[Message]) -> None:
        """Ask a node for a message, without waiting. Raises BusFault."""
        self.port.send(encode_query(node_id, kind))
        self._queried[node_id, kind] = self._last_query[node_id, kind] = self._clock()

    def receive(self) -> None:
        """Take all received messages. Raises BusFault where the interface is gone."""
        frames, earliest, self._last_receive = self.port.receive(), self._last_receive, self._clock()
        for frame in frames:
            try:
                node_id, message = decode(frame)
            except BadMessage:
                continue  # cut short, or not of an ODrive; a damaged drive shows by its missing heartbeat
            self._check_age(node_id, type(message), earliest)
            if isinstance(message, GetVersion):
                self.versions[node_id] = message
            elif isinstance(message, Address):
                self.serials[node_id].add(message.serial_number)
            elif isinstance(message, Heartbeat):
                self.heartbeats[node_id] = message
            if node_id in self.axes:
                self.axes[node_id].update(message, self._clock())

    def _check_age(self, node_id: int, kind: type[Message], earliest: float) -> None:
        """Count a message as timely or as old, where it is an answer; it came at `earliest` (s) or later."""
        key = node_id, kind
        if (sent := self._queried.pop(key, None)) is not None:
            is_old = earliest - sent > self._reply_timeout
        elif kind is UNIQUE_ANSWER:
            # a second answer
            is_old = earliest - self._last_query.get(key, -math.inf) > self._reply_timeout
        else:
            return
        self.old_answers += is_old
        self.timely_answers += not is_old

    def wait(self, seconds: float, is_done: Callable[[], bool] = lambda: False) -> bool:
        """Receive until `is_done`, up to `seconds`; return whether it was done."""
        end = self._clock() + seconds
        while True:
            self.receive()
            if is_done():
                return True
            if self._clock() >= end:
                return False
            self._sleep(POLL_PERIOD_S)

    def query_until(self, nodes: Iterable[int], kind: type[Message], is_done: Callable[[int], bool]) -> list[int]:
        """Ask nodes for a message until `is_done(node)`; return those for which it never was.

        Raises BusFault where one could not be asked, after all others were.
        """
        missing = [node for node in nodes if not is_done(node)]
        failed: BusFault | None = None
        for _ in range(ATTEMPTS):
            if not missing:
                break
            for node in missing:
                try:
                    self.query(node, kind)
                except BusFault as fault:
                    failed = fault
            self.wait(self._reply_timeout, lambda asked=missing: all(map(is_done, asked)))  # type: ignore[misc]
            missing = [node for node in missing if not is_done(node)]
        if missing and failed:
            raise failed
        return missing

    def collect_serials(self, nodes: Iterable[int]) -> None:
        """Ask nodes for their serial numbers, and wait for second answers: two drives may share an id."""
        for node in nodes:
            self.query(node, Address)
        self.wait(self._reply_timeout)
