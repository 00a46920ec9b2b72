"""Questions and answers on a Dynamixel bus: who answered in time, and what."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from hw_drivers.bus.bus import BusFault
from hw_drivers.dynamixel import codec
from hw_drivers.dynamixel.codec import Packet, Parser
from hw_drivers.dynamixel.tables import CRC_ERROR, INSTRUCTION_ERRORS, RETURN_DELAY_UNIT_S, Register
from hw_drivers.ports.serial_port import SerialPort

ATTEMPTS = 3  # for what must be confirmed
REST_TIMEOUT_S = (
    0.1  # s at least until an answer is given up where nothing moves: a busy machine may be late to hear it
)
BITS_PER_BYTE = 10  # on the wire for a byte
STATUS_PACKET_BYTES = 11  # bytes of an answer without parameters


class NoAnswer(Exception):
    """A servo stayed silent."""


class Refused(Exception):
    """A servo answered that it will not; the message says why."""


class Link:
    """Packets over one port. BusFault passes through where the port is gone."""

    def __init__(self, port: SerialPort, baud: int, patience: float) -> None:
        """`patience` is in s, beyond the time on the wire, until an answer is given up."""
        self.port = port
        self.baud = baud
        self.patience = patience
        self.garbled = 0  # questions after which bytes came, but no whole answer
        self._parser = Parser()

    @contextmanager
    def patient(self) -> Iterator[None]:
        """Within it answers may be late."""
        usual, self.patience = self.patience, max(self.patience, REST_TIMEOUT_S)
        try:
            yield
        finally:
            self.patience = usual

    def tell(self, packet: Packet) -> None:
        """Send what nobody answers."""
        self.port.write(codec.encode(packet))

    def ask(self, packet: Packet, idents: Sequence[int], size: int) -> dict[int, Packet]:
        """Send a question to `idents`; the answers of `size` parameter bytes that came in time, by id."""
        self.port.drain()
        self._parser.reset()
        question = codec.encode(packet)
        wire = (len(question) + len(idents) * (STATUS_PACKET_BYTES + size)) * BITS_PER_BYTE / self.baud
        delays = len(idents) * 250 * RETURN_DELAY_UNIT_S  # as servos come from the maker
        deadline = time.monotonic() + wire + delays + self.patience
        self.port.write(question)
        answers: dict[int, Packet] = {}
        heard = False
        while len(answers) < len(idents):
            data = self.port.read(deadline)
            if not data:
                break
            heard = True
            for answer in self._parser.feed(data):
                # an adapter may echo the question; a stranger or a second answer is no answer
                if answer.instruction == codec.STATUS and answer.id in idents and answer.id not in answers:
                    answers[answer.id] = answer
        self.garbled += heard and not answers
        return answers

    def listen(self, packet: Packet, seconds: float) -> list[Packet]:
        """Send a question to everybody; every answer within `seconds`."""
        self.port.drain()
        self._parser.reset()
        self.port.write(codec.encode(packet))
        deadline = time.monotonic() + seconds
        answers: list[Packet] = []
        while data := self.port.read(deadline):
            answers += [answer for answer in self._parser.feed(data) if answer.instruction == codec.STATUS]
        return answers

    def read(self, ident: int, register: Register) -> int:
        """A register's value. Raises NoAnswer or Refused."""
        answer = self.confirmed(codec.read(ident, register.address, register.size), ident, register.size)
        if len(answer.parameters) != register.size:
            raise Refused("its answer is too short")
        return register.unpack(answer.parameters)

    def write(self, ident: int, register: Register, value: int) -> None:
        """Write a register and have it confirmed. Raises NoAnswer or Refused."""
        self.confirmed(codec.write(ident, register.address, register.pack(value)), ident)

    def confirmed(self, packet: Packet, ident: int, size: int = 0) -> Packet:
        """The answer of one servo, asked up to ATTEMPTS times. Raises NoAnswer or Refused."""
        for _ in range(ATTEMPTS):
            answer = self.ask(packet, [ident], size).get(ident)
            if answer is None:
                continue
            code = answer.error & 0x7F
            if code == CRC_ERROR:
                continue  # our question was damaged on its way
            if code:
                raise Refused(INSTRUCTION_ERRORS.get(code, f"error {code}"))
            return answer
        raise NoAnswer


def silent(joint: str, ident: int, path: str) -> BusFault:
    """The fault of a joint whose servo does not answer."""
    return BusFault(
        f"the servo of {joint}, id {ident} on {path}, does not answer",
        remedy=f"check the cable and the power of {joint}",
        joint=joint,
    )
