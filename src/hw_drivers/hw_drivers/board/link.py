"""Requests and answers on the line to a board: sessions and sequence numbers."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hw_drivers.board.codec import FRAME_END, MAX_FRAME_BYTES, NO_SESSION, PacketParser, follows, frame, open_packet
from hw_drivers.board.messages import (
    OLDEST_PROTOCOL_VERSION,
    PROTOCOL_VERSION,
    Ack,
    Answer,
    Code,
    Estop,
    Hello,
    Request,
    SensorSetup,
    StateMessage,
    Welcome,
)
from hw_drivers.bus.bus import NoAnswer
from hw_drivers.bus.struct_message import BadMessage
from hw_drivers.ports.serial_port import BITS_PER_BYTE, SerialPort

ATTEMPTS = 3  # of a confirmed request
MIN_CONFIRM_TIMEOUT_S = 0.05  # no cycle waits for a confirmation
MIN_TIMEOUT_AT_REST_S = 0.6  # the same while nothing moves: the kernel of a busy machine may be late to carry bytes
BOARD_RESPONSE_S = 1e-3
MAX_EXCHANGE_BYTES = 2 * MAX_FRAME_BYTES  # of a request and its answer


class OtherVersion(Exception):
    def __init__(self, version: int) -> None:
        super().__init__(f"version {version}")
        self.version = version


class Refused(Exception):
    """The board answered that it will not."""

    def __init__(self, ack: Ack) -> None:
        super().__init__(explain_refusal(ack))
        self.ack = ack


class Link:
    """One board's line. BusFault passes through where the port is gone."""

    def __init__(
        self, port: SerialPort, baud: int, reply_timeout: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`reply_timeout` is in s, beyond the time on the wire."""
        self.port = port
        self.welcome: Welcome | None = None  # of the session that holds
        self.foreign_welcome: Welcome | None = None  # received since, without a session or of another program's
        self.exchange_bytes = MAX_EXCHANGE_BYTES  # of a request and its answer
        self._byte_time = BITS_PER_BYTE / baud  # s
        self._reply_timeout = reply_timeout
        self._confirm_timeout = MIN_CONFIRM_TIMEOUT_S
        self._clock = clock
        self._parser = PacketParser()
        self._session = NO_SESSION
        self._last_sent = self._last_received = 0  # sequence numbers
        self._packets: list[bytes] = []  # received, not yet handled

    @contextmanager
    def at_rest(self) -> Iterator[None]:
        """Allow late answers while nothing moves."""
        self._confirm_timeout = MIN_TIMEOUT_AT_REST_S
        try:
            yield
        finally:
            self._confirm_timeout = MIN_CONFIRM_TIMEOUT_S

    def begin(self) -> Welcome:
        """Begin a session; the board's torque is off then. Raises NoAnswer and OtherVersion.

        The session has the newest version of the protocol that both sides know: `welcome` names it.
        """
        try:
            return self._begin(PROTOCOL_VERSION)
        except OtherVersion as other:
            if not OLDEST_PROTOCOL_VERSION <= other.version < PROTOCOL_VERSION:
                raise
            return self._begin(other.version)

    def _begin(self, version: int) -> Welcome:
        self.welcome = self.foreign_welcome = None
        self._session = NO_SESSION
        self.exchange_bytes = MAX_EXCHANGE_BYTES
        self.port.drain()
        self._parser.reset()
        self._packets = []
        for _ in range(ATTEMPTS):
            nonce = secrets.randbits(32) or 1
            for answer in self._answers_without_session(Hello(version, nonce)):
                if isinstance(answer, Ack) and answer.code == Code.VERSION:
                    raise OtherVersion(answer.detail)
                if isinstance(answer, Welcome) and answer.session != NO_SESSION and answer.nonce == nonce:
                    if answer.version != version:
                        raise OtherVersion(answer.version)
                    self.welcome, self.foreign_welcome = answer, None
                    self._session, self._last_sent, self._last_received = answer.session, 0, 0
                    return answer
        raise NoAnswer

    def send(self, message: Request) -> int:
        """Send a message; return its number, which its answer will have."""
        self._last_sent += 1
        self.port.write(frame(message, self._last_sent, self._session))
        return self._last_sent

    def answer(self, number: int, timeout: float = 0.0) -> Ack | StateMessage | SensorSetup | None:
        """Return the answer to the message with this number, or None where it is late. `timeout` (s) is a minimum."""
        deadline = self._deadline(timeout)
        while (answer := self._next(deadline)) is not None:
            if isinstance(answer, (Ack, StateMessage, SensorSetup)) and answer.number == number:
                return answer
        return None

    def confirm(self, message: Request) -> Ack | StateMessage | SensorSetup:
        """Return the answer to a message, in up to ATTEMPTS requests. Raises NoAnswer or Refused."""
        for _ in range(ATTEMPTS):
            answer = self.answer(self.send(message), self._confirm_timeout)
            if isinstance(answer, Ack) and answer.code != Code.OK:
                raise Refused(answer)
            if answer is not None:
                return answer
        raise NoAnswer

    def stop(self) -> bool:
        """Send the emergency stop, which needs no session; return whether the board has confirmed it."""
        return any(
            isinstance(answer, Ack) and answer.of == Estop.type
            for _ in range(ATTEMPTS)
            for answer in self._answers_without_session(Estop())
        )

    def _answers_without_session(self, message: Request) -> Iterator[Answer]:
        """Send a message in session 0; yield all answers until the deadline."""
        self.port.write(FRAME_END + frame(message, 0))  # the first byte ends another program's incomplete frame
        deadline = self._deadline(self._confirm_timeout)
        while (answer := self._next(deadline)) is not None:
            yield answer

    def _deadline(self, timeout: float) -> float:
        wire = self.exchange_bytes * self._byte_time
        return self._clock() + wire + BOARD_RESPONSE_S + max(self._reply_timeout, timeout)

    def _next(self, deadline: float) -> Answer | None:
        """Return the next authentic message, or None at the deadline."""
        while True:
            while self._packets:
                if (answer := self._decode(self._packets.pop(0))) is not None:
                    return answer
            data = self.port.read(deadline)
            if not data:
                return None
            self._packets = self._parser.feed(data)

    def _decode(self, data: bytes) -> Answer | None:
        packet = open_packet(data, self._session) if self._session != NO_SESSION else None
        try:
            if packet is not None:
                if not follows(packet.number, self._last_received):
                    return None  # a repetition
                self._last_received = packet.number
                self.foreign_welcome = None
                return packet.answer()
            packet = open_packet(data, NO_SESSION)
            answer = packet.answer() if packet is not None else None
        except BadMessage:
            return None
        if isinstance(answer, Welcome):
            self.foreign_welcome = answer
        return answer


def explain_refusal(ack: Ack) -> str:
    """Return the reason of a refusal, in words."""
    motor = f"motor {ack.detail}"
    words = {
        Code.UNKNOWN: "it does not know this message",
        Code.LENGTH: "it takes another length of this message",
        Code.VALUE: f"the field at byte {ack.detail} is out of its range",
        Code.MOTOR: f"it has no {motor}, or does not use it",
        Code.NOT_CONFIGURED: f"{motor} is not configured" if ack.detail < 255 else "it is not configured",
        Code.ARMED: "it is armed",
        Code.FAULT: "a fault is latched",
        Code.CAUSE: "the cause of a fault is still there",
        Code.NOT_HOMED: f"{motor} has not found its index",
        Code.NOT_ARMED: "it is not armed",
    }
    return {code.value: text for code, text in words.items()}.get(ack.code, f"code {ack.code}")
