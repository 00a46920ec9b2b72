"""A guarded backend, tick by tick."""

from typing import ClassVar

import numpy as np
import pytest

from crawler_core.errors import BackendFault
from crawler_core.runner import Runner
from crawler_core.supervisor import Motion, Supervisor
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
    runner = Runner(Body(), Supervisor(spec, DT), DT)
    runner.open()
    runner.enable()
    return runner


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
    assert runner.supervisor.motion is Motion.FAULTED
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
    runner = Runner(motors, Supervisor(spec, DT), DT)
    runner.open()
    runner.supervisor.estop()
    motors.fail = "recover"
    with pytest.raises(BackendFault, match="recover failed"):
        runner.reset()
    assert runner.supervisor.motion is Motion.ESTOPPED
    motors.fail = ""
    runner.reset()
    assert runner.supervisor.motion is Motion.DISABLED
    assert runner.health() == {"hip.temperature": 40.0}


def test_a_backend_without_devices_is_reset_by_its_supervisor_alone(runner):
    runner.supervisor.estop()
    runner.reset()
    assert runner.supervisor.motion is Motion.DISABLED
    assert runner.health() == {}
