"""Questions and answers on the line to a board: sessions, numbers, and what the board says to each."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hw_drivers.board.codec import FRAME_END, MAX_FRAME_BYTES, NO_SESSION, Packable, Parser, follows, frame, opened
from hw_drivers.board.messages import (
    PROTOCOL_VERSION,
    Ack,
    Answer,
    BadMessage,
    Code,
    Estop,
    Hello,
    StateMessage,
    Welcome,
)
from hw_drivers.ports.serial_port import SerialPort

ATTEMPTS = 3  # for what must be confirmed
CONFIRM_TIMEOUT_S = 0.05  # s at least until its answer is lost: no cycle waits for it
REST_TIMEOUT_S = 0.6  # s, the same where nothing moves: the kernel of a busy machine may be late to carry it
BITS_PER_BYTE = 10  # on the wire for a byte
BOARD_RESPONSE_S = 1e-3  # s that a board may take
MAX_EXCHANGE_BYTES = 2 * MAX_FRAME_BYTES  # bytes of the longest question and the longest answer


class NoAnswer(Exception):
    """The board stayed silent."""


class OtherVersion(Exception):
    """The board speaks another version of the protocol."""

    def __init__(self, version: int) -> None:
        super().__init__(f"version {version}")
        self.version = version


class Refused(Exception):
    """The board answered that it will not."""

    def __init__(self, ack: Ack) -> None:
        super().__init__(refusal(ack))
        self.ack = ack


class Link:
    """One board's line. BusFault passes through where the port is gone."""

    def __init__(
        self, port: SerialPort, baud: int, patience: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`patience` is in s, beyond the time on the wire, until an answer is given up."""
        self.port = port
        self.welcome: Welcome | None = None  # of the session that holds
        self.stranger: Welcome | None = None  # what a board said since, that is in no session, or in another's
        self.exchange = MAX_EXCHANGE_BYTES  # bytes that a question and its answer may have
        self._byte = BITS_PER_BYTE / baud
        self._patience = patience
        self._sure = CONFIRM_TIMEOUT_S
        self._clock = clock
        self._parser = Parser()
        self._session = NO_SESSION
        self._sent = self._heard = 0  # the last numbers, both ways
        self._waiting: list[bytes] = []  # packets that came, and were not looked at yet

    @contextmanager
    def patient(self) -> Iterator[None]:
        """Within it answers may be late."""
        self._sure = REST_TIMEOUT_S
        try:
            yield
        finally:
            self._sure = CONFIRM_TIMEOUT_S

    def begin(self) -> Welcome:
        """A session of our own; the torque is off then. Raises NoAnswer and OtherVersion."""
        self.welcome = self.stranger = None
        self._session = NO_SESSION
        self.exchange = MAX_EXCHANGE_BYTES
        self.port.drain()
        self._parser.reset()
        self._waiting = []
        for _ in range(ATTEMPTS):
            nonce = secrets.randbits(32) or 1
            self.port.write(
                FRAME_END + frame(Hello(PROTOCOL_VERSION, nonce), 0)
            )  # ends what another program left half said
            deadline = self._deadline(self._sure)
            while (answer := self._next(deadline)) is not None:
                if isinstance(answer, Ack) and answer.code == Code.VERSION:
                    raise OtherVersion(answer.detail)
                if isinstance(answer, Welcome) and answer.session != NO_SESSION and answer.nonce == nonce:
                    if answer.version != PROTOCOL_VERSION:
                        raise OtherVersion(answer.version)
                    self.welcome, self.stranger = answer, None
                    self._session, self._sent, self._heard = answer.session, 0, 0
                    return answer
        raise NoAnswer

    def tell(self, message: Packable) -> int:
        """Send a message; its number, by which its answer is known."""
        self._sent += 1
        self.port.write(frame(message, self._sent, self._session))
        return self._sent

    def answer(self, number: int, patience: float = 0.0) -> Ack | StateMessage | None:
        """The answer to the message with this number; None where it did not come in time, or within `patience` (s)."""
        deadline = self._deadline(patience)
        while (answer := self._next(deadline)) is not None:
            if isinstance(answer, (Ack, StateMessage)) and answer.number == number:
                return answer
        return None

    def confirmed(self, message: Packable) -> Ack | StateMessage:
        """The answer to a message, said up to ATTEMPTS times. Raises NoAnswer or Refused."""
        for _ in range(ATTEMPTS):
            answer = self.answer(self.tell(message), self._sure)
            if isinstance(answer, Ack) and answer.code != Code.OK:
                raise Refused(answer)
            if answer is not None:
                return answer
        raise NoAnswer

    def stop(self) -> bool:
        """The emergency stop, which needs no session; whether the board has confirmed it."""
        for _ in range(ATTEMPTS):
            self.port.write(FRAME_END + frame(Estop(), 0))
            deadline = self._deadline(self._sure)
            while (answer := self._next(deadline)) is not None:
                if isinstance(answer, Ack) and answer.of == Estop.type:
                    return True
        return False

    def _deadline(self, patience: float) -> float:
        return self._clock() + self.exchange * self._byte + BOARD_RESPONSE_S + max(self._patience, patience)

    def _next(self, deadline: float) -> Answer | None:
        """The next message that the board really sent, and now; None at the deadline."""
        while True:
            while self._waiting:
                if (answer := self._opened(self._waiting.pop(0))) is not None:
                    return answer
            data = self.port.read(deadline)
            if not data:
                return None
            self._waiting = self._parser.feed(data)

    def _opened(self, packet: bytes) -> Answer | None:
        inside = opened(packet, self._session) if self._session != NO_SESSION else None
        try:
            if inside is not None:
                if not follows(inside.number, self._heard):
                    return None  # it comes a second time
                self._heard = inside.number
                self.stranger = None
                return inside.answer()
            outside = opened(packet, NO_SESSION)
            answer = outside.answer() if outside is not None else None
        except BadMessage:
            return None
        if isinstance(answer, Welcome):
            self.stranger = answer
        return answer


def refusal(ack: Ack) -> str:
    """Why the board will not, in words."""
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
