"""Packets against the maker's examples, against his SDK, under random damage, and there and back."""

from dataclasses import astuple
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hw_drivers.dynamixel import codec
from hw_drivers.dynamixel import tables as t
from hw_drivers.dynamixel.codec import Packet, PacketParser, encode
from hw_drivers.dynamixel.emulated_servo import EmulatedServo
from hw_drivers.dynamixel.link import Link
from hw_drivers.dynamixel.state import ServoState, unpack_state

# bytes in which headers and what must be stuffed turn up often
AWKWARD = st.lists(st.sampled_from([b"\xff", b"\xfd", b"\x00", b"\xff\xff\xfd", b"\xff\xff\xfd\x00", b"\x55"])).map(
    b"".join
) | st.binary(max_size=64)
PACKETS = st.builds(Packet, st.integers(0, 252), st.integers(1, 0x54), AWKWARD)
ANSWER_TYPES = st.builds(codec.status, st.integers(0, 252), st.integers(0, 255), AWKWARD)

# the examples of the protocol's manual, bytes as printed there
EXAMPLES = [
    (codec.ping(1), "ff ff fd 00 01 03 00 01 19 4e"),
    (codec.ping(codec.BROADCAST_ID), "ff ff fd 00 fe 03 00 01 31 42"),
    (codec.read(1, 132, 4), "ff ff fd 00 01 07 00 02 84 00 04 00 1d 15"),
    (codec.write(1, 116, (512).to_bytes(4, "little")), "ff ff fd 00 01 09 00 03 74 00 00 02 00 00 ca 89"),
    (codec.reboot(1), "ff ff fd 00 01 03 00 08 2f 4e"),
    (codec.sync_read([1, 2], 132, 4), "ff ff fd 00 fe 09 00 82 84 00 04 00 01 02 ce fa"),
    (
        codec.sync_write(116, {1: (150).to_bytes(4, "little"), 2: (170).to_bytes(4, "little")}),
        "ff ff fd 00 fe 11 00 83 74 00 04 00 01 96 00 00 00 02 aa 00 00 00 82 87",
    ),
    (codec.status(1, 0, bytes([0x06, 0x04, 0x26])), "ff ff fd 00 01 07 00 55 00 06 04 26 65 5d"),
    (codec.status(1, 0, bytes([0xA6, 0, 0, 0])), "ff ff fd 00 01 08 00 55 00 a6 00 00 00 8c c0"),
]


@pytest.mark.parametrize(("packet", "printed"), EXAMPLES)
def test_the_examples_of_the_manual_come_out_byte_for_byte(packet, printed):
    assert encode(packet) == bytes.fromhex(printed)
    assert PacketParser().feed(bytes.fromhex(printed)) == [packet]


@given(PACKETS)
def test_the_makers_sdk_stuffs_and_sums_the_same_bytes(packet):
    sdk = pytest.importorskip("dynamixel_sdk")
    handler = sdk.Protocol2PacketHandler()
    length = len(packet.data) + 3
    raw = [0xFF, 0xFF, 0xFD, 0x00, packet.id, length & 0xFF, length >> 8, packet.instruction, *packet.data, 0, 0]
    raw = handler.addStuffing(raw)
    whole = len(raw)
    crc = handler.updateCRC(0, raw, whole - 2)
    assert encode(packet) == bytes(raw[: whole - 2]) + bytes([crc & 0xFF, crc >> 8])


@given(st.lists(PACKETS | ANSWER_TYPES, max_size=5), st.lists(st.integers(0, 200)))
def test_packets_survive_the_wire_however_the_bytes_are_cut(packets, cuts):
    stream = b"".join(encode(packet) for packet in packets)
    ends = sorted({min(cut, len(stream)) for cut in cuts} | {len(stream)})
    parser, found, start = PacketParser(), [], 0
    for end in ends:
        found += parser.feed(stream[start:end])
        start = end
    assert found == packets
    assert parser.damaged == 0
    assert not parser._buffer


@given(AWKWARD)
def test_no_header_can_be_seen_inside_a_packet(data):
    assert encode(Packet(1, codec.WRITE, data)).find(codec.HEADER, 1) == -1


@given(ANSWER_TYPES, st.integers(0, 10_000), st.integers(1, 255))
def test_a_flipped_byte_never_makes_another_packet(packet, where, flip):
    sent = bytearray(encode(packet))
    place = where % len(sent)
    assume(place not in (5, 6))  # a damaged length moves the checksum, which then fits once in 65536 times
    sent[place] ^= flip
    for found in PacketParser().feed(bytes(sent)):
        assert found == packet  # CRC-16 finds every error within 16 bits


@given(ANSWER_TYPES, ANSWER_TYPES, st.integers(1, 200))
def test_the_packet_after_a_cut_one_is_found(cut, whole, kept):
    first = encode(cut)
    stream = first[: min(kept, len(first) - 1)] + encode(whole)
    assume(not stream.startswith(first))  # the next packet's first byte may be the very one that was lost
    parser = PacketParser()
    found = parser.feed(stream)
    # where what is left of the cut one says that more is to come, the next bytes show that it was cut
    found += parser.feed(bytes(2000))
    assert found == [whole]


@given(st.binary(max_size=300), ANSWER_TYPES)
def test_noise_is_no_packet_and_hides_none_for_long(noise, packet):
    parser = PacketParser()
    found = parser.feed(noise + bytes(2000) + encode(packet))
    assert found[-1:] == [packet]


@given(
    st.builds(
        ServoState,
        time=st.just(0.0),
        position=st.integers(-(2**31), 2**31 - 1),
        velocity=st.integers(-(2**15), 2**15 - 1),
        goal=st.integers(0, 65535),
        current=st.integers(-(2**15), 2**15 - 1),
        voltage=st.integers(0, 65535),
        temperature=st.integers(0, 255),
        error=st.integers(0, 255),
        torque=st.integers(0, 1),
        watchdog=st.integers(0, 255),
        tick=st.integers(0, 32767),
        id=st.integers(0, 252),
    )
)
def test_a_servos_state_goes_there_and_back_with_its_signs(state):
    values = astuple(state)[:-1]  # without the time
    data = b"".join(register.pack(value) for register, value in zip(t.CYCLE_REGISTERS, values, strict=True))
    assert len(data) == t.CYCLE_BYTES == 19
    assert unpack_state(data, 0.0) == state


def test_a_negative_current_is_twos_complement():
    assert t.PRESENT_CURRENT.unpack(b"\xfe\xff") == -2
    assert t.PRESENT_VELOCITY.pack(-1) == b"\xff\xff\xff\xff"


def test_a_packet_whose_length_is_damaged_does_not_swallow_those_behind_it():
    damaged = bytearray(encode(Packet(1, codec.PING)))
    damaged[6] = 3  # 768 bytes longer
    parser = PacketParser()
    assert parser.feed(bytes(damaged) + encode(Packet(2, codec.PING))) == [Packet(2, codec.PING)]
    assert parser.damaged == 1


class Babble:
    """A port on which, whatever is asked, these bytes come."""

    path = "babble"

    def __init__(self, chunks):
        self.chunks = list(chunks)

    def drain(self):
        pass

    def write(self, data):
        pass

    def read(self, deadline):
        return self.chunks.pop(0) if self.chunks else b""


@given(st.lists(AWKWARD.filter(len) | ANSWER_TYPES.map(encode), max_size=8))
def test_whatever_comes_an_answer_is_one_that_was_asked_for(chunks):
    port: Any = Babble(chunks)
    answers = Link(port, 1_000_000, 0.01).request(codec.sync_read([1, 2], 224, 19), [1, 2], 19)
    assert set(answers) <= {1, 2}
    assert all(answer.instruction == codec.STATUS and answer.id == ident for ident, answer in answers.items())


@given(st.lists(st.builds(Packet, st.just(1), st.integers(0, 255), AWKWARD | st.binary(max_size=12)), max_size=20))
def test_an_emulated_servo_survives_every_instruction_and_answers_all(packets):
    servo = EmulatedServo(1, t.MODELS["XM430-W350"], 3.0, 0.0)
    for i, packet in enumerate(packets):
        answer = servo.answer(packet, 1e-3 * i)
        assert answer is not None
        assert answer.instruction == codec.STATUS
        assert len(servo._table) == t.TABLE_END
