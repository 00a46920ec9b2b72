"""The driver's end of a board's line: no damaged answer is taken, and whatever a board says breaks nothing."""

import math
import random
import struct
from collections import deque
from dataclasses import dataclass

import numpy as np
import pytest
from board_bench import SETTINGS, crank

from crawler_core.sensors.sensor_spec import SensorSpec
from crawler_core.types import SensorReading
from hw_drivers.board.board_bus import BoardBus
from hw_drivers.board.board_sensors import BoardSensorSettings
from hw_drivers.board.codec import FRAME_END, PacketParser, frame, open_packet
from hw_drivers.board.firmware import Firmware, FirmwareSensors
from hw_drivers.board.link import Link
from hw_drivers.board.messages import Ack, ConfigureBoard, Poll, StateMessage, Welcome
from hw_drivers.bus.bus import BusFault
from hw_drivers.bus.liveness import Liveness
from hw_drivers.ports.serial_port import SerialPort
from hw_drivers.sensors.sensor_map import SensorMap

FRAMES = [5_000, pytest.param(1_000_000, marks=pytest.mark.exhaustive)]
KINDS = ("whole", "flipped", "cut", "glued", "played back", "reordered", "noise", "foreign")
REMEMBERED = 4096  # frames that may be played back


class Line(SerialPort):
    """A port whose board answers at once. What comes of it is the test's business; without anything time passes."""

    def __init__(self, motors):
        super().__init__("the line", 1_000_000)
        self.firmware = Firmware(7, motors, "fuzz")
        for sensors in self.firmware.sensors:
            sensors.encoder_ok = 1
        self.firmware.sense(FirmwareSensors(imu=1, inputs=2, switches=2))
        self.now, self.microseconds = 0.0, 0
        self.answer = self.coming = b""
        self.spoil = lambda asked, answer: answer  # what comes by itself

    def write(self, data):
        self.tick()
        self.firmware.receive(data)
        self.answer = self.firmware.send()
        self.coming += self.spoil(data, self.answer)

    def read(self, deadline):
        data, self.coming = self.coming, b""
        if not data:
            self.now = max(self.now, deadline)
        return data

    def drain(self):
        self.coming = b""

    def tick(self):
        self.microseconds += 1000
        self.firmware.tick(self.microseconds, 12.0)


@dataclass(frozen=True)
class Raw:
    """Any message."""

    type: int
    data: bytes

    def pack(self):
        return self.data


def flipped(chance, data):
    """With one to eight bits wrong, of all but its end."""
    bits = int.from_bytes(data[:-1], "little")
    for place in chance.sample(range(8 * (len(data) - 1)), chance.randint(1, 8)):
        bits ^= 1 << place
    return bits.to_bytes(len(data) - 1, "little") + FRAME_END


def cut(chance, data):
    """Without one to all of its bytes, on end, but the last."""
    at = chance.randrange(len(data) - 1)
    return data[:at] + data[at + 1 + chance.randrange(len(data) - 1 - at) :]


@pytest.mark.parametrize("frames", FRAMES)
def test_a_damaged_played_back_or_late_answer_is_never_taken_and_one_that_is_whole_always(frames):
    chance = random.Random(1)
    line = Line(4)
    link = Link(line, 1_000_000, 0.01, clock=lambda: line.now)
    link.begin()
    link.confirm(ConfigureBoard(1000, 0b1111, 6.0, 30.0))
    line.spoil = lambda asked, answer: b""
    session = link.welcome.session
    old = deque(maxlen=REMEMBERED)

    def ask():
        """A question; its number, the frame that answers it, and what that says."""
        line.firmware.sensors[chance.randrange(4)].count = chance.randrange(-(2**31), 2**31)
        number = link.send(Poll())
        (packet,) = PacketParser().feed(line.answer)
        return number, line.answer, open_packet(packet, session).answer()

    seen = dict.fromkeys(KINDS, 0)
    for _ in range(frames):
        what = chance.choice(KINDS)
        seen[what] += 1
        number, whole, truth = ask()
        right = chance.random() < 0.5  # whether the answer comes after all, behind the damage
        if what == "whole":
            line.coming, right = whole, True
        elif what == "reordered":
            later, after, newest = ask()
            line.coming = after + whole
            assert link.answer(later) == newest
            assert link.answer(number) is None  # it is too late
            continue
        else:
            if what == "flipped":
                damage = flipped(chance, whole)
            elif what == "cut":
                damage = cut(chance, whole)
            elif what == "glued":
                damage = whole[:-1] + whole
            elif what == "played back":
                damage = chance.choice(old) if old else b""
            elif what == "noise":
                damage = chance.randbytes(chance.randint(1, 700)) + FRAME_END
            else:
                damage = frame(Raw(StateMessage.type, chance.randbytes(16)), number, session ^ 1)  # type: ignore[arg-type]
            line.coming = damage + (whole if right else b"")
        old.append(whole)
        answer = link.answer(number)
        assert answer == (truth if right else None), what
    assert min(seen.values()) > frames / 16


@pytest.mark.parametrize("frames", FRAMES)
def test_whatever_a_board_says_in_frames_that_are_right_is_a_reading_a_fault_or_nothing(frames):
    chance = random.Random(2)
    joints = [crank("left", 0), crank("right", 2, lower=-1.5, upper=1.5)]
    line = Line(3)
    bus = BoardBus("board", SETTINGS, port=line, clock=lambda: line.now)
    liveness = Liveness(0.1)
    line.tick()
    for sensors in line.firmware.sensors:
        sensors.index_pulses = 1
    specs = (
        SensorSpec("imu", "imu"),
        SensorSpec("toe", "contact_switch", foot="foot"),
        SensorSpec("cells", "battery"),
    )
    bus.attach_sensors([SensorMap(spec, "board", BoardSensorSettings(bus="board", input=1)) for spec in specs])
    bus.configure(joints)
    link, session = bus._link, bus._link.welcome.session
    asked = heard = told = stops = sensed = 0

    def mad(question, _answer):
        """It answers with anything, mostly a STATE of these motors, of which the first fields may be right."""
        nonlocal asked, heard
        number = int.from_bytes(PacketParser().feed(question)[-1][1:5], "little")
        kind = chance.choice((StateMessage.type,) * 6 + (Ack.type, Welcome.type, chance.randrange(256)))
        size = chance.choice((StateMessage.size(2), StateMessage.size(2), 7, 30, chance.randrange(80)))
        fields = bytearray(chance.randbytes(size))
        if size >= 16 and chance.random() < 0.9:
            struct.pack_into(
                "<IIHBHH", fields, 0, number, 10_000 * heard & 0xFFFFFFFF, 740, chance.choice((1, 2, 2, 3)), 0b101, 0
            )
        for at in range(30, size - 1, 16):
            fields[at : at + 2] = bytes(2)  # no fault
        if chance.random() < 0.5:
            fields += bytes([chance.choice((0, 1, 1, 2, 3)), 0b10]) + chance.randbytes(
                chance.choice((2, 4, 18, 20, 20))
            )
        asked, heard = number, heard + chance.choice((1, 1, 1, 2))
        return frame(Raw(kind, bytes(fields)), heard, session)  # type: ignore[arg-type]

    line.spoil = mad
    for _ in range(frames):
        link._session, link._last_received = session, heard  # whatever became of it, this session goes on
        try:
            if chance.random() < 0.01:
                chance.choice((bus.enable, bus.release))()
            else:
                here = np.array([chance.uniform(-9.0, 9.0), chance.uniform(-9.0, 9.0)])
                bus.write(here, here, np.array([chance.uniform(-9.0, 9.0), math.nan]))
                readings = bus.read()
                readings_of_sensors = bus.take_sensor_readings()
                assert all(isinstance(one, SensorReading) for one in readings_of_sensors)
                sensed += len(readings_of_sensors)
                told += bus._tracker.state is not None and bus._tracker.state.number == asked
                fault = liveness.check(readings, line.now)
                assert fault is None or isinstance(fault, BusFault)
        except BusFault:
            stops += 1
    assert told > 0.1 * frames
    assert stops > 0.01 * frames
    assert sensed > 0.01 * frames
