"""A guarded backend, tick by tick."""

import dataclasses
from typing import ClassVar

import numpy as np
import pytest

from crawler_core.errors import BackendFault
from crawler_core.linkages.loop_closure_solver import LoopClosureSolver
from crawler_core.loop.supervised_backend import SupervisedBackend
from crawler_core.safety.supervisor import MotionState, Supervisor
from crawler_core.types import JointCommand, Observation

DT = 0.01


class Body:
    """A backend that notes what is done to it and fails on request."""

    simulated: ClassVar[bool] = True
    kind: ClassVar[str] = "body"

    def __init__(self):
        self.calls = []
        self.fail = ""
        self.time = 0

    def _call(self, name):
        self.calls.append(name)
        if self.fail == name:
            raise BackendFault(f"{name} failed", remedy="plug it in", joint="hip")

    def open(self):
        self._call("open")

    def observe(self):
        self._call("observe")
        return Observation(self.time, np.zeros(4), np.zeros(4), np.zeros(4))

    def apply(self, command):
        self._call("apply")
        return command

    def advance(self, dt):
        self._call("advance")
        self.time += round(dt * 1e9)

    def relax(self):
        self._call("relax")

    def close(self):
        self._call("close")


@pytest.fixture
def runner(spec):
    runner = SupervisedBackend(Body(), Supervisor(spec, DT), DT)
    runner.open()
    runner.enable()
    return runner


class RealTime(Body):
    """Its time passes by itself."""

    simulated = False

    def __init__(self):
        super().__init__()
        self.angles = np.zeros(4)

    def observe(self):
        self._call("observe")
        return Observation(self.time, self.angles, np.zeros(4), np.zeros(4))


def test_motion_begins_from_where_the_joints_are_by_then(spec):
    body = RealTime()
    runner = SupervisedBackend(body, Supervisor(spec, DT), DT)
    runner.open()
    runner.enable()
    body.angles = np.array([-0.5, 0.0, 0.2, 0.1])
    runner.resync()
    runner.tick(None)
    assert runner.applied.position.tolist() == [-0.5, 0.2, 0.1]


def test_motion_that_somebody_has_stopped_does_not_begin(spec):
    runner = SupervisedBackend(RealTime(), Supervisor(spec, DT), DT)
    runner.open()
    runner.enable()
    runner.supervisor.estop()
    runner.resync()
    assert runner.supervisor.motion is MotionState.ESTOPPED


def test_joints_that_are_not_seen_any_more_when_motion_begins_are_a_fault(spec):
    body = RealTime()
    runner = SupervisedBackend(body, Supervisor(spec, DT), DT)
    runner.open()
    runner.enable()
    body.fail = "observe"
    runner.resync()
    assert runner.supervisor.motion is MotionState.FAULTED
    assert body.calls[-1] == "relax"


def stay():
    return JointCommand(np.zeros(3), np.zeros(3), np.full(3, np.nan))


def test_a_tick_applies_advances_and_observes_in_this_order(runner):
    runner.backend.calls.clear()
    assert runner.tick(stay())
    assert runner.backend.calls == ["apply", "advance", "observe"]
    assert runner.observation.time_ns == 10_000_000


@pytest.mark.parametrize("call", ["apply", "advance", "observe"])
def test_a_fault_anywhere_takes_the_torque_off_and_latches(runner, call):
    runner.tick(stay())
    runner.backend.fail = call
    runner.backend.calls.clear()
    assert not runner.tick(stay())
    assert "relax" in runner.backend.calls
    assert runner.supervisor.motion is MotionState.FAULTED
    assert runner.supervisor.report.remedy == "plug it in"
    runner.backend.fail = ""
    runner.backend.calls.clear()
    runner.tick(stay())
    assert "apply" not in runner.backend.calls


def test_relax_is_sent_once_and_apply_ends_it(runner):
    runner.tick(stay())
    runner.supervisor.disable()
    runner.backend.calls.clear()
    runner.tick(stay())
    runner.tick(stay())
    assert runner.backend.calls.count("relax") == 1
    runner.enable()
    runner.backend.calls.clear()
    runner.tick(stay())
    assert "apply" in runner.backend.calls


def test_a_relax_that_fails_does_not_stop_the_close(runner):
    runner.backend.fail = "relax"
    runner.close(release=True)
    assert runner.backend.calls[-1] == "close"
    assert "relax" in runner.backend.calls


def test_hold_on_exit_leaves_the_torque_on(runner):
    runner.backend.calls.clear()
    runner.close(release=False)
    assert runner.backend.calls == ["close"]


class Motors(Body):
    """A backend whose devices latch errors."""

    def recover(self):
        self._call("recover")

    def health(self):
        return {"hip.temperature": 40.0}


def test_a_reset_reaches_the_devices_and_without_them_the_stop_stays(spec):
    motors = Motors()
    runner = SupervisedBackend(motors, Supervisor(spec, DT), DT)
    runner.open()
    runner.supervisor.estop()
    motors.fail = "recover"
    with pytest.raises(BackendFault, match="recover failed"):
        runner.reset()
    assert runner.supervisor.motion is MotionState.ESTOPPED
    motors.fail = ""
    runner.reset()
    assert runner.supervisor.motion is MotionState.DISABLED
    assert runner.health() == {"hip.temperature": 40.0}


def test_a_backend_without_devices_is_reset_by_its_supervisor_alone(runner):
    runner.supervisor.estop()
    runner.reset()
    assert runner.supervisor.motion is MotionState.DISABLED
    assert runner.health() == {}


class Hinge(LoopClosureSolver):
    """For the toy: its bar is twice the hip."""

    def __init__(self):
        """It has no URDF to read."""

    def complete(self, position, velocity):
        if position[0] > 1.0:
            raise ValueError("the loop 'bar' cannot close with hip at 60 degrees.")
        return (np.array([one[0], 2.0 * one[0], *one[2:]]) for one in (position, velocity))


class Blind(Body):
    """A backend that does not know the bar."""

    hip = 0.25

    def observe(self):
        seen = super().observe()
        unknown = np.array([self.hip, np.nan, 0.0, 0.0])
        return Observation(seen.time_ns, unknown, unknown.copy(), seen.effort)


def test_unknown_joints_of_loops_are_filled_in_once_for_everybody(spec):
    runner = SupervisedBackend(Blind(), Supervisor(spec, DT), DT, Hinge())
    runner.open()
    assert runner.observation.position.tolist() == [0.25, 0.5, 0.0, 0.0]
    runner.enable()
    runner.tick(stay())
    assert runner.observation.position.tolist() == [0.25, 0.5, 0.0, 0.0]
    assert runner.observation.velocity.tolist() == [0.25, 0.5, 0.0, 0.0]


def test_what_a_backend_knows_of_a_loop_is_left_alone(spec):
    runner = SupervisedBackend(Body(), Supervisor(spec, DT), DT, Hinge())
    runner.open()
    assert runner.observation.position.tolist() == [0.0, 0.0, 0.0, 0.0]


def test_a_loop_that_cannot_close_is_a_fault_that_says_so(spec):
    body = Blind()
    runner = SupervisedBackend(body, Supervisor(spec, DT), DT, Hinge())
    runner.open()
    runner.enable()
    body.hip = 1.05
    assert not runner.tick(stay())
    assert runner.supervisor.motion is MotionState.FAULTED
    assert "cannot close" in runner.supervisor.report.fault
    assert "lengths" in runner.supervisor.report.remedy


def test_on_the_way_out_joints_that_are_driven_by_effort_are_looked_at(spec):
    *others, crank = spec.joints
    pushed = dataclasses.replace(crank, command_interface="effort", idle_damping=0.1)
    body = Body()
    runner = SupervisedBackend(body, Supervisor(dataclasses.replace(spec, joints=(*others, pushed)), DT), DT)
    runner.open()
    runner.enable()
    body.calls.clear()
    runner.rest()
    assert body.calls == ["apply", "advance", "observe"]
    assert runner.at_rest
