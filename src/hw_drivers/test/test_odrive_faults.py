"""Whatever goes wrong with an ODrive is one sentence with its remedy: before torque a UserError, after it a fault."""

import errno
from dataclasses import replace

import can
import numpy as np
import pytest
from odrive_bench import SETTINGS, Bench, crank

from crawler_core.errors import UserError
from hw_drivers.bus.bus import BusFault
from hw_drivers.odrive import messages
from hw_drivers.odrive.codec import CanFrame
from hw_drivers.odrive.error_flags import AXIS_ERRORS
from hw_drivers.odrive.odrive_bus import OdriveBus
from hw_drivers.ports import can_port
from hw_drivers.ports.can_port import CanPort

FLAG = {meaning.split("(")[1].rstrip(")"): bit for bit, (meaning, _) in AXIS_ERRORS.items()}
PAIR = (crank("left", 1), crank("right", 2))


@pytest.mark.parametrize(
    ("fault", "within", "said"),
    [
        ("lost", 0.35, "has not answered"),
        ("late", 0.35, "has not answered"),
        ("corrupt", 0.35, "has not answered"),
        ("truncated", 0.35, "has not answered"),
        ("dead", 0.35, "has not answered"),
        ("hot", 0.15, "the drive is too hot (INVERTER_OVER_TEMP)"),
        ("error", 0.15, "the gate driver reports a fault (DRV_FAULT)"),
    ],
)
def test_a_fault_of_one_drive_names_joint_cause_and_remedy(fault, within, said):
    with Bench(PAIR) as bench:
        bench.ready()
        bench.hold(0.5)
        assert bench.fault is None
        bench.emulator.inject(fault, "right")
        took = bench.hold(2.0)
        assert bench.fault is not None, "it was never noticed"
        assert took <= within
        assert bench.fault.joint == "right"
        assert said in str(bench.fault)
        assert " " in bench.fault.remedy


@pytest.mark.parametrize(
    ("fault", "said"),
    [("gone", "has failed: Network is down"), ("bus_off", "is bus-off: too many frames failed")],
)
def test_a_fault_of_the_bus_is_raised_by_the_cycle_and_ends_with_it(fault, said):
    with Bench(PAIR) as bench:
        bench.ready()
        bench.emulator.inject(fault)
        with pytest.raises(BusFault, match=said) as caught:
            bench.bus.read()
        assert "call reset and enable" in caught.value.remedy
        with pytest.raises(BusFault):
            bench.bus.write(np.zeros(2), np.zeros(2), np.full(2, np.nan))
        assert {fault.joint for fault in bench.bus.release()} == {"left", "right"}
        bench.sleep(1.0)
        assert bench.emulator.torque() == (False, False), "their watchdogs took the torque off"
        bench.emulator.inject("none")
        bench.bus.clear()
        bench.bus.enable()
        assert bench.emulator.torque() == (True, True)


def test_a_frame_that_left_is_not_life():
    with Bench() as bench:
        bench.ready()
        bench.emulator.inject("dead")
        sent = 0
        while bench.fault is None:
            bench.tick(0.5)  # raises nothing: the interface takes every frame
            sent += 1
            assert sent < 100
        assert bench.fault.joint == "crank"


def test_estimates_without_heartbeats_are_a_fault_too():
    with Bench(heartbeat_period=0.1) as bench:
        bench.ready()
        bench.axes[0]._due.pop(messages.Heartbeat)
        took = bench.hold(2.0)
        assert "no heartbeat from its ODrive, CAN node 1" in str(bench.fault)
        assert bench.fault.joint == "crank"
        assert "check the power of crank's drive" in bench.fault.remedy
        assert took == pytest.approx(SETTINGS.missed_heartbeats * SETTINGS.heartbeat_period, abs=0.05)


def test_a_drive_that_lost_its_angle_is_a_fault():
    with Bench(PAIR) as bench:
        bench.ready()
        bench.axes[1].turns = float("nan")
        bench.hold(1.0)
        assert bench.fault is not None
        assert bench.fault.joint == "right"


def test_a_short_gap_is_no_fault():
    with Bench() as bench:
        bench.ready()
        for _ in range(5):
            bench.emulator.inject("lost")
            bench.hold(0.03)
            bench.emulator.inject("none")
            bench.hold(0.3)
        assert bench.fault is None


def test_the_watchdogs_bite_is_told_while_there_ought_to_be_torque():
    with Bench() as bench:
        bench.ready()
        for _ in range(200):
            bench.look()
        assert "watchdog" in str(bench.fault)
        assert bench.fault.joint == "crank"


def test_torque_that_goes_off_by_itself_is_told():
    with Bench() as bench:
        bench.ready()
        bench.axes[0].state = messages.AxisState.IDLE
        bench.hold(1.0)
        assert "its torque went off by itself" in str(bench.fault)


def test_a_drive_that_missed_the_release_is_told_again():
    with Bench() as bench:
        bench.ready()
        bench.bus.release()
        bench.axes[0].state = messages.AxisState.CLOSED_LOOP_CONTROL
        for _ in range(60):
            bench.look()
        assert bench.emulator.torque() == (False,)


def _ignores_idle(axis, also=()):
    take = axis.handle

    def take_it(message, now):
        if not isinstance(message, (messages.SetAxisState, *also)):
            take(message, now)

    return take_it


def test_a_drive_that_ignores_the_release_gets_the_emergency_stop():
    with Bench(PAIR) as bench:
        bench.ready()
        bench.axes[1].handle = _ignores_idle(bench.axes[1])
        assert bench.bus.release() == ()
        assert bench.emulator.torque() == (False, False)


def test_torque_that_stays_on_after_all_is_told():
    with Bench(PAIR, watchdog=0.0) as bench:
        bench.ready()
        bench.axes[1].handle = _ignores_idle(bench.axes[1], (messages.Estop,))
        assert [one.joint for one in bench.bus.release()] == ["right"]
        for _ in range(100):
            bench.look()
        assert bench.fault is not None
        assert bench.fault.joint == "right"
        assert "its torque stays on although it was switched off" in str(bench.fault)
        assert bench.fault.remedy == "switch the power of the motors off"


@pytest.mark.parametrize("fault", ["dead", "lost", "corrupt"])
def test_torque_off_reaches_everyone_else_and_names_who_did_not_confirm(fault):
    joints = [crank(name, i + 1) for i, name in enumerate("abc")]
    with Bench(joints) as bench:
        bench.ready()
        bench.emulator.inject(fault, "b")
        failed = bench.bus.release()
        assert [one.joint for one in failed] == ["b"]
        assert "could not be switched off" in str(failed[0])
        assert failed[0].remedy == "switch the power of the motors off"
        assert bench.emulator.torque() == (False, False, False), "b did hear it, or is dead"


def test_torque_off_tries_every_drive_even_where_sending_fails(monkeypatch):
    with Bench([crank("a", 1), crank("b", 2), crank("c", 3)]) as bench:
        bench.ready()
        send = CanPort.send

        def stubborn(port: CanPort, frame: CanFrame) -> None:
            if frame.id >> 5 == 1:
                raise BusFault("the frame to node 1 is stuck", remedy="none")
            send(port, frame)

        monkeypatch.setattr(CanPort, "send", stubborn)
        failed = bench.bus.release()
        assert [one.joint for one in failed] == ["a"]
        assert bench.emulator.torque() == (True, False, False)


def test_a_drive_that_does_not_arm_leaves_all_without_torque():
    with Bench(PAIR) as bench:
        bench.ready(enable=False)
        bench.emulator.inject("dead", "right")
        with pytest.raises(BusFault, match="the torque of right does not come on") as caught:
            bench.bus.enable()
        assert caught.value.joint == "right"
        assert bench.emulator.torque() == (False, False)


def test_clear_brings_a_drive_back_that_has_cooled_down_and_not_a_hot_one():
    with Bench() as bench:
        bench.ready()
        bench.emulator.inject("hot")
        bench.hold(1.0)
        assert bench.fault
        with pytest.raises(BusFault, match="too hot"):
            bench.bus.clear()
        bench.emulator.inject("none")
        bench.bus.clear()
        bench.bus.enable()
        bench.fault = None
        bench.hold(0.5)
        assert bench.fault is None
        assert bench.emulator.torque() == (True,)


def test_clear_reboots_a_drive_whose_firmware_failed():
    with Bench() as bench:
        bench.ready()
        bench.axes[0].trip(FLAG["SYSTEM_LEVEL"])
        bench.axes[0].handle = _stubborn(bench.axes[0], FLAG["SYSTEM_LEVEL"])
        bench.hold(1.0)
        assert "SYSTEM_LEVEL" in str(bench.fault)
        bench.bus.clear()
        bench.bus.enable()
        assert bench.emulator.torque() == (True,)


def _stubborn(axis, flag):
    """An error that clearing does not clear, only a reboot."""
    take = axis.handle

    def take_it(message, now):
        take(message, now)
        if isinstance(message, messages.ClearErrors):
            axis.trip(flag)

    return take_it


# before torque


def _refusal(bench: Bench) -> str:
    with pytest.raises(UserError) as refused:
        bench.bus.configure(bench.joints)
    said = str(refused.value)
    assert "\n" not in said
    assert said.endswith(".")
    assert not any(bench.emulator.torque())
    return said


def test_a_missing_node_is_told_with_those_that_are_there():
    with Bench([crank("left", 1), crank("right", 2)]) as bench:
        bench.joints[1] = crank("right", 9)
        assert _refusal(bench) == (
            f"the ODrive of right, CAN node 9, does not answer on {bench.emulator.port}, but there are nodes 1, 2: "
            "set its node_id, or hardware.joints.right.id."
        )


def test_an_empty_bus_is_told():
    with Bench() as bench:
        bench.emulator.inject("dead")
        assert "nor does any other: check the cable, the terminators" in _refusal(bench)


def test_two_drives_with_one_node_id_are_told_by_their_serial_numbers():
    with Bench(twins=[1]) as bench:
        said = _refusal(bench)
        assert "several ODrives" in said
        assert "000000000000 and 020000000001" in said


def test_an_old_firmware_is_told():
    with Bench(firmware=(0, 5, 6)) as bench:
        assert "has firmware 0.5.6, but 0.6 is needed" in _refusal(bench)


def test_an_error_that_the_drive_already_has_is_told():
    with Bench() as bench:
        bench.axes[0].trip(FLAG["DC_BUS_UNDER_VOLTAGE"])
        said = _refusal(bench)
        assert "the supply voltage is too low (DC_BUS_UNDER_VOLTAGE)" in said
        assert "charge the battery" in said


def test_a_drive_without_heartbeats_is_told():
    with Bench(heartbeat_period=1e9) as bench:
        bench.axes[0]._due.pop(messages.Heartbeat)
        assert "sends no heartbeat" in _refusal(bench)


def test_a_limit_out_of_range_is_told_before_anything_is_sent():
    with Bench() as bench:
        bench.joints[0] = crank(max_current=1.0)
        assert "max_current is 1 A" in _refusal(bench)


@pytest.mark.parametrize(
    ("port", "said"),
    [
        ("nonsense:0", "python-can has no interface 'nonsense'"),
        ("can99", "there is no CAN interface 'can99': plug the adapter in, and run 'sudo ip link set can99 up"),
    ],
)
def test_a_wrong_interface_is_one_sentence(port, said):
    bus = OdriveBus("can", replace(SETTINGS, port=port))
    with pytest.raises(UserError) as refused:
        bus.open()
    assert said in str(refused.value)
    with pytest.raises(BusFault, match="is not open"):
        bus.read()
    bus.close()
    bus.close()


def test_an_interface_that_is_down_is_one_sentence(monkeypatch, tmp_path):
    (tmp_path / "can0").mkdir()
    (tmp_path / "can0/flags").write_text("0x40080\n")
    monkeypatch.setattr(can_port, "NET_SYSFS", tmp_path)
    with pytest.raises(UserError, match="the CAN interface can0 is down: run 'sudo ip link set can0 up"):
        CanPort("can0", 250_000).open()


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.EAFNOSUPPORT, "Address family not supported by protocol"), "this kernel has no SocketCAN"),
        (PermissionError(errno.EPERM, "Operation not permitted"), "can0 may not be opened"),
        (can.CanInitializationError("slcan says no", error_code=None), "cannot be opened (slcan says no)"),
    ],
)
def test_an_interface_that_cannot_be_opened_is_one_sentence(monkeypatch, tmp_path, error, said):
    (tmp_path / "can0").mkdir()
    (tmp_path / "can0/flags").write_text("0x40081\n")
    monkeypatch.setattr(can_port, "NET_SYSFS", tmp_path)

    def refuse(**_):
        raise error

    monkeypatch.setattr(can, "Bus", refuse)
    with pytest.raises(UserError) as refused:
        CanPort("can0", 250_000).open()
    assert said in str(refused.value)


def test_nobody_on_the_bus_is_told_as_such():
    with Bench() as bench:
        bench.ready()
        bench.emulator.inject("bus_off")
        with pytest.raises(BusFault, match="no node acknowledges its frames") as caught:
            bench.bus.keep_alive()
        assert "terminators" in caught.value.remedy
