"""The register model against the data sheet's rules, and against arbitrary transfers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hw_drivers.pca9685 import registers as r
from hw_drivers.pca9685.emulated_pwm_board import EmulatedPwmBoard
from hw_drivers.pca9685.pwm_board import PwmBoard


class Wire:
    """A port that leads straight to the registers, and remembers what was written."""

    path = "wire"

    def __init__(self, board):
        self.board = board
        self.written = []

    def read(self, address, register, length):
        return self.board.read(register, length)

    def write(self, address, register, data):
        self.written.append((register, data.hex()))
        self.board.write(register, data)


@pytest.fixture
def chip():
    return EmulatedPwmBoard()


@pytest.fixture
def wire(chip):
    return Wire(chip)


@pytest.fixture
def board(wire):
    return PwmBoard(wire, 0x40, sleep=lambda seconds: None)


def test_after_power_on_it_sleeps_and_gives_nothing(chip):
    assert chip.read(r.MODE1, 1) == b"\x11"
    assert chip.read(r.PRE_SCALE, 1) == b"\x1e"
    assert all(chip.pulse(channel) is None for channel in range(16))


def test_the_prescaler_takes_values_in_sleep_only(chip):
    chip.write(r.PRE_SCALE, b"\x79")
    assert chip.read(r.PRE_SCALE, 1) == b"\x79"
    chip.write(r.MODE1, bytes([r.AUTO_INCREMENT]))
    chip.write(r.PRE_SCALE, b"\x40")
    assert chip.read(r.PRE_SCALE, 1) == b"\x79"


def test_blocks_need_auto_increment(chip):
    chip.write(r.led(0), b"\x01\x02\x03\x04")
    assert chip.read(r.led(0) + 1, 1) == b"\x00"
    chip.write(r.MODE1, bytes([r.AUTO_INCREMENT]))
    chip.write(r.led(0), b"\x01\x02\x03\x04")
    assert chip.read(r.led(0), 4) == b"\x01\x02\x03\x04"


def test_setting_up_stops_everything_first_and_sets_the_prescaler_in_sleep(chip, wire, board):
    board.start(0x79)
    assert wire.written[0] == (r.ALL_LED_OFF_H, "10")
    assert wire.written.index((r.PRE_SCALE, "79")) > wire.written.index((r.MODE1, "30"))
    assert board.is_awake()
    assert chip.period() == pytest.approx(0.02, rel=1e-3)
    assert chip.read(r.MODE2, 1) == bytes([r.TOTEM_POLE])


def test_a_pulse_comes_out_as_it_was_written(chip, board):
    board.start(0x79)
    board.write({3: bytes([0, 0, 0x33, 0x01])})
    assert chip.pulse(3) == pytest.approx(307 * 4.88e-6)
    assert chip.pulse(2) is None
    board.off(3)
    assert chip.pulse(3) is None


def test_sleep_stops_the_pulses_and_waking_restarts_them(chip, board):
    board.start(0x79)
    board.write({0: bytes([0, 0, 0x33, 0x01])})
    chip.write(r.MODE1, bytes([r.AUTO_INCREMENT | r.SLEEP]))
    assert chip.pulse(0) is None
    assert chip.read(r.MODE1, 1)[0] & r.RESTART
    board.wake()
    assert chip.pulse(0) == pytest.approx(307 * 4.88e-6)
    assert not chip.read(r.MODE1, 1)[0] & r.RESTART


def test_all_off_is_one_byte_and_wins_over_full_on(chip, wire, board):
    board.start(0x79)
    board.write({channel: bytes([0, 0x10, 0, 0]) for channel in range(16)})
    wire.written.clear()
    board.all_off()
    assert wire.written == [(r.ALL_LED_OFF_H, "10")]
    assert all(board.channel(channel)[3] & r.FULL for channel in range(16))


def test_neighbours_share_a_transfer_of_no_more_than_32_bytes(wire, board):
    board.start(0x79)
    wire.written.clear()
    board.write({channel: bytes([0, 0, channel, 1]) for channel in [*range(10), 12, 15]})
    assert [(register, len(data) // 2) for register, data in wire.written] == [
        (r.led(0), 32),
        (r.led(8), 8),
        (r.led(12), 4),
        (r.led(15), 4),
    ]
    assert all(board.channel(channel)[2] == channel for channel in [*range(10), 12, 15])


@given(st.lists(st.tuples(st.integers(0, 255), st.binary(max_size=40)), max_size=20), st.integers(0, 255))
def test_no_transfer_breaks_the_model_or_the_way_to_switch_off(transfers, register):
    chip = EmulatedPwmBoard()
    for start, data in transfers:
        chip.write(start, data)
    assert len(chip.read(register, 40)) == 40
    for channel in range(16):
        pulse = chip.pulse(channel)
        assert pulse is None or 0.0 < pulse < chip.period()
    chip.write(r.ALL_LED_OFF_H, bytes([r.FULL]))
    assert all(chip.pulse(channel) is None for channel in range(16))


def test_a_chip_that_is_another_is_told_apart(chip, board):
    assert board.is_pca9685()
    chip.write(r.ALLCALLADR, b"\x00")
    assert not board.is_pca9685()
