"""The board's firmware on this computer: the same C++ as on a board, compiled once, called without a clock."""

from __future__ import annotations

import ctypes
import hashlib
import os
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory

from crawler_core.errors import UserError

COMPILER_FLAGS = ("-std=c++17", "-O2", "-fno-exceptions", "-fno-rtti")
LIBRARY_FLAGS = (*COMPILER_FLAGS, "-fPIC", "-shared")
SEND_BUFFER_BYTES = 4096


class Sensors(ctypes.Structure):
    """The values of a motor's sensors: crawler_in of firmware/host/library.h. A missing sensor has NaN."""

    _fields_ = (
        ("count", ctypes.c_int32),  # of a quadrature encoder since the start, of an absolute one within its turn
        ("index_count", ctypes.c_int32),  # where the index passed last
        ("index_pulses", ctypes.c_uint32),  # number of its passes
        ("current", ctypes.c_float),  # A
        ("temperature", ctypes.c_float),  # °C
        ("encoder_ok", ctypes.c_uint8),
        ("pad", ctypes.c_uint8 * 3),
    )
    count: int
    index_count: int
    index_pulses: int
    current: float
    temperature: float
    encoder_ok: int


class Bridge(ctypes.Structure):
    """The drive of a motor: crawler_out of firmware/host/library.h."""

    _fields_ = (("volts", ctypes.c_float), ("closed", ctypes.c_uint8), ("pad", ctypes.c_uint8 * 3))
    volts: float
    closed: int  # 0: the bridge is open, and the motor coasts


class FirmwareSensors(ctypes.Structure):
    """Measurements of the sensors beside the motors: crawler_world of firmware/host/library.h."""

    _fields_ = (
        ("angular", ctypes.c_float * 3),  # rad/s, in the IMU's axes
        ("linear", ctypes.c_float * 3),  # m/s²
        ("sample", ctypes.c_uint32),  # another number is a new measurement of the IMU
        ("volts", ctypes.c_float * 8),  # at the analogue inputs
        ("imu", ctypes.c_uint8),  # 0: none, 1: an LSM6DSO, 2: its cable is off, 3: another part is in its place
        ("inputs", ctypes.c_uint8),  # number of analogue inputs
        ("switches", ctypes.c_uint8),  # number of switches
        ("closed", ctypes.c_uint8),  # bit 0: the first switch
    )
    sample: int
    imu: int
    inputs: int
    switches: int
    closed: int


class Firmware:
    """One board since its start. The caller is its clock: `tick` once a millisecond."""

    def __init__(self, boot: int, motors: int, name: str) -> None:
        """`boot` is a new number at each start. Raises UserError where the firmware cannot be compiled."""
        self._library = library()
        self._board = self._library.crawler_board_make(boot, motors, name.encode())
        self.sensors = (Sensors * motors)()
        self.bridges = (Bridge * motors)()
        self._sent = ctypes.create_string_buffer(SEND_BUFFER_BYTES)

    def receive(self, data: bytes) -> None:
        self._library.crawler_board_receive(self._board, data, len(data))

    def send(self) -> bytes:
        size = self._library.crawler_board_send(self._board, self._sent, SEND_BUFFER_BYTES)
        return self._sent.raw[:size]

    def sense(self, world: FirmwareSensors) -> None:
        """Set what the sensors beside the motors measure from now on; there are none before."""
        self._library.crawler_board_sense(self._board, world)

    def tick(self, microseconds: int, supply: float, stop: bool = False) -> None:
        """Run its loop once at its clock's time: read `sensors` and drive `bridges`. `supply` in V."""
        self._library.crawler_board_tick(
            self._board, microseconds & 0xFFFFFFFF, self.sensors, self.bridges, supply, int(stop)
        )

    @property
    def wants_reboot(self) -> bool:
        """True after a command to restart."""
        return bool(self._library.crawler_board_wants_reboot(self._board))

    @property
    def led(self) -> bool:
        return bool(self._library.crawler_board_led(self._board))

    def close(self) -> None:
        """Free its memory. May be called twice."""
        board, self._board = self._board, None
        if board:
            self._library.crawler_board_free(board)

    def __del__(self) -> None:
        self.close()


@cache
def library() -> ctypes.CDLL:
    """Load the firmware as a shared library. Raises UserError."""
    found = ctypes.CDLL(str(compiled("board.so", [*core(), sources() / "host" / "library.cpp"], LIBRARY_FLAGS)))
    found.crawler_board_make.restype = ctypes.c_void_p
    found.crawler_board_make.argtypes = (ctypes.c_uint32, ctypes.c_int, ctypes.c_char_p)
    found.crawler_board_free.argtypes = (ctypes.c_void_p,)
    found.crawler_board_receive.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int)
    found.crawler_board_send.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int)
    found.crawler_board_sense.argtypes = (ctypes.c_void_p, ctypes.POINTER(FirmwareSensors))
    found.crawler_board_tick.argtypes = (
        ctypes.c_void_p,
        ctypes.c_uint32,
        ctypes.POINTER(Sensors),
        ctypes.POINTER(Bridge),
        ctypes.c_float,
        ctypes.c_int,
    )
    found.crawler_board_wants_reboot.argtypes = found.crawler_board_led.argtypes = (ctypes.c_void_p,)
    return found


def realtime() -> Path:
    """Return the firmware as a real-time program with emulated motors on a pseudo-terminal. Raises UserError."""
    host = sources() / "host"
    return compiled("realtime", [*core(), host / "library.cpp", host / "realtime.cpp"], COMPILER_FLAGS)


def sources() -> Path:
    """Return the firmware's folder: beside this package in a checkout, in its share folder where it is installed."""
    beside = Path(__file__).resolve().parents[2] / "firmware"
    if beside.is_dir():
        return beside
    try:
        return Path(get_package_share_directory("hw_drivers")) / "firmware"
    except PackageNotFoundError:
        raise UserError("the firmware's sources are missing: build the workspace again.") from None


def compiled(name: str, units: Sequence[Path], flags: Sequence[str]) -> Path:
    """Compile `units` to a file `name` with a digest of its sources, unless that is done. Raises UserError."""
    compiler = os.environ.get("CXX", "c++")
    headers = sorted(sources().glob("*/*.h"))
    text = b"".join(file.read_bytes() for file in (*units, *headers)) + " ".join((compiler, *flags)).encode()
    stem, _, suffix = name.partition(".")
    home = _home()
    target = home / f"{stem}-{hashlib.sha256(text).hexdigest()[:16]}{suffix and '.' + suffix}"
    if target.exists():
        return target
    home.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home) as directory:
        made = Path(directory) / name
        try:
            subprocess.run([compiler, *flags, "-o", str(made), *map(str, units)], check=True, capture_output=True)
        except FileNotFoundError:
            raise UserError(
                f"an emulated board needs a compiler, and '{compiler}' is missing: install g++, or name one in CXX."
            ) from None
        except subprocess.CalledProcessError as error:
            first = (error.stderr.decode(errors="replace").strip().splitlines() or ["no message"])[0]
            raise UserError(
                f"the firmware cannot be compiled by '{compiler}' ({first}): name another compiler in CXX."
            ) from None
        made.replace(target)  # a process that compiles it at the same time makes the same
    for old in home.glob(f"{stem}-*"):
        if old != target:
            old.unlink(missing_ok=True)
    return target


def core() -> list[Path]:
    """Return the units of the firmware that are the same on every board."""
    return sorted((sources() / "core").glob("*.cpp"))


def _home() -> Path:
    """Return the folder of compiled files: beside this module, or in the user's cache where that is read-only."""
    here = Path(__file__).resolve().parent
    if os.access(here, os.W_OK):
        return here / "__pycache__"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "crawler"
