"""The running leg on its emulated ODrive: the law pushes through the drive, and the equations turn the motor."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hw_robots import bolt, ideal_motors
from odrive_bench import Bench

from crawler_core.conformance.backend_conformance import BackendConformance
from crawler_core.errors import BackendFault, UserError
from crawler_core.linkages.loop_closure_solver import make_loop_closure_solver
from crawler_core.loop.supervised_backend import SupervisedBackend
from crawler_core.robot.robot_file import load_robot
from crawler_core.safety.supervisor import MotionState, Supervisor
from crawler_core.types import ContactMode, JointCommand
from crawler_models.bolt.simulation.running import Running, RunningParameters
from hw_drivers.backend.hardware_map import hardware_map
from hw_drivers.emulation.model_load import ModelLoad

NAN = math.nan


class TestBoltOnAnODrive(BackendConformance):
    dt = 0.01
    effort_tolerance = 1e-3  # N·m of floats of 4 bytes
    waits_at_start = True

    def make_spec(self):
        return bolt()

    def make_backend(self, spec, dt):
        return ideal_motors(spec, dt)


def run(spec, seconds, rate):
    """The law against the emulated drive, tick by tick of a clock that waits for both; the feet's contacts besides."""
    (bus,) = hardware_map(spec)
    crank, tick = spec.actuated[0], 1.0 / rate
    law = Running(RunningParameters(**spec.section("controller")["running"]), crank.effort, crank.power)
    ground = ModelLoad(spec)
    seen = []
    with Bench(bus.joints, settings=bus.settings, start=crank.home) as bench:
        bench.emulator.attach_load("crank", ground.load("crank"))
        bench.ready()
        began = bench.now
        law.begin(0.0, crank.home, stance=False)
        for _ in range(round(seconds * rate)):
            (reading,), (base, (foot,)) = bench.bus.read(), ground.observe()
            now = bench.now - began
            landed = foot.mode is not ContactMode.OPEN
            (law.touch_down if landed else law.in_air)(now, reading.position)
            bench.bus.write(*(np.array([x]) for x in (NAN, NAN, law.torque(now, reading.position, reading.velocity))))
            seen.append((now, landed, base.position[0], base.position[2], reading.effort))
            bench.sleep(tick)
        assert bench.liveness.check(bench.bus.read(), bench.now) is None
    return np.array(seen)


def test_the_leg_runs_through_the_drive_as_it_does_by_its_equations():
    """At the rate that is chosen for hardware, with estimates, torques and setpoints as frames of CAN."""
    spec = bolt()
    rate = spec.section("backends")["hardware"]["rate"]
    now, landed, x, _, effort = run(spec, 4.0, rate).T
    landings = np.flatnonzero((landed[1:] > 0) & (landed[:-1] == 0)) + 1
    landings = landings[np.diff(now[landings], prepend=-1.0) > 0.1]  # others are bounces
    stride, length = np.diff(now[landings])[4:], np.diff(x[landings])[4:]
    assert len(stride) >= 5
    # what is late by up to a tick and an estimate is no more the run of the equations, but near it
    assert stride.mean() == pytest.approx(0.334, rel=0.05)
    assert (length / stride).mean() > 1.2  # m/s
    assert np.nanmax(np.abs(effort)) <= spec.actuated[0].effort * (1.0 + 1e-6)


def test_efforts_end_with_their_tick_and_the_passive_joints_follow_the_crank():
    spec = bolt()
    backend = ideal_motors(spec, 0.01)
    runner = SupervisedBackend(backend, Supervisor(spec, 0.01), 0.01, make_loop_closure_solver(spec))
    runner.open()
    try:
        runner.enable()
        push = JointCommand(np.array([NAN]), np.array([NAN]), np.array([-20.0]))

        for _ in range(12):
            assert runner.tick(push)
            seen = runner.observation
            assert np.isfinite(seen.position).all()
            assert np.isfinite(seen.velocity).all()
            assert seen.base is not None
            assert [contact.foot for contact in seen.contacts] == ["foot"]
        assert seen.position[0] < spec.joints[0].home - 1.0
        assert runner.supervisor.motion is MotionState.ACTIVE
        assert runner.tick(None)  # no command: its brake at once, against the way that it turns
        assert runner.applied.effort[0] > 0.0
    finally:
        runner.close(release=True)


def test_a_leg_that_falls_lies_still_says_so_once_and_stands_up_on_recovery():
    ground = ModelLoad(load_robot("bolt", {"foot_stiffness": 300.0, "foot_damping": 1.0}))
    motor = ground.load("crank")

    def push_on():
        for _ in range(4000):
            angle, rate = motor.push(-0.1, 1e-3)
            ground.observe()
        return angle, rate

    with pytest.raises(BackendFault, match=r"cannot go on: The leg falls") as fall:
        push_on()
    assert "start_height" in fall.value.remedy
    (lies, _), _ = ground.observe(), ground.observe()  # states go on
    assert motor.push(-5.0, 1e-3) == motor.push(-5.0, 1e-3)
    assert motor.push(-5.0, 1e-3)[1] == 0.0

    ground.recover()
    stands, _ = ground.observe()
    assert stands.position[2] > lies.position[2] + 0.1
    assert stands.position[0] == pytest.approx(lies.position[0])


@pytest.mark.parametrize("kind", ["dynamixel", "pca9685"])
def test_a_crank_that_is_driven_by_effort_is_for_an_odrive_alone(kind):
    spec = bolt()
    hardware = {"buses": {"b": {"kind": kind}}, "joints": {"crank": {"bus": "b", "id": 1}}}
    with pytest.raises(UserError, match="crank is driven by effort"):
        hardware_map(replace(spec, sections={**spec.sections, "hardware": hardware}))
