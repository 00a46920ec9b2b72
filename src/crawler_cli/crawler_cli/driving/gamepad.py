"""A gamepad by the joystick interface of Linux: events of eight bytes."""

from __future__ import annotations

import glob
import os
import stat
import struct

from crawler_cli.driving.key_steering import Action
from crawler_core.errors import UserError

PATTERN = "/dev/input/js*"
EVENT = struct.Struct("<IhBB")  # time in ms, value, kind, number
BUTTON, AXIS, INITIAL = 0x01, 0x02, 0x80
LEFT_STICK_X, LEFT_STICK_Y = 0, 1  # axes; right and down are positive
ESTOP_BUTTON = 1  # B, or the circle
FULL_SCALE = 32767
DEAD_ZONE = 0.15  # of an axis, in which a stick counts as released
READ_BYTES = 64 * EVENT.size


class Gamepad:
    """The left stick as a direction, and the emergency stop of a button."""

    def __init__(self, path: str) -> None:
        """Open the device. Raises UserError where it is none."""
        self.path = path
        try:
            self._file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            raise UserError(f"the gamepad {path} cannot be opened: {error.strerror}.") from None
        if not stat.S_ISCHR(os.fstat(self._file).st_mode):
            os.close(self._file)
            raise UserError(f"{path} is no gamepad: it must be a device such as /dev/input/js0.")
        self._events = GamepadEvents()

    def close(self) -> None:
        os.close(self._file)

    @property
    def direction(self) -> tuple[float, float]:
        """Return the direction forward and to the left, -1 to 1 each."""
        return self._events.direction

    def poll(self) -> list[Action]:
        """Read what has come. Raises UserError where the gamepad has gone."""
        try:
            data = os.read(self._file, READ_BYTES)
        except BlockingIOError:
            return []
        except OSError:
            data = b""
        if not data:
            raise UserError(f"the gamepad {self.path} is gone: the robot stops.")
        return self._events.feed(data)


class GamepadEvents:
    """The state of the axes by the events so far."""

    def __init__(self) -> None:
        self._axes: dict[int, float] = {}
        self._rest = b""

    @property
    def direction(self) -> tuple[float, float]:
        """Return the direction forward and to the left, -1 to 1 each."""
        forward, left = -self._axes.get(LEFT_STICK_Y, 0.0), -self._axes.get(LEFT_STICK_X, 0.0)
        return (_outside_dead_zone(forward), _outside_dead_zone(left))

    def feed(self, data: bytes) -> list[Action]:
        """Take bytes of the device; return the actions in them."""
        data = self._rest + data
        whole = len(data) - len(data) % EVENT.size
        self._rest = data[whole:]
        actions = []
        for _, value, kind, number in EVENT.iter_unpack(data[:whole]):
            if kind & ~INITIAL == AXIS:
                self._axes[number] = max(-1.0, value / FULL_SCALE)
            elif kind == BUTTON and number == ESTOP_BUTTON and value:
                actions.append(Action.ESTOP)
        return actions


def find_gamepad(path: str) -> Gamepad | None:
    """Return the gamepad at `path`, or the first one without a path; None where there is none."""
    paths = [path] if path else sorted(glob.glob(PATTERN))
    return Gamepad(paths[0]) if paths else None


def _outside_dead_zone(value: float) -> float:
    size = abs(value)
    return 0.0 if size < DEAD_ZONE else (1.0 if value > 0.0 else -1.0) * (size - DEAD_ZONE) / (1.0 - DEAD_ZONE)
