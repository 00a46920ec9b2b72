"""docs/board_protocol.md says byte for byte what the firmware and the driver's codec do."""

import re
from pathlib import Path

from firmware_bench import BOOT

from hw_drivers.board import messages as m
from hw_drivers.board.codec import PacketParser, open_packet
from hw_drivers.board.firmware import Firmware, FirmwareSensors

PAGE = (Path(__file__).parents[3] / "docs/board_protocol.md").read_text()
PRINTED = re.findall(
    r"^([A-Z_]+)\b[^\n]*Session (0x[0-9A-F]{8}|0):\n\n((?:    [0-9a-f ]+\n?)+)", PAGE, flags=re.MULTILINE
)
FRAMES = [(name, int(session, 16), bytes.fromhex("".join(lines.split()))) for name, session, lines in PRINTED]


def test_the_firmware_holds_the_printed_conversation_byte_for_byte():
    firmware = Firmware(BOOT, 4, "bench")
    for sensors in firmware.sensors:
        sensors.encoder_ok, sensors.current, sensors.temperature = 1, float("nan"), float("nan")
    first = firmware.sensors[0]
    first.count, first.current, first.temperature = 8192, 1.5, 31.0
    firmware.sensors[2].count = 5
    world = FirmwareSensors(imu=1, inputs=2, switches=1, closed=1)
    world.angular[:], world.linear[:], world.volts[0] = (0.1, -0.2, 2.0), (0.0, -1.5, 9.81), 1.65

    def tick():
        world.sample += 1
        firmware.sense(world)
        firmware.tick(1_000_000, 7.4)

    said = b""
    heard = 0
    tick()
    firmware.send()  # that it has no session yet
    for name, _, printed in FRAMES:
        (packet,) = PacketParser().feed(printed)
        if packet[0] >= 0x80:
            assert said == printed, name
            said, heard = b"", heard + 1
        else:
            assert said == b"", name
            firmware.receive(printed)
            said = firmware.send()
            tick()
    assert said == b""
    assert heard == 13
    assert firmware.wants_reboot
    firmware.close()


def test_the_codec_opens_every_printed_frame_in_its_session_and_in_no_other():
    for name, session, printed in FRAMES:
        (packet,) = PacketParser().feed(printed)
        assert open_packet(packet, session) is not None, name
        assert open_packet(packet, session ^ 1) is None, name


def test_every_table_of_the_page_has_the_numbers_that_the_driver_uses():
    rows = re.findall(r"^\| (0x[0-9A-F]+|\d+) \| ([A-Z_]+) \|", PAGE, flags=re.MULTILINE)
    known = {
        (member.name, member.value)
        for kind in (m.MotorFlag, m.MotorMode, m.Code, m.BoardFault, m.MotorFault)
        for member in kind
    }
    messages = {
        (re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).upper(), kind.type)
        for kind in (
            m.Hello,
            m.ConfigureBoard,
            m.ConfigureMotor,
            m.Arm,
            m.Disarm,
            m.Reset,
            m.Estop,
            m.FindIndex,
            m.Reboot,
            m.ConfigureSensors,
            m.Setpoints,
            m.Poll,
        )
    }
    assert {(name, int(number, 0)) for number, name in rows} == known | messages
