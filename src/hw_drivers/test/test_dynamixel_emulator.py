"""The emulator behind the maker's own SDK: a second implementation of the protocol, on the same pseudo-terminal."""

import math
import time

import pytest
from hw_robots import wait_for

from crawler_core.reality.reality import Reality
from hw_drivers.dynamixel import tables as t
from hw_drivers.dynamixel.emulated_servo import EmulatedServo
from hw_drivers.dynamixel.emulator import DynamixelEmulator

sdk = pytest.importorskip("dynamixel_sdk")
MODEL = t.MODELS["XM430-W210"]


@pytest.fixture
def bus():
    emulator = DynamixelEmulator([EmulatedServo(i, MODEL, math.pi, time.monotonic()) for i in (1, 2, 7)])
    port, handler = sdk.PortHandler(emulator.port), sdk.PacketHandler(2.0)
    assert port.openPort()
    assert port.setBaudRate(1_000_000)
    yield emulator, port, handler
    port.closePort()
    emulator.close()


def patiently(call):
    """The SDK gives up after milliseconds of wall time, which a busy machine may take: ask again."""
    results = []

    def succeeded():
        results.append(call())
        return results[-1][-2] == sdk.COMM_SUCCESS

    wait_for(succeeded)
    return results[-1]


def test_the_sdk_finds_the_servos(bus):
    _, port, handler = bus
    for ident in (1, 2, 7):
        assert patiently(lambda ident=ident: handler.ping(port, ident))[0] == MODEL.number
    found = []
    wait_for(lambda: found.append(handler.broadcastPing(port)[0]) or len(found[-1]) == 3)
    assert {ident: model for ident, (model, _) in found[-1].items()} == dict.fromkeys((1, 2, 7), MODEL.number)


def test_the_sdk_turns_a_servo(bus):
    emulator, port, handler = bus
    patiently(lambda: handler.write1ByteTxRx(port, 2, t.TORQUE.address, 1))
    assert emulator.torque() == (False, True, False)
    patiently(lambda: handler.write4ByteTxRx(port, 2, t.GOAL_POSITION.address, 2500))

    def position():
        return patiently(lambda: handler.read4ByteTxRx(port, 2, t.PRESENT_POSITION.address))[0]

    wait_for(lambda: position() == 2500)
    assert emulator.servos[0].motor.angle == math.pi


def test_the_sdks_groups_read_and_write_all_at_once(bus):
    _, port, handler = bus
    goals = sdk.GroupSyncWrite(port, handler, t.GOAL_POSITION.address, 4)
    for ident, goal in ((1, 2100), (7, 1900)):
        goals.addParam(ident, t.GOAL_POSITION.pack(goal))
    assert goals.txPacket() == sdk.COMM_SUCCESS
    asked = sdk.GroupSyncRead(port, handler, t.GOAL_POSITION.address, 4)
    for ident in (1, 2, 7):
        asked.addParam(ident)
    wait_for(lambda: asked.txRxPacket() == sdk.COMM_SUCCESS)
    assert [asked.getData(ident, t.GOAL_POSITION.address, 4) for ident in (1, 2, 7)] == [2100, 2048, 1900]


@pytest.mark.parametrize(
    ("register", "value", "error"),
    [
        (t.MODEL_NUMBER, 5, t.ACCESS_ERROR),  # read only
        (t.OPERATING_MODE, 4, t.ACCESS_ERROR),  # kept memory, while the torque is on
        (t.GOAL_POSITION, 5000, t.LIMIT_ERROR),  # beyond a turn
    ],
)
def test_what_a_servo_refuses_it_says(bus, register, value, error):
    _, port, handler = bus
    patiently(lambda: handler.write1ByteTxRx(port, 1, t.TORQUE.address, 1))
    write = {1: handler.write1ByteTxRx, 2: handler.write2ByteTxRx, 4: handler.write4ByteTxRx}[register.size]
    assert patiently(lambda: write(port, 1, register.address, value))[-1] == error


def servo(now=0.0):
    return EmulatedServo(1, MODEL, math.pi, now)


def test_a_servo_without_packets_stops_where_it_is_and_takes_no_goals_until_its_watchdog_is_cleared():
    one = servo()
    one.write(t.TORQUE.address, b"\x01")
    one.write(t.WATCHDOG.address, bytes([5]))  # 0.1 s
    one.write(t.GOAL_POSITION.address, t.GOAL_POSITION.pack(4000))
    one.advance(0.09)
    moving = one.motor.rate
    one.advance(2.0)
    assert moving > 1.0
    assert one.get(t.WATCHDOG) == t.WATCHDOG_EXPIRED
    assert one.motor.rate == pytest.approx(0.0, abs=1e-6)
    assert one.motor.angle < 4000 * t.RAD_PER_TICK - 0.5
    assert one.torque  # it stops; nothing on this family takes the torque off
    assert one.write(t.GOAL_POSITION.address, t.GOAL_POSITION.pack(4000)) == t.RANGE_ERROR
    one.write(t.WATCHDOG.address, b"\x00")
    assert one.write(t.GOAL_POSITION.address, t.GOAL_POSITION.pack(4000)) == 0


def test_a_motor_comes_to_its_goal_as_a_critically_damped_one_does():
    one = EmulatedServo(1, MODEL, math.pi, 0.0, reality=Reality(bandwidth=40.0))
    one.write(t.TORQUE.address, b"\x01")
    one.write(t.GOAL_POSITION.address, t.GOAL_POSITION.pack(2048 + 20))
    one.advance(0.05)
    left = (2068 * t.RAD_PER_TICK - one.motor.angle) / (20 * t.RAD_PER_TICK)
    wt = 40.0 * 0.05
    assert left == pytest.approx((1 + wt) * math.exp(-wt), rel=1e-6)


def test_an_overheated_servo_lets_go_and_stays_so_until_a_reboot_when_cool():
    one = servo()
    one.write(t.TORQUE.address, b"\x01")
    one.overheat()
    assert not one.torque
    assert one.write(t.TORQUE.address, b"\x01") != 0
    one.revive()
    assert t.HARDWARE_ERRORS.explain(one.get(t.HARDWARE_ERROR))[0] == ("overheating",)
    one._power_on()
    assert one.write(t.TORQUE.address, b"\x01") == 0
