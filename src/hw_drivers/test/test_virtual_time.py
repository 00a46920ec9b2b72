"""Emulated motors in virtual time: runs equal to the bit on machines of any speed, lost answers, dead motors."""

import time
from dataclasses import replace

import numpy as np
import pytest
from hw_robots import on_its_board, three_link

from crawler_core.errors import BackendFault
from crawler_core.loop.supervised_backend import SupervisedBackend
from crawler_core.reality.reality import Reality
from crawler_core.safety.supervisor import Supervisor
from crawler_core.types import JointCommand
from hw_drivers.emulation.emulated_backend import EmulatedBackend
from hw_drivers.emulation.emulated_line import EmulatedLine
from hw_drivers.emulation.emulated_settings import EmulatedSettings
from hw_drivers.emulation.virtual_clock import NEVER_NS, VirtualClock
from hw_drivers.ports.serial_port import SerialPort

DT = 0.01
REALITY = Reality(
    bandwidth=50.0, backlash=0.004, position_noise=5e-4, velocity_noise=0.02, state_delay=0.003, loss=0.02
)
EFFORT_REALITY = Reality(current_bandwidth=400.0, gear_friction=1e-4, command_delay=0.001, state_delay=0.002, loss=0.02)
ROBOTS = {"three_link": (three_link(), REALITY), "miniaq": (on_its_board("miniaq"), EFFORT_REALITY)}


def run(name, ticks=60, seed=3, each=lambda: None, reality=None):
    """Wave with the joints, or push them; return all observations as text that shows every bit."""
    spec, usual = ROBOTS[name]
    backend = EmulatedBackend(spec, EmulatedSettings(), DT)
    backend.set_reality(reality or usual, seed)
    runner = SupervisedBackend(backend, Supervisor(spec, DT), DT)
    seen = []
    try:
        runner.open()
        runner.enable()
        home = np.array([joint.home for joint in spec.actuated])
        by_effort = np.array([joint.is_effort_driven for joint in spec.actuated])
        for k in range(ticks):
            each()
            wave = 0.1 * np.sin(0.05 * k)
            goal, push = np.where(by_effort, np.nan, home + wave), np.where(by_effort, 2e-3 * np.sign(wave), np.nan)
            assert runner.tick(JointCommand(goal, np.full_like(goal, np.nan), push)), runner.supervisor.report.fault
            now = runner.observation
            seen.append(
                (now.time_ns, now.position.tobytes(), now.velocity.tobytes(), repr(now.base), repr(now.contacts))
            )
    finally:
        runner.close(release=True)
    return seen


@pytest.mark.parametrize("name", ROBOTS)
def test_two_runs_with_one_seed_are_equal_to_the_bit_and_another_seed_gives_another_run(name):
    assert run(name) == run(name)
    assert run(name) != run(name, seed=4)


@pytest.mark.parametrize("name", ROBOTS)
def test_a_machine_that_is_slow_or_whose_clock_leaps_changes_nothing(name, monkeypatch):
    plain = run(name, 30)
    leaps = iter(range(10**6))
    clock = time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: clock() + 7.0 * next(leaps))
    assert run(name, 30, each=lambda: time.sleep(2e-3)) == plain


def test_one_answer_in_a_hundred_may_be_lost():
    times = [one[0] for one in run("three_link", 300, reality=replace(REALITY, loss=0.01))]
    late = [step for step in np.diff(times) if step != round(1e9 * DT)]
    assert 1 <= len(late) <= 20  # those ticks waited for an answer


@pytest.mark.parametrize("patience", [0.1, 0.5])
def test_a_dead_motor_stops_a_run_within_patience_of_virtual_time(patience):
    settings = EmulatedSettings(patience=patience, fail="dead", fail_after=0.2, fail_joint="joint_2")
    backend = EmulatedBackend(three_link(), settings, DT)
    backend.set_reality(Reality(), 0)
    backend.open()
    try:
        fault = _until_fault(backend)
        assert fault.joint == "joint_2"
        assert str(fault).startswith("the motor of joint_2 has not answered for ")
        passed = backend.time_ns / 1e9 - 0.2 - patience
        assert -DT < passed < 0.08  # from the last answer, to the second cycle that waits for one twice
    finally:
        backend.close()


def _until_fault(backend):
    for _ in range(1000):
        backend.advance(DT)
        try:
            backend.observe()
        except BackendFault as fault:
            return fault
    raise AssertionError("no fault came")


class Echo:
    """A device that sends back what it receives, a character on, and counts its steps."""

    def __init__(self, clock, period=float("inf"), baud=100_000):
        self.clock, self.steps = clock, []
        self.line = EmulatedLine("the line", baud, clock, self, period)

    def receive(self, data):
        self.line.send(bytes(value + 1 for value in data))

    def is_command(self, data):
        return False

    def step(self):
        self.steps.append(self.clock.now_ns)


def test_bytes_take_the_time_that_they_take_on_a_real_line():
    clock = VirtualClock()
    port: SerialPort = Echo(clock).line
    port.open()
    port.write(b"abc")
    assert clock.now_ns == 0
    assert port.read(1.0) == b"bcd"
    assert clock.now_ns == 2 * 3 * 100_000  # ten bits a byte, both ways
    assert port.read(1.0) == b""
    assert clock() == 1.0
    port.set_baud(9600)
    port.write(b"abc")
    assert port.read(2.0) == b""  # it is noise to the device


def test_a_device_steps_while_its_driver_waits_or_sleeps():
    clock = VirtualClock()
    device = Echo(clock, period=0.25)
    device.line.open()
    assert device.line.read(0.6) == b""
    assert device.steps == [250_000_000, 500_000_000]
    clock.sleep(0.15)
    assert device.steps[2:] == [750_000_000]
    clock.detach(device.line)
    assert clock.next_due_ns() == NEVER_NS
