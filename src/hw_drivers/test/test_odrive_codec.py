"""CANSimple's frames against its published numbers, and against arbitrary bytes."""

import math
import struct
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hw_drivers.bus.struct_message import BadMessage
from hw_drivers.odrive import messages as m
from hw_drivers.odrive.codec import arbitration_id, decode, encode, encode_query, split_id
from hw_drivers.ports.can_port import CanFrame

RANGES = {"B": 255, "H": 65535, "I": 2**32 - 1}


@pytest.mark.parametrize(
    ("kind", "command", "size"),
    [
        (m.GetVersion, 0x00, 8),
        (m.Heartbeat, 0x01, 8),
        (m.Estop, 0x02, 0),
        (m.GetError, 0x03, 8),
        (m.Address, 0x06, 8),
        (m.SetAxisState, 0x07, 4),
        (m.GetEncoderEstimates, 0x09, 8),
        (m.SetControllerMode, 0x0B, 8),
        (m.SetInputPos, 0x0C, 8),
        (m.SetInputVel, 0x0D, 8),
        (m.SetInputTorque, 0x0E, 4),
        (m.SetLimits, 0x0F, 8),
        (m.GetIq, 0x14, 8),
        (m.GetTemperature, 0x15, 8),
        (m.Reboot, 0x16, 1),
        (m.GetBusVoltageCurrent, 0x17, 8),
        (m.ClearErrors, 0x18, 1),
    ],
)
def test_messages_have_the_published_numbers_and_lengths(kind, command, size):
    assert (kind.command, struct.calcsize(kind.layout)) == (command, size)
    assert m.MESSAGES[command] is kind


def test_the_table_holds_every_message_once():
    assert len(m.MESSAGES) == 17
    assert all(
        len(struct.unpack(k.layout, bytes(struct.calcsize(k.layout)))) == len(fields(k)) for k in m.MESSAGES.values()
    )


@pytest.mark.parametrize(
    ("node_id", "message", "frame_id", "data"),
    [
        (0, m.SetAxisState(8), 0x007, "08000000"),
        (3, m.SetAxisState(1), 0x067, "01000000"),
        (1, m.SetInputPos(1.0, 500, -250), 0x02C, "0000803f f401 06ff"),
        (5, m.SetInputVel(-2.0, 0.5), 0x0AD, "000000c0 0000003f"),
        (2, m.SetInputTorque(0.25), 0x04E, "0000803e"),
        (7, m.SetControllerMode(3, 1), 0x0EB, "03000000 01000000"),
        (0, m.SetLimits(10.0, 15.0), 0x00F, "00002041 00007041"),
        (62, m.Estop(), 0x7C2, ""),
        (1, m.ClearErrors(0), 0x038, "00"),
        (1, m.Reboot(0), 0x036, "00"),
    ],
)
def test_known_frames(node_id, message, frame_id, data):
    frame = CanFrame(frame_id, bytes.fromhex(data))
    assert encode(node_id, message) == frame
    assert decode(frame) == (node_id, message)


def test_a_heartbeat_is_read_byte_by_byte():
    node_id, heartbeat = decode(CanFrame(0x061, bytes.fromhex("00400000 01 0e 01 00")))
    assert node_id == 3
    assert heartbeat == m.Heartbeat(axis_error=0x4000, axis_state=1, procedure_result=14, trajectory_done=1)


def test_questions_are_remote_frames_without_data():
    assert encode_query(4, m.GetTemperature) == CanFrame(4 << 5 | 0x15, b"", remote=True)


def _values(kind):
    codes = [code for code in kind.layout.replace("6s", "s").replace("8B", "B" * 8)[1:] if code != "x"]
    single = st.floats(width=32, allow_nan=False)
    by_code = {"f": single, "h": st.integers(-32768, 32767), "s": st.binary(min_size=6, max_size=6)}
    return st.tuples(*(by_code.get(code, st.integers(0, RANGES.get(code, 0))) for code in codes)).map(
        lambda v: kind(*v)
    )


@given(st.integers(0, 63), st.one_of([_values(kind) for kind in m.MESSAGES.values()]))
def test_every_message_survives_the_wire(node_id, message):
    frame = encode(node_id, message)
    assert frame.id < 0x800, "it must fit into 11 bits"
    assert len(frame.data) <= 8
    assert decode(frame) == (node_id, message)


@given(st.integers(0, 0x7FF), st.binary(max_size=8), st.booleans())
def test_arbitrary_frames_are_messages_of_the_right_length_or_refused(frame_id, data, remote):
    try:
        node_id, message = decode(CanFrame(frame_id, data, remote))
    except BadMessage:
        return
    assert (node_id, message.command) == split_id(frame_id)
    assert not remote
    assert len(data) == struct.calcsize(message.layout)


@given(st.sampled_from(list(m.MESSAGES.values())), st.integers(0, 8))
def test_a_wrong_length_is_never_guessed_at(kind, size):
    if size != struct.calcsize(kind.layout):
        with pytest.raises(BadMessage, match="instead of"):
            decode(CanFrame(arbitration_id(9, kind.command), bytes(size)))


@pytest.mark.parametrize("node_id", [-1, 64])
def test_a_node_id_that_does_not_exist_is_refused(node_id):
    with pytest.raises(ValueError, match="between 0 and 63"):
        arbitration_id(node_id, 1)


def test_not_a_number_reaches_the_other_side():
    _, message = decode(encode(1, m.GetEncoderEstimates(math.nan, 0.0)))
    assert isinstance(message, m.GetEncoderEstimates)
    assert math.isnan(message.position)
