"""The driver on an emulated bus in virtual time: what it refuses before torque, and what it does when answers fail."""

import math
from dataclasses import replace

import numpy as np
import pytest

from crawler_core.errors import UserError
from hw_drivers.bus.bus import BusFault
from hw_drivers.bus.joint_map import JointMap
from hw_drivers.dynamixel import tables as t
from hw_drivers.dynamixel.dynamixel_bus import DynamixelBus
from hw_drivers.dynamixel.emulated_servo import EmulatedServo
from hw_drivers.dynamixel.emulator import DynamixelEmulator, emulate
from hw_drivers.dynamixel.settings import DynamixelJoint, DynamixelSettings
from hw_drivers.emulation.virtual_clock import VirtualClock

TURN_RAD = 2.0 * math.pi


def joint(number, **changes):
    """A joint with a map of its own: any direction, gear and zero."""
    made = JointMap(
        joint=f"joint_{number}",
        id=number,
        direction=1 if number % 2 else -1,
        gear=1.0,
        zero=math.pi + 0.1 * number,
        lower=-1.5,
        upper=1.5,
        velocity=3.0,
        effort=1.0,
        settings=DynamixelJoint(model="XM430-W350"),
    )
    return replace(made, **changes)


class Rig:
    """A driver, and the emulator that it drives."""

    def __init__(self, joints, settings=None, start=None):
        settings = settings or DynamixelSettings()
        self.joints = joints
        self.start = [0.1 * one.id for one in joints] if start is None else start
        self.clock = VirtualClock()
        self.emulator = emulate(settings, joints, self.start, clock=self.clock)
        self.bus = DynamixelBus("servos", settings, **self.emulator.driver_options())

    def __enter__(self):
        self.bus.open()
        return self

    def __exit__(self, *_):
        self.bus.close()
        self.emulator.close()

    def send(self, angles):
        nothing = np.full(len(angles), np.nan)
        self.bus.write(np.array(angles), nothing, nothing)

    def angles(self):
        return [reading.position for reading in self.bus.read()]

    def settle(self, seconds=1.0):
        """Let the servos turn, with a request now and then for their watchdogs; return the angles."""
        for _ in range(round(seconds / 0.05)):
            self.clock.sleep(0.05)
            angles = self.angles()
        return angles


def test_answers_may_be_late_where_nothing_moves_yet(monkeypatch):
    with Rig([joint(1)], DynamixelSettings(reply_timeout=0.001)) as rig:
        reply = rig.emulator._reply
        monkeypatch.setattr(rig.emulator, "_reply", lambda data, delay: reply(data, delay + 0.05))
        rig.bus.configure(rig.joints)
        before = rig.bus.read()
        assert rig.bus.read() == before  # here such an answer is too late


@pytest.mark.parametrize("model", ["XL330-M288", "XM430-W350"])
@pytest.mark.parametrize("gear", [1.0, 3.0])
def test_joints_turn_by_their_own_map(model, gear):
    own = DynamixelJoint(model=model)
    joints = [
        joint(n, settings=own, gear=gear, lower=-1.5 / gear, upper=1.5 / gear, velocity=3.0 / gear) for n in (3, 1, 8)
    ]
    with Rig(joints) as rig:
        rig.bus.configure(joints)
        assert rig.angles() == pytest.approx(rig.start, abs=t.RAD_PER_TICK)
        rig.bus.enable()
        assert rig.emulator.torque() == (True, True, True)
        goal = [-0.2, 0.25, 0.0]
        rig.send(goal)
        assert rig.settle(3.0) == pytest.approx(goal, abs=0.6 * t.RAD_PER_TICK / gear)
        for one, servo, angle in zip(joints, rig.emulator.servos, goal, strict=True):
            # what was waited for is 0.6 of a tick, and the servo rounds the goal and the angle that it tells
            assert servo.motor.angle == pytest.approx(one.zero + one.direction * gear * angle, abs=1.6 * t.RAD_PER_TICK)
        assert rig.bus.release() == ()
        assert rig.emulator.torque() == (False, False, False)


def test_a_crank_turns_on_and_on():
    own = DynamixelJoint(model="XL330-M077")  # the fastest
    crank = joint(1, lower=-math.inf, upper=math.inf, zero=math.pi, settings=own)
    with Rig([crank], start=[0.0]) as rig:
        rig.bus.configure([crank])
        assert rig.emulator.servos[0].get(t.OPERATING_MODE) == t.EXTENDED_MODE
        rig.bus.enable()
        for goal in (4.0, -9.0):  # far beyond a turn of 6.28, both ways
            rig.send([goal])
            assert rig.settle(3.0) == pytest.approx([goal], abs=t.RAD_PER_TICK)
        assert rig.emulator.motion()[0][0] == pytest.approx(-9.0, abs=2 * t.RAD_PER_TICK)


def test_enabling_moves_nothing_even_with_an_old_goal_in_the_servo():
    with Rig([joint(1)]) as rig:
        rig.bus.configure(rig.joints)
        rig.emulator.servos[0].set(t.GOAL_POSITION, 100)
        before = rig.emulator.motion()[0][0]
        rig.bus.enable()
        for _ in range(20):
            rig.bus.read()
        assert rig.emulator.motion()[0][0] == pytest.approx(before, abs=t.RAD_PER_TICK)


def test_readings_are_in_si_units_at_the_joint():
    with Rig([joint(2, gear=2.0, lower=-0.7, upper=0.7, velocity=2.0)], start=[0.0]) as rig:
        rig.bus.configure(rig.joints)
        rig.bus.enable()
        rig.send([0.6])  # far away: it draws current and turns at its fastest, about the joint's positive direction

        rig.clock.sleep(0.1)
        (reading,) = rig.bus.read()
        assert 1.0 < reading.velocity <= t.MODELS["XM430-W350"].no_load / 2.0 + t.VELOCITY_UNIT_RAD_S
        assert reading.effort > 0.0
        assert reading.voltage == pytest.approx(12.4)
        assert reading.temperature == 31.0


def refusal(joints, spoil=lambda emulator: None, settings=None):
    with Rig(joints, settings) as rig:
        spoil(rig.emulator)
        with pytest.raises(UserError) as caught:
            rig.bus.configure(joints)
        assert not any(rig.emulator.torque())
        return str(caught.value)


def test_a_missing_servo_is_named_with_the_ids_that_are_there():
    def leave(emulator):
        emulator.servos[1].set(t.ID, 9)

    said = refusal([joint(1), joint(2)], leave)
    assert "joint_2, id 2, does not answer" in said
    assert "there are ids 1, 9" in said


def test_a_wrong_rate_is_found_out():
    joints = [joint(1)]
    servos = [EmulatedServo(1, t.MODELS["XM430-W350"], math.pi, 0.0)]
    emulator = DynamixelEmulator(servos, joints, baud=57600, clock=VirtualClock())
    bus = DynamixelBus("servos", DynamixelSettings(), **emulator.driver_options())
    try:
        bus.open()
        emulator.driver_options()["port"].set_baud(1_000_000)  # that of the settings
        with pytest.raises(UserError, match="but it does at 57600"):
            bus.configure(joints)
    finally:
        bus.close()
        emulator.close()


def test_two_servos_with_one_id_are_told_from_a_missing_one():
    def twin(emulator):
        emulator.servos.append(EmulatedServo(1, t.MODELS["XM430-W350"], 0.0, 0.0))

    assert "id 1 of joint_1 answers garbled: two servos share it" in refusal([joint(1)], twin)


def test_an_empty_bus_is_told_from_a_wrong_id():
    def silence(emulator):
        emulator.inject("dead")

    assert "nor does any other: check the cable" in refusal([joint(1)], silence)


def test_another_model_is_refused_by_name():
    def swap(emulator):
        emulator.servos[0].set(t.MODEL_NUMBER, 1060)

    said = refusal([joint(1)], swap)
    assert "is an XL430-W250 and no XM430-W350" in said
    assert "hardware.joints.joint_1.model" in said


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"zero": 0.5}, "outside the 0 to 359.9 degrees"),
        ({"velocity": 20.0}, "reaches 4.82 rad/s"),
        ({"settings": DynamixelJoint(model="XL430-W250", current_limit=1.0)}, "measures no current"),
        ({"settings": DynamixelJoint(model="XL330-M288", current_limit=2.0)}, "takes at most 1.75 A"),
        ({"settings": DynamixelJoint()}, "model is missing"),
        ({"id": 300}, "servo ids are 0 to 252"),
        ({"lower": -3000.0, "upper": 3000.0}, "more than the 256 turns"),
    ],
)
def test_what_no_servo_can_do_is_refused_before_the_bus_is_asked(changes, words):
    good = joint(1)
    with Rig([good]) as rig, pytest.raises(UserError, match=words):
        rig.bus.configure([replace(good, **changes)])


def test_a_hot_servo_and_a_wrong_supply_are_refused():
    def heat(emulator):
        emulator.servos[0].overheat()

    assert "reports overheating" in refusal([joint(1)], heat)

    def starve(emulator):
        emulator.servos[0].supply = 5.5

    assert "is supplied with 5.5 V" in refusal([joint(1)], starve)


def test_memory_that_wears_out_is_written_only_where_it_differs():
    with Rig([joint(1)]) as rig:
        rig.bus.configure(rig.joints)
        written = []
        servo = rig.emulator.servos[0]
        plain = servo.write
        servo.write = lambda address, data: written.append(address) or plain(address, data)
        rig.bus.configure(rig.joints)
        assert written
        assert all(address >= t.RAM_START for address in written)


@pytest.mark.parametrize("fault", ["lost", "corrupt", "truncated"])
def test_an_answer_now_and_then_that_fails_is_asked_for_again(fault):
    joints = [joint(n) for n in (1, 2, 3)]
    with Rig(joints) as rig:
        rig.bus.configure(joints)
        rig.emulator.inject(fault, "joint_2", every=3)
        for _ in range(10):  # the one that failed, and those behind it that were silent
            begun = rig.clock()
            assert all(reading.time >= begun for reading in rig.bus.read())
        assert rig.angles() == pytest.approx(rig.start, abs=t.RAD_PER_TICK)


def test_answers_that_come_late_again_and_again_are_not_taken_for_those_of_the_present():
    joints = [joint(1)]
    with Rig(joints, DynamixelSettings(reply_timeout=0.05)) as rig:
        rig.bus.configure(joints)
        (before,) = rig.bus.read()
        rig.emulator.inject("late")
        heard = [rig.bus.read()[0].time for _ in range(12)]  # from the fourth question on, each hears an old answer
        assert set(heard) == {before.time}
        rig.emulator.inject("none")
        rig.clock.sleep(0.2)
        assert rig.bus.read()[0].time > before.time


@pytest.mark.parametrize("fault", ["lost", "corrupt", "truncated", "dead"])
def test_a_servo_that_stays_silent_keeps_its_old_time_and_the_others_are_heard(fault):
    joints = [joint(n) for n in (1, 2, 3)]
    with Rig(joints) as rig:
        rig.bus.configure(joints)
        before = rig.bus.read()[1].time
        rig.emulator.inject(fault, "joint_2")
        begun = rig.clock()
        one, two, three = rig.bus.read()
        assert two.time == before
        assert min(one.time, three.time) >= begun


def test_a_bus_without_power_is_not_asked_servo_by_servo():
    joints = [joint(n) for n in range(1, 9)]
    with Rig(joints) as rig:
        rig.bus.configure(joints)
        rig.emulator.inject("dead")
        before = rig.emulator.packets
        rig.bus.read()
        assert rig.emulator.packets == before + 3  # all together, then two by themselves: a cycle stays short
        rig.emulator.inject("none")
        rig.emulator.inject("dead", "joint_1")

        before, after = ([reading.time for reading in rig.bus.read()] for _ in range(2))
        assert [now > then for now, then in zip(after, before, strict=True)] == [False] + [True] * 7


def test_the_torque_of_the_others_goes_off_although_one_does_not_listen():
    joints = [joint(n) for n in (1, 2, 3)]
    with Rig(joints) as rig:
        rig.bus.configure(joints)
        rig.bus.enable()
        rig.emulator.inject("lost", "joint_1")
        rig.emulator.servos[1].write = lambda address, data: 0  # hears, but does nothing
        faults = rig.bus.release()
        assert [fault.joint for fault in faults] == ["joint_1"]
        assert "could not be switched off" in str(faults[0])
        assert rig.emulator.torque() == (False, True, False)


def test_a_servo_that_has_restarted_says_so():
    with Rig([joint(1), joint(2)]) as rig:
        rig.bus.configure(rig.joints)
        rig.bus.enable()
        rig.emulator.inject("dead", "joint_2")
        rig.emulator.inject("none")
        _, two = rig.bus.read()
        assert two.errors == ("it has restarted",)
        assert rig.emulator.torque() == (True, False)


def test_clear_reboots_what_has_cooled_down_and_sets_it_up_again():
    with Rig([joint(1)]) as rig:
        rig.bus.configure(rig.joints)
        rig.emulator.inject("hot")
        assert rig.bus.read()[0].errors == ("overheating",)
        with pytest.raises(BusFault, match="overheating"):
            rig.bus.clear()
        rig.emulator.inject("none")
        rig.bus.clear()
        assert rig.bus.read()[0].errors == ()
        rig.bus.enable()
        assert rig.emulator.torque() == (True,)


def test_an_enable_that_one_servo_does_not_confirm_leaves_all_off():
    joints = [joint(1), joint(2)]
    with Rig(joints) as rig:
        rig.bus.configure(joints)
        servo = rig.emulator.servos[1]
        plain = servo.write
        servo.write = lambda address, data: 0 if address == t.TORQUE.address else plain(address, data)
        with pytest.raises(BusFault, match=r"joint_2.*does not switch its torque on") as caught:
            rig.bus.enable()
        assert caught.value.joint == "joint_2"
        assert rig.emulator.torque() == (False, False)


def test_a_port_that_vanishes_is_a_fault_of_the_bus_and_release_says_so_for_every_joint():
    with Rig([joint(1), joint(2)]) as rig:
        rig.bus.configure(rig.joints)
        rig.emulator.inject("gone")
        with pytest.raises(BusFault, match="is gone"):
            rig.bus.read()
        assert [fault.joint for fault in rig.bus.release()] == ["joint_1", "joint_2"]
        rig.bus.close()
        rig.emulator.inject("none")
        rig.bus.open()
        rig.bus.configure(rig.joints)
        assert rig.angles() == pytest.approx(rig.start, abs=t.RAD_PER_TICK)


def test_closing_disarms_the_watchdogs_and_leaves_the_torque():
    with Rig([joint(1)], DynamixelSettings(watchdog=0.5)) as rig:
        rig.bus.configure(rig.joints)
        rig.bus.enable()
        assert rig.emulator.servos[0].get(t.WATCHDOG) == 25
        rig.bus.close()
        rig.clock.sleep(0.01)  # the last packet is on its way
        assert rig.emulator.servos[0].get(t.WATCHDOG) == 0
        assert rig.emulator.torque() == (True,)


def test_a_limited_current_is_set_as_such():
    own = DynamixelJoint(model="XM430-W350", current_limit=1.0)
    with Rig([joint(1, settings=own)]) as rig:
        rig.bus.configure(rig.joints)
        servo = rig.emulator.servos[0]
        assert servo.get(t.OPERATING_MODE) == t.CURRENT_POSITION_MODE
        assert servo.get(t.GOAL_CURRENT) * 2.69e-3 == pytest.approx(1.0, abs=2e-3)
        assert servo.get(t.CURRENT_LIMIT) == servo.get(t.GOAL_CURRENT)
