"""Requests and answers on a Dynamixel bus."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from hw_drivers.bus.bus import BusFault, NoAnswer
from hw_drivers.dynamixel import codec
from hw_drivers.dynamixel.codec import Packet, PacketParser
from hw_drivers.dynamixel.tables import CRC_ERROR, INSTRUCTION_ERRORS, RETURN_DELAY_UNIT_S, Register
from hw_drivers.ports.serial_port import BITS_PER_BYTE, SerialPort

ATTEMPTS = 3  # of a confirmed request
MIN_TIMEOUT_AT_REST_S = 0.1  # while nothing moves: a busy machine may be late to receive
STATUS_PACKET_BYTES = 11  # of an answer without parameters
FACTORY_RETURN_DELAY = 250  # units
ERROR_CODE = 0x7F  # of a status packet's error byte


class Refused(Exception):
    """A servo answered that it will not; the message is the reason."""


class Link:
    """Packets over one port. BusFault passes through where the port is gone."""

    def __init__(
        self, port: SerialPort, baud: int, reply_timeout: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`reply_timeout` is in s, beyond the time on the wire."""
        self.port = port
        self.baud = baud
        self.reply_timeout = reply_timeout
        self.garbled = 0  # requests that were followed by bytes, but by no whole answer
        self.unrequested = 0  # answers to no request, or to an earlier one
        self.clock = clock
        self._parser = PacketParser()

    @contextmanager
    def at_rest(self) -> Iterator[None]:
        """Allow late answers while nothing moves."""
        timeout, self.reply_timeout = self.reply_timeout, max(self.reply_timeout, MIN_TIMEOUT_AT_REST_S)
        try:
            yield
        finally:
            self.reply_timeout = timeout

    def send(self, packet: Packet) -> None:
        """Send a packet that gets no answer."""
        self.port.write(codec.encode(packet))

    def request(self, packet: Packet, idents: Sequence[int], size: int) -> dict[int, Packet]:
        """Send a request to `idents`; return the timely answers, of `size` parameter bytes, by id."""
        request = codec.encode(packet)
        wire = (len(request) + len(idents) * (STATUS_PACKET_BYTES + size)) * BITS_PER_BYTE / self.baud
        delays = len(idents) * FACTORY_RETURN_DELAY * RETURN_DELAY_UNIT_S
        deadline = self.clock() + wire + delays + self.reply_timeout
        self._send_request(request)
        answers: dict[int, Packet] = {}
        has_bytes = False
        while len(answers) < len(idents) and (data := self.port.read(deadline)):
            has_bytes = True
            for answer in self._parser.feed(data):
                if answer.instruction != codec.STATUS:
                    continue  # the adapter's echo of the request
                is_expected = answer.id in idents and answer.id not in answers
                if is_expected and (len(answer.parameters) == size or answer.error & ERROR_CODE):
                    answers[answer.id] = answer
                else:
                    self.unrequested += 1
        self.garbled += has_bytes and not answers
        return answers

    def request_all(self, packet: Packet, seconds: float) -> list[Packet]:
        """Send a request to everybody; return every answer within `seconds`."""
        self._send_request(codec.encode(packet))
        deadline = self.clock() + seconds
        answers: list[Packet] = []
        while data := self.port.read(deadline):
            answers += [answer for answer in self._parser.feed(data) if answer.instruction == codec.STATUS]
        return answers

    def _send_request(self, data: bytes) -> None:
        """Discard late answers to earlier requests, then send."""
        while late := self.port.read(0.0):
            self.unrequested += sum(packet.instruction == codec.STATUS for packet in self._parser.feed(late))
        self._parser.reset()
        self.port.write(data)

    def read(self, ident: int, register: Register) -> int:
        """Return a register's value. Raises NoAnswer or Refused."""
        answer = self.confirm(codec.read(ident, register.address, register.size), ident, register.size)
        return register.unpack(answer.parameters)

    def write(self, ident: int, register: Register, value: int) -> None:
        """Write a register and have it confirmed. Raises NoAnswer or Refused."""
        self.confirm(codec.write(ident, register.address, register.pack(value)), ident)

    def confirm(self, packet: Packet, ident: int, size: int = 0) -> Packet:
        """Return the answer of one servo, in up to ATTEMPTS requests. Raises NoAnswer or Refused."""
        for _ in range(ATTEMPTS):
            answer = self.request(packet, [ident], size).get(ident)
            if answer is None:
                continue
            code = answer.error & ERROR_CODE
            if code == CRC_ERROR:
                continue  # the request was damaged on its way
            if code:
                raise Refused(INSTRUCTION_ERRORS.get(code, f"error {code}"))
            return answer
        raise NoAnswer


def silent_servo(joint: str, ident: int, path: str) -> BusFault:
    """Return the fault of a joint whose servo does not answer."""
    return BusFault(
        f"the servo of {joint}, id {ident} on {path}, does not answer",
        remedy=f"check the cable and the power of {joint}",
        joint=joint,
    )
