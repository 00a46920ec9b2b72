"""Opening a port: one sentence with the remedy for whatever is in the way."""

import errno
import os
import select
import termios
import time

import pytest
from hw_robots import wait_for

from crawler_core.errors import UserError
from hw_drivers.bus.bus import BusFault
from hw_drivers.ports.emulated_serial_port import EmulatedSerialPort
from hw_drivers.ports.serial_port import SerialPort, check_latency, group_of, open_error


@pytest.fixture
def terminal():
    master, slave = os.openpty()
    yield master, os.ttyname(slave)
    for end in (master, slave):
        os.close(end)


def refusal(path):
    with pytest.raises(UserError) as caught:
        SerialPort(path, 1_000_000).open()
    return str(caught.value)


def test_a_port_that_is_missing_or_no_port_is_refused(tmp_path):
    assert refusal("/dev/ttyNowhere").startswith("there is no port /dev/ttyNowhere: ")
    plain = tmp_path / "file"
    plain.write_text("")
    assert "is no serial port" in refusal(str(plain))
    assert "is no serial port" in refusal("/dev/null")


def test_a_port_that_another_program_uses_is_refused(terminal):
    first = SerialPort(terminal[1], 57600)
    first.open()
    try:
        assert "another program uses the port" in refusal(terminal[1])
    finally:
        first.close()


def test_without_permission_the_group_to_join_is_named(tmp_path):
    # whoever runs this may be root, whom no permission keeps out: so the error is made by hand
    said = str(open_error("/dev/ttyGone", 57600, PermissionError(errno.EACCES, "Permission denied")))
    assert "sudo usermod -a -G dialout $USER" in said
    import grp

    port = tmp_path / "port"
    port.write_text("")
    assert group_of(str(port)) == grp.getgrgid(port.stat().st_gid).gr_name


def test_an_adapter_that_holds_bytes_back_is_refused_with_the_command_that_helps(tmp_path):
    timer = tmp_path / "ttyUSB7" / "latency_timer"
    timer.parent.mkdir()
    timer.write_text("16\n")
    with pytest.raises(UserError, match="holds bytes back for 16 ms") as caught:
        check_latency("/dev/ttyUSB7", tmp_path)
    assert f"echo 1 | sudo tee {timer}" in str(caught.value)
    timer.write_text("1\n")
    check_latency("/dev/ttyUSB7", tmp_path)
    check_latency("/dev/ttyACM0", tmp_path)  # has no such timer


def test_bytes_go_both_ways_and_a_deadline_ends_the_wait(terminal):
    master, path = terminal
    port = SerialPort(path, 1_000_000)
    port.open()
    try:
        assert port.read(0.0) == b""
        os.write(master, b"\xff\xfd\x00\x11\x13")  # nothing of it means anything to a terminal
        assert port.read(time.monotonic() + 60.0) == b"\xff\xfd\x00\x11\x13"
        port.write(b"\x03\x04\r\n")
        assert os.read(master, 10) == b"\x03\x04\r\n"
    finally:
        port.close()


def test_a_port_that_vanishes_while_it_is_set_up_is_refused_and_while_its_rate_changes_is_a_fault(
    terminal, monkeypatch
):
    def vanished(*_):
        raise termios.error(errno.EIO, "Input/output error")  # no OSError

    port = SerialPort(terminal[1], 1_000_000)
    port.open()
    monkeypatch.setattr(termios, "tcsetattr", vanished)
    with pytest.raises(BusFault, match="is gone: input/output error"):
        port.set_baud(57_600)
    port.close()
    assert "cannot be opened" in refusal(terminal[1])


def test_a_port_that_hangs_up_is_a_fault():
    master, slave = os.openpty()
    port = SerialPort(os.ttyname(slave), 1_000_000)
    port.open()
    os.close(slave)
    os.close(master)
    with pytest.raises(BusFault, match="is gone") as caught:
        port.read(time.monotonic() + 60.0)
    assert "plug the adapter in again" in caught.value.remedy
    with pytest.raises(BusFault, match="is gone"):
        port.write(b"x")
    port.close()
    port.close()
    with pytest.raises(BusFault, match="is not open"):
        port.write(b"x")


def test_an_emulated_port_knows_whether_the_kernel_is_behind_with_its_bytes():
    port = EmulatedSerialPort()
    try:
        assert not port.is_behind()
        ours, theirs = port._probe
        select.select([ours], [], [])
        os.read(ours, 1)  # as if it had not come yet
        for _ in range(3):
            assert port.is_behind()
        os.write(theirs, b"?")
        wait_for(lambda: not port.is_behind())
    finally:
        port.close()
        port.close()
