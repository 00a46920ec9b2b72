"""Keys, gamepads and the terminal of `crawler drive`."""

import os
import termios
from types import SimpleNamespace
from typing import Any

import pytest

from crawler_cli.commands.drive import wanted_velocity
from crawler_cli.driving.gamepad import AXIS, BUTTON, EVENT, INITIAL, Gamepad, GamepadEvents
from crawler_cli.driving.key_steering import FIRST_HOLD_S, REPEAT_HOLD_S, Action, KeySteering
from crawler_cli.driving.key_terminal import KeyTerminal
from crawler_core.errors import UserError

UP, DOWN, RIGHT, LEFT = (b"\x1b[" + letter for letter in (b"A", b"B", b"C", b"D"))


def test_a_held_key_goes_on_and_a_released_one_stops():
    keys = KeySteering()
    keys.feed(UP, 10.0)
    assert keys.direction(10.0 + FIRST_HOLD_S - 0.01) == (1, 0)  # the terminal has not repeated it yet
    assert keys.direction(10.0 + FIRST_HOLD_S + 0.01) == (0, 0)
    for k in range(20):  # 0.5 s, then 30 a second
        keys.feed(UP, 20.0 + (k and 0.5 + k / 30))
    end = 20.0 + 0.5 + 19 / 30
    assert keys.direction(end + REPEAT_HOLD_S - 0.01) == (1, 0)
    assert keys.direction(end + REPEAT_HOLD_S + 0.01) == (0, 0)


@pytest.mark.parametrize(
    ("data", "direction"),
    [
        (b"w", (1, 0)),
        (b"S", (-1, 0)),
        (LEFT, (0, 1)),
        (UP + LEFT, (1, 1)),  # a curve
        (DOWN + RIGHT, (-1, -1)),
        (UP + LEFT + UP, (1, 0)),  # straight on again
        (UP + b" ", (0, 0)),
        (UP + b"x", (0, 0)),  # any other key stops
        (UP + b"e", (0, 0)),
        (b"\x1bOA", (1, 0)),  # as some terminals send it
    ],
)
def test_keys_are_directions(data, direction):
    keys = KeySteering()
    keys.feed(data, 1.0)
    assert keys.direction(1.0) == direction


def test_a_cursor_key_may_come_in_pieces():
    keys = KeySteering()
    assert [keys.feed(UP[i : i + 1], 1.0) for i in range(3)] == [[], [], []]
    assert keys.direction(1.0) == (1, 0)


def test_actions_and_the_share_of_the_speed():
    keys = KeySteering()
    assert keys.feed(b"++++++++eq", 0.0) == [Action.ESTOP, Action.QUIT]
    assert keys.share == 1.0
    keys.feed(b"-" * 20, 0.0)
    assert keys.share == pytest.approx(0.1)


def test_the_share_is_of_the_robots_own_range():
    limits = {"fastest_forward": 0.2, "fastest_backward": 0.1, "fastest_yaw": 2.0}

    client: Any = SimpleNamespace(limit=limits.get)

    assert wanted_velocity(client, 0.5, 1.0, -1.0) == pytest.approx((0.1, -1.0))
    assert wanted_velocity(client, 1.0, -1.0, 0.0) == pytest.approx((-0.1, 0.0))


def event(kind, number, value):
    return EVENT.pack(1234, value, kind, number)


def test_the_left_stick_of_a_gamepad_drives_and_a_button_stops():
    pad = GamepadEvents()
    data = event(AXIS | INITIAL, 1, 0) + event(AXIS, 1, -32767) + event(AXIS, 0, 32767) + event(AXIS, 3, 32767)
    assert pad.feed(data[:13]) == []  # half an event waits for the rest of it
    assert pad.feed(data[13:]) == []
    assert pad.direction == (1.0, -1.0)
    pad.feed(event(AXIS, 1, 3000) + event(AXIS, 0, -3000))
    assert pad.direction == (0.0, 0.0)  # a stick at rest is never quite at 0
    assert pad.feed(event(BUTTON | INITIAL, 1, 1) + event(BUTTON, 0, 1)) == []
    assert pad.feed(event(BUTTON, 1, 1)) == [Action.ESTOP]


def test_a_file_is_no_gamepad(tmp_path):
    (tmp_path / "js0").write_bytes(b"")
    os.mkfifo(tmp_path / "js1")
    for name in ("js0", "js1", "js2"):
        with pytest.raises(UserError, match=name):
            Gamepad(str(tmp_path / name))


def test_the_terminal_is_restored_and_its_end_is_seen():
    main, terminal = os.openpty()
    before = termios.tcgetattr(terminal)

    def fail():
        with KeyTerminal(terminal) as keys:
            os.write(main, b"w")
            assert keys.read(5.0) == b"w"  # without a line's end
            assert keys.read(0.0) == b""
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert termios.tcgetattr(terminal) == before
    with KeyTerminal(terminal) as keys:
        os.close(main)
        assert keys.read(5.0) is None
    os.close(terminal)


def test_a_pipe_is_no_terminal():
    reader, writer = os.pipe()
    with pytest.raises(UserError, match="no terminal to read keys from"):
        KeyTerminal(reader)
    os.close(reader)
    os.close(writer)
